"""Slide decks (pptx, pptm, ppsx, potx): one heading a slide, read from their XML."""

from itertools import count

from rag_chunker.parsing.archive import open_archive
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.opc import core_properties
from rag_chunker.parsing.pptx.deck import Deck
from rag_chunker.parsing.pptx.shapes import Layout
from rag_chunker.parsing.pptx.slide import EMU_PER_POINT, SlideReader
from rag_core.spi import Parser
from rag_core.types import Block, Page, ParsedDocument, Source

_MIME = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


class PptxParser(Parser):
    """A heading of level 1 for each slide, then what is on it in reading order, then its notes
    and comments.

    Text in groups, tables, charts (title and numbers) and SmartArt is read; footers, dates and
    slide numbers are not. `page` is the slide's number. Hidden slides are read, and named in
    `metadata["hidden_slides"]`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), open_archive(data) as archive:
            title, metadata = core_properties(archive)
            blocks, pages, hidden = _read(Deck(archive))
        if hidden:
            metadata["hidden_slides"] = list(hidden)
        document = source.document(
            data, mime_type=source.mime_type or _MIME, title=title, metadata=metadata
        )
        return ParsedDocument(document=document, blocks=tuple(blocks), pages=tuple(pages))

    def version(self) -> str:
        return "pptx-4"


def _read(deck: Deck) -> tuple[list[Block], list[Page], list[int]]:
    blocks: list[Block] = []
    pages: list[Page] = []
    hidden: list[int] = []
    tables = count()
    layouts: dict[str | None, Layout] = {}
    for number, slide in enumerate(deck.slides(), start=1):
        layout = slide.of_kind("slideLayout")
        name = None if layout is None else layout.name
        if name not in layouts:
            layouts[name] = Layout(layout)
        blocks += SlideReader(slide, layouts[name], number, lambda: next(tables)).blocks()
        width, height = deck.width / EMU_PER_POINT, deck.height / EMU_PER_POINT
        pages.append(Page(number=number, width=width, height=height))
        if slide.root.get("show") in ("0", "false"):
            hidden.append(number)
    return blocks, pages, hidden
