"""How does the body of an OpenDocument text become blocks? In reading order, each text once."""

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.odt.inline import InlineReader, Line, only_box, style_of
from rag_chunker.parsing.odt.lists import ListLevel, Lists
from rag_chunker.parsing.odt.names import (
    ANNOTATION,
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
from rag_chunker.parsing.odt.plain_tables import PlainTables
from rag_chunker.parsing.odt.styles import HEADINGS, Styles
from rag_chunker.parsing.odt.tables import MOST_REPEATS, Allowance, Table
from rag_chunker.parsing.office_blocks import OfficeBlocks
from rag_chunker.parsing.steps import Walk
from rag_chunker.parsing.style_names import Meaning, Role
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

DEEPEST_HEADING = 6
_TYPES = {Role.quote: BlockType.quote, Role.caption: BlockType.caption, Role.code: BlockType.code}
_BOX = "box"
_BODY, _PARAGRAPH, _ITEM = Role.body, BlockType.paragraph, BlockType.list_item
"""The members of enumerations that nearly every paragraph asks for: looking one up takes longer
than reading a tag."""
_PARAGRAPHS = (P, H)
_DRAWN, _DISPLAY = n("draw:frame").partition("}")[0], n("text:display")


class Body(OfficeBlocks):
    """One pass over a document, or one over each of its slides."""

    def __init__(self, styles: Styles, reader: InlineReader, plain: PlainTables) -> None:
        super().__init__()
        self._plain = plain
        self._styles = styles
        self._lists = Lists(styles.lists)
        self._reader = reader
        self._repeats = Allowance(MOST_REPEATS)
        self._tables = 0

    def blocks(self, root: Any) -> list[Block]:
        """The blocks of everything below `root`."""
        return self._gathered(self._children(root, None))

    def _children(self, parent: Any, aside: str | None) -> Walk:
        """Reads a container. `aside` is None in the body itself, `_BOX` in a text box
        beside running text, where headings must not claim the text that goes on after the box,
        or the kind of a note, where all text is `other`."""
        for child in parent:
            tag = child.tag
            if tag in _PARAGRAPHS:
                text = self._body_text(child) if aside is None and tag == P else None
                if text is not None:
                    self._add(_PARAGRAPH, text.strip())
                elif (attached := self._paragraph(child, aside)) is not None:
                    yield attached
            elif tag == LIST:
                yield self._list(child, None, aside)
            elif tag == TABLE:
                yield self._table(child, aside)
            elif tag == FRAME or (isinstance(tag, str) and tag.startswith(_DRAWN)):
                box = only_box(child) if tag == FRAME else None
                yield (
                    self._children(box, aside)
                    if box is not None
                    else self._attached(self._reader.read_drawn(child), aside)
                )
            elif tag == ANNOTATION:
                yield self._children(child, "comment")
            elif tag not in DROPPED and child.get(_DISPLAY) != "none":
                yield self._children(child, aside)

    def _body_text(self, paragraph: Any) -> str | None:
        """The text of a paragraph that is nothing but body text, None of any other."""
        plain = self._styles.body(style_of(paragraph))
        return self._reader.plain_text(paragraph) if plain else None

    def _list(self, element: Any, above: ListLevel | None, aside: str | None) -> Walk:
        level = self._lists.open(element, above)
        for item in element:
            if item.tag in (LIST_ITEM, LIST_HEADER):
                yield self._item(item, level, aside)

    def _item(self, item: Any, level: ListLevel, aside: str | None) -> Walk:
        """The first paragraph of an item is the list item, what follows in it is what it is."""
        shown = item.tag == LIST_ITEM
        for child in item:
            tag = child.tag
            if tag in _PARAGRAPHS:
                attributes: dict[str, JsonValue] = {}
                if shown:
                    marker = self._lists.marker(item, level)
                    own: dict[str, JsonValue] = {"list_depth": level.depth, "list_marker": marker}
                    attributes = {**self.shared, **own}
                shown = False
                text = self._body_text(child) if aside is None and tag == P else None
                if text is not None:
                    self._add(_ITEM if attributes else _PARAGRAPH, text.strip(), attributes)
                elif (attached := self._paragraph(child, aside, attributes)) is not None:
                    yield attached
            elif tag == LIST:
                yield self._list(child, level, aside)
            else:
                yield self._children([child], aside)

    def _paragraph(
        self, element: Any, aside: str | None, item: dict[str, JsonValue] | None = None
    ) -> "Walk | None":
        """Reads a paragraph. What hangs on it is left to the caller."""
        style = style_of(element)
        line = self._reader.read(element, style)
        if aside is None or aside == _BOX:
            self._own(element, style, line, item, aside)
        else:
            self._note(aside, line.text)
        return None if line.attached is None else self._attached(line, aside)

    def _attached(self, line: Line, aside: str | None) -> Walk:
        """Reads what hangs on a paragraph: pictures' alternative texts, boxes, notes, in this
        order."""
        attached = line.attached
        if attached is None:
            return
        for text in attached.pictures:
            self._picture(text)
        inside = _BOX if aside is None and not is_blank(line.text) else aside
        for box in attached.boxes:
            yield self._children([box] if box.tag in (P, H, LIST, TABLE) else box, inside)
        for kind, element in attached.notes:
            yield self._children(element, kind)

    def _own(
        self,
        element: Any,
        style: str,
        line: Line,
        item: dict[str, JsonValue] | None,
        aside: str | None,
    ) -> None:
        """The block of a paragraph itself."""
        meaning = self._meaning(element, style)
        role = meaning.role
        if role is _BODY and not line.monospace:
            self._add(_ITEM if item else _PARAGRAPH, line.text.strip(), item)
        elif role is Role.code:
            self._code(line.text)
        elif role is Role.contents or is_blank(line.text):
            return
        elif role in HEADINGS:
            self._heading(meaning, " ".join(line.text.split()), item or {}, aside)
        elif item:
            self._add(_ITEM, line.text.strip(), item)
        elif role is _BODY:
            self._code(line.text)
        else:
            self._add(_TYPES.get(role, _PARAGRAPH), line.text.strip())

    def _heading(
        self, meaning: Meaning, text: str, item: dict[str, JsonValue], aside: str | None
    ) -> None:
        level = min(max(meaning.level, 1), DEEPEST_HEADING)
        if meaning.role is Role.title:
            level = 1
            self.title = self.title or text
        if aside == _BOX:
            self._add(_PARAGRAPH, text)
            return
        marker = item.get("list_marker")
        attributes = {**self.shared, "list_marker": marker} if marker else self.shared
        self._found.append(Block.trusted_heading(text, level, attributes))

    def _meaning(self, element: Any, style: str) -> Meaning:
        if element.tag == H:
            return Meaning(Role.heading, number(element, "text:outline-level", 1))
        return self._styles.meaning(style)

    def _table(self, element: Any, aside: str | None) -> Walk:
        if (plain := self._plain.at(element)) is not None:
            self._found += plain.blocks(self._tables, self.shared, has_header=True)
            self._tables += 1
            return
        headed = self._has_headings(element)
        table = Table(element, self._is_heading, self._repeats, has_headings=headed)
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
            rows = [[self._cell(cell, attached) for cell in row] for row in part.rows]
            self._found += part.blocks(rows, self._tables, self.shared)
            self._tables += 1
            for line in attached:
                yield self._attached(line, aside)

    def _cell(self, paragraphs: Sequence[Any], attached: list[Line]) -> str:
        lines = [self._reader.read(each, style_of(each)) for each in paragraphs]
        attached += [line for line in lines if line.attached is not None]
        return " ".join([line.text for line in lines])

    def _has_headings(self, element: Any) -> bool:
        """Whether any paragraph below is a heading. Most tables have none, and no cell of theirs
        need be asked."""
        if next(element.iterdescendants(H), None) is not None:
            return True
        styles = {paragraph.get(STYLE_NAME, "") for paragraph in element.iterdescendants(P)}
        return any(self._styles.meaning(style).role in HEADINGS for style in styles)

    def _is_heading(self, paragraph: Any) -> bool:
        return self._meaning(paragraph, style_of(paragraph)).role in HEADINGS
