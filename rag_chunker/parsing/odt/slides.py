"""OpenDocument presentations (odp, fodp): one heading a slide, what stands on it, its notes."""

from importlib.metadata import version
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.media_type import ODP
from rag_chunker.parsing.odt.body import Body
from rag_chunker.parsing.odt.names import n
from rag_chunker.parsing.odt.parser import Parts, body_of, meta, opened
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.types import Block, BlockType, ParsedDocument, Source

_CLASS = n("presentation:class")
_NOTES = n("presentation:notes")
_CHROME = frozenset({"date-time", "footer", "header", "page-number", "page", "handout"})


class OdpParser(Parser):
    """A heading of level 1 for each slide (its title, else `Slide N`), then what is on it in the
    order of the file, then its notes as `other`. `page` is the slide's number."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), paused_collector(), opened(data) as parts:
            title, metadata = meta(parts)
            blocks = _blocks(parts)
        document = source.document(
            data, mime_type=source.mime_type or ODP, title=title, metadata=metadata
        )
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        return f"odp-2 lxml-{version('lxml')}"


def _blocks(parts: Parts) -> list[Block]:
    slides = parts.content.find(f"{n('office:body')}/{n('office:presentation')}")
    if slides is None:
        raise CorruptDocument("an OpenDocument file, but no presentation")
    body = body_of(parts)
    blocks: list[Block] = []
    for number, slide in enumerate(slides.iterchildren(n("draw:page")), start=1):
        body.shared = {"page": number}
        blocks += _slide(slide, body)
    return blocks


def _slide(slide: Any, body: Body) -> list[Block]:
    shapes = [(one, kind) for one in slide if (kind := one.get(_CLASS)) not in _CHROME]
    title = next((one for one, kind in shapes if kind == "title"), None)
    words = [] if title is None else [block.text for block in body.blocks([title])]
    notes = [one for one, _ in shapes if one.tag == _NOTES]
    shown = body.blocks([one for one, _ in shapes if one is not title and one not in notes])
    said = [block for note in notes for block in body.blocks(_without_chrome(note))]
    if not (words or shown or said):
        return []
    page = body.shared
    text = " ".join(" ".join(words).split()) or f"Slide {page['page']}"
    spoken: dict[str, JsonValue] = {"note": "speaker", **page}
    return [
        Block.trusted_heading(text, 1, page),
        *[_below_title(block) for block in shown],
        *[Block.trusted(BlockType.other, block.text, spoken) for block in said],
    ]


def _below_title(block: Block) -> Block:
    """The block, a heading as one below the slide's."""
    if block.level is None:
        return block
    return Block.trusted_heading(block.text, 2, block.attributes)


def _without_chrome(notes: Any) -> list[Any]:
    return [one for one in notes if one.get(_CLASS) not in _CHROME]
