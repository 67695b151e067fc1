"""How many columns has a page, and in which order are its lines read?"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import TypeVar

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line

Element = TypeVar("Element", Line, Table, Line | Table)

_FEWEST = 4
"""Lines on each side that make a gutter."""
_FEWEST_ITEMS = 2
"""Items of a list that are enough on each side."""
_MOST = 3_000
"""Lines of a page on which gutters are looked for, in time that grows with their square."""
_NARROWEST = 0.6
"""In em: the least width of a gutter."""
_BESIDE = 0.4
"""Part of the height of the lower of two columns that the other shares."""
_CROSSING = 0.34
"""Part of all lines that may run across a gutter: titles, abstracts, wide tables."""


def reading_order(elements: Sequence[Line | Table]) -> list[Line | Table]:
    """The elements as they are read, each with its `column` set.

    Elements that cross a gutter cut the page into bands; in each band the columns follow each
    other from the left. Inside a column the order of the
    content stays unless it jumps upwards.
    """
    lines = [element for element in elements if isinstance(element, Line)]
    gutters = find_gutters(lines)
    if not gutters:
        return _in_column(list(elements), 0)
    ordered: list[Line | Table] = []
    number = 0
    for band, spanning in _bands(elements, gutters):
        if spanning:
            ordered += _in_column(band, number)
            number += 1
            continue
        columns: dict[int, list[Line | Table]] = {}
        for element in band:
            middle = (element.box.left + element.box.right) / 2
            columns.setdefault(sum(middle > x for x in gutters), []).append(element)
        for _, column in sorted(columns.items()):
            ordered += _in_column(column, number)
            number += 1
    return ordered


def find_gutters(lines: Sequence[Line]) -> list[float]:
    """The x of each white strip between columns of running text, from left to right."""
    if not 2 * _FEWEST_ITEMS <= len(lines) <= _MOST:
        return []
    found: list[float] = []
    pending = [list(lines)]
    while pending and len(found) < 6:
        part = pending.pop()
        gutter = _best_gutter(part)
        if gutter is None:
            continue
        found.append(gutter)
        pending.append([line for line in part if line.box.right <= gutter])
        pending.append([line for line in part if line.box.left >= gutter])
    return sorted(found)


def _best_gutter(lines: list[Line]) -> float | None:
    """The strip with the fewest lines across it that parts running text; None if there is none."""
    em = sorted(line.size for line in lines)[len(lines) // 2] if lines else 0.0
    items = _beside_items(lines)
    best: tuple[int, float, float] | None = None
    for x in sorted({round(line.left, 1) for line in lines}):
        gutter = x - 0.3 * em
        found = _parted(items, gutter, 0.0, _NARROWEST * em, _are_lists) or _parted(
            lines, gutter, _CROSSING, _NARROWEST * em, _are_columns
        )
        if found is not None and (best is None or found[:2] < best[:2]):
            best = found
    return None if best is None else best[2]


def _parted(
    lines: Sequence[Line],
    gutter: float,
    most_across: float,
    narrowest: float,
    are_parts: Callable[[list[Line], list[Line]], bool],
) -> tuple[int, float, float] | None:
    """How many lines cross a gutter, its width, negative, and the middle; None if it parts
    nothing."""
    left = [line for line in lines if line.box.right <= gutter]
    right = [line for line in lines if line.left >= gutter]
    crossing = len(lines) - len(left) - len(right)
    if not left or not right or crossing > most_across * len(lines):
        return None
    start, end = max(line.box.right for line in left), min(line.left for line in right)
    if end - start < narrowest or not are_parts(left, right):
        return None
    return crossing, start - end, (start + end) / 2


def _beside_items(lines: Sequence[Line]) -> list[Line]:
    """The lines from the first item of a list to the last, if there are enough for two lists."""
    items = [line.box for line in lines if line.marker is not None]
    if len(items) < 2 * _FEWEST_ITEMS:
        return []
    top, bottom = min(box.top for box in items), max(box.bottom for box in items)
    return [line for line in lines if top <= line.box.middle <= bottom]


def _are_lists(left: list[Line], right: list[Line]) -> bool:
    """Whether each side has a list of its own, one written after the other."""
    items = [[line for line in side if line.marker is not None] for side in (left, right)]
    if min(map(len, items)) < _FEWEST_ITEMS:
        return False
    return _common_height(*items) >= _BESIDE and _turns(*items) == 1


def _are_columns(left: list[Line], right: list[Line]) -> bool:
    """Whether two sides hold running text, rather than the cells of a table's rows."""
    if min(len(left), len(right)) < _FEWEST or _common_height(left, right) < _BESIDE:
        return False
    if _fill(left) < 0.45 and _fill(right) < 0.45:
        return False
    if min(_fill(left), _fill(right)) >= 0.6 and _width(left) > 0 and _is_prose(left, right):
        return True
    return _turns(left, right) <= 2 + 0.15 * min(len(left), len(right))


