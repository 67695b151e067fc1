"""Slide decks (pptx, pptm, ppsx, potx): one heading a slide, read with python-pptx."""

import zipfile
from importlib.metadata import version
from io import BytesIO
from itertools import count
from typing import Any

from rag_chunker.parsing.archive import Archive, check_xml, open_archive
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.opc import core_properties, main_part, transitional
from rag_chunker.parsing.pptx.shapes import Layout
from rag_chunker.parsing.pptx.slide import EMU_PER_POINT, SlideReader
from rag_core.errors import CorruptDocument, RagError
from rag_core.spi import Parser
from rag_core.types import Block, Page, ParsedDocument, Source

_MIME = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_OTHER_MAIN = (
    b"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml",
    b"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml",
    b"application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    b"application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)
_MAIN = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"


class PptxParser(Parser):
    """A heading of level 1 for each slide, then what is on it in reading order, then its notes.

    Text in groups, tables, charts (title and numbers) and SmartArt is read; footers, dates and
    slide numbers are not. `page` is the slide's number. Hidden slides are read, and named in
    `metadata["hidden_slides"]`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            with open_archive(data) as archive:
                main_part(archive)
                title, metadata = core_properties(archive)
                deck = _open(_repacked(archive))
            try:
                blocks, pages, hidden = _read(deck)
            except RagError:
                raise
            except Exception as error:  # python-pptx reads lazily, and checks no part before
                raise CorruptDocument(f"not a readable slide deck: {error!r}") from error
        if hidden:
            metadata["hidden_slides"] = list(hidden)
        document = source.document(
            data, mime_type=source.mime_type or _MIME, title=title, metadata=metadata
        )
        return ParsedDocument(document=document, blocks=tuple(blocks), pages=tuple(pages))

    def version(self) -> str:
        return f"1 python-pptx-{version('python-pptx')}"


def _repacked(archive: Archive) -> BytesIO:
    """The XML parts alone, inflated under the archive's limits and in the usual namespaces.

    python-pptx inflates whatever the zip holds, pictures and films too, and refuses the strict
    dialect, slide shows and templates.
    """
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for name in archive.names():
            content = b""
            if name.endswith((".xml", ".rels")):
                content = transitional(archive.read(name))
                check_xml(content)
            if name == "[Content_Types].xml":
                for kind in _OTHER_MAIN:
                    content = content.replace(kind, _MAIN)
            file.writestr(name, content)
    target.seek(0)
    return target


def _open(package: BytesIO) -> Any:
    from pptx import Presentation

    try:
        return Presentation(package)
    except Exception as error:  # python-pptx raises whatever its own code stumbles over
        raise CorruptDocument(f"not a readable slide deck: {error!r}") from error


def _read(deck: Any) -> tuple[list[Block], list[Page], list[int]]:
    blocks: list[Block] = []
    pages: list[Page] = []
    hidden: list[int] = []
    tables = count()
    layouts: dict[str, Layout] = {}
    width = max((deck.slide_width or 0) / EMU_PER_POINT, 0)
    height = max((deck.slide_height or 0) / EMU_PER_POINT, 0)
    for number, slide in enumerate(deck.slides, start=1):
        layout = slide.slide_layout
        if layout.part.partname not in layouts:
            layouts[layout.part.partname] = Layout(layout)
        reader = SlideReader(slide, layouts[layout.part.partname], number, lambda: next(tables))
        blocks += reader.blocks()
        pages.append(Page(number=number, width=width, height=height))
        if slide._element.get("show") in ("0", "false"):
            hidden.append(number)
    return blocks, pages, hidden
