"""What does the page need to know? The document and its chunkings as plain JSON values."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from rag_core.types import Block, BlockType, Chunk, ParsedDocument

__all__ = ["Chunking", "StoredDocument", "view_of"]


@dataclass(frozen=True)
class Chunking:
    """The chunks of one document under one set of settings."""

    chunks: Sequence[Chunk]
    max_tokens: int
    """The budget of body chunks."""
    overlap_tokens: int
    tokenizer: str

    @property
    def name(self) -> str:
        return f"{self.max_tokens}/{self.overlap_tokens}"


@dataclass(frozen=True)
class StoredDocument:
    """A document as it is kept somewhere, with the chunks that are kept of it."""

    parsed: ParsedDocument
    chunking: Chunking
    remark: str = ""
    """What a reader of the page should know, such as that a newer version failed."""


def view_of(parsed: ParsedDocument, chunkings: Sequence[Chunking]) -> dict[str, JsonValue]:
    """Title, facts, text, blocks, and the chunks of each chunking.

    Blocks are `[type, from, to]`, those of lists also with marker and depth (at most 5). Chunks are
    `[from, to, repeated, tokens, parent, level, start, end, id, pages]`: `from` and `to` count
    UTF-16 units of the text, as JavaScript does, `start` and `end` characters, as everywhere else;
    `parent` is a position or -1, `level` 0 for a body.
    """
    to_utf16 = _utf16_offsets(parsed.text)
    document = parsed.document
    return {
        "title": document.title or document.source_uri.rpartition("/")[2] or document.id,
        "id": document.id,
        "type": document.mime_type,
        "pages": len(parsed.pages),
        "needOcr": sum(page.needs_ocr for page in parsed.pages),
        "text": parsed.text,
        "types": [kind.value for kind in BlockType],
        "blocks": _blocks(parsed, to_utf16),
        "chunkings": [
            {
                "name": chunking.name,
                "max": chunking.max_tokens,
                "overlap": chunking.overlap_tokens,
                "tokenizer": chunking.tokenizer,
                "chunks": _chunks(parsed, chunking.chunks, to_utf16),
            }
            for chunking in chunkings
        ],
    }


def _utf16_offsets(text: str) -> Callable[[int], int]:
    wide = [found.start() for found in _ASTRAL.finditer(text)]
    return lambda offset: offset + bisect_left(wide, offset)


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def _blocks(parsed: ParsedDocument, to_utf16: Callable[[int], int]) -> list[JsonValue]:
    number = {kind: index for index, kind in enumerate(BlockType)}
    rows: list[JsonValue] = []
    for span in parsed.spans:
        block = parsed.blocks[span.index]
        row: list[JsonValue] = [number[block.type], to_utf16(span.start), to_utf16(span.end)]
        rows.append(row + _list_place(block))
    return rows


def _list_place(block: Block) -> list[JsonValue]:
    if block.type is not BlockType.list_item:
        return []
    marker, depth = block.attributes.get("list_marker"), block.attributes.get("list_depth")
    shown = "•" if marker in (None, "", "-", "*", "+") else marker
    return [shown, min(depth, 5) if isinstance(depth, int) else 0]


def _chunks(
    parsed: ParsedDocument, chunks: Sequence[Chunk], to_utf16: Callable[[int], int]
) -> list[JsonValue]:
    positions = {chunk.id: chunk.position for chunk in chunks}
    pages = _Pages(parsed)
    return [
        [
            to_utf16(chunk.start),
            to_utf16(chunk.end),
            (chunk.content or "")[: chunk.overlap],
            chunk.token_count,
            -1 if chunk.parent_id is None else positions[chunk.parent_id],
            chunk.metadata.get("level") or 0,
            chunk.start,
            chunk.end,
            chunk.id,
            pages.of(chunk),
        ]
        for chunk in chunks
    ]


class _Pages:
    """On which pages does a chunk's new text stand?"""

    def __init__(self, parsed: ParsedDocument) -> None:
        self._starts = [span.start for span in parsed.spans]
        self._pages = [parsed.blocks[span.index].attributes.get("page") for span in parsed.spans]

    def of(self, chunk: Chunk) -> str:
        """`3`, `3–4`, or nothing for a document without pages."""
        first = max(bisect_right(self._starts, chunk.start) - 1, 0)
        last = bisect_left(self._starts, chunk.end)
        pages = [page for page in self._pages[first:last] if isinstance(page, int)]
        if not pages:
            return ""
        low, high = min(pages), max(pages)
        return str(low) if low == high else f"{low}–{high}"
