"""What are the rows and cells of an OpenDocument table?"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from rag_chunker.parsing.layout_tables import MOST_COLUMNS, Part, Row, frame, is_layout, parts
from rag_chunker.parsing.odt.names import (
    CELL,
    COLUMN,
    COVERED_CELL,
    DROPPED,
    HEADER_ROWS,
    ROW,
    TABLE,
    H,
    P,
    n,
    number,
)

MOST_REPEATS = 10_000
"""Copies of rows and cells with text in one document; a few bytes can claim millions."""
_VISIBILITY = n("table:visibility")
_HIDING = ("collapse", "filter")
_REPEATED = n("table:number-columns-repeated")
_SPANNED = n("table:number-columns-spanned")
_ROW, _CELL, _CELLS = frozenset({ROW}), frozenset({CELL}), frozenset({CELL, COVERED_CELL})
_PARAGRAPHS = frozenset({P, H})
_CLOSED = DROPPED | {TABLE, ROW, CELL, COVERED_CELL, P, H, COLUMN}

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
    """One `table:table`. `is_heading` says whether a paragraph is one, `has_headings` whether any
    below is; copies of rows and cells are taken from `repeats`."""

    def __init__(
        self, element: Any, is_heading: IsHeading, repeats: Allowance, *, has_headings: bool
    ) -> None:
        self._repeats = repeats
        self._rows = [row for row in _inside(element, _ROW) if not _is_hidden(row)]
        self._is_heading = is_heading
        self._has_headings = has_headings
        self._has_tables = next(element.iterdescendants(TABLE), None) is not None

    def frame(self) -> list[Any] | None:
        """The cells of a table that merely frames text: it has one cell, or one row of which a
        cell holds several paragraphs. None for any other table."""
        if len(self._rows) != 1:
            return None
        cells = _inside(self._rows[0], _CELL)
        return frame(cells, [_inside(cell, _PARAGRAPHS) for cell in cells], _has_text)

    def parts(self) -> Iterator[Part]:
        """The table as parts, in order; its first row names the columns."""
        return parts(self._each_row(), has_header=True, is_filled=_is_filled)

    def _each_row(self) -> Iterator[Row]:
        for element in self._rows:
            row = self._row(element)
            yield row
            copies = number(element, "table:number-rows-repeated", 1) - 1
            if copies > 0 and not row.layout and any(row.columns):
                for _ in range(self._repeats.take(copies)):
                    yield row

    def _row(self, element: Any) -> Row:
        places = _inside(element, _CELLS)
        cells = [cell for cell in places if cell.tag == CELL]
        if self._has_tables and next(element.iter(TABLE), None) is not None:
            return Row(cells, [], layout=True)
        texts = [_inside(cell, _PARAGRAPHS) for cell in cells]
        layout = (
            self._has_headings
            and any(map(self._is_heading, chain.from_iterable(texts)))
            and is_layout([self._is_heading(p) for p in text if _has_text(p)] for text in texts)
        )
        if layout:
            return Row(cells, [], layout)
        header = element.getparent().tag == HEADER_ROWS
        return Row(cells, self._columns(places, texts), layout, _wide(places), header)

    def _columns(self, places: list[Any], texts: list[list[Any]]) -> list[Sequence[Any]]:
        """The paragraphs of each column; covered columns are empty, and dropped at the end."""
        columns: list[Sequence[Any]] = []
        width = 0
        filled = iter(texts)
        for cell in places:
            paragraphs = next(filled) if cell.tag == CELL else []
            copies = 0
            if cell.get(_REPEATED) is not None:
                copies = min(number(cell, "table:number-columns-repeated", 1), MOST_COLUMNS) - 1
            columns.append(paragraphs)
            if copies:
                columns += [paragraphs] * (self._repeats.take(copies) if paragraphs else copies)
            width = len(columns) if paragraphs else width
        return columns[:width]


def _wide(places: list[Any]) -> list[tuple[int, int]]:
    """Half-open ranges of the columns that cells span, of those within a table's usual width."""
    wide: list[tuple[int, int]] = []
    if all(cell.get(_SPANNED) is None for cell in places):
        return wide
    at = 0
    for cell in places:
        width = min(number(cell, "table:number-columns-spanned", 1), MOST_COLUMNS)
        if width > 1 and at < MOST_COLUMNS:
            wide.append((at, at + width))
        at += min(max(number(cell, "table:number-columns-repeated", 1), 1), MOST_COLUMNS)
    return wide


def _is_filled(paragraphs: Sequence[Any]) -> bool:
    return any(map(_has_text, paragraphs))


def _has_text(paragraph: Any) -> bool:
    return any(not text.isspace() for text in paragraph.itertext("{*}*"))


def _is_hidden(row: Any) -> bool:
    return row.get(_VISIBILITY) in _HIDING


def _inside(parent: Any, tags: frozenset[str]) -> list[Any]:
    """The next elements with one of the `tags` below `parent`, through lists, groups, sections."""
    found: list[Any] = []
    stack: list[Any] = parent[::-1]
    while stack:
        element = stack.pop()
        name = element.tag
        if name in tags:
            found.append(element)
        elif name not in _CLOSED:
            stack += element[::-1]
    return found
