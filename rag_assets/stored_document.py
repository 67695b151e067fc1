"""What does the warehouse hold of one document? Its text as chunking saw it, and its chunks."""

import json
import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_assets.stages.stitch import corpus_text
from rag_assets.store.layout import PartitionFiles, Warehouse
from rag_assets.store.reading import open_live
from rag_chunker.inspector import Chunking, StoredDocument
from rag_core.errors import ConfigError, StoreError
from rag_core.types import Chunk, ParsedDocument

if TYPE_CHECKING:
    import duckdb

__all__ = ["from_warehouse", "stored_document"]

_LIST = "ragctl query \"SELECT document_id FROM documents WHERE document_id LIKE '%...%'\""


def from_warehouse(document_id: str) -> StoredDocument:
    """`stored_document` of the warehouse that RAG_WAREHOUSE names (`data/warehouse`)."""
    root = Path(os.environ.get("RAG_WAREHOUSE", "data/warehouse"))
    return stored_document(Warehouse(root), document_id)


def stored_document(warehouse: Warehouse, document_id: str) -> StoredDocument:
    """The published version of a document, with its chunks as they are stored.

    Raises `ConfigError` for what is no id, `StoreError` for a document that is not there, has no
    blocks or no chunks yet, or has been parsed anew since it was chunked.
    """
    tenant, corpus, path = (*document_id.split("/", maxsplit=2), "", "")[:3]
    if not tenant or not corpus or not path:
        raise ConfigError(f"{document_id!r} is no document id: those look like tenant/corpus/path")
    files = warehouse.partition(tenant, corpus)
    if not files.documents.live.exists():
        raise StoreError(
            f"the warehouse {warehouse.root} holds no corpus {tenant}/{corpus}; `ragctl status` "
            "lists those it holds"
        )
    with corpus_text(files) as text:
        parsed = next(iter(text.read([document_id])), None)
    if parsed is None:
        raise _without_blocks(files, document_id)
    chunking, remark = _chunking(files, parsed)
    return StoredDocument(parsed, chunking, remark)


def _without_blocks(files: PartitionFiles, document_id: str) -> StoreError:
    with open_live(files.documents) as corpus:
        row = corpus.execute(
            "SELECT error FROM documents WHERE document_id = ?", [document_id]
        ).fetchone()
        if row:
            return StoreError(
                f"nothing to show, it could not be parsed: {row[0]}", document=document_id
            )
        known = corpus.execute("SELECT document_id FROM documents").fetchall()
    near = get_close_matches(document_id, [name for (name,) in known], n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"find it with: {_LIST}"
    return StoreError(f"no such document in the warehouse; {meant}", document=document_id)


def _chunking(files: PartitionFiles, parsed: ParsedDocument) -> tuple[Chunking, str]:
    document_id = parsed.document.id
    again = f"materialize {files.tenant_id}/{files.corpus_id}"
    if not files.chunks.live.exists():
        raise StoreError(f"it has been parsed but not chunked yet: {again}", document=document_id)
    with open_live(files.chunks) as connection:
        row = connection.execute(
            "SELECT stale, error, max_tokens, overlap_tokens, tokenizer FROM chunked_documents "
            "WHERE document_id = ?",
            [document_id],
        ).fetchone()
        chunks = _chunks(connection, files.tenant_id, document_id)
    if row is None:
        raise StoreError(f"it has been parsed but not chunked yet: {again}", document=document_id)
    stale, error, max_tokens, overlap_tokens, tokenizer = row
    if error and not chunks:
        raise StoreError(f"nothing to show, it could not be chunked: {error}", document=document_id)
    if any(_is_of_another_text(chunk, parsed.text) for chunk in chunks):
        raise StoreError(
            f"its text is newer than its chunks: {again}, then inspect it again",
            document=document_id,
        )
    remark = (
        "a newer version could not be taken (ragctl status says why); this is the last good one"
    )
    return (
        Chunking(chunks, max_tokens or 0, overlap_tokens or 0, tokenizer or ""),
        remark if stale else "",
    )


def _chunks(
    connection: "duckdb.DuckDBPyConnection", tenant_id: str, document_id: str
) -> list[Chunk]:
    rows = connection.execute(
        "SELECT id, position, parent_id, content, content_ref, token_count, acl_labels, metadata, "
        "start_offset, end_offset, overlap FROM chunks WHERE document_id = ? ORDER BY position",
        [document_id],
    ).fetchall()
    return [_chunk(row, tenant_id, document_id) for row in rows]


def _chunk(row: tuple[Any, ...], tenant_id: str, document_id: str) -> Chunk:
    names = (
        "id", "position", "parent_id", "content", "content_ref", "token_count", "acl_labels",
        "metadata", "start", "end", "overlap",
    )  # fmt: skip
    fields = dict(zip(names, row, strict=True))
    fields["metadata"] = json.loads(fields["metadata"])
    return Chunk(tenant_id=tenant_id, document_id=document_id, **fields)


def _is_of_another_text(chunk: Chunk, text: str) -> bool:
    new = (chunk.content or "")[chunk.overlap :]
    return chunk.content is not None and new != text[chunk.start : chunk.end]
