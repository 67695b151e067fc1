"""What do the paragraphs of a shape say, and which of them are list items?

Whether a paragraph has a bullet is inherited: from the shape's list style, from the placeholder of
the layout and that of the master, and from the master's text styles.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.counting import bullet, figure
from rag_chunker.parsing.fonts import is_monospace
from rag_chunker.parsing.office_math import MATH_GROUPS, MATH_TEXT, typed
from rag_chunker.parsing.pptx.names import n
from rag_chunker.parsing.pptx.shapes import Shape
from rag_chunker.parsing.shown import shown
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_FIGURES = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_FRAMES = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}
_BULLETS = (n("a:buNone"), n("a:buChar"), n("a:buAutoNum"), n("a:buBlip"))
_TEXT = frozenset({n("a:t"), MATH_TEXT})
DEEPEST = 8


def paragraph_text(paragraph: Any) -> str:
    """The text of an `a:p`, line breaks as `\\n`."""
    parts: list[str] = []
    stack: list[Any] = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        if isinstance(element, str):
            parts.append(element)
        elif element.tag in _TEXT:
            parts.append(element.text or "")
        elif element.tag in MATH_GROUPS:
            stack.extend(reversed(typed(element)))
        elif element.tag == n("a:br"):
            parts.append("\n")
        elif element.tag != n("mc:Fallback"):
            stack.extend(reversed(element))
    return shown("".join(parts).replace("\v", "\n"))


def body_text(body: Any, separator: str = "\n") -> str:
    """The non-blank paragraphs of a text body, joined."""
    texts = (paragraph_text(paragraph).strip() for paragraph in body.iterchildren(n("a:p")))
    return separator.join(text for text in texts if not is_blank(text))


def text_blocks(shape: Shape, attributes: dict[str, JsonValue]) -> Iterator[Block]:
    """The paragraphs of a shape with a text body, blank ones left out."""
    styles = list(shape.list_styles())
    counts: dict[int, int] = {}
    for paragraph in () if shape.body is None else shape.body.iterchildren(n("a:p")):
        raw = paragraph_text(paragraph)
        text = raw.strip()
        if is_blank(text):
            continue
        if _is_code(paragraph):
            yield Block(type=BlockType.code, text=raw, attributes=attributes)
            continue
        depth = _depth(paragraph)
        marker = _marker(_bullet(paragraph, depth, styles), depth, counts)
        if marker is None:
            yield Block(type=BlockType.paragraph, text=text, attributes=attributes)
        else:
            item = {"list_depth": depth, "list_marker": marker}
            yield Block(type=BlockType.list_item, text=text, attributes={**attributes, **item})


def _is_code(paragraph: Any) -> bool:
    """Whether all text of a paragraph is in a typewriter font that its runs name."""
    runs = [
        run for run in paragraph.iterchildren(n("a:r")) if (run.findtext(n("a:t")) or "").strip()
    ]
    fonts = [run.find(f"{n('a:rPr')}/{n('a:latin')}") for run in runs]
    return bool(fonts) and all(
        font is not None and is_monospace(font.get("typeface", "")) for font in fonts
    )


def _depth(paragraph: Any) -> int:
    properties = paragraph.find(n("a:pPr"))
    level = "0" if properties is None else properties.get("lvl", "0")
    return min(int(level), DEEPEST) if level.isdecimal() else 0


def _bullet(paragraph: Any, depth: int, styles: list[Any]) -> Any | None:
    """The element that says which bullet a paragraph has; None where nothing says it."""
    own = paragraph.find(n("a:pPr"))
    level = n(f"a:lvl{depth + 1}pPr")
    for properties in [own, *(style.find(level) for style in styles)]:
        if properties is not None:
            for child in properties:
                if child.tag in _BULLETS:
                    return child
    return None


def _marker(said: Any | None, depth: int, counts: dict[int, int]) -> str | None:
    """What stands before the paragraph; None if it is no list item."""
    for deeper in [level for level in counts if level > depth]:
        del counts[deeper]
    if said is None or said.tag == n("a:buNone"):
        counts.pop(depth, None)
        return None
    if said.tag != n("a:buAutoNum"):
        counts.pop(depth, None)
        return bullet(said.get("char", "")) or "•"
    start = said.get("startAt", "1")
    first = int(start) if start.isdecimal() and len(start) < 6 else 1
    counts[depth] = counts.get(depth, first - 1) + 1
    return _number(counts[depth], said.get("type", ""))


def _number(count: int, kind: str) -> str:
    for name, form in _FIGURES.items():
        if kind.startswith(name):
            return _FRAMES.get(kind.removeprefix(name), "{}.").format(figure(count, form))
    return f"{count}."
