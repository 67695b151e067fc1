"""How are the far cells of an OpenDocument sheet brought near? By smaller counts of what is empty.

As in XLSX (see `sheet_extent`): a gap between rows becomes one blank row, a gap between columns
goes.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate

from rag_chunker.parsing.archive import Part
from rag_chunker.parsing.ods_extent import CONTENT_SIGNS
from rag_chunker.parsing.xml_places import elements

_TABLE, _ROW, _CELL = (
    re.compile(rb"<(table:%b)(?=[\s/>])[^>]*>" % name)
    for name in (b"table", b"table-row", b"(?:covered-)?table-cell")
)
REPEATED_ROWS, REPEATED_COLUMNS = (
    re.compile(rb'table:number-%b-repeated="(\d{1,7})"' % name) for name in (b"rows", b"columns")
)
"""How often a row or cell is repeated."""
_WIDEST = 16_384
"""Columns that a spreadsheet has. A cell that is repeated more often fills no more of them."""


def without_gaps(xml: Part) -> bytes:
    """A `content.xml` whose empty cells and rows are repeated only as often as there is something
    beside them in some row. Cells with content stay as they are, and so do their counts."""
    return _each(_TABLE, xml, _closed)


def _closed(table: Part) -> bytes:
    used: set[int] = set()
    for start, end in elements(_ROW, table):
        for column, width, cell in _cells(table[start:end]):
            if _is_filled(cell):
                used.update(range(column, column + min(width, _WIDEST)))
    columns = sorted(used)
    return _each(_ROW, table, lambda row: _narrowed(row, columns))


def _narrowed(row: Part, columns: list[int]) -> bytes:
    if not _is_filled(row):
        return REPEATED_ROWS.sub(b"", row, count=1)
    column = 0

    def narrowed(cell: Part) -> Part:
        nonlocal column
        start, column = column, column + _count(cell)
        if _is_filled(cell):
            return cell
        left = bisect_left(columns, column) - bisect_left(columns, start)
        count = b'table:number-columns-repeated="%d"' % left
        return REPEATED_COLUMNS.sub(count, cell, count=1) if left else b""

    return _each(_CELL, row, narrowed)


def _cells(row: Part) -> Iterator[tuple[int, int, Part]]:
    """First column, how many it fills, and the cell, for each."""
    cells = [row[start:end] for start, end in elements(_CELL, row)]
    widths = list(map(_count, cells))
    return zip(accumulate(widths, initial=0), widths, cells, strict=False)


def _count(cell: Part) -> int:
    stated = REPEATED_COLUMNS.search(cell, 0, cell.find(b">"))
    return int(stated[1]) if stated else 1


def _is_filled(element: Part) -> bool:
    return any(map(element.__contains__, CONTENT_SIGNS))


def _each(tag: re.Pattern[bytes], xml: Part, change: Callable[[Part], Part]) -> bytes:
    """With these elements changed."""
    parts: list[Part] = []
    behind = 0
    for start, end in elements(tag, xml):
        parts += (xml[behind:start], change(xml[start:end]))
        behind = end
    return b"".join([*parts, xml[behind:]])
