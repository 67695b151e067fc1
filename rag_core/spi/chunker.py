"""The port for chunkers: a parsed document becomes an ordered list of chunks."""

from abc import ABC, abstractmethod

from rag_core.types import Chunk, Health, ParsedDocument, RequestContext


class Chunker(ABC):
    """Turns a parsed document into chunks.

    Prove an implementation with `rag_core.testing.ChunkerContract`.
    """

    @abstractmethod
    async def chunk(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]:
        """The document's chunks, in reading order, without blocking the event loop.

        Promises: every chunk has the document's id and `ctx.tenant_id`; labels come from
        `ctx.principal`; positions are 0, 1, 2, ...; a parent comes before its children; content
        or content_ref is set. Raises `ChunkError`, and only that, when it cannot: also when the
        document belongs to another tenant than `ctx`.
        """

    @abstractmethod
    async def health(self) -> Health:
        """Whether the chunker can work now, and what is missing if not. Never raises."""
