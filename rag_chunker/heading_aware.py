"""The default chunker: one chunk a heading, body blocks packed under it, nothing across it."""

import asyncio
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from rag_chunker.cuts import Level, cells, lines, sentences
from rag_chunker.packing import Unit, pack
from rag_chunker.ruler import Ruler
from rag_chunker.tokens import TiktokenCounter, TokenCounter
from rag_core.errors import ChunkError, RagError
from rag_core.spi import Chunker
from rag_core.types import (
    Block,
    BlockSpan,
    BlockType,
    Chunk,
    ChunkId,
    Health,
    ParsedDocument,
    RequestContext,
)

__all__ = ["HeadingAwareChunker"]


class HeadingAwareChunker(Chunker):
    """Chunks a document along its headings, within an exact token budget.

    Each heading becomes one chunk, whose parent is the closest earlier heading of a smaller level.
    The blocks below it are packed into body chunks of at most `max_tokens` tokens, overlap
    included; a larger block is split at sentences (a table row or code at lines and cells first),
    a larger sentence at white space, then between grapheme clusters, then between code points. A
    body chunk that goes on in the same section starts with up to `overlap_tokens` tokens of the
    text before it, or with the header row of the table that goes on.

    `chunk` runs in a thread, so that it does not block the event loop; one chunker may serve many
    calls at once if its token counter can.

    Raises `ValueError` if `max_tokens < 1` or not `0 <= overlap_tokens < max_tokens`.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        overlap_tokens: int = 64,
        token_counter: TokenCounter | None = None,
    ) -> None:
        given = f"(max_tokens={max_tokens}, overlap_tokens={overlap_tokens})"
        if max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1 {given}")
        if overlap_tokens < 0:
            raise ValueError(f"overlap_tokens must not be negative {given}")
        if overlap_tokens >= max_tokens:
            raise ValueError(f"overlap_tokens must be smaller than max_tokens {given}")
        self.max_tokens = max_tokens
        self.overlap_tokens = overlap_tokens
        self.token_counter = token_counter or TiktokenCounter("cl100k_base")

    async def chunk(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]:
        """See `Chunker.chunk`. A whitespace-only block gives no chunk."""
        return await asyncio.to_thread(self.chunk_now, ctx, parsed)

    async def health(self) -> Health:
        """Counts a word, which loads the vocabulary."""
        try:
            await asyncio.to_thread(self.token_counter.count, "health")
        except Exception as error:  # any tokenizer may be plugged in
            return Health(ok=False, detail=f"the token counter fails: {error}")
        return Health(ok=True, detail=f"counts with {self.token_counter.name()}")

    def chunk_now(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]:
        """`chunk` for a caller without an event loop."""
        document = parsed.document
        if document.tenant_id != ctx.tenant_id:
            raise ChunkError(
                f"belongs to tenant {document.tenant_id!r}, but the request is made for "
                f"{ctx.tenant_id!r}",
                document=document.id,
            )
        try:
            return list(self._chunks(ctx, parsed))
        except RagError as error:
            raise ChunkError(error.message, document=document.id) from error
        except Exception as error:  # any tokenizer may be plugged in, and may raise anything
            raise ChunkError(f"{type(error).__name__}: {error}", document=document.id) from error

    def _chunks(self, ctx: RequestContext, parsed: ParsedDocument) -> Iterator[Chunk]:
        text = parsed.text
        headings = _Headings()
        ids = _Ids(ctx.tenant_id, parsed.document.id)
        for position, piece in enumerate(self._pieces(parsed)):
            content = piece.prefix + text[piece.start : piece.end]
            if piece.level is not None:
                headings.close(piece.level)
            chunk_id = ids.next(piece.level, headings.path, content)
            yield Chunk(
                id=chunk_id,
                document_id=parsed.document.id,
                tenant_id=ctx.tenant_id,
                position=position,
                parent_id=headings.parent,
                content=content,
                token_count=piece.tokens,
                acl_labels=ctx.principal.acl_labels,
                metadata=(
                    {"kind": "body"}
                    if piece.level is None
                    else {"kind": "heading", "level": piece.level}
                ),
                start=piece.start,
                end=piece.end,
                overlap=len(piece.prefix),
            )
            if piece.level is not None:
                headings.open(piece.level, chunk_id, content)

    def _pieces(self, parsed: ParsedDocument) -> Iterator["_Piece"]:
        text = parsed.text
        ruler = Ruler(text, self.token_counter)
        section: list[Unit] = []
        before: Block | None = None
        for span in parsed.spans:
            block = parsed.blocks[span.index]
            start, end = _trimmed(text, span)
            if block.level is not None:
                yield from self._pack(text, section, ruler)
                section = []
                yield _Piece(block.level, "", start, end, ruler.count(start, end))
            else:
                section.append(_unit(block, before, start, end))
            before = block
        yield from self._pack(text, section, ruler)

    def _pack(self, text: str, section: list[Unit], ruler: Ruler) -> Iterator["_Piece"]:
        limits = {"budget": self.max_tokens, "overlap": self.overlap_tokens}
        for filled in pack(text, section, ruler=ruler, **limits):
            yield _Piece(None, *filled)


class _Piece(NamedTuple):
    """A chunk to be, without its place in the tree."""

    level: int | None
    """None for a body chunk."""
    prefix: str
    start: int
    end: int
    tokens: int


class _Headings:
    """The headings that enclose the current position, outermost first."""

    def __init__(self) -> None:
        self._frames: list[tuple[int, ChunkId]] = []
        self.path: tuple[str, ...] = ()
        """Their texts."""

    @property
    def parent(self) -> ChunkId | None:
        return self._frames[-1][1] if self._frames else None

    def close(self, level: int) -> None:
        """Leaves all headings at `level` or deeper."""
        while self._frames and self._frames[-1][0] >= level:
            self._frames.pop()
        self.path = self.path[: len(self._frames)]

    def open(self, level: int, chunk_id: ChunkId, text: str) -> None:
        self._frames.append((level, chunk_id))
        self.path = (*self.path, text)


class _Ids:
    """Ids that are the same for the same input everywhere, and change only where it changes.

    A chunk's id hashes tenant, document, heading path, level, content, and how many such chunks
    came before; its position is not in it.
    """

    def __init__(self, tenant: str, document: str) -> None:
        self._document = _digest(b"", tenant, document)
        self._path: tuple[str, ...] = ()
        self._section = _digest(self._document)
        self._seen: dict[bytes, int] = {}

    def next(self, level: int | None, path: tuple[str, ...], content: str) -> ChunkId:
        if path is not self._path:
            self._path, self._section = path, _digest(self._document, *path)
        key = _digest(self._section, str(level), content)
        before = self._seen.get(key, 0)
        self._seen[key] = before + 1
        return ChunkId((_digest(key, str(before)) if before else key).hex())


def _digest(within: bytes, *parts: str) -> bytes:
    data = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = ",".join(str(len(part)) for part in data).encode()
    return blake2b(b"".join((within, lengths, b":", *data)), digest_size=16).digest()


_LEVELS: dict[BlockType, tuple[Level, ...]] = {
    BlockType.table_row: (lines, cells, sentences),
    BlockType.code: (lines, sentences),
}
_ORDINARY: tuple[Level, ...] = (sentences,)


def _unit(block: Block, before: Block | None, start: int, end: int) -> Unit:
    goes_on = before is not None and block.type is _ROW and _same_table(block, before)
    header = _header(block) if goes_on else None
    return Unit(start, end, _LEVELS.get(block.type, _ORDINARY), header)


_ROW = BlockType.table_row


def _same_table(block: Block, before: Block) -> bool:
    return before.type is _ROW and block.attributes.get("table") == before.attributes.get("table")


def _header(block: Block) -> str | None:
    header = block.attributes.get("table_header")
    return header.strip() or None if isinstance(header, str) else None


def _trimmed(text: str, span: BlockSpan) -> tuple[int, int]:
    start, end = span.start, span.end
    if text[start].isspace() or text[end - 1].isspace():
        block = text[start:end]
        start += len(block) - len(block.lstrip())
        end = start + len(block.strip())
    return start, end
