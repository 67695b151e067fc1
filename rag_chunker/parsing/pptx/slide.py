"""How does one slide become blocks? Its title, then its shapes in reading order, then its notes."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.pptx.frames import chart_blocks, diagram_blocks, has_header, table_rows
from rag_chunker.parsing.pptx.names import n
from rag_chunker.parsing.pptx.paragraphs import body_text, text_blocks
from rag_chunker.parsing.pptx.reading_order import Box, in_reading_order
from rag_chunker.parsing.steps import Steps, run
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

EMU_PER_POINT = 12700
LONGEST_PROMOTED = 120
"""Characters of a text that can stand in for a missing title."""
_SHAPES = frozenset(n(f"p:{name}") for name in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp"))
_CHROME = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_TITLES = frozenset({"title", "ctrTitle"})
_FILE_NAME = re.compile(r"\S+\.\w{2,5}")
_DEFAULT_SIZE = 1800


class SlideReader:
    """Reads the slides of one deck; `number` of the slide goes into each block as its page."""

    def __init__(self, slide: Any, number: int, next_table: Callable[[], int]) -> None:
        self._slide = slide
        self._number = number
        self._next_table = next_table

    def blocks(self) -> Iterator[Block]:
        """All blocks of the slide, under a heading of level 1: its title, else its largest text
        if that stands first, else `Slide N`. None at all if the slide has no text."""
        shapes = self._ordered(self._slide.shapes._spTree)
        title = next((shape for shape in shapes if _placeholder(shape) in _TITLES), None)
        if title is None or is_blank(_text(title)):
            title = _promoted(shapes)
        rest = [shape for shape in shapes if shape is not title]
        body = [*run(self._shapes(rest, in_group=False)), *self._notes()]
        text = "" if title is None else " ".join(_text(title).split())
        if body or not is_blank(text):
            heading = f"Slide {self._number}" if is_blank(text) else text
            place = {} if title is None else self._place(title, in_group=False)
            yield Block(
                type=BlockType.heading,
                text=heading,
                level=1,
                attributes=place or self._attributes(),
            )
            yield from body

    def _shapes(self, shapes: list[Any], *, in_group: bool) -> Steps:
        for shape in shapes:
            if _placeholder(shape) in _CHROME:
                continue
            if shape._element.tag == n("p:grpSp"):
                yield from self._picture(shape)
                yield self._shapes(self._ordered(shape._element), in_group=True)
            else:
                yield self._shape(shape, self._place(shape, in_group=in_group))

    def _shape(self, shape: Any, attributes: dict[str, JsonValue]) -> Steps:
        element = shape._element
        if element.tag == n("p:sp") and element.txBody is not None:
            yield from text_blocks(shape, attributes)
            return
        yield from self._picture(shape)
        if element.tag != n("p:graphicFrame"):
            return
        table = next(element.iter(n("a:tbl")), None)
        if table is not None:
            yield from table_blocks(
                table_rows(table),
                table=self._next_table(),
                has_header=has_header(table),
                attributes=attributes,
            )
        elif shape.has_chart:
            yield from chart_blocks(shape.chart, table=self._next_table(), attributes=attributes)
        else:
            yield from diagram_blocks(element, self._slide.part, attributes)

    def _picture(self, shape: Any) -> Iterator[Block]:
        """The alternative text of anything that is no text; file names are none."""
        properties = next(shape._element.iter(n("p:cNvPr")), None)
        text = "" if properties is None else properties.get("descr", "").strip()
        if not is_blank(text) and not _FILE_NAME.fullmatch(text):
            yield Block(
                type=BlockType.other,
                text=text,
                attributes={**self._attributes(), "note": "picture"},
            )

    def _notes(self) -> Iterator[Block]:
        if not self._slide.has_notes_slide:
            return
        frame = self._slide.notes_slide.notes_text_frame
        text = "" if frame is None else body_text(frame._txBody)
        if not is_blank(text):
            yield Block(
                type=BlockType.other,
                text=text,
                attributes={**self._attributes(), "note": "speaker"},
            )

    def _ordered(self, tree: Any) -> list[Any]:
        """The shapes of a slide or group, as python-pptx shapes (which inherit their place)."""
        from pptx.shapes.shapetree import SlideShapeFactory

        elements = (inner for child in tree for inner in _alternatives(child))
        shapes = [
            SlideShapeFactory(element, self._slide.shapes)
            for element in elements
            if element.tag in _SHAPES
        ]
        return in_reading_order(shapes, _box)

    def _attributes(self) -> dict[str, JsonValue]:
        return {"page": self._number}

    def _place(self, shape: Any, *, in_group: bool) -> dict[str, JsonValue]:
        """Page, and box unless it is relative to a group."""
        box = None if in_group else _box(shape)
        if box is None:
            return self._attributes()
        edges = (box.left, box.top, box.left + box.width, box.top + box.height)
        points: list[JsonValue] = [round(edge / EMU_PER_POINT, 1) for edge in edges]
        return {**self._attributes(), "bbox": points}


def _alternatives(element: Any) -> list[Any]:
    """The element itself; of alternatives the first choice."""
    if element.tag != n("mc:AlternateContent"):
        return [element]
    choice = element.find(n("mc:Choice"))
    found = list(choice) if choice is not None else []
    if any(child.tag in _SHAPES for child in found):
        return found
    fallback = element.find(n("mc:Fallback"))
    return list(fallback) if fallback is not None else []


def _box(shape: Any) -> Box | None:
    sides = (shape.left, shape.top, shape.width, shape.height)
    if any(side is None for side in sides):
        return None
    return Box(*sides)


def _placeholder(shape: Any) -> str | None:
    """The type of a placeholder as written, None for other shapes."""
    found = next(shape._element.iter(n("p:ph")), None) if shape.is_placeholder else None
    kind: str | None = None if found is None else found.get("type", "obj")
    return kind


def _text(shape: Any) -> str:
    body = getattr(shape._element, "txBody", None)
    return "" if body is None else body_text(body)


def _promoted(shapes: list[Any]) -> Any | None:
    """The shape that stands in for a missing title: the first with text, if it holds one short
    paragraph in larger letters than all others."""
    texts = [shape for shape in shapes if not is_blank(_text(shape))]
    if not texts or _placeholder(texts[0]) in _CHROME:
        return None
    first, others = texts[0], texts[1:]
    text = _text(first)
    if "\n" in text or len(text) > LONGEST_PROMOTED:
        return None
    return first if all(_size(first) > _size(other) for other in others) else None


def _size(shape: Any) -> int:
    """The largest letters of a shape, in hundredths of a point."""
    sizes = [
        int(properties.get("sz"))
        for properties in shape._element.iter(n("a:rPr"))
        if properties.get("sz", "").isdecimal()
    ]
    return max(sizes, default=_DEFAULT_SIZE)
