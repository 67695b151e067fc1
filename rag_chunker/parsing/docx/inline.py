"""What does a paragraph say? Its shown text, and what hangs on it: boxes, notes, pictures."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rag_chunker.parsing.docx.fields import Fields, form_value, is_contents
from rag_chunker.parsing.docx.names import (
    ALTERNATE,
    CHART,
    CHOICE,
    DIAGRAM,
    DRAWING_PROPERTIES,
    FALLBACK,
    PPR,
    REMOVED,
    RPR,
    TBL,
    TEXT,
    TEXT_BOX,
    VAL,
    P,
    by_name,
    is_on,
    leading,
    w,
)
from rag_chunker.parsing.docx.styles import Styles, monospace_font
from rag_chunker.parsing.docx.symbols import symbol
from rag_chunker.parsing.office_math import MATH_GROUPS, MATH_TEXT, typed
from rag_chunker.parsing.shown import shown

RUN, RUN_STYLE, VANISH, FONTS = w("r"), w("rStyle"), w("vanish"), w("rFonts")
_TELLING = frozenset({RUN_STYLE, VANISH, FONTS})
FIELD_CHARACTER, FIELD_INSTRUCTION = w("fldChar"), w("instrText")
SIMPLE_FIELD, SYMBOL = w("fldSimple"), w("sym")
RUBY_TEXT = w("rt")
"""How to pronounce the base text of a ruby."""
CHARACTERS = {
    w("tab"): "\t",
    w("ptab"): "\t",
    w("br"): "\n",
    w("cr"): "\n",
    w("noBreakHyphen"): "-",
}
_SKIPPED = REMOVED | {
    w("sdtPr"),
    w("sdtEndPr"),
    RUBY_TEXT,
    w("delText"),
    w("delInstrText"),
}
_NOTES = {
    w("footnoteReference"): "footnote",
    w("endnoteReference"): "endnote",
    w("commentReference"): "comment",
}
HANGING = frozenset({*_NOTES, TEXT_BOX, P, TBL, DRAWING_PROPERTIES, CHART, DIAGRAM})
"""What hangs on a paragraph."""


@dataclass(slots=True)
class Attached:
    """What hangs on a paragraph."""

    boxes: list[Any] = field(default_factory=list)
    """Elements with paragraphs of their own, such as text boxes."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Kind (`footnote`, `endnote`, `comment`) and id of what the paragraph refers to."""
    pictures: list[str] = field(default_factory=list)
    """The alternative texts of its pictures."""
    graphics: list[Any] = field(default_factory=list)
    """Elements that refer to charts and SmartArt diagrams."""


class Line(NamedTuple):
    """One paragraph, read."""

    text: str = ""
    """The shown text, line breaks as `\\n`, edges as they are."""
    attached: Attached | None = None
    monospace: bool = False
    """Whether it has text, and all of it is in a typewriter font."""


_EMPTY = Line()
_AROUND_RUNS = frozenset(map(w, ("hyperlink", "ins", "moveTo", "smartTag")))


