"""Which Word tables are nothing but text in cells? They are read in one pass, and most are such."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rag_chunker.parsing.docx.inline import (
    CHARACTERS,
    FIELD_CHARACTER,
    FIELD_INSTRUCTION,
    HANGING,
    RUBY_TEXT,
    RUN,
    RUN_STYLE,
    SIMPLE_FIELD,
    SYMBOL,
    VANISH,
)
from rag_chunker.parsing.docx.names import ALTERNATE, REMOVED, TC, TEXT, TR, VAL, P, leading, w
from rag_chunker.parsing.docx.paragraphs import NUMBERED, OUTLINE_LEVEL, PARAGRAPH_STYLE
from rag_chunker.parsing.docx.tables import (
    CELL_PROPERTIES,
    HIDDEN_ROW,
    REMOVED_CELL,
    SPANS,
    columns,
    has_header,
)
from rag_chunker.parsing.layout_tables import Part, PlainRow, Row, is_shown, parts
from rag_chunker.parsing.office_math import ANY_MATH

_SPANS = frozenset(SPANS)
_STYLES = frozenset({PARAGRAPH_STYLE, RUN_STYLE})
_SPACES = frozenset(tag for tag, sign in CHARACTERS.items() if sign.isspace())
_UNUSUAL = (
    *HANGING - {P},
    *REMOVED,
    *CHARACTERS.keys() - _SPACES,
    *(FIELD_CHARACTER, FIELD_INSTRUCTION, SIMPLE_FIELD, SYMBOL, RUBY_TEXT, ALTERNATE, ANY_MATH),
    *(REMOVED_CELL, HIDDEN_ROW, VANISH, NUMBERED, OUTLINE_LEVEL),
)
"""What takes more than reading the text, or may be no text at all."""
_MET = (TEXT, P, TC, TR, *_STYLES, *_SPACES, *_SPANS, *_UNUSUAL)
_WRAPPERS = frozenset({w("sdtContent"), w("customXml")})


class PlainTable:
    """A `w:tbl` without fields, notes, pictures, numbers, headings, tables, anything hidden or
    deleted. What stands for its paragraphs are the pieces of their text."""

    def __init__(self, element: Any, rows: list[PlainRow], *, spans: bool) -> None:
        self._element = element
        self._rows = rows
        self._spans = spans

    def frame(self) -> None:
        """As `Table.frame`: no table of several rows is one."""

    def parts(self) -> Iterator[Part]:
        """As `Table.parts`."""
        heads = [row.element for row in self._rows[:1]]
        return parts(
            [Row(row.cells, self._columns(row), layout=False) for row in self._rows],
            has_header=has_header(self._element, heads),
            has_text=is_shown,
        )

    def _columns(self, row: PlainRow) -> list[Sequence[str]]:
        if not self._spans:
            return row.texts
        properties = [leading(cell, CELL_PROPERTIES) for cell in row.cells]
        return columns(row.element, properties, row.texts)


def plain_table(table: Any, is_plain: Callable[[str], bool]) -> PlainTable | None:
    """The table if it is plain and has several rows, else None. `is_plain` says of a style that
    its text is shown, and that it makes neither headings nor list items.

    Does not look where a run stands: text inside of properties, where the schema has none, is read.
    """
    rows: list[PlainRow] = []
    row = cell = None
    cells: list[Any] = []
    texts: list[Sequence[str]] = []
    pieces: list[str] = []
    spans = goes_on = False
    for each in table.iterdescendants(*_MET):
        tag = each.tag
        if tag == TEXT:
            pieces.append(each.text or "")
        elif tag == P:
            if each.getparent() is not cell and not _wraps(each.getparent()):
                return None
            if goes_on:
                pieces.append(" ")
            goes_on = True
        elif tag == TC:
            if each.getparent() is not row and not _wraps(each.getparent()):
                return None
            cell, pieces, goes_on = each, [], False
            cells.append(cell)
            texts.append(pieces)
        elif tag == TR:
            row, cells, texts = each, [], []
            rows.append(PlainRow(row, cells, texts))
        elif tag in _SPANS:
            spans = True
        elif tag in _SPACES:
            if each.getparent().tag == RUN:  # else a tab stop
                pieces.append(CHARACTERS[tag])
        elif tag not in _STYLES or not is_plain(each.get(VAL, "")):
            return None
    return PlainTable(table, rows, spans=spans) if len(rows) > 1 else None


def _wraps(element: Any) -> bool:
    """Whether an element may stand between row and cell, or cell and paragraph."""
    return element.tag in _WRAPPERS
