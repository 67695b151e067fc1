"""The default chunker: one chunk a heading, body blocks packed under it, nothing across it."""

from collections.abc import Iterator, Sequence
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
        import asyncio

        return await asyncio.to_thread(self.chunk_now, ctx, parsed)

    async def health(self) -> Health:
        """Counts a word, which loads the vocabulary."""
        import asyncio

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
        tree = _Tree(ctx.tenant_id, parsed.document.id)
        labels = ctx.principal.acl_labels
        for position, (level, prefix, start, end, tokens) in enumerate(self._pieces(parsed)):
            content = prefix + text[start:end]
            chunk_id, parent_id = tree.add(level, content)
            yield Chunk.trusted(
                {
                    "id": chunk_id,
                    "document_id": parsed.document.id,
                    "tenant_id": ctx.tenant_id,
                    "position": position,
                    "parent_id": parent_id,
                    "content": content,
                    "content_ref": None,
                    "token_count": tokens,
                    "acl_labels": labels,
                    "metadata": (
                        {"kind": "body"} if level is None else {"kind": "heading", "level": level}
                    ),
                    "start": start,
                    "end": end,
                    "overlap": len(prefix),
                }
            )

    def _pieces(self, parsed: ParsedDocument) -> Iterator["_Piece"]:
        text, spans, blocks = parsed.text, parsed.spans, parsed.blocks
        ruler = Ruler(text, self.token_counter)
        first = 0
        for number, span in enumerate(spans):
            level = blocks[span.index].level
            if level is not None:
                yield from self._section(parsed, spans[first:number], ruler)
                first = number + 1
                start, end = _trimmed(text, span)
                yield _Piece(level, "", start, end, ruler.count(start, end))
        yield from self._section(parsed, spans[first:], ruler)

    def _section(
        self, parsed: ParsedDocument, spans: Sequence[BlockSpan], ruler: Ruler
    ) -> Iterator["_Piece"]:
        """The body below one heading."""
        if not spans:
            return
        packs = pack(
            parsed.text,
            _trimmed(parsed.text, spans[0])[0],
            _trimmed(parsed.text, spans[-1])[1],
            _units(parsed, spans),
            ruler=ruler,
            budget=self.max_tokens,
            overlap=self.overlap_tokens,
        )
        for filled in packs:
            yield _Piece(None, *filled)


class _Piece(NamedTuple):
    """A chunk to be, without its place in the tree."""

    level: int | None
    """None for a body chunk."""
    prefix: str
    start: int
    end: int
    tokens: int


class _Tree:
    """The open headings, and ids that are the same for the same input everywhere.

    A chunk's id hashes tenant, document, the headings that enclose it, level, content, and how many
    such chunks came before; its position is not in it, so that it changes only where it changes.
    """

    def __init__(self, tenant: str, document: str) -> None:
        owner = f"{len(tenant)} {tenant} {document}"
        self._open: list[_Frame] = [_Frame(0, None, _digest(b"", owner))]
        self._seen: dict[bytes, int] = {}

    def add(self, level: int | None, content: str) -> tuple[ChunkId, ChunkId | None]:
        """Id and parent of the next chunk; a heading's `level` closes those at it or deeper."""
        if level is not None:
            while self._open[-1].level >= level:
                self._open.pop()
        _, parent, section = self._open[-1]
        key = _digest(section, f"{level} {content}")
        before = self._seen.get(key, 0)
        self._seen[key] = before + 1
        chunk_id = ChunkId((_digest(key, str(before)) if before else key).hex())
        if level is not None:
            self._open.append(_Frame(level, chunk_id, key))
        return chunk_id, parent


class _Frame(NamedTuple):
    """An open heading; at the bottom the document itself, at level 0."""

    level: int
    id: ChunkId | None
    section: bytes
    """Hash of the heading path."""


def _digest(within: bytes, text: str) -> bytes:
    return blake2b(within + text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


_IN_ROWS: tuple[Level, ...] = (lines, cells, sentences)
_IN_CODE: tuple[Level, ...] = (lines, sentences)
_IN_TEXT: tuple[Level, ...] = (sentences,)


def _units(parsed: ParsedDocument, spans: Sequence[BlockSpan]) -> Iterator[Unit]:
    before: Block | None = None
    for span in spans:
        block = parsed.blocks[span.index]
        start, end = _trimmed(parsed.text, span)
        if block.type is _ROW:
            goes_on = before is not None and _same_table(block, before)
            yield Unit(start, end, _IN_ROWS, _header(block) if goes_on else None)
        else:
            yield Unit(start, end, _IN_CODE if block.type is BlockType.code else _IN_TEXT)
        before = block


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
