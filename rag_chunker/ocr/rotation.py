"""Which way up is a page? Its lines say so, and what can be read the other way."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Protocol

from rag_chunker.layout.lines import NO_SPACES
from rag_chunker.ocr.seen import Quad, Seen, turned_back

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "FoundLines",
    "Reading",
    "Wanted",
    "read_lines_upright",
    "read_upright",
    "turned_picture",
]

_TALL = 0.6
"""Part of the lines that are taller than wide from which on a page lies on its side."""
_FEW = 4
"""Characters that a line needs to have a direction."""
_UNSURE = 0.9
"""Confidence below which a line, or half of a page, may stand on its head. On 70 kinds of pages
(fonts, sizes, noise, blur) 132 of 144 lines have more, upside down none has more than 0.8, and none
is worth more that way than upright (confidence times characters)."""
_LONG = 2.0
"""Times as long as across: what has a direction before it is read."""
_LINE = 4.0
"""The same for a line, of some seven letters and more. Pages without any are tried all four ways:
models read short words even upside down, and those of two letters have no direction."""
_ENOUGH = 10.0
"""The same for a line of some twenty letters: it tells as much as a longer one, for less."""
_SENTENCE = 12
"""Characters of a line that cannot be read upside down by chance."""
_ON_END = 1.5
"""Times as high as wide: a piece that is not set like the page's lines, but runs down."""
_SAMPLE, _LEAD = 8, 2
"""How many lines may be asked which way up the page is, and what majority does."""
_LEGIBLE = 0.5
"""Confidence below which both ways a line says nothing: texture of a photo, a drawing."""

Wanted = tuple[int, int]
"""Which line, and by how many degrees clockwise it is turned to be read."""
Reading = tuple[str, float]
"""What a line says, and the confidence in that, 0..1."""


class FoundLines(Protocol):
    """The lines that an engine has found in a picture and reads when it is asked to."""

    @property
    def quads(self) -> Sequence[Quad]:
        """Their corners, each from its top left in the picture as it is, clockwise."""

    def read(self, wanted: Sequence[Wanted]) -> list[Reading]:
        """What these lines say, each turned by 0, 90, 180 or 270 degrees."""


def read_upright(
    picture: "Image", read: Callable[["Image"], list[Seen]], guess: int = 0
) -> tuple[list[Seen], int]:
    """What `read` sees in the picture the right way up, and by how many degrees clockwise the
    picture was turned for that: 0, 90, 180 or 270. Corners are those of the turned picture, which
    `guess` says how to turn at first. For engines that read a picture as a whole.

    One pass for an upright page that reads well. If most lines are taller than wide, the page lies
    on its side; engines read such lines from top to bottom, so that one pass does for a page that
    was turned clockwise too. If the median confidence is low, the page is tried the other way up;
    the reading with the most confidence times characters stays. Vertical Chinese and Japanese
    stay vertical. (The angle classifiers that come with engines turn good lines upside down: with
    one, clean pages had up to 29 % wrong characters.)
    """
    seen = read(turned_picture(picture, guess))
    if _lies_on_its_side(seen):
        size = (picture.height, picture.width) if guess % 180 else picture.size
        guess, seen = (guess + 270) % 360, _stood_up(seen, 270, size)
    if not seen or median(piece.confidence for piece in seen) >= _UNSURE:
        return seen, guess
    other = (guess + 180) % 360
    overturned = read(turned_picture(picture, other))
    return max((seen, guess), (overturned, other), key=lambda found: _worth(found[0]))


def read_lines_upright(
    picture: "Image", find: Callable[["Image"], FoundLines]
) -> tuple[list[Seen], int]:
    """The same for engines that find lines before they read them: a few of them say which way up
    the page is before all are read, each of them once.

    These few are read as they stand; those that are not clear also the other way up, until one way
    leads by two lines. So an upright page costs nothing more, one on its head two lines more, one
    that cannot be read at all at most eight; where there are but short words, up to eight of them
    are tried all four ways. Lines of a page on its side are found again once it is upright, which
    is a seventh of the work: engines find them less exactly where they run down (boxes a third
    higher, which touch each other and lean).
    """
    reader = _Reader(find(picture))
    degrees = _way_up(reader)
    if degrees % 180:
        return _read_all(_Reader(find(turned_picture(picture, degrees))), 0), degrees
    return _stood_up(_read_all(reader, degrees), degrees, picture.size), degrees


def turned_picture(picture: "Image", degrees: int) -> "Image":
    """The picture turned clockwise by a multiple of 90 degrees, without any loss."""
    from PIL.Image import Transpose

    ways = {90: Transpose.ROTATE_270, 180: Transpose.ROTATE_180, 270: Transpose.ROTATE_90}
    return picture.transpose(ways[degrees]) if degrees else picture


class _Reader:
    """Reads lines, none twice the same way."""

    def __init__(self, lines: FoundLines) -> None:
        self.quads = lines.quads
        self._lines = lines
        self._known: dict[Wanted, Reading] = {}

    def read(self, wanted: Sequence[Wanted]) -> list[Reading]:
        new = [one for one in wanted if one not in self._known]
        self._known.update(zip(new, self._lines.read(new), strict=True))
        return [self._known[one] for one in wanted]