class InlineReader:
    """Reads paragraphs in document order: fields may go on from one to the next."""

    def __init__(self, styles: Styles, fields: Fields, unusual: Container[Any]) -> None:
        """`unusual` are the paragraphs that hold more than text in runs."""
        self._styles = styles
        self._fields = fields
        self._unusual = unusual

    @property
    def hides(self) -> bool:
        """Whether a field that is open here is not shown."""
        return self._fields.hidden

    def plain_text(self, paragraph: Any, style_id: str) -> str | None:
        """What a `w:p` shows that is nothing but text in an ordinary style; None for any other."""
        if paragraph in self._unusual or not self._styles.usual(style_id) or self._fields.hidden:
            return None
        pieces: list[str] = []
        return shown("".join(pieces)) if _holds_runs(paragraph, pieces) else None

    def read(self, paragraph: Any, style_id: str) -> Line:
        """Everything that one `w:p` shows."""
        text = self.plain_text(paragraph, style_id)
        return self._read(paragraph, style_id) if text is None else Line(text)

    def _read(self, paragraph: Any, style_id: str) -> Line:
        stack: list[Any] = paragraph[::-1]
        if not stack:
            return _EMPTY
        fields = self._fields
        parts: list[str] = []
        attached: Attached | None = None
        hidden, monospace = self._styles.hidden(style_id), self._styles.monospace(style_id)
        run_shown, run_monospace = not hidden, monospace
        typewritten = proportional = False
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            tag = item.tag
            if tag == RUN:
                run_shown, run_monospace = self._run(leading(item, RPR), hidden, monospace)
                stack += item[::-1]
            elif tag in (PPR, RPR):
                continue
            elif tag in (TEXT, MATH_TEXT):
                text = item.text
                if text and (run_shown or tag == MATH_TEXT) and not fields.hidden:
                    parts.append(text)
                    if run_monospace:
                        typewritten = typewritten or not text.isspace()
                    elif not proportional:
                        proportional = not text.isspace()
            elif tag in _SKIPPED:
                continue
            elif tag in CHARACTERS:
                if run_shown and not fields.hidden:
                    parts.append(CHARACTERS[tag])
            elif tag in HANGING:
                attached = attached or Attached()
                _hang(item, tag, attached)
            elif isinstance(tag, str):
                self._other(item, tag, parts, stack, run_shown)
        return Line(shown("".join(parts)), attached, typewritten and not proportional)

    def _run(self, properties: Any | None, hidden: bool, monospace: bool) -> tuple[bool, bool]:
        """Whether a run with these properties is shown, and whether in a typewriter font."""
        if properties is None or not len(properties):
            return not hidden, monospace
        found = by_name(properties)
        if _TELLING.isdisjoint(found):
            return not hidden, monospace
        style = found[RUN_STYLE].get(VAL) if RUN_STYLE in found else None
        if VANISH in found:
            hidden = is_on(found[VANISH])
        else:
            hidden = hidden or (style is not None and self._styles.hidden(style))
        answer = monospace_font(found[FONTS]) if FONTS in found else None
        if answer is None:
            answer = monospace or (style is not None and self._styles.monospace(style))
        return not hidden, answer

    def _other(self, item: Any, tag: str, parts: list[str], stack: list[Any], shown: bool) -> None:
        if tag == FIELD_CHARACTER:
            if len(item) and shown and not self._fields.hidden:
                parts.append(form_value(item))
            self._fields.mark(item.get(w("fldCharType"), ""))
        elif tag == FIELD_INSTRUCTION:
            self._fields.instruct(item.text or "")
        elif tag == SIMPLE_FIELD:
            if not is_contents(item.get(w("instr"), "")):
                stack += item[::-1]
        elif tag == SYMBOL:
            if shown and not self._fields.hidden:
                parts.append(symbol(item.get(w("font"), ""), item.get(w("char"), "")))
        elif tag == ALTERNATE:
            stack += chosen(item)[::-1]
        elif tag in MATH_GROUPS:
            stack += typed(item)[::-1]
        else:
            stack += item[::-1]


def _holds_runs(parent: Any, pieces: list[str]) -> bool:
    """Whether a paragraph, or what goes around runs in it, holds nothing but runs of text. Their
    texts are added to `pieces`."""
    for child in parent[:]:
        tag = child.tag
        if tag == RUN:
            for each in child[:]:
                tag = each.tag
                if tag == TEXT:
                    pieces.append(each.text or "")
                elif tag != RPR and len(each):
                    return False
        elif tag in _AROUND_RUNS:
            if not _holds_runs(child, pieces):
                return False
        elif tag == TEXT or (tag != PPR and len(child)):
            return False
    return True


def _hang(item: Any, tag: str, attached: Attached) -> None:
    if tag in _NOTES:
        attached.notes.append((_NOTES[tag], item.get(w("id"), "")))
    elif tag == DRAWING_PROPERTIES:
        attached.pictures.append(item.get("descr") or item.get("title", ""))
    elif tag in (CHART, DIAGRAM):
        attached.graphics.append(item)
    else:
        attached.boxes.append(item)


def chosen(alternatives: Any) -> list[Any]:
    """What to read of `mc:AlternateContent`: the first choice, the fallback only without one."""
    choice = alternatives.find(CHOICE)
    if choice is None:
        choice = alternatives.find(FALLBACK)
    return [] if choice is None else list(choice)
