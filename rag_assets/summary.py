"""How does each corpus stand? One row per partition, read from the warehouse."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rag_assets.store.catalog import open_warehouse

__all__ = ["CorpusSummary", "summaries"]


@dataclass(frozen=True)
class CorpusSummary:
    """What the published files of one corpus hold."""

    tenant_id: str
    corpus_id: str
    documents: int
    failed: int
    stale: int
    chunks: int
    tokens: int
    last_run: str | None
    last_run_at: datetime | None
    """UTC."""


def summaries(warehouse_root: Path) -> list[CorpusSummary]:
    """All corpora, by tenant and name. Raises `StoreError` if there is no warehouse."""
    with open_warehouse(warehouse_root) as warehouse:
        rows = warehouse.execute(
            "SELECT tenant_id, corpus_id, documents, failed, stale, chunks, tokens, last_run, "
            "last_run_at FROM corpus_summary ORDER BY tenant_id, corpus_id"
        ).fetchall()
    return [CorpusSummary(*row) for row in rows]