def _read_all(reader: _Reader, degrees: int) -> list[Seen]:
    """All lines with visible text, in a picture that is to be turned by so much."""
    turns = [_turn_of(quad, degrees) for quad in reader.quads]
    readings = reader.read(list(enumerate(turns)))
    return [
        Seen(text, confidence, quad)
        for (text, confidence), quad in zip(readings, reader.quads, strict=True)
        if text.strip()
    ]


def _way_up(reader: _Reader) -> int:
    """By how many degrees clockwise the picture is to be turned."""
    quads = reader.quads
    order = sorted(range(len(quads)), key=lambda place: _effort(quads[place]))
    if not any(_length(quad) >= _LINE for quad in quads):
        return _most_readable(order[:_SAMPLE], reader)
    directed = [place for place in order if _length(quads[place]) >= _LONG]
    tall = [place for place in directed if _aspect(quads[place]) > 1]
    if len(tall) <= _TALL * len(directed):
        wide = [place for place in directed if _aspect(quads[place]) <= 1]
        return _clearer_way(wide[:_SAMPLE], 0, reader)
    turn = _clearer_way(tall[:_SAMPLE], 270, reader)
    readings = reader.read([(place, turn) for place in tall[:_LEAD]])
    vertical = all(NO_SPACES.search(text) for text, _ in readings)
    return (turn + 90) % 360 if vertical else turn


def _clearer_way(sample: Sequence[int], turn: int, reader: _Reader) -> int:
    """`turn` or its opposite: which of the two these lines are to be turned by to be read."""
    other = (turn + 180) % 360
    lead, balance = 0, 0.0
    for start in range(0, len(sample), _LEAD):
        asked = sample[start : start + _LEAD]
        readings = reader.read([(place, turn) for place in asked])
        doubtful = {p: one for p, one in zip(asked, readings, strict=True) if not _is_sure(one)}
        lead += len(asked) - len(doubtful)
        opposites = reader.read([(place, other) for place in doubtful])
        for one, opposite in zip(doubtful.values(), opposites, strict=True):
            more = _value(one) - _value(opposite)
            balance += more
            if max(one[1], opposite[1]) >= _LEGIBLE:
                lead += (more > 0) - (more < 0)
        if abs(lead) >= _LEAD:
            break
    return turn if (lead, balance) >= (0, 0.0) else other


def _most_readable(sample: Sequence[int], reader: _Reader) -> int:
    """Which of the four ways gives the most confidence times characters."""

    def value(degrees: int) -> float:
        turns = [_turn_of(reader.quads[place], degrees) for place in sample]
        readings = reader.read(list(zip(sample, turns, strict=True)))
        return sum(
            # Words run down a page where it lies on its side, only characters do so by nature.
            _value(one) if turn == degrees or NO_SPACES.search(one[0]) else _value(one) / 2
            for turn, one in zip(turns, readings, strict=True)
        )

    return max((0, 270, 180, 90), key=value)


def _is_sure(reading: Reading) -> bool:
    text, confidence = reading
    return confidence >= _UNSURE and len(text) >= _SENTENCE


def _turn_of(quad: Quad, degrees: int) -> int:
    """By how many degrees a line is turned on a page that is turned by `degrees`: what runs down
    the page then is read from top to bottom."""
    aspect = _aspect(quad)
    runs_down = (1 / aspect if degrees % 180 else aspect) >= _ON_END
    return (degrees + 270) % 360 if runs_down else degrees


def _aspect(quad: Quad) -> float:
    """Its height, in parts of its width."""
    piece = Seen("", 0.0, quad)
    return max(piece.height, 1.0) / max(piece.width, 1.0)


def _length(quad: Quad) -> float:
    """Along the line, in parts of what it is across."""
    aspect = _aspect(quad)
    return max(aspect, 1 / aspect)


def _effort(quad: Quad) -> float:
    """Lines are asked in this order: the shortest that is long enough first, then shorter ones."""
    length = _length(quad)
    return length if length >= _ENOUGH else 1e9 - length


def _lies_on_its_side(seen: Sequence[Seen]) -> bool:
    directed = [piece for piece in seen if len(piece.text) >= _FEW]
    tall = sum(piece.height > piece.width for piece in directed)
    vertical = sum(NO_SPACES.search(piece.text) is not None for piece in directed)
    return tall > _TALL * len(directed) and 2 * vertical <= len(directed)


def _stood_up(seen: Sequence[Seen], degrees: int, size: tuple[int, int]) -> list[Seen]:
    """The pieces of a picture of this size in the picture turned by `degrees`, each with the corner
    first that is its top left there."""
    width, height = size[::-1] if degrees % 180 else size
    there = turned_back(seen, (360 - degrees) % 360, width, height)
    first = (360 - degrees) % 360 // 90
    return [piece._replace(quad=_from_corner(piece.quad, first)) for piece in there]


def _from_corner(quad: Quad, first: int) -> Quad:
    a, b, c, d = quad[first:] + quad[:first]
    return a, b, c, d


def _value(reading: Reading) -> float:
    text, confidence = reading
    return confidence * len(text)


def _worth(seen: Sequence[Seen]) -> float:
    return sum(_value((piece.text, piece.confidence)) for piece in seen)
