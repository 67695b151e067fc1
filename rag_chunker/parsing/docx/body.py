"""How does the body of a Word document become blocks? Paragraph by paragraph, in reading order."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.docx.inline import InlineReader, Line, chosen
from rag_chunker.parsing.docx.names import (
    ALTERNATE,
    DIAGRAM,
    RELATION_ID,
    REMOVED,
    TBL,
    VAL,
    P,
    number,
    value,
    w,
)
from rag_chunker.parsing.docx.numbering import Marker, Numbering
from rag_chunker.parsing.docx.paragraphs import OUTLINE_LEVEL, PARAGRAPH_STYLE, Said, said
from rag_chunker.parsing.docx.plain_tables import plain_table
from rag_chunker.parsing.docx.styles import Styles, outline_meaning
from rag_chunker.parsing.docx.tables import Table
from rag_chunker.parsing.pptx.deck import Part
from rag_chunker.parsing.pptx.frames import chart_blocks, diagram_blocks
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.steps import Step, Steps, run
from rag_chunker.parsing.style_names import Meaning, Role
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

DEEPEST_HEADING = 6
_BOX = "box"
_BODY, _PARAGRAPH = Role.body, BlockType.paragraph
"""The members of enumerations that nearly every paragraph asks for: looking one up takes longer
than reading a tag."""
_HEADINGS = (Role.heading, Role.title)
_TYPES = {Role.quote: BlockType.quote, Role.caption: BlockType.caption, Role.code: BlockType.code}
_GALLERY = f"{w('sdtPr')}/{w('docPartObj')}/{w('docPartGallery')}"


class Body:
    """One pass over a document. `notes` maps kind and id to the note's element; `main` is the part
    whose charts and diagrams are read."""

    def __init__(
        self,
        styles: Styles,
        numbering: Numbering,
        reader: InlineReader,
        notes: dict[tuple[str, str], Any],
        main: Part,
    ) -> None:
        self._styles = styles
        self._numbering = numbering
        self._reader = reader
        self._notes = notes
        self._main = main
        self._tables = 0
        self._carried = ""
        self._held: list[Line] = []
        self.title: str | None = None
        """Text of the first paragraph in style Title, known when all blocks are read."""

    def blocks(self, root: Any) -> Iterator[Block]:
        """The blocks of everything below `root`. Code is one block a
        paragraph, and may be blank."""
        return run(self._document(root))

    def _document(self, root: Any) -> Steps:
        yield self._children(root, None)
        if not is_blank(self._carried):
            yield _block(BlockType.paragraph, self._carried.strip())
        for line in self._held:
            yield self._attached(line, None)

    def _children(self, parent: Any, aside: str | None) -> Steps:
        """The blocks of a container. `aside` is None in the body itself, `_BOX` in a text box
        beside running text, where headings must not claim the text that goes on after the box,
        or the kind of a note, where all text is `other`."""
        for child in parent:
            tag = child.tag
            if tag == P:
                yield from self._paragraph(child, aside)
            elif tag == TBL:
                yield self._table(child, aside)
            elif tag == ALTERNATE:
                yield self._children(chosen(child), aside)
            elif tag not in REMOVED and len(child) and not _is_contents(child):
                yield self._children(child, aside)

    def _paragraph(self, paragraph: Any, aside: str | None) -> list[Step]:
        properties = said(paragraph)
        style = properties.style or self._styles.default_id()
        line = self._reader.read(paragraph, style)
        text = self._carried + line.text
        if line.attached is not None:
            self._held.append(line)
        if properties.runs_on:
            self._carried = text
            return []
        block = self._own(properties, style, text, line, aside)
        steps: list[Step] = [] if block is None else [block]
        if self._held:
            steps += [self._attached(held, aside) for held in self._held]
            self._held = []
        self._carried = ""
        return steps

    def _own(
        self, properties: Said, style: str, text: str, line: Line, aside: str | None
    ) -> Block | None:
        """The block of a paragraph itself."""
        if aside is not None and aside != _BOX:
            return _note(aside, text)
        marker = self._marker(properties, style)
        block = self._block(properties, style, text, line, marker)
        if aside == _BOX and block is not None and block.type is BlockType.heading:
            return _block(BlockType.paragraph, block.text)
        return block

    def _attached(self, line: Line, aside: str | None) -> Steps:
        """What hangs on a paragraph: pictures' alternative texts, charts and diagrams, boxes,
        notes, in this order.

        A note is read once, where it is first referred to.
        """
        attached = line.attached
        if attached is None:
            return
        for text in attached.pictures:
            if (picture := _note("picture", shown(text))) is not None:
                yield picture
        for graphic in attached.graphics:
            yield from self._graphic(graphic)
        inside = _BOX if aside is None and not is_blank(line.text) else aside
        for box in attached.boxes:
            yield self._children([box] if box.tag in (P, TBL) else box, inside)
        for kind, note_id in attached.notes:
            if (element := self._notes.pop((kind, note_id), None)) is not None:
                yield self._children(element, kind)

    def _graphic(self, element: Any) -> Iterator[Block]:
        if element.tag == DIAGRAM:
            yield from diagram_blocks(element, self._main, {})
        elif (part := self._main.by_id(element.get(RELATION_ID))) is not None:
            yield from chart_blocks(part.root, table=self._tables, attributes={})
            self._tables += 1

    def _block(
        self, properties: Said, style: str, text: str, line: Line, marker: Marker | None
    ) -> Block | None:
        meaning = self.meaning(properties, style)
        if meaning.role is _BODY and marker is None and not line.monospace:
            return None if is_blank(text) else Block.trusted(_PARAGRAPH, text.strip(), {})
        if meaning.role is Role.code:
            return _block(BlockType.code, text)
        if is_blank(text) or meaning.role is Role.contents:
            return None
        if meaning.role in _HEADINGS:
            return self._heading(meaning, " ".join(text.split()), marker)
        raw, text = text, text.strip()
        if marker is not None:
            return _block(
                BlockType.list_item, text, list_depth=marker.depth, list_marker=marker.text
            )
        if meaning.role is Role.list_item:
            return _block(BlockType.list_item, text, list_depth=meaning.level, list_marker="-")
        if meaning.role is Role.body and line.monospace:
            return _block(BlockType.code, raw)
        return _block(_TYPES.get(meaning.role, BlockType.paragraph), text)

    def _heading(self, meaning: Meaning, text: str, marker: Marker | None) -> Block:
        level = min(meaning.level, DEEPEST_HEADING)
        if meaning.role is Role.title:
            level = 1
            self.title = self.title or text
        attributes: dict[str, JsonValue] = {} if marker is None else {"list_marker": marker.text}
        return Block(type=BlockType.heading, text=text, level=level, attributes=attributes)

    def meaning(self, properties: Said, style: str) -> Meaning:
        """What a paragraph is: its own outline level says it, else its style."""
        level = properties.outline_level
        return self._styles.meaning(style) if level is None else outline_meaning(level)

    def _marker(self, properties: Said, style: str) -> Marker | None:
        """Counts the paragraph in its list, if it is in one."""
        own = properties.numbered
        level = None
        if own is not None:
            level_text = value(own, w("ilvl"))
            level = None if level_text is None else number(level_text)
            if (number_id := value(own, w("numId"))) is not None:
                return self._numbering.marker(number_id, level or 0, style)
        inherited = self._styles.numbered(style)
        if inherited is None:
            return None
        level = inherited.level if level is None else level
        return self._numbering.marker(inherited.number_id, level, style)

    def _table(self, element: Any, aside: str | None) -> Steps:
        usual = self._is_plain("") and not self._reader.hides
        plain = plain_table(element, self._is_plain) if usual else None
        table = plain or Table(element, self.is_heading, has_headings=self._has_headings(element))
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
        """The text of a cell on one line; an empty numbered paragraph shows its number."""
        texts: list[str] = []
        for paragraph in paragraphs:
            properties = said(paragraph)
            style = properties.style or self._styles.default_id()
            line = self._reader.read(paragraph, style)
            marker = self._marker(properties, style)
            text = line.text
            texts.append(marker.text if marker is not None and is_blank(text) else text)
            if line.attached is not None:
                attached.append(line)
        return " ".join(texts)

    def _is_plain(self, style: str) -> bool:
        """Whether the text of a cell in this style is shown, and neither heading nor numbered."""
        style = style or self._styles.default_id()
        return not (
            self._styles.hidden(style)
            or self._styles.numbered(style)
            or self._styles.meaning(style).role in _HEADINGS
        )

    def _has_headings(self, element: Any) -> bool:
        """Whether any paragraph below may be a heading. Most tables have none, and no cell of
        theirs need be asked."""
        for each in element.iter(OUTLINE_LEVEL, PARAGRAPH_STYLE):
            said = each.get(VAL) or ""
            level = each.tag == OUTLINE_LEVEL
            meaning = outline_meaning(said) if level else self._styles.meaning(said)
            if meaning.role in _HEADINGS:
                return True
        return self._styles.meaning(self._styles.default_id()).role in _HEADINGS

    def is_heading(self, paragraph: Any) -> bool:
        """Whether a paragraph is styled as a heading."""
        properties = said(paragraph)
        style = properties.style or self._styles.default_id()
        return self.meaning(properties, style).role in _HEADINGS


def _block(kind: BlockType, text: str, **attributes: JsonValue) -> Block:
    return Block.trusted(kind, text, attributes)


def _note(kind: str, text: str) -> Block | None:
    return None if is_blank(text) else _block(BlockType.other, text.strip(), note=kind)


def _is_contents(element: Any) -> bool:
    """Whether a content control is Word's generated table of contents."""
    gallery = element.find(_GALLERY) if element.tag == w("sdt") else None
    return gallery is not None and gallery.get(w("val")) == "Table of Contents"
