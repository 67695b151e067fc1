"""Which rows of a Word table are data, and which are page layout?

A row is layout if it holds a heading or another table: its cells are then read one after the
other, like the body. So is a table of one row whose cells hold several paragraphs. But a row of two
or more cells that hold headings only names columns.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rag_chunker.parsing.docx.inline import chosen
from rag_chunker.parsing.docx.names import (
    ALTERNATE,
    REMOVED,
    TBL,
    TC,
    TR,
    P,
    number,
    switched_on,
    value,
    w,
)
from rag_chunker.parsing.tables import CELL_SEPARATOR, LONGEST_HEADER, cell_text, table_blocks
from rag_core.types import Block

MOST_COLUMNS = 64
"""Word allows 63; a larger span is believed no further."""
_TEXT = w("t")
_FIRST_ROW = 0x20

IsHeading = Callable[[Any], bool]


@dataclass
class Part:
    """Rows that follow each other: either data (`rows`) or one row of layout (`layout`)."""

    rows: list[list[list[Any]]] = field(default_factory=list)
    """The paragraphs of each cell of each row; of a merged cell only where it begins."""
    layout: list[Any] | None = None
    """Cells to read one after the other."""
    header: bool = False
    """Whether the first row names the columns."""
    after: "Part | None" = None
    """The part with the header that names the columns of this part, too."""
    header_text: str | None = None

    def blocks(self, rows: list[list[str]], table: int) -> Iterator[Block]:
        """`rows` (the texts of `self.rows`) as blocks."""
        attributes = {}
        if self.header and rows:
            text = CELL_SEPARATOR.join(map(cell_text, rows[0]))
            self.header_text = text if len(text) <= LONGEST_HEADER else None
        elif self.after is not None and self.after.header_text:
            attributes["table_header"] = self.after.header_text
        return iter(
            table_blocks(rows, table=table, has_header=self.header, attributes={**attributes})
        )


class Table:
    """One `w:tbl`."""

    def __init__(self, element: Any) -> None:
        self._rows = [row for row in _inside(element, TR) if not _is_removed_row(row)]
        self._has_header = _has_header(element, self._rows)

    def cells(self) -> Iterator[Any]:
        """All cells, row by row."""
        for row in self._rows:
            yield from _cells(row)

    def is_box(self) -> bool:
        """Whether the table is a frame around text: one cell, or one row of several paragraphs."""
        if len(self._rows) != 1:
            return False
        cells = list(self.cells())
        return len(cells) == 1 or any(
            sum(_has_text(paragraph) for paragraph in _inside(cell, P)) > 1 for cell in cells
        )

    def parts(self, is_heading: IsHeading) -> Iterator[Part]:
        """The table as parts, in order."""
        part, first = Part(), None
        for index, row in enumerate(self._rows):
            if _is_layout(row, is_heading):
                if part.rows:
                    yield part
                yield Part(layout=list(_cells(row)))
                part = Part(after=first)
                continue
            if not part.rows and first is None and (self._has_header and index == 0):
                part.header, first = True, part
            part.rows.append(_row(row))
        if part.rows:
            yield part


def _row(row: Any) -> list[list[Any]]:
    """The paragraphs of each column; columns that a cell spans further are empty."""
    before = min(number(value(row, w("trPr"), w("gridBefore"))), MOST_COLUMNS)
    columns: list[list[Any]] = [[] for _ in range(before)]
    pads = 0
    for cell in _cells(row):
        properties = cell.find(w("tcPr"))
        paragraphs = [] if _goes_on(properties) else list(_inside(cell, P))
        columns += [[] for _ in range(pads)]
        columns.append(paragraphs)
        pads = min(max(number(value(properties, w("gridSpan")), 1), 1), MOST_COLUMNS) - 1
    return columns


def _goes_on(properties: Any | None) -> bool:
    """Whether a cell is the continuation of a merged one."""
    if properties is None:
        return False
    merges = (properties.find(w(name)) for name in ("vMerge", "hMerge"))
    return any(merge is not None and merge.get(w("val")) != "restart" for merge in merges)


def _is_layout(row: Any, is_heading: IsHeading) -> bool:
    if next(row.iter(TBL), None) is not None:
        return True
    headings = others = 0
    for cell in _cells(row):
        kinds = [is_heading(p) for p in _inside(cell, P) if _has_text(p)]
        headings += bool(kinds) and all(kinds)
        others += bool(kinds) and not all(kinds)
        if any(kinds) and not all(kinds):
            return True
    return headings > 0 and (headings == 1 or others > 0)


def _has_text(paragraph: Any) -> bool:
    return any(text.text and not text.text.isspace() for text in paragraph.iter(_TEXT))


def _has_header(element: Any, rows: list[Any]) -> bool:
    """Whether the first row is a header: marked so, or formatted so, or nothing is said."""
    if not rows:
        return False
    if switched_on(rows[0].find(w("trPr")), w("tblHeader")):
        return True
    look = element.find(f"{w('tblPr')}/{w('tblLook')}")
    if look is None:
        return True
    if (first := look.get(w("firstRow"))) is not None:
        return first not in ("0", "false", "off")
    try:
        return bool(int(look.get(w("val"), "0020"), 16) & _FIRST_ROW)
    except ValueError:
        return True


def _cells(row: Any) -> Iterator[Any]:
    for cell in _inside(row, TC):
        properties = cell.find(w("tcPr"))
        if properties is None or properties.find(w("cellDel")) is None:
            yield cell


def _is_removed_row(row: Any) -> bool:
    properties = row.find(w("trPr"))
    if properties is None:
        return False
    removed = any(properties.find(name) is not None for name in REMOVED)
    return removed or bool(switched_on(properties, w("hidden")))


def _inside(parent: Any, tag: str) -> Iterator[Any]:
    """The next elements named `tag` below `parent`, through wrappers such as content controls."""
    stack = list(reversed(parent))
    while stack:
        element = stack.pop()
        if element.tag == tag:
            yield element
        elif element.tag == ALTERNATE:
            stack.extend(reversed(chosen(element)))
        elif element.tag not in REMOVED and element.tag not in _BOUNDARIES:
            stack.extend(reversed(element))


_BOUNDARIES = frozenset({TBL, TR, TC, P})
