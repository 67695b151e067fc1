"""What are the rows and cells of a Word table, and does its first row name the columns?"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
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
from rag_chunker.parsing.layout_tables import MOST_COLUMNS, Part, Row, is_layout, parts

_TEXT = w("t")
_CELL_PROPERTIES = w("tcPr")
_ROW_PROPERTIES = w("trPr")
_FIRST_ROW = 0x20

IsHeading = Callable[[Any], bool]


class Table:
    """One `w:tbl`. `is_heading` says whether a paragraph is styled as one."""

    def __init__(self, element: Any, is_heading: IsHeading) -> None:
        self._rows = [row for row in _inside(element, TR) if not _is_removed_row(row)]
        self._is_heading = is_heading
        self._has_header = _has_header(element, self._rows)

    def frame(self) -> list[Any] | None:
        """The cells of a table that merely frames text: it has one cell, or one row of which a
        cell holds several paragraphs. None for any other table."""
        if len(self._rows) != 1:
            return None
        cells = list(_cells(self._rows[0]))
        several = any(sum(map(_has_text, _inside(cell, P))) > 1 for cell in cells)
        return cells if several or len(cells) == 1 else None

    def parts(self) -> Iterator[Part]:
        """The table as parts, in order."""
        return parts(map(self._row, self._rows), has_header=self._has_header, has_text=_has_text)

    def _row(self, row: Any) -> Row:
        cells = list(_cells(row))
        if next(row.iter(TBL), None) is not None:
            return Row(cells, [], layout=True)
        texts = [list(_inside(cell, P)) for cell in cells]
        layout = any(map(self._is_heading, chain.from_iterable(texts))) and is_layout(
            [self._is_heading(p) for p in text if _has_text(p)] for text in texts
        )
        return Row(cells, [] if layout else _columns(row, cells, texts), layout)


def _columns(row: Any, cells: list[Any], texts: list[list[Any]]) -> list[Sequence[Any]]:
    """The paragraphs of each column; columns that a cell spans further are empty."""
    before = min(number(value(row, w("trPr"), w("gridBefore"))), MOST_COLUMNS)
    columns: list[Sequence[Any]] = [()] * before
    pads = 0
    for cell, text in zip(cells, texts, strict=True):
        columns += [()] * pads
        properties = cell.find(_CELL_PROPERTIES)
        if properties is None:
            columns.append(text)
            pads = 0
            continue
        columns.append(() if _goes_on(properties) else text)
        pads = min(max(number(value(properties, w("gridSpan")), 1), 1), MOST_COLUMNS) - 1
    return columns


def _goes_on(properties: Any) -> bool:
    """Whether a cell is the continuation of a merged one."""
    merges = (properties.find(w(name)) for name in ("vMerge", "hMerge"))
    return any(merge is not None and merge.get(w("val")) != "restart" for merge in merges)


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
        properties = cell.find(_CELL_PROPERTIES)
        if properties is None or properties.find(w("cellDel")) is None:
            yield cell


def _is_removed_row(row: Any) -> bool:
    properties = row.find(_ROW_PROPERTIES)
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