def _is_prose(left: list[Line], right: list[Line]) -> bool:
    words = [len(line.words) for line in (*left, *right)]
    return sum(count >= 4 for count in words) >= 0.6 * len(words)


def _common_height(left: list[Line], right: list[Line]) -> float:
    """The height that both sides share, as part of the lower one's."""
    tops = [min(line.box.top for line in side) for side in (left, right)]
    bottoms = [max(line.box.bottom for line in side) for side in (left, right)]
    lower = min(bottom - top for top, bottom in zip(tops, bottoms, strict=True))
    return (min(bottoms) - max(tops)) / lower if lower > 0 else 0.0


def _width(side: list[Line]) -> float:
    return max(line.box.right for line in side) - min(line.left for line in side)


def _fill(side: list[Line]) -> float:
    """The median width of a line as part of its column's, for the commonest left edge."""
    edges: dict[int, list[Line]] = {}
    for line in side:
        edges.setdefault(round(line.left / line.size), []).append(line)
    column = max(edges.values(), key=len)
    width = _width(column)
    widths = sorted(line.box.width for line in column)
    return widths[len(widths) // 2] / width if width > 0 else 0.0


def _turns(left: list[Line], right: list[Line]) -> int:
    """How often the content goes from one side to the other: once for columns, by row for cells."""
    sides = [(line.order, 0) for line in left] + [(line.order, 1) for line in right]
    sides.sort()
    return sum(a[1] != b[1] for a, b in pairwise(sides))


def _bands(
    elements: Sequence[Line | Table], gutters: Sequence[float]
) -> list[tuple[list[Line | Table], bool]]:
    """(elements, do they span columns) from top to bottom."""
    size = median(element.size for element in elements if isinstance(element, Line))
    spanning = [
        element
        for element in elements
        if any(element.box.left + 1 < x < element.box.right - 1 for x in gutters)
        or _is_title(element, elements, size)
    ]
    cuts = sorted(element.box.middle for element in spanning)
    crossing = {id(element) for element in spanning}
    bands: dict[tuple[int, bool], list[Line | Table]] = {}
    for element in elements:
        middle = element.box.middle
        across = id(element) in crossing
        place = sum(cut < middle for cut in cuts)
        bands.setdefault((place, across), []).append(element)
    ordered: list[tuple[list[Line | Table], bool]] = []
    for (_, across), band in sorted(bands.items(), key=lambda item: (item[0][0], not item[0][1])):
        if across and ordered and ordered[-1][1]:
            ordered[-1][0].extend(band)
        else:
            ordered.append((band, across))
    return ordered


def _is_title(element: Line | Table, elements: Sequence[Line | Table], size: float) -> bool:
    """Whether a large line stands above everything else, so that it is about all columns."""
    if not isinstance(element, Line) or element.size < 1.3 * size:
        return False
    return all(
        other.box.top >= element.box.bottom - 1
        for other in elements
        if other is not element and not (isinstance(other, Line) and other.size >= 1.3 * size)
    )


def _in_column(elements: list[Line | Table], number: int) -> list[Line | Table]:
    for element in elements:
        element.column = number
    elements = sorted(elements, key=lambda element: element.order)
    back = sum(after.box.middle < before.box.top for before, after in pairwise(elements))
    return by_rows(elements) if back else elements


def by_rows(elements: Sequence[Element]) -> list[Element]:
    """From top to bottom, and from left to right what stands on one row."""
    rows: list[list[Element]] = []
    bottom = middle = 0.0
    for element in sorted(elements, key=lambda element: element.box.middle):
        if not rows or element.box.top > middle or element.box.middle > bottom:
            rows.append([])
            bottom, middle = element.box.bottom, element.box.middle
        rows[-1].append(element)
    return [
        element for row in rows for element in sorted(row, key=lambda element: element.box.left)
    ]
