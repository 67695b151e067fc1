"""How does the body of an OpenDocument text become blocks? In reading order, each text once."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.odt.inline import InlineReader, Line
from rag_chunker.parsing.odt.lists import ListLevel, Lists
from rag_chunker.parsing.odt.names import (
    DROPPED,
    FRAME,
    LIST,
    LIST_HEADER,
    LIST_ITEM,
    STYLE_NAME,
    TABLE,
    H,
    P,
    n,
    number,
)
from rag_chunker.parsing.odt.plain_tables import plain_table
from rag_chunker.parsing.odt.styles import Styles
from rag_chunker.parsing.odt.tables import MOST_REPEATS, Allowance, Table
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.steps import Step, Steps, run
from rag_chunker.parsing.style_names import Meaning, Role
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

DEEPEST_HEADING = 6
_TYPES = {Role.quote: BlockType.quote, Role.caption: BlockType.caption, Role.code: BlockType.code}
_BOX = "box"
_BODY, _PARAGRAPH = Role.body, BlockType.paragraph
"""The members of enumerations that nearly every paragraph asks for: looking one up takes longer
than reading a tag."""
_HEADINGS = (Role.heading, Role.title)
_DRAWN = n("draw:frame").partition("}")[0]


class Body:
    """One pass over a document."""

    def __init__(self, styles: Styles, reader: InlineReader) -> None:
        self._styles = styles
        self._lists = Lists(styles.lists)
        self._reader = reader
        self._repeats = Allowance(MOST_REPEATS)
        self._tables = 0
        self.title: str | None = None
        """Text of the first paragraph in style Title, known when all blocks are read."""

    def blocks(self, root: Any) -> Iterator[Block]:
        """The blocks of everything below `root`. Code is one block a paragraph, and may be
        blank."""
        return run(self._children(root, None))

    def _children(self, parent: Any, aside: str | None) -> Steps:
        """The blocks of a container. `aside` is None in the body itself, `_BOX` in a text box
        beside running text, where headings must not claim the text that goes on after the box,
        or the kind of a note, where all text is `other`."""
        for child in parent:
            tag = child.tag
            if tag in (P, H):
                yield from self._paragraph(child, aside)
            elif tag == LIST:
                yield self._list(child, None, aside)
            elif tag == TABLE:
                yield self._table(child, aside)
            elif tag == FRAME or (isinstance(tag, str) and tag.startswith(_DRAWN)):
                yield self._attached(self._reader.read_drawn(child), aside)
            elif tag not in DROPPED and child.get(n("text:display")) != "none":
                yield self._children(child, aside)

    def _list(self, element: Any, above: ListLevel | None, aside: str | None) -> Steps:
        level = self._lists.open(element, above)
        for item in element:
            if item.tag in (LIST_ITEM, LIST_HEADER):
                yield self._item(item, level, aside)

    def _item(self, item: Any, level: ListLevel, aside: str | None) -> Steps:
        """The first paragraph of an item is the list item, what follows in it is what it is."""
        shown = item.tag == LIST_ITEM
        for child in item:
            if child.tag in (P, H):
                attributes: dict[str, JsonValue] = {}
                if shown:
                    marker = self._lists.marker(item, level)
                    attributes = {"list_depth": level.depth, "list_marker": marker}
                shown = False
                yield from self._paragraph(child, aside, attributes)
            elif child.tag == LIST:
                yield self._list(child, level, aside)
            else:
                yield self._children([child], aside)

    def _paragraph(
        self, element: Any, aside: str | None, item: dict[str, JsonValue] | None = None
    ) -> list[Step]:
        line = self._reader.read(element)
        if aside is None or aside == _BOX:
            block = self._block(element, line, item)
        else:
            block = _note(aside, line.text)
        if aside == _BOX and block is not None and block.type is BlockType.heading:
            block = _block(_PARAGRAPH, block.text)
        steps: list[Step] = [] if block is None else [block]
        return steps if line.attached is None else [*steps, self._attached(line, aside)]

    def _attached(self, line: Line, aside: str | None) -> Steps:
        """What hangs on a paragraph: pictures' alternative texts, boxes, notes, in this order."""
        attached = line.attached
        if attached is None:
            return
        for text in attached.pictures:
            if (picture := _note("picture", shown(text))) is not None:
                yield picture
        inside = _BOX if aside is None and not is_blank(line.text) else aside
        for box in attached.boxes:
            yield self._children([box] if box.tag in (P, H, LIST, TABLE) else box, inside)
        for kind, element in attached.notes:
            yield self._children(element, kind)

    def _block(self, element: Any, line: Line, item: dict[str, JsonValue] | None) -> Block | None:
        meaning = self._meaning(element)
        if meaning.role is _BODY and not item and not line.monospace:
            return None if is_blank(line.text) else _block(_PARAGRAPH, line.text.strip())
        if meaning.role is Role.code:
            return _block(BlockType.code, line.text)
        text = line.text.strip()
        if is_blank(text) or meaning.role is Role.contents:
            return None
        if meaning.role in _HEADINGS:
            return self._heading(meaning, " ".join(text.split()), item or {})
        if item:
            return Block.trusted(BlockType.list_item, text, item)
        if meaning.role is Role.body and line.monospace:
            return _block(BlockType.code, line.text)
        return _block(_TYPES.get(meaning.role, BlockType.paragraph), text)

    def _heading(self, meaning: Meaning, text: str, item: dict[str, JsonValue]) -> Block:
        level = min(max(meaning.level, 1), DEEPEST_HEADING)
        if meaning.role is Role.title:
            level = 1
            self.title = self.title or text
        marker = {key: value for key, value in item.items() if key == "list_marker" and value}
        return Block(type=BlockType.heading, text=text, level=level, attributes=marker)

    def _meaning(self, element: Any) -> Meaning:
        if element.tag == H:
            return Meaning(Role.heading, number(element, "text:outline-level", 1))
        return self._styles.meaning(element.get(STYLE_NAME, ""))

    def _table(self, element: Any, aside: str | None) -> Steps:
        plain = plain_table(element, self._is_plain)
        table = plain or Table(
            element, self._is_heading, self._repeats, has_headings=self._has_headings(element)
        )
        if (frame := table.frame()) is not None:
            for cell in frame:
                yield self._children(cell, aside)
            return
        for part in table.parts():
            if part.layout is not None:
                for cell in part.layout:
                    yield self._children(cell, aside)
                continue
            attached: list[Line] = []
            rows = (
                [[self._cell(cell, attached) for cell in row] for row in part.rows]
                if plain is None
                else part.plain_rows()
            )
            yield part.blocks(rows, self._tables)
            self._tables += 1
            for line in attached:
                yield self._attached(line, aside)

    def _cell(self, paragraphs: Sequence[Any], attached: list[Line]) -> str:
        lines = [self._reader.read(paragraph) for paragraph in paragraphs]
        attached += [line for line in lines if line.attached is not None]
        return " ".join([line.text for line in lines])

    def _is_plain(self, family: str, style: str) -> bool:
        """Whether the text of a cell in this style is shown, and no heading."""
        heads = family == "paragraph" and self._styles.meaning(style).role in _HEADINGS
        return not heads and not self._styles.hidden(family, style)

    def _has_headings(self, element: Any) -> bool:
        """Whether any paragraph below is a heading. Most tables have none, and no cell of theirs
        need be asked."""
        if next(element.iterdescendants(H), None) is not None:
            return True
        styles = {paragraph.get(STYLE_NAME, "") for paragraph in element.iterdescendants(P)}
        return any(self._styles.meaning(style).role in _HEADINGS for style in styles)

    def _is_heading(self, paragraph: Any) -> bool:
        return self._meaning(paragraph).role in _HEADINGS


def _block(kind: BlockType, text: str) -> Block:
    return Block.trusted(kind, text, {})


def _note(kind: str, text: str) -> Block | None:
    if is_blank(text):
        return None
    return Block.trusted(BlockType.other, text.strip(), {"note": kind})
