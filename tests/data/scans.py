"""Draws the sample's scans: pages as a scanner and a phone see them, all of our own making."""

import io
import random
from collections.abc import Sequence

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

DPI = 150
_REGULAR, _BOLD = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"
Row = tuple[float, float, str, float, bool]
"""Inches from the left and from the top, the words, size in points, bold or not."""


def invoice() -> bytes:
    """A scanned invoice, slightly askew, as a PNG of sixteen greys."""
    rows: list[Row] = [
        (0.7, 0.7, "Hallgren Bearings AB", 17, True),
        (0.7, 1.05, "Verkstadsgatan 8, 721 30 Västerås, Sweden", 9, False),
        (0.7, 1.7, "Acme Pumps, accounts payable", 11, False),
        (0.7, 1.9, "Harbour Road 12, 4630 Kristiansand", 11, False),
        (0.7, 2.6, "Invoice 2026-0417", 15, True),
        (0.7, 2.95, "Date: 14 April 2026", 11, False),
        (3.6, 2.95, "Your order: P-88213", 11, False),
        (0.7, 3.6, "Item", 10, True),
        (3.3, 3.6, "Quantity", 10, True),
        (4.5, 3.6, "Price EUR", 10, True),
    ]
    items = [
        ("Thrust bearing 6204-2RS", "40", "312.00"),
        ("Carbon seal ring 28 mm", "25", "187.50"),
        ("Freight to Kristiansand", "1", "64.00"),
    ]
    for number, (item, quantity, price) in enumerate(items):
        top = 3.9 + 0.25 * number
        rows += [
            (0.7, top, item, 10, False),
            (3.3, top, quantity, 10, False),
            (4.5, top, price, 10, False),
        ]
    rows += [
        (0.7, 4.9, "Total to pay: EUR 563.50", 12, True),
        (0.7, 5.5, "Please pay by 14 May 2026 to account SE45 5000 0000 0583 9825 7466.", 9, False),
        (0.7, 5.7, "Goods remain ours until they are paid for. No VAT: reverse charge.", 9, False),
    ]
    return _png(_with_specks(_scanned(_page((6.0, 6.3), rows), skew=-1.2, noise=0)))


def newsletter_page() -> bytes:
    """Two columns of a German notice board, scanned to a black and white TIFF."""
    left = [
        "Wer das Lastenrad ausleihen möchte, trägt sich in die Liste am Empfang ein. Die Leihe ist "
        "auf zwei Tage begrenzt, damit möglichst viele davon haben.",
        "Der Schlüssel liegt beim Pförtner. Vor der Rückgabe ist der Akku zu laden; das dauert "
        "ungefähr vier Stunden.",
    ]
    right = [
        "Im Heizwerk wird am 9. Juni der Kessel gereinigt. An diesem Tag ist das Tor 2 gesperrt, "
        "die Anlieferung erfolgt über die Mühlstraße.",
        "Fragen beantwortet die Leitwarte unter der Nummer 214. Sie ist rund um die Uhr besetzt.",
    ]
    page = _page((6.4, 4.2), [(0.6, 0.5, "Aushang der Leitwarte", 17, True)])
    _column(page, left, left_edge=0.6, top=1.1, width=2.4)
    _column(page, right, left_edge=3.4, top=1.1, width=2.4)
    packed = io.BytesIO()
    _scanned(page, skew=0.6, noise=0).point(lambda grey: 255 if grey > 140 else 0).convert(
        "1"
    ).save(packed, "TIFF", compression="group4", dpi=(DPI, DPI))
    return packed.getvalue()


