"""In which order does one read the shapes of a slide?"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")
_ENOUGH_OVERLAP = 0.5


class Box(NamedTuple):
    """Where a shape lies, in any unit."""

    left: float
    top: float
    width: float
    height: float


def in_reading_order(shapes: Sequence[T], box: Callable[[T], Box | None]) -> list[T]:
    """Rows from top to bottom, in a row columns from left to right, in a column downwards.

    Shapes stand in one row (column) if they overlap, vertically (horizontally), by half of the
    smaller one's height (width) with the first of the row. Shapes without a place come first, in
    the order given, as do all shapes that share one place.
    """
    boxes = [(shape, box(shape)) for shape in shapes]
    placed = [(shape, found) for shape, found in boxes if found is not None]
    ordered = [shape for shape, found in boxes if found is None]
    for row in _bands(placed, _vertical):
        for column in _bands(row, _horizontal):
            ordered += [shape for shape, _ in sorted(column, key=lambda pair: pair[1].top)]
    return ordered


def _vertical(box: Box) -> tuple[float, float]:
    return box.top, box.height


def _horizontal(box: Box) -> tuple[float, float]:
    return box.left, box.width


def _bands(
    placed: list[tuple[T, Box]], axis: Callable[[Box], tuple[float, float]]
) -> list[list[tuple[T, Box]]]:
    bands: list[list[tuple[T, Box]]] = []
    for pair in sorted(placed, key=lambda pair: axis(pair[1])[0]):
        if bands and _overlap(axis(bands[-1][0][1]), axis(pair[1])):
            bands[-1].append(pair)
        else:
            bands.append([pair])
    return bands


def _overlap(first: tuple[float, float], second: tuple[float, float]) -> bool:
    start = max(first[0], second[0])
    end = min(first[0] + first[1], second[0] + second[1])
    smaller = min(first[1], second[1])
    return end - start >= _ENOUGH_OVERLAP * smaller if smaller > 0 else start <= end
