"""How do other engines get at the chunks? As Parquet files, one per corpus, in hive layout.

`ROOT/tenant_id=acme/corpus_id=handbook/chunk_context.parquet`: tenant and corpus stand in the path
alone, encoded as in the warehouse, so that Spark, Polars, pandas and the like prune by them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.replaced import replaced
from rag_assets.store.layout import folder_name
from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = ["VIEWS", "Exported", "export"]

VIEWS = (
    "chunk_changes",
    "chunk_context",
    "chunked_documents",
    "chunks",
    "blocks",
    "documents",
    "failed_documents",
    "ocr_pages",
)
"""What can be exported."""


class Exported(NamedTuple):
    """A file that was written, or removed since its corpus is gone."""

    path: Path
    rows: int
    """-1 if it was removed."""


def export(
    warehouse: "duckdb.DuckDBPyConnection",
    root: Path,
    view: str,
    *,
    tenant: str | None = None,
    corpus: str | None = None,
    since: str | None = None,
) -> Iterator[Exported]:
    """Write one of `VIEWS` below `root`, for all corpora, or those of one tenant or one name.

    Each file is replaced whole: a reader sees the old or the new one. Files of corpora that are
    gone are removed. `since`, a UTC time as ISO 8601, keeps of `chunk_changes` the later ones, and
    of the other views the rows of documents that were chunked later.

    Raises `StoreError` if the time cannot be read or nothing matches the names, `OSError`,
    `duckdb.Error`.
    """
    # Nothing is cached between the queries below: each shows what is published when it is run.
    known: list[tuple[str, str]] = warehouse.execute(
        "SELECT DISTINCT tenant_id, corpus_id FROM documents ORDER BY ALL"
    ).fetchall()
    wanted = [(t, c) for t, c in known if tenant in (None, t) and corpus in (None, c)]
    if not wanted and (tenant or corpus):
        held = ", ".join(f"{t}/{c}" for t, c in known) or "none"
        raise StoreError(f"no corpus matches {tenant or '*'}/{corpus or '*'}; there are: {held}")
    for one in wanted:
        yield _written(warehouse, root, view, one, since)
    yield from _removed(root, view, known)


def _written(
    warehouse: "duckdb.DuckDBPyConnection",
    root: Path,
    view: str,
    partition: tuple[str, str],
    since: str | None,
) -> Exported:
    path = _path(root, view, partition)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as draft:
        row = warehouse.execute(
            f"COPY (SELECT * EXCLUDE (tenant_id, corpus_id) FROM {view} "
            f"WHERE tenant_id = $tenant AND corpus_id = $corpus{_later(view, since)}) "
            f"TO '{_quoted(draft)}' (FORMAT parquet, COMPRESSION zstd)",
            {"tenant": partition[0], "corpus": partition[1], **({"since": since} if since else {})},
        ).fetchone()
    return Exported(path, row[0] if row else 0)


def _later(view: str, since: str | None) -> str:
    if since is None:
        return ""
    if view == "chunk_changes":
        return " AND changed_at >= $since::TIMESTAMP"
    return (
        " AND document_id IN (SELECT document_id FROM chunked_documents WHERE tenant_id = $tenant "
        "AND corpus_id = $corpus AND chunked_at >= $since::TIMESTAMP)"
    )


def _removed(root: Path, view: str, known: list[tuple[str, str]]) -> Iterator[Exported]:
    kept = {_path(root, view, partition) for partition in known}
    for path in sorted(root.glob(f"tenant_id=*/corpus_id=*/{view}.parquet")):
        if path not in kept:
            path.unlink()
            yield Exported(path, -1)


def _path(root: Path, view: str, partition: tuple[str, str]) -> Path:
    tenant, corpus = partition
    folders = Path(folder_name("tenant_id", tenant)) / folder_name("corpus_id", corpus)
    return root / folders / f"{view}.parquet"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
