"""What does a paragraph say? Its shown text, and what hangs on it: boxes, notes, pictures."""

from dataclasses import dataclass, field
from typing import Any

from rag_chunker.parsing.docx.fields import Fields, is_contents
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
    TEXT_BOX,
    P,
    first,
    leading,
    switched_on,
    value,
    w,
)
from rag_chunker.parsing.docx.styles import Styles, monospace_font
from rag_chunker.parsing.docx.symbols import symbol
from rag_chunker.parsing.office_math import MATH_GROUPS, MATH_TEXT, typed
from rag_chunker.parsing.shown import shown

_RUN, _RUN_STYLE, _VANISH, _FONTS = w("r"), w("rStyle"), w("vanish"), w("rFonts")
_TELLING = (_RUN_STYLE, _VANISH, _FONTS)
_TEXT = frozenset({w("t"), MATH_TEXT})
_CHARACTERS = {
    w("tab"): "\t",
    w("ptab"): "\t",
    w("br"): "\n",
    w("cr"): "\n",
    w("noBreakHyphen"): "-",
}
_SKIPPED = REMOVED | {
    PPR,
    RPR,
    w("sdtPr"),
    w("sdtEndPr"),
    w("rt"),  # how to pronounce the base text of a ruby
    w("delText"),
    w("delInstrText"),
}
_NOTES = {
    w("footnoteReference"): "footnote",
    w("endnoteReference"): "endnote",
    w("commentReference"): "comment",
}


@dataclass(slots=True)
class Line:
    """One paragraph, read."""

    parts: list[str] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    """Elements with paragraphs of their own, such as text boxes."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Kind (`footnote`, `endnote`, `comment`) and id of what the paragraph refers to."""
    pictures: list[str] = field(default_factory=list)
    """The alternative texts of its pictures."""
    graphics: list[Any] = field(default_factory=list)
    """Elements that refer to charts and SmartArt diagrams."""
    monospace: bool = False
    """Whether it has text, and all of it is in a typewriter font."""
    proportional: bool = False

    @property
    def attachments(self) -> bool:
        """Whether anything hangs on it: boxes, notes, pictures or graphics."""
        return bool(self.boxes or self.notes or self.pictures or self.graphics)

    @property
    def text(self) -> str:
        """The shown text, line breaks as `\\n`, edges as they are."""
        return shown("".join(self.parts))


class InlineReader:
    """Reads paragraphs in document order: fields may go on from one to the next."""

    def __init__(self, styles: Styles, fields: Fields) -> None:
        self._styles = styles
        self._fields = fields

    def read(self, paragraph: Any, style_id: str) -> Line:
        """Everything that one `w:p` shows."""
        line = Line()
        stack: list[Any] = paragraph[::-1]
        if not stack:
            return line
        fields, parts = self._fields, line.parts
        hidden = self._styles.hidden(style_id)
        monospace = self._styles.monospace(style_id)
        run_shown, run_monospace = not hidden, monospace
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            tag = item.tag
            if tag in _TEXT:
                text = item.text
                if text and (run_shown or tag == MATH_TEXT) and not fields.hidden:
                    parts.append(text)
                    if run_monospace:
                        line.monospace = line.monospace or not text.isspace()
                    elif not line.proportional:
                        line.proportional = not text.isspace()
            elif tag == _RUN:
                run_shown, run_monospace = self._run(leading(item, RPR), hidden, monospace)
                stack += item[::-1]
            elif tag in _CHARACTERS:
                if run_shown and not self._fields.hidden:
                    line.parts.append(_CHARACTERS[tag])
            elif tag not in _SKIPPED and isinstance(tag, str):
                self._other(item, tag, line, stack, run_shown)
        line.monospace = line.monospace and not line.proportional
        return line

    def _run(self, properties: Any | None, hidden: bool, monospace: bool) -> tuple[bool, bool]:
        """Whether a run with these properties is shown, and whether in a typewriter font."""
        if properties is None or next(properties.iterchildren(*_TELLING), None) is None:
            return not hidden, monospace
        style = value(properties, _RUN_STYLE)
        vanish = switched_on(properties, _VANISH)
        if vanish is None:
            vanish = hidden or (style is not None and self._styles.hidden(style))
        fonts = first(properties, _FONTS)
        answer = None if fonts is None else monospace_font(fonts)
        if answer is None:
            answer = monospace or (style is not None and self._styles.monospace(style))
        return not vanish, answer

    def _other(self, item: Any, tag: str, line: Line, stack: list[Any], shown: bool) -> None:
        if tag == w("fldChar"):
            self._fields.mark(item.get(w("fldCharType"), ""))
        elif tag == w("instrText"):
            self._fields.instruct(item.text or "")
        elif tag == w("fldSimple"):
            if not is_contents(item.get(w("instr"), "")):
                stack.extend(reversed(item))
        elif tag == w("sym"):
            if shown and not self._fields.hidden:
                line.parts.append(symbol(item.get(w("font"), ""), item.get(w("char"), "")))
        elif tag in _NOTES:
            line.notes.append((_NOTES[tag], item.get(w("id"), "")))
        elif tag in (TEXT_BOX, P, TBL):
            line.boxes.append(item)
        elif tag == ALTERNATE:
            stack.extend(reversed(chosen(item)))
        elif tag == DRAWING_PROPERTIES:
            line.pictures.append(item.get("descr", ""))
        elif tag in (CHART, DIAGRAM):
            line.graphics.append(item)
        elif tag in MATH_GROUPS:
            stack.extend(reversed(typed(item)))
        else:
            stack.extend(reversed(item))


def chosen(alternatives: Any) -> list[Any]:
    """What to read of `mc:AlternateContent`: the first choice, the fallback only without one."""
    choice = alternatives.find(CHOICE)
    if choice is None:
        choice = alternatives.find(FALLBACK)
    return [] if choice is None else list(choice)
