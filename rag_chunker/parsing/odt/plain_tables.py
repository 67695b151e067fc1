"""Which OpenDocument tables are nothing but text in cells? Read in one pass, as most are such."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rag_chunker.parsing.layout_tables import Part, PlainRow, Row, is_shown, parts
from rag_chunker.parsing.odt.names import (
    CELL,
    ROW,
    SPAN,
    STYLE_NAME,
    P,
    n,
    number,
)
from rag_chunker.parsing.odt.tables import REPEATED, REPEATED_ROW, VISIBILITY

_SPACES = frozenset({n("text:s"), n("text:tab"), n("text:line-break")})
"""Shown as white space; how much does not matter in a cell, which comes in one line."""
_MARKS = frozenset(
    n(f"text:{name}") for name in ("bookmark", "bookmark-start", "bookmark-end", "soft-page-break")
)
_INLINE = frozenset({SPAN, n("text:a"), *_SPACES, *_MARKS})
_GROUPS = frozenset(n(f"table:table-{name}") for name in ("rows", "header-rows", "row-group"))
_COLUMNS = frozenset(
    n(f"table:table-{name}") for name in ("column", "columns", "header-columns", "column-group")
)
_UNUSUAL = frozenset({REPEATED, REPEATED_ROW, VISIBILITY})
"""Attributes of cells and rows."""


class PlainTable:
    """A `table:table` without headings, notes, frames, fields, tables, anything hidden, merged or
    repeated. What stands for its paragraphs are the pieces of their text."""

    def __init__(self, rows: list[PlainRow]) -> None:
        self._rows = rows

    def frame(self) -> None:
        """As `Table.frame`: no table of several rows is one."""

    def parts(self) -> Iterator[Part]:
        """As `Table.parts`."""
        rows = [Row(row.cells, row.texts, layout=False) for row in self._rows]
        return parts(rows, has_header=True, has_text=is_shown)


def plain_table(table: Any, is_plain: Callable[[str, str], bool]) -> PlainTable | None:
    """The table if it is plain and has several rows, else None. `is_plain` says of a style, given
    its family and its name, that it neither hides text nor makes headings."""
    rows: list[PlainRow] = []
    cells: list[Any] = []
    texts: list[Sequence[str]] = []
    pieces: list[str] = []
    row = cell = paragraph = None
    styles: set[str] = set()
    spans: set[str] = set()
    for each in table.iterdescendants():
        tag = each.tag
        if tag == P:
            if each.getparent() is not cell:
                return None
            if pieces:
                pieces.append(" ")
            pieces.append(each.text or "")
            if each.keys():  # a third of the time of asking for one that is not there
                styles.add(each.get(STYLE_NAME, ""))
            paragraph = each
        elif tag == CELL:
            if each.getparent() is not row or not _UNUSUAL.isdisjoint(each.keys()):
                return None
            cell, pieces = each, []
            cells.append(cell)
            texts.append(pieces)
        elif tag == ROW:
            within = each.getparent() is table or each.getparent().tag in _GROUPS
            if not within or not _UNUSUAL.isdisjoint(each.keys()):
                return None
            row, cells, texts = each, [], []
            rows.append(PlainRow(row, cells, texts))
        elif tag in _INLINE:
            if each.getparent() is not paragraph or len(each):
                return None
            if tag == SPAN:
                spans.add(each.get(STYLE_NAME, ""))
            pieces += [_said(each, tag), each.tail or ""]
        elif tag not in _GROUPS and tag not in _COLUMNS:
            return None
    usual = len(rows) > 1 and all(all(row.texts) for row in rows)
    plain = all(is_plain("paragraph", name) for name in styles)
    return PlainTable(rows) if usual and plain and all(is_plain("text", s) for s in spans) else None


def _said(inline: Any, tag: str) -> str:
    if tag in _SPACES:
        return " " if number(inline, "text:c", 1) > 0 else ""
    return inline.text or ""
