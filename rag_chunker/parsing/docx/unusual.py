"""Which paragraphs and tables hold more than text? Found in one pass over the whole document.

Most hold nothing but runs of text in ordinary styles, which are read by shorter ways.
"""

from collections.abc import Iterable
from typing import Any

from rag_chunker.parsing.docx.inline import (
    CHARACTERS,
    FIELD_CHARACTER,
    FIELD_INSTRUCTION,
    FONTS,
    HANGING,
    RUBY_TEXT,
    RUN,
    RUN_STYLE,
    SIMPLE_FIELD,
    SYMBOL,
    VANISH,
)
from rag_chunker.parsing.docx.names import ALTERNATE, REMOVED, TBL, VAL, P, w
from rag_chunker.parsing.docx.paragraphs import FRAME, NUMBERED, OUTLINE_LEVEL
from rag_chunker.parsing.docx.styles import Styles, monospace_font
from rag_chunker.parsing.docx.tables import HIDDEN_ROW, REMOVED_CELL
from rag_chunker.parsing.office_math import ANY_MATH

_IN_TEXT = (
    *HANGING - {P, TBL},
    *REMOVED,
    *(FIELD_CHARACTER, FIELD_INSTRUCTION, SIMPLE_FIELD, SYMBOL, RUBY_TEXT, ALTERNATE, ANY_MATH),
    *(VANISH, w("sdtPr"), w("sdtEndPr")),
)
"""What takes more than reading the text, or may be no text at all."""
_IN_PROPERTIES = (*REMOVED, NUMBERED, OUTLINE_LEVEL, FRAME)
"""What counts of a paragraph's properties beside its style."""


_IN_TABLE = (*_IN_TEXT, *_IN_PROPERTIES, REMOVED_CELL, HIDDEN_ROW)


class Unusual:
    """What is unusual below some roots."""

    def __init__(self, roots: Iterable[Any], styles: Styles) -> None:
        self.texts: set[Any] = set()
        """Paragraphs that hold more than text in runs."""
        self.properties: set[Any] = set()
        """Paragraphs whose properties say more than a style."""
        self.tables: set[Any] = set()
        """Tables that hold more than paragraphs of text, which may have fonts and spaces."""
        for root in roots:
            self._look(root, styles)

    def _look(self, root: Any, styles: Styles) -> None:
        for each in root.iter(*_IN_TEXT):
            self.texts.update(each.iterancestors(P))
        for each in root.iter(*_IN_PROPERTIES):
            self.properties.update(each.iterancestors(P))
        for each in root.iter(*_IN_TABLE):
            self.tables.update(each.iterancestors(TBL))
        for each in root.iter(*CHARACTERS):
            if each.getparent().tag == RUN:  # else a tab stop
                self.texts.update(each.iterancestors(P))
        for each in root.iter(FONTS):
            if monospace_font(each):
                self.texts.update(each.iterancestors(P))
        for each in root.iter(RUN_STYLE):
            style = each.get(VAL)
            if style is not None and (styles.hidden(style) or styles.monospace(style)):
                self.texts.update(each.iterancestors(P))
