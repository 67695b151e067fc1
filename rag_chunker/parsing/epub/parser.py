"""EPUB books: the pages in reading order, each read as HTML."""

from collections.abc import Iterator

from rag_chunker.parsing.archive import Archive, open_archive, xml_root
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.epub.contents import Entry, page_names
from rag_chunker.parsing.epub.package import Package, read_package, resolved
from rag_chunker.parsing.html import HtmlParser, html_blocks
from rag_core.errors import EncryptedDocument
from rag_core.spi import Parser
from rag_core.types import Block, BlockType, ParsedDocument, Source

_MIME = "application/epub+zip"
_ENCRYPTION = "META-INF/encryption.xml"
DEEPEST_HEADING = 6


class EpubParser(Parser):
    """The pages of the spine, without cover and contents, with the levels that they have.

    A page without any heading gets the names that the table of contents gives it and its parts:
    each as heading in place of the paragraph that says the same, the first else before the text.
    Pages that the package names
    but does not hold are in `metadata["missing_pages"]`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), paused_collector(), open_archive(data) as archive:
            package = read_package(archive)
            _refuse_encrypted(archive, package)
            blocks = tuple(_blocks(archive, package))
            missing = [page for page in package.pages if page not in archive]
        if missing:
            package.metadata["missing_pages"] = list(missing)
        document = source.document(
            data, mime_type=_MIME, title=package.title, metadata=package.metadata
        )
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return f"2 {HtmlParser().version()}"


def _blocks(archive: Archive, package: Package) -> Iterator[Block]:
    names = page_names(archive, package.contents)
    pages = [page for page in package.pages if page in archive]
    chapters = [page for page in pages if page not in package.chrome]
    tables = 0
    for page in chapters or pages:
        blocks = html_blocks(archive.read(page), first_table=tables).blocks
        numbers = (block.attributes.get("table") for block in reversed(blocks))
        tables = next((last + 1 for last in numbers if isinstance(last, int)), tables)
        yield from _named(list(blocks), names.get(page, []))


def _named(blocks: list[Block], entries: list[Entry]) -> list[Block]:
    """The blocks of a page with the headings that the contents name, if the page has none."""
    if not blocks or not entries or any(b.type is BlockType.heading for b in blocks):
        return blocks
    headings = {_said(entry.label): _heading(entry) for entry in reversed(entries)}
    first = _said(entries[0].label)
    named = []
    for at, block in enumerate(blocks):
        is_title = at == 0 or block.type is BlockType.paragraph
        heading = headings.pop(_said(block.text), None) if is_title else None
        named.append(heading or block)
    return [headings[first], *named] if first in headings else named


def _said(text: str) -> str:
    return " ".join(text.split()).casefold()


def _heading(entry: Entry) -> Block:
    return Block.trusted_heading(entry.label, min(entry.level, DEEPEST_HEADING), {})


def _refuse_encrypted(archive: Archive, package: Package) -> None:
    """Fonts are often obfuscated, which is no protection; an encrypted page is."""
    if _ENCRYPTION not in archive:
        return
    pages = {page.casefold() for page in package.pages}
    for reference in xml_root(archive.read(_ENCRYPTION)).iter("{*}CipherReference"):
        if resolved("", reference.get("URI", "")).casefold() in pages:
            raise EncryptedDocument("protected by DRM: only a copy without it can be read")
