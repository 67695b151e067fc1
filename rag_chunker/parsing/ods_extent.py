"""Would an OpenDocument sheet unfold into more cells than memory holds?

Its cells and rows carry repeat counts: a hundred bytes can stand for 17 billion cells, and every
ordinary sheet ends in a filler that claims a million empty rows, which costs nothing.
"""

import re
from collections.abc import Iterable, Iterator

from rag_chunker.parsing.archive import Part
from rag_chunker.parsing.byte_search import Sign

_REPEATED_ROWS = Sign(b'number-rows-repeated="')
_OFTEN_ROWS = re.compile(rb'number-rows-repeated="(\d{3,})"')
_OFTEN_CELLS = re.compile(
    rb'number-columns-repeated="(?:(?<!<table:table-cell table:number-columns-repeated=")'
    rb'|(?!\d+"/></table:table-row>))(\d{3,})"'
)
"""Without what nearly every row ends in: a filler that has nothing but its count."""
_ENDS_ROW = b"/></table:table-row>"
_ROW = (b"<table:table-row",)
_CELL = (b"<table:table-cell", b"<table:covered-table-cell")
CONTENT_SIGNS = (b"office:value-type", b"<text:p")
"""One of these is in each cell that holds anything."""
_ORDINARY_COLUMNS = 1_000
"""Allowed for the cells of a row that are not repeated a hundred times or more."""


def unfolded(xml: Part) -> int:
    """At most this many cells lie in the rectangles of a `content.xml`; 0 if nothing in it is
    repeated often before the last cell with content."""
    often_rows = filter(None, (_OFTEN_ROWS.match(xml, at) for at in _REPEATED_ROWS.starts(xml)))
    rows = sum(repeats for _, repeats in _counted(xml, often_rows, _ROW, b"</table:table>"))
    by_row: dict[int, int] = {}
    often_cells = _OFTEN_CELLS.finditer(xml)
    for end, repeats in _counted(xml, often_cells, _CELL, b"</table:table-row>"):
        by_row[end] = by_row.get(end, 0) + repeats
    columns = max(by_row.values(), default=0)
    if not rows and not columns:
        return 0
    return (rows + xml.count(b"<table:table-row")) * (columns + _ORDINARY_COLUMNS)


def _counted(
    xml: Part, often: Iterable[re.Match[bytes]], opening: tuple[bytes, ...], closing: bytes
) -> Iterator[tuple[int, int]]:
    """End of the enclosing element, and the count, of each repeat that has content behind it."""
    end = last_content = -1
    behind = 0
    for match in often:
        start = xml.rfind(b"<", behind, match.start())
        behind = match.end()  # an element has an attribute once
        # A filler that has a style, too: the pattern of cells passes by those that have none.
        if xml.startswith(_ENDS_ROW, behind) and xml.find(CONTENT_SIGNS[0], start, behind) < 0:
            continue
        if not xml.startswith(opening, start):
            continue
        if start >= end:
            found = xml.find(closing, start)
            end = found if found >= 0 else len(xml)
            last_content = max(xml.rfind(sign, start, end) for sign in CONTENT_SIGNS)
        if start < last_content:
            yield end, int(match[1])
