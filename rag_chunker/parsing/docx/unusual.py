"""Which paragraphs and tables hold more than text? Found in one pass over the whole document.

Most hold nothing but runs of text in ordinary styles, which are read by shorter ways.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from rag_chunker.parsing.docx.inline import (
    CHARACTERS,
    FIELD_CHARACTER,
    FIELD_INSTRUCTION,
    FONTS,
    HANGING,
    RUBY_TEXT,
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

_IN_TEXT = frozenset(
    (
        *HANGING - {P, TBL},
        *REMOVED,
        *(FIELD_CHARACTER, FIELD_INSTRUCTION, SIMPLE_FIELD, SYMBOL, RUBY_TEXT, ALTERNATE),
        *(VANISH, w("sdtPr"), w("sdtEndPr")),
    )
)
"""What takes more than reading the text, or may be no text at all; so do formulas."""
_IN_PROPERTIES = frozenset({*REMOVED, NUMBERED, OUTLINE_LEVEL, FRAME})
"""What counts of a paragraph's properties beside its style."""
_IN_TABLE = frozenset({REMOVED_CELL, HIDDEN_ROW})
_TAB_STOPS = w("tabs")
_LOOKS = frozenset({*CHARACTERS, FONTS, RUN_STYLE})
_ALL = (*_IN_TEXT | _IN_PROPERTIES | _IN_TABLE | _LOOKS, ANY_MATH)


class Unusual:
    """What is unusual below some roots."""

    def __init__(self, roots: Iterable[Any], styles: Styles) -> None:
        self.texts: set[Any] = set()
        """Paragraphs that hold more than text in runs."""
        self.properties: set[Any] = set()
        """Paragraphs whose properties say more than a style."""
        self.tables: set[Any] = set()
        """Tables that hold more than paragraphs of text, which may have fonts and spaces."""
        for each in chain.from_iterable(root.iter(*_ALL) for root in roots):
            tag = each.tag
            if tag in _LOOKS:
                # Fonts are by far the most: Word writes them into each run.
                if monospace_font(each) if tag == FONTS else _is_seen(each, tag, styles):
                    self.texts.update(each.iterancestors(P))
                continue
            self.tables.update(each.iterancestors(TBL))
            if tag in _IN_PROPERTIES:
                self.properties.update(each.iterancestors(P))
            if tag not in _IN_PROPERTIES or tag in REMOVED:
                self.texts.update(each.iterancestors(P))


def _is_seen(each: Any, tag: str, styles: Styles) -> bool:
    """Whether a style or a character makes more of a run than its text."""
    if tag == RUN_STYLE:
        style = each.get(VAL)
        return style is not None and not styles.usual(style)
    return bool(each.getparent().tag != _TAB_STOPS)
