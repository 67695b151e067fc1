"""How does each corpus stand, and what is missing? Read from the warehouse."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rag_assets.sources import Sources
from rag_assets.store.catalog import open_warehouse
from rag_assets.store.runs import RunRecord, last_runs
from rag_assets.store.trouble import querying
from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "CorpusSummary",
    "Missing",
    "missing_documents",
    "refused_folders",
    "runs_by_corpus",
    "summaries",
]


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
    ocr_read: int
    """Pages, like the two below."""
    ocr_failed: int
    ocr_low_confidence: int
    """Of those read: worth a look, the mean confidence is below 0.8."""
    last_run: str | None
    last_run_at: datetime | None
    """UTC."""


def summaries(warehouse_root: Path) -> list[CorpusSummary]:
    """All corpora, by tenant and name. Raises `StoreError` if there is no warehouse."""
    with _reading(warehouse_root) as warehouse:
        rows = warehouse.execute(
            "SELECT tenant_id, corpus_id, documents, failed, stale, chunks, tokens, ocr_read, "
            "ocr_failed, ocr_low_confidence, last_run, last_run_at FROM corpus_summary "
            "ORDER BY tenant_id, corpus_id"
        ).fetchall()
    return [CorpusSummary(*row) for row in rows]


def runs_by_corpus(warehouse_root: Path) -> dict[tuple[str, str], RunRecord]:
    """What the last run of each corpus saw and did. Raises `StoreError` as `summaries` does."""
    with _reading(warehouse_root) as warehouse:
        return {(run.tenant_id, run.corpus_id): run for run in last_runs(warehouse)}


@dataclass(frozen=True)
class Missing:
    """A document whose newest version has no chunks."""

    tenant_id: str
    corpus_id: str
    document_id: str
    status: str
    """`failed`, or `skipped` if there is no parser for its kind."""
    error: str
    stale: bool
    """True if its last good chunks are kept."""

    @property
    def corpus(self) -> tuple[str, str]:
        return self.tenant_id, self.corpus_id


def missing_documents(warehouse_root: Path) -> list[Missing]:
    """All of them, by id. Raises `StoreError` if there is no warehouse."""
    with _reading(warehouse_root) as warehouse:
        rows = warehouse.execute(
            "SELECT tenant_id, corpus_id, document_id, status, error, stale "
            "FROM failed_documents ORDER BY document_id"
        ).fetchall()
    return [Missing(*row) for row in rows]


@contextmanager
def _reading(warehouse_root: Path) -> "Iterator[duckdb.DuckDBPyConnection]":
    import duckdb

    with open_warehouse(warehouse_root) as warehouse, querying(warehouse):
        try:
            yield warehouse
        except (duckdb.BinderException, duckdb.CatalogException) as error:
            raise StoreError(
                f"{warehouse_root}/rag.duckdb is of another release: materialize any corpus, which "
                "writes it anew"
            ) from error


def refused_folders(sources_root: str) -> list[tuple[str, str]]:
    """Folders and files below the sources that cannot be a corpus, and why; none if the sources
    cannot be listed now."""
    try:
        skipped = Sources(sources_root).corpora().skipped
    except StoreError:
        return []
    return [(one.path, one.reason) for one in skipped]
