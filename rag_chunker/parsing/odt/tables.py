"""What are the rows and cells of an OpenDocument table?"""

from collections.abc import Callable, Iterator
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

MOST_REPEATS = 1000
"""How often a row is believed to be repeated."""
_ROW, _CELL, _CELLS = frozenset({ROW}), frozenset({CELL}), frozenset({CELL, COVERED_CELL})
_PARAGRAPHS = frozenset({P, H})
_BOUNDARIES = frozenset({TABLE, ROW, CELL, COVERED_CELL, P, H})

IsHeading = Callable[[Any], bool]


class Table:
    """One `table:table`. `is_heading` says whether a paragraph is one."""

    def __init__(self, element: Any, is_heading: IsHeading) -> None:
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
            repeats = number(element, "table:number-rows-repeated", 1)
            if row.layout or not any(row.columns):
                repeats = 1
            for _ in range(min(max(repeats, 1), MOST_REPEATS)):
                yield row

    def _row(self, element: Any) -> Row:
        cells = list(_inside(element, _CELL))
        if next(element.iter(TABLE), None) is not None:
            return Row(cells, [], layout=True)
        texts = [list(_inside(cell, _PARAGRAPHS)) for cell in cells]
        layout = any(map(self._is_heading, chain.from_iterable(texts))) and is_layout(
            [self._is_heading(p) for p in text if _has_text(p)] for text in texts
        )
        return Row(cells, [] if layout else _columns(element), layout)


def _columns(row: Any) -> list[list[Any]]:
    """The paragraphs of each column; covered columns are empty, and dropped at the end."""
    columns: list[list[Any]] = []
    width = 0
    for cell in _inside(row, _CELLS):
        paragraphs = list(_inside(cell, _PARAGRAPHS)) if cell.tag == CELL else []
        repeats = max(number(cell, "table:number-columns-repeated", 1), 1)
        columns += [paragraphs] * min(repeats, MOST_COLUMNS)
        width = len(columns) if cell.tag == CELL and repeats < MOST_COLUMNS else width
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
