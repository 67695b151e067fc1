"""What does a paragraph say? Its shown text, and what hangs on it: boxes, notes, pictures."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rag_chunker.parsing.odt.names import (
    ANNOTATION,
    DROPPED,
    FRAME,
    LIST,
    NOTE,
    NOTE_BODY,
    STYLE_NAME,
    TABLE,
    TEXT_BOX,
    H,
    P,
    n,
    number,
)
from rag_chunker.parsing.odt.styles import Styles
from rag_chunker.parsing.shown import shown

MOST_SPACES = 100
"""A longer run of spaces is believed no further."""
_SPAN = n("text:span")
_WHITE = re.compile(r"[ \t\r\n]+")
_SKIPPED = DROPPED | {
    n("text:number"),  # the shown number of a heading, computed
    n("text:ruby-text"),
    n("text:note-citation"),
    n("text:hidden-text"),
    n("svg:title"),
    n("svg:desc"),
}
_BLOCKS = frozenset({P, H, LIST, TABLE, TEXT_BOX})


@dataclass(slots=True)
class Line:
    """One paragraph, read."""

    parts: list[str] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    """Elements with paragraphs of their own, such as text boxes."""
    notes: list[tuple[str, Any]] = field(default_factory=list)
    """Kind (`footnote`, `endnote`, `comment`) and element of each note."""
    pictures: list[str] = field(default_factory=list)
    """The alternative texts of its pictures."""
    monospace: bool = False
    """Whether it has text, and all of it is in a typewriter font."""
    proportional: bool = False

    @property
    def attachments(self) -> bool:
        """Whether anything hangs on it: boxes, notes or pictures."""
        return bool(self.boxes or self.notes or self.pictures)

    @property
    def text(self) -> str:
        """The shown text, line breaks as `\\n`, edges as they are."""
        return shown("".join(self.parts))


@dataclass(frozen=True)
class _Font:
    """On the stack: the font from here on."""

    monospace: bool


class InlineReader:
    """Reads paragraphs. `formula` gives the text of an embedded formula by its address."""

    def __init__(self, styles: Styles, formula: Callable[[str], str]) -> None:
        self._styles = styles
        self._formula = formula

    def read(self, paragraph: Any) -> Line:
        """Everything that one `text:p` or `text:h` shows."""
        line = Line()
        style = paragraph.get(STYLE_NAME, "")
        if self._styles.hidden("paragraph", style):
            return line
        monospace = bool(self._styles.monospace("paragraph", style))
        if len(paragraph):
            self._fill(line, _reversed_content(paragraph), _Font(monospace))
        elif text := paragraph.text:
            line.parts.append(_spaced(text))
            line.monospace = monospace and not text.isspace()
        return line

    def read_drawn(self, element: Any) -> Line:
        """Everything that hangs on a frame or shape which stands between paragraphs."""
        line = Line()
        self._fill(line, [element], _Font(False))
        return line

    def _fill(self, line: Line, stack: list[Any], font: _Font) -> None:
        while stack:
            item = stack.pop()
            if isinstance(item, _Font):
                font = item
            elif isinstance(item, str):
                self._say(line, _spaced(item), font)
            elif (tag := item.tag) == _SPAN:
                self._span(item, font, stack)
            elif tag not in _SKIPPED and isinstance(tag, str):
                self._other(item, line, stack)
        line.monospace = line.monospace and not line.proportional

    def _say(self, line: Line, text: str, font: _Font) -> None:
        line.parts.append(text)
        if text.isspace():
            return
        if font.monospace:
            line.monospace = True
        else:
            line.proportional = True

    def _span(self, span: Any, font: _Font, stack: list[Any]) -> None:
        style = span.get(STYLE_NAME, "")
        if self._styles.hidden("text", style):
            return
        own = self._styles.monospace("text", style)
        stack.append(font)
        stack.extend(_reversed_content(span))
        if own is not None:
            stack.append(_Font(own))

    def _other(self, item: Any, line: Line, stack: list[Any]) -> None:
        tag = item.tag
        if tag == n("text:s"):
            line.parts.append(" " * min(max(number(item, "text:c", 1), 0), MOST_SPACES))
        elif tag == n("text:tab"):
            line.parts.append("\t")
        elif tag == n("text:line-break"):
            line.parts.append("\n")
        elif tag == NOTE:
            body = item.find(NOTE_BODY)
            if body is not None:
                line.notes.append((item.get(n("text:note-class"), "footnote"), body))
        elif tag == ANNOTATION:
            line.notes.append(("comment", item))
        elif tag == FRAME:
            stack.extend(reversed(self._frame(item, line)))
        elif tag in _BLOCKS:
            line.boxes.append(item)
        else:
            stack.extend(_reversed_content(item))

    def _frame(self, frame: Any, line: Line) -> list[Any]:
        """A frame holds one thing, in several renditions of which the first counts."""
        described = (frame.find(n(f"svg:{name}")) for name in ("desc", "title"))
        words = (element.text or "" for element in described if element is not None)
        line.pictures.append(next((text for text in words if text.strip()), ""))
        first = next((child for child in frame.iterchildren("{*}*")), None)
        if first is None:
            return []
        if first.tag == n("draw:object"):
            return [self._formula(first.get(n("xlink:href"), ""))]
        return [first]


def _spaced(text: str) -> str:
    """`text` with one space for each run of white space."""
    if "  " in text or "\n" in text or "\t" in text or "\r" in text:
        return _WHITE.sub(" ", text)
    return text


def _reversed_content(element: Any) -> list[Any]:
    """Text and children of an element, last first."""
    content: list[Any] = [element.text] if element.text else []
    for child in element:
        content.append(child)
        if child.tail:
            content.append(child.tail)
    content.reverse()
    return content
