"""What does a paragraph say? Its shown text, and what hangs on it: boxes, notes, pictures."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rag_chunker.parsing.odt.embedded import Embedded
from rag_chunker.parsing.odt.names import (
    ANNOTATION,
    DROPPED,
    FRAME,
    LIST,
    NOTE,
    NOTE_BODY,
    SPAN,
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
_WHITE = re.compile(r"[ \t\r\n]+")
_TITLE, _DESCRIPTION = n("svg:title"), n("svg:desc")
_SKIPPED = DROPPED | {
    n("text:number"),  # the shown number of a heading, computed
    n("text:ruby-text"),
    n("text:note-citation"),
    n("text:hidden-text"),
    _TITLE,
    _DESCRIPTION,
}
_BLOCKS = frozenset({P, H, LIST, TABLE, TEXT_BOX})
_MARKS = frozenset(
    n(f"text:{name}") for name in ("bookmark", "bookmark-start", "bookmark-end", "soft-page-break")
)
_PLAIN = _MARKS | {SPAN}


@dataclass(slots=True)
class Attached:
    """What hangs on a paragraph."""

    boxes: list[Any] = field(default_factory=list)
    """Elements with paragraphs of their own, such as text boxes."""
    notes: list[tuple[str, Any]] = field(default_factory=list)
    """Kind (`footnote`, `endnote`, `comment`) and element of each note."""
    pictures: list[str] = field(default_factory=list)
    """The alternative texts of its pictures."""


class Line(NamedTuple):
    """One paragraph, read."""

    text: str = ""
    """The shown text, line breaks as `\\n`, edges as they are."""
    attached: Attached | None = None
    monospace: bool = False
    """Whether it has text, and all of it is in a typewriter font."""


_NOTHING = Line()


class InlineReader:
    """Reads paragraphs. `embedded` gives what an object says by its address."""

    def __init__(self, styles: Styles, embedded: Callable[[str], Embedded]) -> None:
        self._styles = styles
        self._embedded = embedded

    def plain_text(self, paragraph: Any) -> str | None:
        """What a paragraph shows that is nothing but text and ordinary spans, in a style that is
        usual; None for any other."""
        text: str = paragraph.text or ""
        if not len(paragraph):
            if text.isascii() and not _is_loose(text):
                return text
            return shown(_spaced(text))
        pieces = [text]
        for child in paragraph:
            tag = child.tag
            if tag not in _PLAIN or len(child):
                return None
            if tag == SPAN and not self._styles.usual_span(style_of(child)):
                return None
            pieces += (child.text or "", child.tail or "")
        text = "".join(pieces)
        return None if _is_loose(text) else shown(text)

    def read(self, paragraph: Any, style: str) -> Line:
        """Everything that one `text:p` or `text:h` in this style shows."""
        if self._styles.usual(style):
            text = self.plain_text(paragraph)
            if text is not None:
                return Line(text)
        if self._styles.hidden("paragraph", style):
            return _NOTHING
        monospace = bool(self._styles.monospace("paragraph", style))
        return self._read(_reversed_content(paragraph), monospace)

    def read_drawn(self, element: Any) -> Line:
        """Everything that hangs on a frame or shape which stands between paragraphs."""
        return self._read([element], monospace=False)

    def _read(self, stack: list[Any], monospace: bool) -> Line:
        """`stack` holds texts and elements, and whether the font from here on is a typewriter's."""
        parts: list[str] = []
        attached = Attached()
        typewritten = proportional = False
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(_spaced(item))
                if not item.isspace():
                    typewritten = typewritten or monospace
                    proportional = proportional or not monospace
            elif isinstance(item, bool):
                monospace = item
            elif (tag := item.tag) == SPAN:
                self._span(item, monospace, stack)
            elif tag not in _SKIPPED and isinstance(tag, str):
                self._other(item, tag, parts, attached, stack)
        hangs = attached.boxes or attached.notes or attached.pictures
        text = shown("".join(parts))
        return Line(text, attached if hangs else None, typewritten and not proportional)

    def _span(self, span: Any, monospace: bool, stack: list[Any]) -> None:
        style = style_of(span)
        if self._styles.hidden("text", style):
            return
        own = self._styles.monospace("text", style)
        if own is None or own is monospace:
            stack += _reversed_content(span)
        else:
            stack += [monospace, *_reversed_content(span), own]

    def _other(
        self, item: Any, tag: str, parts: list[str], attached: Attached, stack: list[Any]
    ) -> None:
        if tag == n("text:s"):
            parts.append(" " * min(max(number(item, "text:c", 1), 0), MOST_SPACES))
        elif tag == n("text:tab"):
            parts.append("\t")
        elif tag == n("text:line-break"):
            parts.append("\n")
        elif tag == NOTE:
            body = item.find(NOTE_BODY)
            if body is not None:
                attached.notes.append((item.get(n("text:note-class"), "footnote"), body))
        elif tag == ANNOTATION:
            attached.notes.append(("comment", item))
        elif tag == FRAME:
            stack += self._frame(item, attached)[::-1]
        elif tag in _BLOCKS:
            attached.boxes.append(item)
        else:
            stack += _reversed_content(item)

    def _frame(self, frame: Any, attached: Attached) -> list[Any]:
        """A frame holds one thing, in several renditions of which the first counts."""
        children = [child for child in frame if isinstance(child.tag, str)]
        if not children:
            attached.pictures.append("")
            return []
        texts = {child.tag: child.text or "" for child in reversed(children)}
        described = (texts.get(_DESCRIPTION, ""), texts.get(_TITLE, ""))
        attached.pictures.append(next((text for text in described if text.strip()), ""))
        first = children[0]
        if first.tag == n("draw:object"):
            said = self._embedded(first.get(n("xlink:href"), ""))
            attached.boxes += said.boxes
            return [said.text]
        return [first]


def style_of(element: Any) -> str:
    """Name of the style of a paragraph or a span."""
    style: str = element.get(STYLE_NAME, "") if element.keys() else ""
    return style


def only_box(frame: Any) -> Any | None:
    """The text box of a frame that holds nothing else."""
    return frame[0] if len(frame) == 1 and frame[0].tag == TEXT_BOX else None


def _is_loose(text: str) -> bool:
    return "  " in text or "\n" in text or "\t" in text or "\r" in text


def _spaced(text: str) -> str:
    """`text` with one space for each run of white space."""
    return _WHITE.sub(" ", text) if _is_loose(text) else text


def _reversed_content(element: Any) -> list[Any]:
    """Text and children of an element, last first."""
    content: list[Any] = [element.text] if element.text else []
    for child in element:
        content.append(child)
        if child.tail:
            content.append(child.tail)
    content.reverse()
    return content
