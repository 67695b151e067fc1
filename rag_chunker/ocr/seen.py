"""What does an engine see? Pieces of lines, each with its text and its four corners."""

from collections.abc import Callable, Iterable
from math import atan2, cos, hypot, sin
from statistics import median
from typing import NamedTuple

from rag_chunker.layout.geometry import Box

__all__ = [
    "Point",
    "Quad",
    "Seen",
    "bounds",
    "scaled",
    "skew_of",
    "turned",
    "turned_about",
    "turned_back",
]

Point = tuple[float, float]
"""(x, y) in pixels from the top left corner."""
Quad = tuple[Point, Point, Point, Point]
"""The corners of upright text from its top left, clockwise."""


class Seen(NamedTuple):
    """A line of text or a piece of one."""

    text: str
    confidence: float
    """0..1."""
    quad: Quad
    size: float | None = None
    """Of its font, the height of an em, in pixels; None where it could not be measured."""

    @property
    def width(self) -> float:
        """Along the text."""
        (left, top), (right, bottom) = self.quad[:2]
        return hypot(right - left, bottom - top)

    @property
    def height(self) -> float:
        """Across it."""
        (left, top), (right, bottom) = self.quad[0], self.quad[3]
        return hypot(right - left, bottom - top)


def bounds(quads: Iterable[Quad]) -> Box:
    """The smallest upright box around all of `quads` (at least one)."""
    corners = [corner for quad in quads for corner in quad]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def skew_of(seen: Iterable[Seen]) -> float:
    """By how many radians the lines fall towards the right: the median of the long ones."""
    angles: list[float] = []
    for piece in seen:
        (left, top), (right, bottom) = piece.quad[:2]
        if piece.width >= _LONG * piece.height > 0:
            angles.append(atan2(bottom - top, right - left))
    return median(angles) if angles else 0.0


_LONG = 5
"""Times its height: how wide a piece is whose angle can be told."""


def turned(seen: Iterable[Seen], radians: float) -> list[Seen]:
    """The pieces turned clockwise about the top left corner."""
    c, s = cos(radians), sin(radians)
    return _moved(seen, lambda x, y: (c * x - s * y, s * x + c * y))


def turned_about(
    seen: Iterable[Seen], radians: float, center: Point, new_center: Point
) -> list[Seen]:
    """The pieces turned clockwise about `center`, which comes to lie at `new_center`."""
    (x0, y0), (x1, y1) = center, new_center
    back = turned(_moved(seen, lambda x, y: (x - x0, y - y0)), radians)
    return _moved(back, lambda x, y: (x + x1, y + y1))


def scaled(seen: Iterable[Seen], scale: float, down: float) -> list[Seen]:
    """The pieces moved down by `down`, then all distances and sizes times `scale`."""
    moved = _moved(seen, lambda x, y: (scale * x, scale * (y + down)))
    return [piece._replace(size=piece.size and scale * piece.size) for piece in moved]


def turned_back(seen: Iterable[Seen], degrees: int, width: int, height: int) -> list[Seen]:
    """The pieces of a picture that was turned clockwise by 0, 90, 180 or 270 degrees, as they
    stand in the picture before it was turned, which is `width` x `height`."""
    back: dict[int, Callable[[float, float], Point]] = {
        0: lambda x, y: (x, y),
        90: lambda x, y: (y, height - x),
        180: lambda x, y: (width - x, height - y),
        270: lambda x, y: (width - y, x),
    }
    return _moved(seen, back[degrees])


def _moved(seen: Iterable[Seen], move: Callable[[float, float], Point]) -> list[Seen]:
    moved: list[Seen] = []
    for piece in seen:
        a, b, c, d = (move(x, y) for x, y in piece.quad)
        moved.append(piece._replace(quad=(a, b, c, d)))
    return moved
