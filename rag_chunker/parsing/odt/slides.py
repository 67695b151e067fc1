"""OpenDocument presentations (odp, fodp): one heading a slide, what stands on it, its notes."""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.code_lines import merged_code
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.echoes import without_echoes
from rag_chunker.parsing.media_type import ODP
from rag_chunker.parsing.odt.body import Body
from rag_chunker.parsing.odt.names import n
from rag_chunker.parsing.odt.parser import Parts, body_of, meta, opened
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.text import is_blank
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
            blocks = tuple(_blocks(parts))
        document = source.document(
            data, mime_type=source.mime_type or ODP, title=title, metadata=metadata
        )
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return f"odp-1 lxml-{version('lxml')}"


def _blocks(parts: Parts) -> Iterator[Block]:
    slides = parts.content.find(f"{n('office:body')}/{n('office:presentation')}")
    if slides is None:
        raise CorruptDocument("an OpenDocument file, but no presentation")
    body = body_of(parts)
    for number, slide in enumerate(slides.iterchildren(n("draw:page")), start=1):
        for block in _slide(slide, body, number):
            attributes = {**block.attributes, "page": number}
            if block.level is None:
                yield Block.trusted(block.type, block.text, attributes)
            else:
                yield Block(
                    type=block.type, text=block.text, level=block.level, attributes=attributes
                )


def _slide(slide: Any, body: Body, number: int) -> Iterator[Block]:
    shapes = [one for one in slide if one.get(_CLASS) not in _CHROME]
    title = next((one for one in shapes if one.get(_CLASS) == "title"), None)
    words = [] if title is None else [block.text for block in _read(body, [title])]
    rest = [one for one in shapes if one is not title and one.tag != _NOTES]
    shown = _read(body, rest)
    notes = [one for one in shapes if one.tag == _NOTES]
    said = [block for note in notes for block in _read(body, _without_chrome(note))]
    if not (words or shown or said):
        return
    text = " ".join(" ".join(words).split()) or f"Slide {number}"
    yield Block(type=BlockType.heading, level=1, text=text)
    yield from map(_below_the_title, shown)
    for block in said:
        yield Block.trusted(BlockType.other, block.text, {"note": "speaker"})


def _read(body: Body, shapes: list[Any]) -> list[Block]:
    blocks = without_echoes(merged_code(body.blocks(shapes)))
    return [block for block in blocks if not is_blank(block.text)]


def _without_chrome(notes: Any) -> list[Any]:
    return [one for one in notes if one.get(_CLASS) not in _CHROME]


def _below_the_title(block: Block) -> Block:
    """A heading inside a slide stands below its title."""
    return block if block.level is None else block.model_copy(update={"level": 2})
