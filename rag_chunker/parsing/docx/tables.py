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
    TEXT,
    TR,
    VAL,
    P,
    first,
    leading,
    number,
    switched_on,
    value,
    w,
)
from rag_chunker.parsing.layout_tables import MOST_COLUMNS, Part, Row, frame, is_layout, parts

CELL_PROPERTIES = w("tcPr")
_HEADER = w("tblHeader")
_ROW_PROPERTIES, _TABLE_PROPERTIES, _LOOK = w("trPr"), w("tblPr"), w("tblLook")
REMOVED_CELL = w("cellDel")
_SPAN, _MERGES = w("gridSpan"), (w("vMerge"), w("hMerge"))
_BEFORE, HIDDEN_ROW = w("gridBefore"), w("hidden")
SPANS = frozenset({_SPAN, _BEFORE, *_MERGES})
"""What makes cells other than one to a column."""
_FIRST_ROW = 0x20

IsHeading = Callable[[Any], bool]


class Table:
    """One `w:tbl`. `is_heading` says whether a paragraph is styled as one, `has_headings` whether
    any below is."""

    def __init__(self, element: Any, is_heading: IsHeading, *, has_headings: bool) -> None:
        self._rows = [row for row in _inside(element, TR) if not _is_removed_row(row)]
        self._is_heading = is_heading
        self._has_headings = has_headings
        self._has_tables = next(element.iterdescendants(TBL), None) is not None
        self._has_header = bool(self._rows) and has_header(element, self._rows[0])

    def frame(self) -> list[Any] | None:
        """The cells of a table that merely frames text: it has one cell, or one row of which a
        cell holds several paragraphs. None for any other table."""
        if len(self._rows) != 1:
            return None
        cells = [cell for cell, _ in _cells(self._rows[0])]
        return frame(cells, [_inside(cell, P) for cell in cells], _has_text)

    def parts(self) -> Iterator[Part]:
        """The table as parts, in order."""
        return parts(map(self._row, self._rows), has_header=self._has_header, is_filled=_is_filled)

    def _row(self, row: Any) -> Row:
        found = _cells(row)
        cells = [cell for cell, _ in found]
        if self._has_tables and next(row.iter(TBL), None) is not None:
            return Row(cells, [], layout=True)
        texts = [_inside(cell, P) for cell in cells]
        layout = (
            self._has_headings
            and any(map(self._is_heading, chain.from_iterable(texts)))
            and is_layout([self._is_heading(p) for p in text if _has_text(p)] for text in texts)
        )
        if layout:
            return Row(cells, [], layout)
        properties = [each for _, each in found]
        header = bool(switched_on(first(row, _ROW_PROPERTIES), _HEADER))
        return Row(cells, columns(row, properties, texts), layout, _wide(row, properties), header)


def columns(
    row: Any, cells: list[Any | None], texts: Sequence[Sequence[Any]]
) -> list[Sequence[Any]]:
    """The paragraphs of each column; columns that a cell spans further are empty. `cells` are
    the cells' properties."""
    before = min(number(value(row, _ROW_PROPERTIES, _BEFORE)), MOST_COLUMNS)
    columns: list[Sequence[Any]] = [()] * before
    pads = 0
    for properties, text in zip(cells, texts, strict=True):
        columns += [()] * pads
        pads, goes_on = 0, False
        if properties is not None:
            for each in properties.iterchildren(_SPAN, *_MERGES):
                if each.tag == _SPAN:
                    pads = _width(each.get(VAL)) - 1
                elif each.get(VAL) != "restart":
                    goes_on = True
        columns.append(() if goes_on else text)
    return columns


def _wide(row: Any, cells: list[Any | None]) -> list[tuple[int, int]]:
    at = min(number(value(row, _ROW_PROPERTIES, _BEFORE)), MOST_COLUMNS)
    wide: list[tuple[int, int]] = []
    for properties in cells:
        width = _width(value(properties, _SPAN))
        if width > 1:
            wide.append((at, at + width))
        at += width
    return wide


def _width(said: str | None) -> int:
    return min(max(number(said, 1), 1), MOST_COLUMNS)


def has_levels(rows: Sequence[Any]) -> bool:
    """Whether the header may have several rows: the first has wide cells, or the second is said to
    be one, too."""
    wide = next(rows[0].iterdescendants(_SPAN), None) is not None
    return wide or bool(switched_on(first(rows[1], _ROW_PROPERTIES), _HEADER))


def _is_filled(paragraphs: Sequence[Any]) -> bool:
    return any(map(_has_text, paragraphs))


def _has_text(paragraph: Any) -> bool:
    return any(text.text and not text.text.isspace() for text in paragraph.iter(TEXT))


def has_header(element: Any, row: Any) -> bool:
    """Whether the first row is a header: marked so, or formatted so, or nothing is said."""
    if switched_on(first(row, _ROW_PROPERTIES), _HEADER):
        return True
    properties = next(element.iterchildren(_TABLE_PROPERTIES), None)
    look = None if properties is None else first(properties, _LOOK)
    if look is None:
        return True
    if (said := look.get(w("firstRow"))) is not None:
        return said not in ("0", "false", "off")
    try:
        return bool(int(look.get(w("val"), "0020"), 16) & _FIRST_ROW)
    except ValueError:
        return True


def _cells(row: Any) -> list[tuple[Any, Any | None]]:
    """Each cell that is still there, and its properties."""
    found = [(cell, leading(cell, CELL_PROPERTIES)) for cell in _inside(row, TC)]
    return [one for one in found if one[1] is None or first(one[1], REMOVED_CELL) is None]


def _is_removed_row(row: Any) -> bool:
    properties = first(row, _ROW_PROPERTIES)
    if properties is None:
        return False
    removed = next(properties.iterchildren(*REMOVED), None) is not None
    return removed or bool(switched_on(properties, HIDDEN_ROW))


def _inside(parent: Any, tag: str) -> list[Any]:
    """The next elements named `tag` below `parent`, through wrappers such as content controls."""
    found: list[Any] = []
    stack: list[Any] = parent[::-1]
    while stack:
        element = stack.pop()
        name = element.tag
        if name == tag:
            found.append(element)
        elif name == ALTERNATE:
            stack.extend(reversed(chosen(element)))
        elif name not in _CLOSED:
            stack += element[::-1]
    return found


_CLOSED = REMOVED | {
    TBL,
    TR,
    TC,
    P,
    CELL_PROPERTIES,
    _ROW_PROPERTIES,
    _TABLE_PROPERTIES,
    w("tblGrid"),
}
