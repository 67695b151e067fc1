"""PDF to blocks: trusted tags first, else the outline, else typography."""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version as version_of

from pydantic import JsonValue

from rag_chunker.layout.contents import mark_continued_contents
from rag_chunker.layout.continued import join_tables
from rag_chunker.layout.grids import Table
from rag_chunker.layout.hyphens import vocabulary
from rag_chunker.layout.lines import Line
from rag_chunker.layout.running import running_lines
from rag_chunker.parsing.headers import titled_table
from rag_chunker.parsing.merged_headers import Spans, with_spans_named
from rag_chunker.parsing.pdf.opening import metadata, open_pdf
from rag_chunker.parsing.pdf.outline import Entry, match_outline, read_outline, titles_by_page
from rag_chunker.parsing.pdf.pages import PageContent, Reader
from rag_chunker.parsing.pdf.pieces import Piece
from rag_chunker.parsing.pdf.tagged import tagged_pieces
from rag_chunker.parsing.pdf.typography import typographic_pieces
from rag_core.errors import ParseError
from rag_core.spi import Parser
from rag_core.types import Block, Page, ParsedDocument, Source

MEDIA_TYPE = "application/pdf"
RULES = "5"
"""Goes up whenever the same bytes may give other blocks."""


class PdfParser(Parser):
    """Reads PDFs with PDFium, page by page.

    PDFium is not thread-safe and a hostile file can make it abort the process: call it from a
    worker process with limits on memory and time.
    """

    def version(self) -> str:
        return f"{RULES}+pypdfium2-{version_of('pypdfium2')}"

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        """The document's blocks, its pages and which of them need OCR.

        Raises `EncryptedDocument`, `CorruptDocument` and `DocumentTooLarge`.
        """
        try:
            with open_pdf(data) as handle:
                about, entries = metadata(handle), read_outline(handle)
                reader = Reader(handle, titles_by_page(entries))
                pages = [reader.page(index) for index in range(reader.count)]
                trusted = reader.trust.earned
        except ParseError as error:
            raise type(error)(error.message, document=source.document_id) from error
        pieces, known = _pieces(pages, entries, trusted)
        document = source.document(
            data,
            mime_type=MEDIA_TYPE,
            title=_title(about, entries),
            metadata=_described(about),
        )
        return ParsedDocument(
            document=document,
            blocks=tuple(_blocks(pieces, known, pages)),
            pages=tuple(_page(page) for page in pages),
        )


def _described(about: dict[str, str]) -> dict[str, JsonValue]:
    """The document's own words about itself, dates in ISO 8601, without empty phrases."""
    described: dict[str, JsonValue] = {}
    for key, name in _KEYS.items():
        value = about.get(key, "")
        date = _DATE.match(value)
        if date:
            value = "-".join(filter(None, date.groups()))
        if value and value.lower() not in _PHRASES:
            described[name] = value
    return described


_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_PHRASES = frozenset({"anonymous", "(anonymous)", "unspecified", "(unspecified)", "unknown"})
_KEYS = {
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "Creator": "creator",
    "Producer": "producer",
    "CreationDate": "created",
}
_NO_TITLE = re.compile(r"(?:untitled|unbenannt|document\d*|microsoft word - .*|.*\.\w{2,4})", re.I)


def _title(about: dict[str, str], entries: Sequence[Entry]) -> str | None:
    """The title in the metadata, unless it is a file name; else the outline's only root."""
    title = " ".join(about.get("Title", "").split())
    if title and not _NO_TITLE.fullmatch(title):
        return title
    roots = [entry.title for entry in entries if entry.level == 1]
    return roots[0] if len(roots) == 1 else None


def _pieces(
    pages: Sequence[PageContent], entries: Sequence[Entry], trusted: bool
) -> tuple[list[Piece | Table], frozenset[str]]:
    seen = [page.upright for page in pages]
    gone = running_lines(
        [page.items for page in pages],
        [frame.height for frame in seen],
        slides=2 * sum(frame.width > frame.height for frame in seen) > len(seen),
    )
    if trusted:
        running = {
            (item.page, item.order) for page in pages for item in page.items if id(item) in gone
        }
        pieces = tagged_pieces([page.tagged for page in pages], running)
        lines = [line for piece in pieces if isinstance(piece, Piece) for line in piece.lines]
        return join_tables(pieces), _vocabulary(lines)
    kept = [[item for item in page.items if id(item) not in gone] for page in pages]
    lines_of = [[item for item in items if isinstance(item, Line)] for items in kept]
    mark_continued_contents(lines_of)
    match_outline(entries, lines_of)
    flow = join_tables([item for items in kept for item in items])
    known = _vocabulary([item for item in flow if isinstance(item, Line)])
    return typographic_pieces(flow, entries, known), known


def _vocabulary(lines: Sequence[Line]) -> frozenset[str]:
    """The words inside lines: those at a broken end say nothing about hyphens."""
    return vocabulary(_LAST_WORD.sub("", line.text) if line.hyphen else line.text for line in lines)


_LAST_WORD = re.compile(r"\S+$")


def _blocks(
    pieces: Sequence[Piece | Table], known: frozenset[str], pages: Sequence[PageContent]
) -> Iterator[Block]:
    tables = 0
    for piece in pieces:
        page = pages[piece.page - 1]
        attributes: dict[str, JsonValue] = {"page": piece.page}
        if piece.box is not None:
            attributes["bbox"] = page.shown_box(piece.box)
        if isinstance(piece, Table):
            yield from _rows(piece, tables, attributes)
            tables += 1
            continue
        text = piece.words(known)
        if piece.type == "list_item":
            attributes["list_depth"] = piece.depth
            if piece.marker is not None:
                attributes["list_marker"] = piece.marker
        if text.strip():
            yield Block(type=piece.type, text=text, level=piece.level, attributes=attributes)


def _rows(table: Table, number: int, attributes: dict[str, JsonValue]) -> Iterator[Block]:
    """A table's rows as blocks; a header of several rows is one, titles above are paragraphs."""
    width = max(map(len, table.rows))
    rows: Iterable[list[str]] = ([*row, *[""] * (width - len(row))] for row in table.rows)
    has_header = True if table.bold_header else None
    if _has_spanned_header(table):
        ranges = [((span.row, span.first), (span.row, span.behind - 1)) for span in table.spans]
        rows, named = with_spans_named(enumerate(rows), Spans(ranges, range(width)))
        has_header = has_header or named
    for block in titled_table(rows, table=number, has_header=has_header, attributes=attributes):
        yield block.model_copy(update={"attributes": {**attributes, **block.attributes}})


def _has_spanned_header(table: Table) -> bool:
    """Whether merged cells stand in the first rows only, rather than all over the table."""
    spanned = {span.row for span in table.spans}
    return 0 in spanned and all(row < _DEEPEST_SPANS for row in spanned)


_DEEPEST_SPANS = 3


def _page(content: PageContent) -> Page:
    return Page(
        number=content.number,
        width=content.shown.width,
        height=content.shown.height,
        needs_ocr=content.reason is not None,
        reason=content.reason,
    )
