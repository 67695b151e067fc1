"""What are the rows and cells of an OpenDocument table?"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from rag_chunker.parsing.layout_tables import MOST_COLUMNS, Part, Row, is_layout, parts
from rag_chunker.parsing.odt.names import (
    CELL,
    COVERED_CELL,
    DROPPED,
    ROW,
    TABLE,
    H,
    P,
    n,
    number,
)

MOST_REPEATS = 10_000
"""Copies of rows and cells with text in one document; a few bytes can claim millions."""
_ROW, _CELL, _CELLS = frozenset({ROW}), frozenset({CELL}), frozenset({CELL, COVERED_CELL})
_PARAGRAPHS = frozenset({P, H})
_BOUNDARIES = frozenset({TABLE, ROW, CELL, COVERED_CELL, P, H})

IsHeading = Callable[[Any], bool]


class Allowance:
    """How many copies are left."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, wanted: int) -> int:
        """As many copies as there are left, at most `wanted`."""
        taken = min(max(wanted, 0), self._left)
        self._left -= taken
        return taken


class Table:
    """One `table:table`. `is_heading` says whether a paragraph is one; copies of rows and cells
    are taken from `repeats`."""

    def __init__(self, element: Any, is_heading: IsHeading, repeats: Allowance) -> None:
        self._repeats = repeats
        self._rows = [row for row in _inside(element, _ROW) if not _is_hidden(row)]
        self._is_heading = is_heading

    def frame(self) -> list[Any] | None:
        """The cells of a table that merely frames text: it has one cell, or one row of which a
        cell holds several paragraphs. None for any other table."""
        if len(self._rows) != 1:
            return None
        cells = list(_inside(self._rows[0], _CELL))
        several = any(sum(map(_has_text, _inside(cell, _PARAGRAPHS))) > 1 for cell in cells)
        return cells if several or len(cells) == 1 else None

    def parts(self) -> Iterator[Part]:
        """The table as parts, in order; its first row names the columns."""
        return parts(self._each_row(), has_header=True, has_text=_has_text)

    def _each_row(self) -> Iterator[Row]:
        for element in self._rows:
            row = self._row(element)
            yield row
            copies = number(element, "table:number-rows-repeated", 1) - 1
            if copies > 0 and not row.layout and any(row.columns):
                for _ in range(self._repeats.take(copies)):
                    yield row

    def _row(self, element: Any) -> Row:
        cells = list(_inside(element, _CELL))
        if next(element.iter(TABLE), None) is not None:
            return Row(cells, [], layout=True)
        texts = [list(_inside(cell, _PARAGRAPHS)) for cell in cells]
        layout = any(map(self._is_heading, chain.from_iterable(texts))) and is_layout(
            [self._is_heading(p) for p in text if _has_text(p)] for text in texts
        )
        return Row(cells, [] if layout else self._columns(element), layout)

    def _columns(self, row: Any) -> list[Sequence[Any]]:
        """The paragraphs of each column; covered columns are empty, and dropped at the end."""
        columns: list[Sequence[Any]] = []
        width = 0
        for cell in _inside(row, _CELLS):
            paragraphs = list(_inside(cell, _PARAGRAPHS)) if cell.tag == CELL else []
            copies = min(number(cell, "table:number-columns-repeated", 1), MOST_COLUMNS) - 1
            columns.append(paragraphs)
            columns += [paragraphs] * (self._repeats.take(copies) if paragraphs else copies)
            width = len(columns) if paragraphs else width
        return columns[:width]


def _has_text(paragraph: Any) -> bool:
    return any(not text.isspace() for text in paragraph.itertext("{*}*"))


def _is_hidden(row: Any) -> bool:
    return row.get(n("table:visibility")) in ("collapse", "filter")


def _inside(parent: Any, tags: frozenset[str]) -> Iterator[Any]:
    """The next elements with one of the `tags` below `parent`, through lists, groups, sections."""
    stack = list(reversed(parent))
    while stack:
        element = stack.pop()
        if element.tag in tags:
            yield element
        elif element.tag not in DROPPED and element.tag not in _BOUNDARIES:
            stack.extend(reversed(element))
