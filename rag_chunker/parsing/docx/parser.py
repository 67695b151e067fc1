"""Word documents (docx, docm, dotx; transitional and strict) read straight from their XML parts."""

from importlib.metadata import version
from typing import Any

from rag_chunker.parsing.archive import Archive, open_archive
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.docx.body import Body
from rag_chunker.parsing.docx.fields import Fields
from rag_chunker.parsing.docx.inline import InlineReader
from rag_chunker.parsing.docx.names import w
from rag_chunker.parsing.docx.numbering import Numbering
from rag_chunker.parsing.docx.styles import style_sheet
from rag_chunker.parsing.docx.unusual import Unusual
from rag_chunker.parsing.opc import core_properties, main_part, part_root, related
from rag_chunker.parsing.pptx.deck import Part
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.types import Block, ParsedDocument, Source

_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class DocxParser(Parser):
    """Headings by style chain, built-in style name (in any language) or outline level.

    The accepted state of tracked changes counts. Foot- and endnotes, comments and pictures'
    alternative texts follow their paragraph as `other` blocks; charts (title and numbers) and
    SmartArt follow it, too. Parts in HTML, RTF, text or Word that the document imports are read in
    their place. Generated tables of contents, page headers and footers, and hidden text are
    dropped. A paragraph in style Title is a heading of level 1 beside those of style Heading 1, and
    the document's title.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), paused_collector(), open_archive(data) as archive:
            title, metadata = core_properties(archive)
            blocks, styled_title = _read(archive)
        document = source.document(
            data,
            mime_type=source.mime_type or _MIME,
            title=styled_title or title,
            metadata=metadata,
        )
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        return f"4 lxml-{version('lxml')}"


def _read(archive: Archive, *, imports: bool = True) -> tuple[list[Block], str | None]:
    main = main_part(archive)
    root = part_root(archive, main)
    if root.tag != w("document"):
        raise CorruptDocument(f"its main part is {root.tag!r}, not a Word document")
    parts = {kind: names[0] for kind, names in related(archive, main).items()}
    parts = {kind: name for kind, name in parts.items() if name in archive}
    styles = style_sheet(archive.read(parts["styles"]) if "styles" in parts else None)
    lists = part_root(archive, parts["numbering"]) if "numbering" in parts else None
    notes = {
        kind: part_root(archive, parts[f"{kind}s"])
        for kind in ("footnote", "endnote", "comment")
        if f"{kind}s" in parts
    }
    unusual = Unusual([root, *notes.values()], styles)

    def walk(*, lenient: bool) -> tuple[list[Block], str | None, bool]:
        fields = Fields(lenient=lenient)
        reader = InlineReader(styles, fields, unusual.texts)
        part = Part(archive, main)
        read_word = _imported if imports else _unread
        body = Body(styles, Numbering(lists), reader, _notes(notes), part, unusual, read_word)
        return body.blocks(root), body.title, fields.unfinished

    blocks, title, unfinished = walk(lenient=False)
    if unfinished:
        blocks, title, _ = walk(lenient=True)
    return blocks, title


def _imported(data: bytes) -> list[Block]:
    """The blocks of a document inside of another one, without those inside of that: a file can
    hold itself."""
    with open_archive(data) as archive:
        return _read(archive, imports=False)[0]


def _unread(_: bytes) -> list[Block]:
    return []


def _notes(roots: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """Notes by kind and id, without the lines that part them from the text."""
    return {
        (kind, note.get(w("id"), "")): note
        for kind, root in roots.items()
        for note in root.iterchildren(w(kind))
        if note.get(w("type"), "normal") == "normal"
    }
