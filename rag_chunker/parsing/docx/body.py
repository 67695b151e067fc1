"""How does the body of a Word document become blocks? Paragraph by paragraph, in reading order."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.docx.imported import ReadWord, imported_blocks
from rag_chunker.parsing.docx.inline import InlineReader, Line, chosen
from rag_chunker.parsing.docx.names import (
    ALTERNATE,
    DIAGRAM,
    IMPORTED,
    RELATION_ID,
    REMOVED,
    TBL,
    TR,
    VAL,
    P,
    number,
    value,
    w,
)
from rag_chunker.parsing.docx.numbering import Marker, Numbering
from rag_chunker.parsing.docx.paragraphs import (
    OUTLINE_LEVEL,
    PARAGRAPH_STYLE,
    USUAL,
    Said,
    said,
    style_of,
)
from rag_chunker.parsing.docx.plain_tables import plain_table
from rag_chunker.parsing.docx.styles import Styles, outline_meaning
from rag_chunker.parsing.docx.tables import Table, has_header
from rag_chunker.parsing.docx.unusual import Unusual
from rag_chunker.parsing.layout_tables import PlainTable
from rag_chunker.parsing.office_blocks import OfficeBlocks
from rag_chunker.parsing.pptx.deck import Part
from rag_chunker.parsing.pptx.frames import chart_blocks, diagram_blocks
from rag_chunker.parsing.steps import Walk
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


class Body(OfficeBlocks):
    """One pass over a document. `notes` maps kind and id to the note's element; `main` is the part
    whose charts and diagrams are read, `read_word` reads other documents that it imports."""

    def __init__(
        self,
        styles: Styles,
        numbering: Numbering,
        reader: InlineReader,
        notes: dict[tuple[str, str], Any],
        main: Part,
        unusual: Unusual,
        read_word: ReadWord,
    ) -> None:
        super().__init__()
        self._styles = styles
        self._numbering = numbering
        self._reader = reader
        self._notes = notes
        self._main = main
        self._unusual = unusual
        self._read_word = read_word
        self._imported: set[str] = set()
        self._tables = 0
        self._carried = ""
        self._held: list[Line] = []

    def blocks(self, root: Any) -> list[Block]:
        """The blocks of everything below `root`."""
        return self._gathered(self._document(root))

    def _document(self, root: Any) -> Walk:
        yield self._children(root, None)
        self._add(_PARAGRAPH, self._carried.strip())
        for line in self._held:
            yield self._attached(line, None)

    def _children(self, parent: Any, aside: str | None) -> Walk:
        """Reads a container. `aside` is None in the body itself, `_BOX` in a text box
        beside running text, where headings must not claim the text that goes on after the box,
        or the kind of a note, where all text is `other`."""
        for child in parent:
            tag = child.tag
            if tag == P:
                if (attached := self._paragraph(child, aside)) is not None:
                    yield attached
            elif tag == TBL:
                yield self._table(child, aside)
            elif tag == ALTERNATE:
                yield self._children(chosen(child), aside)
            elif tag == IMPORTED:
                self._import(child.get(RELATION_ID))
            elif tag not in REMOVED and len(child) and not _is_contents(child):
                yield self._children(child, aside)

    def _paragraph(self, paragraph: Any, aside: str | None) -> "Walk | None":
        """Reads a paragraph. What hangs on it is left to the caller."""
        if paragraph in self._unusual.properties:
            properties = said(paragraph)
            style = properties.style or self._styles.default_id()
        else:
            properties = USUAL
            style = style_of(paragraph) or self._styles.default_id()
            alone = aside is None and not self._carried and not self._held
            if alone and self._styles.body(style):
                text = self._reader.plain_text(paragraph, style)
                if text is not None:
                    self._add(_PARAGRAPH, text.strip())
                    return None
        line = self._reader.read(paragraph, style)
        text = self._carried + line.text
        if line.attached is not None:
            self._held.append(line)
        if properties.runs_on:
            self._carried = text
            return None
        self._own(properties, style, text, line, aside)
        self._carried = ""
        if not self._held:
            return None
        held, self._held = self._held, []
        return self._each_attached(held, aside)

    def _own(self, properties: Said, style: str, text: str, line: Line, aside: str | None) -> None:
        """The block of a paragraph itself."""
        if aside is not None and aside != _BOX:
            self._note(aside, text)
            return
        marker = self._marker(properties, style)
        meaning = self.meaning(properties, style)
        role = meaning.role
        if role is _BODY and marker is None and not line.monospace:
            self._add(_PARAGRAPH, text.strip())
        elif role is Role.code:
            self._code(text)
        elif role is Role.contents or is_blank(text):
            return
        elif role in _HEADINGS:
            self._heading(meaning, " ".join(text.split()), marker, aside)
        elif marker is not None:
            self._list_item(text.strip(), marker.depth, marker.text)
        elif role is Role.list_item:
            self._list_item(text.strip(), meaning.level, "-")
        elif role is _BODY and line.monospace:
            self._code(text)
        else:
            self._add(_TYPES.get(role, _PARAGRAPH), text.strip())

    def _list_item(self, text: str, depth: int, marker: str) -> None:
        attributes: dict[str, JsonValue] = {"list_depth": depth, "list_marker": marker}
        self._found.append(Block.trusted(BlockType.list_item, text, attributes))

    def _heading(
        self, meaning: Meaning, text: str, marker: Marker | None, aside: str | None
    ) -> None:
        level = min(meaning.level, DEEPEST_HEADING)
        if meaning.role is Role.title:
            level = 1
            self.title = self.title or text
        if aside == _BOX:
            self._add(_PARAGRAPH, text)
            return
        attributes: dict[str, JsonValue] = {} if marker is None else {"list_marker": marker.text}
        self._found.append(Block.trusted_heading(text, level, attributes))

    def _each_attached(self, lines: Sequence[Line], aside: str | None) -> Walk:
        for line in lines:
            yield self._attached(line, aside)

    def _attached(self, line: Line, aside: str | None) -> Walk:
        """Reads what hangs on a paragraph: pictures' alternative texts, charts and diagrams, boxes,
        notes, in this order.

        A note is read once, where it is first referred to.
        """
        attached = line.attached
        if attached is None:
            return
        for text in attached.pictures:
            self._picture(text)
        for graphic in attached.graphics:
            self._found += self._graphic(graphic)
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

    def _import(self, relation_id: str | None) -> None:
        """Adds the blocks of a part that the document takes in; of each part once."""
        part = self._main.by_id(relation_id)
        if part is None or part.name in self._imported:
            return
        self._imported.add(part.name)
        found = imported_blocks(part.name, part.content, self._read_word, table=self._tables)
        numbers = [block.attributes["table"] for block in found if "table" in block.attributes]
        self._tables = int(str(numbers[-1])) + 1 if numbers else self._tables
        self._found += found

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

    def _table(self, element: Any, aside: str | None) -> Walk:
        if (plain := self._plain_table(element)) is not None:
            for cells in plain.rows[: plain.titles]:
                for cell in cells:
                    yield self._children(cell, aside)
            headed = has_header(element, element.find(TR))
            self._found += plain.blocks(self._tables, self.shared, has_header=headed)
            self._tables += 1
            return
        table = Table(element, self.is_heading, has_headings=self._has_headings(element))
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

    def _plain_table(self, element: Any) -> PlainTable | None:
        usual = element not in self._unusual.tables and not self._reader.hides
        if not (usual and self._is_plain("")):
            return None
        return plain_table(element, self._is_plain, self._unusual.texts, self._odd)

    def _odd(self, paragraph: Any) -> str:
        """The text of a paragraph in a plain table that has fonts or more than letters."""
        return self._reader.read(paragraph, self._styles.default_id()).text

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


def _is_contents(element: Any) -> bool:
    """Whether a content control is Word's generated table of contents."""
    gallery = element.find(_GALLERY) if element.tag == w("sdt") else None
    return gallery is not None and gallery.get(w("val")) == "Table of Contents"