def whiteboard_photo() -> bytes:
    """A notice in the workshop, photographed with a phone held on its side."""
    rows: list[Row] = [
        (0.5, 0.5, "Crane 3 out of service", 20, True),
        (0.5, 1.1, "The hook block is being replaced.", 13, False),
        (0.5, 1.4, "Use crane 1 for loads up to 2 t.", 13, False),
        (0.5, 1.7, "Heavier parts: ask Ingrid, extension 318.", 13, False),
        (0.5, 2.3, "Back in service on Friday 22 May", 13, True),
    ]
    paper = _scanned(_page((5.0, 3.1), rows), skew=2.0, noise=12)
    wall = Image.new("RGB", (paper.width + 160, paper.height + 120), (128, 122, 112))
    tinted = ImageChops.multiply(
        paper.convert("RGB"), Image.new("RGB", paper.size, (250, 241, 222))
    )
    wall.paste(tinted, (90, 55))
    shade = Image.linear_gradient("L").rotate(90).resize(wall.size).point(lambda v: 170 + v // 3)
    photo = ImageChops.multiply(wall, Image.merge("RGB", [shade] * 3))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter clockwise
    packed = io.BytesIO()
    photo.transpose(Image.Transpose.ROTATE_90).save(packed, "JPEG", quality=70, exif=exif)
    return packed.getvalue()


def signed_form() -> bytes:
    """A German form with a signature, scanned to a one-page PDF."""
    rows: list[Row] = [
        (0.7, 0.7, "Anlage 1: Einverständnis des Eigentümers", 14, True),
        (0.7, 1.3, "Grundstück: Am Anger 17, Flur 4, Flurstück 112/3", 11, False),
        (0.7, 1.6, "Ich bin damit einverstanden, dass die Hausanschlussleitung", 11, False),
        (0.7, 1.82, "auf einer Länge von 14 Metern über mein Grundstück geführt wird.", 11, False),
        (0.7, 2.3, "Beginn der Arbeiten frühestens am 3. August 2026.", 11, False),
        (0.7, 3.2, "Ort, Datum: Seeburg, 11. Mai 2026", 11, False),
    ]
    page = _page((6.0, 4.3), rows)
    brush = ImageDraw.Draw(page)
    stroke = [(_px(3.9 + 0.06 * n), _px(3.7 + 0.1 * ((n * 7) % 5 - 2) / 2)) for n in range(22)]
    brush.line(stroke, fill=60, width=2, joint="curve")
    packed = io.BytesIO()
    scan = _scanned(page, skew=-0.5, noise=6)
    scan.save(packed, "PDF", resolution=DPI, quality=45)
    return packed.getvalue()


def _page(inches: tuple[float, float], rows: Sequence[Row]) -> Image.Image:
    page = Image.new("L", (_px(inches[0]), _px(inches[1])), 255)
    brush = ImageDraw.Draw(page)
    for left, top, words, points, bold in rows:
        brush.text((_px(left), _px(top)), words, font=_font(points, bold=bold), fill=25)
    return page


def _column(
    page: Image.Image, paragraphs: Sequence[str], *, left_edge: float, top: float, width: float
) -> None:
    brush, font = ImageDraw.Draw(page), _font(10)
    row = _px(top)
    for paragraph in paragraphs:
        line = ""
        for word in [*paragraph.split(), None]:
            longer = f"{line} {word}".strip()
            if word is None or font.getlength(longer) > _px(width):
                brush.text((_px(left_edge), row), line, font=font, fill=25)
                row += _px(0.19)
                line = word or ""
            else:
                line = longer
        row += _px(0.12)


def _scanned(page: Image.Image, *, skew: float, noise: int) -> Image.Image:
    """A little askew, soft and grainy; the same each time."""
    turned = page.rotate(-skew, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    soft = turned.filter(ImageFilter.GaussianBlur(0.6))
    if not noise:
        return soft
    grain = Image.frombytes("L", soft.size, random.Random(7).randbytes(soft.width * soft.height))
    weak = grain.point(lambda value: value * noise // 255)
    return ImageChops.subtract(soft, weak)


def _with_specks(page: Image.Image) -> Image.Image:
    """Dust on the glass."""
    brush, chance = ImageDraw.Draw(page), random.Random(3)
    for _ in range(400):
        x, y = chance.randrange(page.width), chance.randrange(page.height)
        brush.point((x, y), fill=chance.randrange(90, 200))
    return page


def _png(page: Image.Image) -> bytes:
    packed = io.BytesIO()
    page.quantize(16).save(packed, "PNG", optimize=True, dpi=(DPI, DPI))
    return packed.getvalue()


def _font(points: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_BOLD if bold else _REGULAR, points * DPI / 72)


def _px(inches: float) -> int:
    return round(inches * DPI)
