"""What does a warehouse hold? Read as people read it: through the views of `rag.duckdb`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_assets.partition_key import encode
from rag_assets.store.catalog import open_warehouse
from rag_core.errors import ConfigError

_CHUNKS = (
    "id, document_id, position, parent_id, content, content_ref, token_count, acl_labels, "
    "metadata, start_offset, end_offset, overlap, heading_path, kind, level"
)
_DOCUMENTS = (
    "document_id, source_uri, mime_type, title, content_hash, status, stale, error_kind, key"
)
_CHUNKED = "document_id, title, status, stale, error_kind, key, n_chunks, max_tokens, acl_labels"
_Query = Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Row:
    """One chunk."""

    tenant: str
    corpus: str
    document: str
    """Path relative to the corpus."""
    id: str
    position: int
    text: str
    tokens: int
    kind: str
    labels: list[str] | None


def rows(warehouse: Path, tenant: str | None = None, corpus: str | None = None) -> list[Row]:
    """The chunks of one partition, of a tenant, or of all, in order."""
    with _opened(warehouse) as query:
        found = query(
            "SELECT tenant_id, corpus_id, document_id, id, position, content, token_count, kind, "
            "acl_labels FROM chunks WHERE ($tenant IS NULL OR tenant_id = $tenant) "
            "AND ($corpus IS NULL OR corpus_id = $corpus) "
            "ORDER BY tenant_id, corpus_id, document_id, position, id",
            {"tenant": tenant, "corpus": corpus},
        )
    return [Row(t, c, _path(t, c, document), *rest) for t, c, document, *rest in found]


def everything(warehouse: Path, tenant: str, corpus: str) -> dict[str, list[tuple[Any, ...]]]:
    """All that a partition holds save times and run ids: what two ways to one state must share."""
    pair = {"tenant": tenant, "corpus": corpus}
    where = "WHERE tenant_id = $tenant AND corpus_id = $corpus ORDER BY document_id"
    with _opened(warehouse) as query:
        return {
            "chunks": query(f"SELECT {_CHUNKS} FROM chunks {where}, position, id", pair),
            "documents": query(f"SELECT {_DOCUMENTS} FROM documents {where}", pair),
            "chunked": query(f"SELECT {_CHUNKED} FROM chunked_documents {where}", pair),
            "blocks": query(f"SELECT * FROM blocks {where}, index", pair),
        }


def documents(warehouse: Path, tenant: str, corpus: str) -> dict[str, dict[str, Any]]:
    """Status, error and hash by relative path."""
    with _opened(warehouse) as query:
        found = query(
            "SELECT document_id, status, error, content_hash FROM documents "
            "WHERE tenant_id = $tenant AND corpus_id = $corpus",
            {"tenant": tenant, "corpus": corpus},
        )
    return {
        _path(tenant, corpus, document): {"status": status, "error": error, "hash": content_hash}
        for document, status, error, content_hash in found
    }


def processed(warehouse: Path, tenant: str, corpus: str, run_id: str) -> list[str]:
    """Relative paths of the documents that this run chunked."""
    with _opened(warehouse) as query:
        found = query(
            "SELECT document_id FROM chunked_documents WHERE tenant_id = $tenant "
            "AND corpus_id = $corpus AND run_id = $run ORDER BY document_id",
            {"tenant": tenant, "corpus": corpus, "run": run_id},
        )
    return [_path(tenant, corpus, document) for (document,) in found]


def _path(tenant: str, corpus: str, document_id: str) -> str:
    try:
        return document_id.removeprefix(f"{encode(tenant, corpus)}/")
    except ConfigError:
        return document_id


@contextmanager
def _opened(warehouse: Path) -> Iterator[_Query]:
    """To query it; where there is none yet, nothing is found."""
    if not (warehouse / "rag.duckdb").exists():
        yield lambda _sql, _parameters: []
        return
    with open_warehouse(warehouse) as connection:
        yield lambda sql, parameters: connection.execute(sql, parameters).fetchall()
