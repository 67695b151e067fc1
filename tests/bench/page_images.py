"""Pictures of pages whose text is known: fonts, sizes, columns, and what scanners do to them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont

ENGLISH = (
    "The pump station stands at the lower end of the valley, where the river leaves the rocks. It "
    "was built in 1964 and renewed twice since; the last time, in 2019, both motors were replaced.",
    "Before you open the housing, close the inlet valve, switch off the power and wait for at "
    "least ten minutes. Pressure of more than 2.5 bar remains in the pipe for a while, even when "
    "the gauge shows nothing.",
    "Check the seal on the shaft every month. A few drops an hour are normal and keep it cool; a "
    "steady trickle is not. Write down the date, the hours run and the amount in the log book, so "
    "that whoever comes next can see how it changes.",
    "Spare parts are kept in the grey cabinet beside the door. Take what you need, note the part "
    "number on the list, and tell the office when fewer than three pieces are left. Orders take "
    "about six weeks.",
    "In case of flooding call the control room at once, then leave by the upper stairs. Nobody may "
    "go back for tools or papers. The doors of the lower hall close by themselves after 90 s.",
)
GERMAN = (
    "Die Prüfung der Anlage erfolgt jährlich im März durch zwei fachkundige Personen. Über das "
    "Ergebnis wird ein Bericht geführt, der mindestens zehn Jahre aufzubewahren ist.",
    "Öffnen Sie das Gehäuse erst, wenn der Druck vollständig abgebaut ist. Größere Mengen "
    "Flüssigkeit müssen vorher abgelassen und in den dafür vorgesehenen Behälter gefüllt werden.",
    "Der Schlüssel für den Schaltraum liegt beim Pförtner. Wer ihn abholt, trägt sich mit Namen, "
    "Datum und Uhrzeit ein und bringt ihn am selben Tag zurück; Ausnahmen gibt es nicht.",
    "Bei Störungen außerhalb der Dienstzeit rufen Sie die Bereitschaft unter 0911 47 12 an. "
    "Nennen Sie die Nummer der Pumpe, die angezeigte Meldung und was Sie zuletzt getan haben.",
)
FRENCH = (
    "Le contrôle de l'installation a lieu chaque année au mois de mars. Le résultat est noté dans "
    "un rapport qui doit être conservé pendant dix ans au moins.",
    "N'ouvrez le boîtier qu'après avoir vérifié que la pression est tombée à zéro. Les liquides "
    "doivent être recueillis dans le réservoir prévu à cet effet, près de l'entrée.",
    "La clé du local électrique se trouve à l'accueil. La personne qui vient la chercher inscrit "
    "son nom, la date et l'heure, puis la rapporte le jour même.",
    "En cas de panne, appelez le service de garde. Indiquez le numéro de la pompe, le message "
    "affiché et ce que vous avez fait en dernier lieu.",
)


@dataclass(frozen=True)
class PageSpec:
    """How a page looks."""

    name: str
    paragraphs: tuple[str, ...] = ENGLISH
    dpi: int = 200
    points: float = 11.0
    font: str = "DejaVuSans.ttf"
    columns: int = 1
    noise: float = 0.0
    """Standard deviation of what is added to each pixel, of 255."""
    blur: float = 0.0
    """Radius in pixels."""
    contrast: float = 1.0
    skew: float = 0.0
    """Degrees clockwise."""
    turn: int = 0
    """Degrees clockwise: 0, 90, 180, 270."""
    jpeg: int | None = None
    """Quality, if the page went through JPEG."""
    paper: tuple[float, float] = (8.27, 11.69)
    """Inches across and down."""
    margin: float = 0.75
    """Inches."""


SPECS = (
    PageSpec("sans 200 dpi"),
    PageSpec("serif 300 dpi", dpi=300, font="DejaVuSerif.ttf"),
    PageSpec("mono 200 dpi", font="DejaVuSansMono.ttf"),
    PageSpec("bold 150 dpi", dpi=150, font="DejaVuSans-Bold.ttf"),
    PageSpec("small print 8 pt", points=8),
    PageSpec("100 dpi", dpi=100),
    PageSpec("German", paragraphs=GERMAN, font="DejaVuSerif.ttf"),
    PageSpec("French", paragraphs=FRENCH),
    PageSpec("noise", noise=40),
    PageSpec("blur and noise", blur=1.5, noise=15),
    PageSpec("low contrast", contrast=0.25, noise=6),
    PageSpec("JPEG 15", jpeg=15, dpi=150),
    PageSpec("skew 1.5", skew=1.5),
    PageSpec("skew -4", skew=-4),
    PageSpec("two columns", columns=2, paragraphs=ENGLISH * 2, points=10),
    PageSpec("two columns German", columns=2, paragraphs=GERMAN * 2, points=10),
    PageSpec("three columns", columns=3, paragraphs=ENGLISH * 2, points=8, dpi=250),
    PageSpec("two columns skewed", columns=2, paragraphs=ENGLISH * 2, points=10, skew=2),
    PageSpec("turned 90", turn=90),
    PageSpec("turned 180", turn=180),
    PageSpec("turned 270", turn=270),
    PageSpec("turned 180 two columns", turn=180, columns=2, paragraphs=ENGLISH * 2, points=10),
)


def draw(spec: PageSpec) -> Image.Image:
    """The page as a picture; its text is `spec.paragraphs`, one after the other."""
    width, height = (round(inches * spec.dpi) for inches in spec.paper)
    page = Image.new("L", (width, height), 255)
    font = _font(spec)
    margin, gutter = round(spec.margin * spec.dpi), spec.dpi * 3 // 10
    across = (width - 2 * margin - (spec.columns - 1) * gutter) // spec.columns
    step = round(1.25 * spec.points * spec.dpi / 72)
    lines = [_wrapped(text, font, across) for text in spec.paragraphs]
    columns = _in_columns(lines, spec.columns, (height - 2 * margin) // step)
    brush = ImageDraw.Draw(page)
    for number, column in enumerate(columns):
        for row, line in enumerate(column):
            place = (margin + number * (across + gutter), margin + row * step)
            brush.text(place, line, font=font, fill=0)
    return _scanned(page, spec)


def to_bytes(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    """As an image file."""
    packed = BytesIO()
    picture.save(packed, kind, **options)
    return packed.getvalue()


def _font(spec: PageSpec) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font by its file's name, or the one that Pillow brings, which has ASCII only."""
    size = spec.points * spec.dpi / 72
    try:
        return ImageFont.truetype(spec.font, size)
    except OSError:
        return ImageFont.load_default(size)


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _in_columns(lines: Sequence[list[str]], count: int, room: int) -> list[list[str]]:
    """Lines with an empty one between paragraphs, in columns of about the same height."""
    flow = [line for paragraph in lines for line in (*paragraph, "")][:-1]
    height = min(room, -(-len(flow) // count))
    assert count * height >= len(flow), f"{len(flow)} lines do not fit on the page"
    return [flow[start : start + height] for start in range(0, len(flow), height)]


def _scanned(page: Image.Image, spec: PageSpec) -> Image.Image:
    if spec.skew:
        page = page.rotate(-spec.skew, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    if spec.turn:
        page = page.rotate(-spec.turn, expand=True)
    if spec.blur:
        page = page.filter(ImageFilter.GaussianBlur(spec.blur))
    if spec.contrast != 1.0:
        page = ImageEnhance.Contrast(page).enhance(spec.contrast)
    if spec.noise:
        page = _noisy(page, spec.noise)
    if spec.jpeg is not None:
        page = Image.open(BytesIO(to_bytes(page, "JPEG", quality=spec.jpeg)))
    return page


def _noisy(page: Image.Image, deviation: float) -> Image.Image:
    """The same noise each time: the mean of two even distributions, stretched."""
    random_bytes = random.Random(7).randbytes
    size = page.width * page.height
    even = [Image.frombytes("L", page.size, random_bytes(size)) for _ in range(2)]
    grain = Image.blend(*even, 0.5)
    table = [min(255, max(0, round(128 + (value - 128) * deviation / 52))) for value in range(256)]
    return ImageChops.add(page, grain.point(table), offset=-128)
