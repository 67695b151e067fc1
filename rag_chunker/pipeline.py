"""How do the stages fit together for one document? Bytes, blocks, chunks.

Top-level functions of plain values: they run as they are in a worker process.
"""

import asyncio
from typing import Protocol, runtime_checkable

from rag_chunker.parsing import parse
from rag_core.spi import Chunker
from rag_core.types import Chunk, ParsedDocument, RequestContext, Source

__all__ = ["chunk_now", "chunks_of", "parse_document"]


def parse_document(source: Source, data: bytes) -> ParsedDocument:
    """The document's blocks. Raises `ParseError` or one of its kinds, naming the document."""
    return parse(source, data)


def chunk_now(ctx: RequestContext, parsed: ParsedDocument, chunker: Chunker) -> list[Chunk]:
    """The document's chunks, for a caller without an event loop. Raises `ChunkError`.

    A chunker that can do it in the caller's own thread is asked to: an interrupt then ends it at
    once, where a thread would first have to come to its end.
    """
    if isinstance(chunker, _Immediate):
        return chunker.chunk_now(ctx, parsed)
    return asyncio.run(chunker.chunk(ctx, parsed))


@runtime_checkable
class _Immediate(Protocol):
    """A chunker whose `chunk_now` gives what its `chunk` gives."""

    def chunk_now(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]: ...


def chunks_of(
    ctx: RequestContext, source: Source, data: bytes, chunker: Chunker
) -> tuple[ParsedDocument, list[Chunk]]:
    """Both: the blocks, and the chunks made of them. Raises `ParseError` or `ChunkError`."""
    parsed = parse_document(source, data)
    return parsed, chunk_now(ctx, parsed, chunker)
