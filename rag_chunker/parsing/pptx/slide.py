"""How does one slide become blocks? Title, shapes in reading order, notes, comments."""

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.code_lines import merged_code
from rag_chunker.parsing.echoes import says_something, without_echoes
from rag_chunker.parsing.headers import DEEPEST_HEADER, is_labelled
from rag_chunker.parsing.pptx.deck import Part
from rag_chunker.parsing.pptx.frames import chart_blocks, diagram_blocks, has_header, table_rows
from rag_chunker.parsing.pptx.names import n
from rag_chunker.parsing.pptx.paragraphs import body_text, text_blocks
from rag_chunker.parsing.pptx.reading_order import in_reading_order
from rag_chunker.parsing.pptx.shapes import FRAME, GROUP, Layout, Shape, notes_body, shapes_in
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.steps import Steps, run
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

EMU_PER_POINT = 12700
LONGEST_PROMOTED = 120
"""Characters of a text that can stand in for a missing title."""
_CHROME = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_TITLES = frozenset({"title", "ctrTitle"})
_DEFAULT_SIZE = 1800
_TREE = f"{n('p:cSld')}/{n('p:spTree')}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"


class SlideReader:
    """Reads one slide; `number` goes into each block as its page."""

    def __init__(
        self, slide: Part, layout: Layout, number: int, next_table: Callable[[], int]
    ) -> None:
        self._slide = slide
        self._layout = layout
        self._number = number
        self._next_table = next_table

    def blocks(self) -> Iterator[Block]:
        """All blocks of the slide, under a heading of level 1: its title, else its largest text
        if that stands first, else `Slide N`. None at all if the slide has no text."""
        tree = self._slide.root.find(_TREE)
        shapes = self._ordered(() if tree is None else tree)
        title = next((shape for shape in shapes if shape.placeholder in _TITLES), None)
        if title is None or is_blank(_text(title)):
            title = _promoted(shapes)
        rest = [shape for shape in shapes if shape is not title]
        shown_blocks = without_echoes(merged_code(run(self._shapes(rest, in_group=False))))
        body = [*shown_blocks, *self._notes(), *self._comments()]
        text = "" if title is None else " ".join(_text(title).split())
        if body or not is_blank(text):
            heading = f"Slide {self._number}" if is_blank(text) else text
            place = self._attributes() if title is None else self._place(title, in_group=False)
            yield Block(type=BlockType.heading, text=heading, level=1, attributes=place)
            yield from body

    def _shapes(self, shapes: list[Shape], *, in_group: bool) -> Steps:
        for shape in shapes:
            if shape.placeholder in _CHROME or shape.hidden:
                continue
            if shape.element.tag == GROUP:
                yield from self._picture(shape)
                yield self._shapes(self._ordered(shape.element), in_group=True)
            else:
                yield self._shape(shape, self._place(shape, in_group=in_group))

    def _shape(self, shape: Shape, attributes: dict[str, JsonValue]) -> Steps:
        if shape.body is not None:
            yield from text_blocks(shape, attributes)
            return
        yield from self._picture(shape)
        if shape.element.tag == FRAME:
            yield from self._frame(shape.element, attributes)

    def _frame(self, frame: Any, attributes: dict[str, JsonValue]) -> Iterator[Block]:
        table = next(frame.iter(n("a:tbl")), None)
        chart = next(frame.iter(_CHART), None)
        if table is not None:
            titles, rows = table_rows(table)
            for title in titles:
                if not is_blank(title):
                    yield Block(type=BlockType.paragraph, text=title, attributes=attributes)
            yield from table_blocks(
                rows,
                table=self._next_table(),
                has_header=has_header(table) and not is_labelled(rows[:DEEPEST_HEADER]),
                attributes=attributes,
            )
        elif chart is not None:
            part = self._slide.by_id(chart.get(n("r:id")))
            if part is not None:
                number = self._next_table()
                yield from chart_blocks(part.root, table=number, attributes=attributes)
        else:
            yield from diagram_blocks(frame, self._slide, attributes)

    def _picture(self, shape: Shape) -> Iterator[Block]:
        """The alternative text of anything that is no text; file names are none."""
        properties = shape.properties
        said = "" if properties is None else properties.get("descr") or properties.get("title", "")
        text = shown(said).strip()
        if says_something(text):
            yield self._note("picture", text)

    def _notes(self) -> Iterator[Block]:
        notes = self._slide.of_kind("notesSlide")
        body = None if notes is None else notes_body(notes.root)
        text = "" if body is None else body_text(body)
        if not is_blank(text):
            yield self._note("speaker", text)

    def _comments(self) -> Iterator[Block]:
        """What reviewers said about the slide, and what was answered; in both formats of
        PowerPoint, where a text is plain or has paragraphs."""
        comments = self._slide.of_kind("comments")
        for one in () if comments is None else comments.root.iter("{*}cm", "{*}reply"):
            body = one.find("{*}txBody")
            text = one.findtext("{*}text") or "" if body is None else body_text(body)
            if not is_blank(text := shown(text).strip()):
                yield self._note("comment", text)

    def _note(self, kind: str, text: str) -> Block:
        attributes = {**self._attributes(), "note": kind}
        return Block(type=BlockType.other, text=text, attributes=attributes)

    def _ordered(self, tree: Any) -> list[Shape]:
        shapes = [self._layout.shape(element) for element in shapes_in(tree)]
        return in_reading_order(shapes, lambda shape: shape.box)

    def _attributes(self) -> dict[str, JsonValue]:
        return {"page": self._number}

    def _place(self, shape: Shape, *, in_group: bool) -> dict[str, JsonValue]:
        """Page, and box unless it is relative to a group."""
        box = None if in_group else shape.box
        if box is None:
            return self._attributes()
        edges = (box.left, box.top, box.left + box.width, box.top + box.height)
        points: list[JsonValue] = [round(edge / EMU_PER_POINT, 1) for edge in edges]
        return {**self._attributes(), "bbox": points}


def _text(shape: Shape) -> str:
    return "" if shape.body is None else body_text(shape.body)


def _promoted(shapes: list[Shape]) -> Shape | None:
    """The shape that stands in for a missing title: the first with text, if it holds one short
    paragraph in larger letters than all others."""
    seen = (shape for shape in shapes if shape.placeholder not in _CHROME and not shape.hidden)
    texts = [shape for shape in seen if not is_blank(_text(shape))]
    if not texts:
        return None
    first, others = texts[0], texts[1:]
    text = _text(first)
    if "\n" in text or len(text) > LONGEST_PROMOTED:
        return None
    return first if all(_size(first) > _size(other) for other in others) else None


def _size(shape: Shape) -> int:
    """The largest letters of a shape, in hundredths of a point."""
    sizes = [
        int(properties.get("sz"))
        for properties in shape.element.iter(n("a:rPr"))
        if properties.get("sz", "").isdecimal()
    ]
    return max(sizes, default=_DEFAULT_SIZE)
