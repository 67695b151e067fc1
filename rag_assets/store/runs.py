"""What did each run see and do? A few figures per run, kept beside a partition's files.

A run that finds nothing new publishes nothing, yet it must be seen to have looked. So its figures
go into a small file of their own, `runs.jsonl`, which is replaced whole: the view `runs` of
`rag.duckdb` reads it, together with what published files say of older runs.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.store.layout import PartitionFiles
from rag_assets.store.locking import locked
from rag_assets.store.staging import sync
from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "COLUMNS",
    "ChunkCounts",
    "RunRecord",
    "last_runs",
    "note_chunking",
    "note_parsing",
    "was_complete",
]

COLUMNS = {
    "run_id": "VARCHAR",
    "started_at": "TIMESTAMP",
    "finished_at": "TIMESTAMP",
    "documents_seen": "BIGINT",
    "documents_added": "BIGINT",
    "documents_changed": "BIGINT",
    "documents_removed": "BIGINT",
    "documents_failed": "BIGINT",
    "documents_unchanged": "BIGINT",
    "chunking_failed": "BIGINT",
    "chunks_inserted": "BIGINT",
    "chunks_updated": "BIGINT",
    "chunks_deleted": "BIGINT",
    "chunks_unchanged": "BIGINT",
    "checks_passed": "BIGINT",
    "checks_failed": "MAP(VARCHAR, BIGINT)",
    "published": "BOOLEAN",
}
"""Types by key of the objects in `runs.jsonl`."""

KEPT = 200
"""Runs per partition that stay on record; older ones only if they published chunks."""
_WAIT = 30.0  # seconds; writing takes a few milliseconds


@dataclass(frozen=True)
class RunRecord:
    """What one run saw of a corpus, and did to it. Figures of a stage that did not end are None."""

    tenant_id: str
    corpus_id: str
    run_id: str
    started_at: datetime | None
    """UTC, as the one below."""
    finished_at: datetime | None
    """When the last of its stages ended."""
    documents_seen: int | None
    """The sum of the added, changed, failed and unchanged ones."""
    documents_added: int | None
    documents_changed: int | None
    documents_removed: int | None
    documents_failed: int | None
    """Not parsed, also those that no parser is there for."""
    documents_unchanged: int | None
    chunking_failed: int | None
    """Documents that were parsed but could not be chunked."""
    chunks_inserted: int | None
    chunks_updated: int | None
    chunks_deleted: int | None
    chunks_unchanged: int | None
    checks_passed: int | None
    """Of those that stand between chunking and publishing."""
    checks_failed: dict[str, int] | None
    """Name to how often it was found broken."""
    published: bool | None
    """False if a failed check forbade it: then the version before stays, and the figures of chunks
    are None. True also where nothing was new."""


class ChunkCounts(NamedTuple):
    """What a run did to a partition's chunks."""

    inserted: int
    updated: int
    deleted: int
    unchanged: int


def last_runs(warehouse: "duckdb.DuckDBPyConnection") -> list[RunRecord]:
    """The last run of each partition, by tenant and corpus, from a connection to `rag.duckdb`
    (see `catalog.open_warehouse`), whose view `last_runs` has the same columns."""
    columns = ", ".join(field.name for field in fields(RunRecord))
    rows = warehouse.execute(
        f"SELECT {columns} FROM last_runs ORDER BY tenant_id, corpus_id"
    ).fetchall()
    return [RunRecord(*row) for row in rows]


def note_parsing(
    files: PartitionFiles,
    run_id: str,
    seconds: float,
    *,
    seen: int,
    added: int,
    changed: int,
    removed: int,
    failed: int,
    unchanged: int,
) -> None:
    """Put on record what the parsing stage of a run saw and did, in the `seconds` until now.

    Call it while holding the lock of the stage's file. Raises `StoreError` if it cannot be written.
    """
    figures = {
        "documents_seen": seen,
        "documents_added": added,
        "documents_changed": changed,
        "documents_removed": removed,
        "documents_failed": failed,
        "documents_unchanged": unchanged,
    }
    _note(files, run_id, seconds, figures)


def note_chunking(
    files: PartitionFiles,
    run_id: str,
    seconds: float,
    *,
    failed: int,
    checks_passed: int,
    checks_failed: Mapping[str, int],
    chunks: ChunkCounts | None,
    basis: str | None = None,
) -> None:
    """The same of the chunking stage: documents that failed, how the checks fared, and what it did
    to the published chunks; None if the checks forbade to publish.

    `basis` names all that these chunks follow from, and themselves, see `was_complete`; None if
    they may not be complete.
    """
    figures = {
        "chunking_failed": failed,
        "checks_passed": checks_passed,
        "checks_failed": dict(checks_failed),
        "published": chunks is not None,
        "basis": basis,
    }
    if chunks is not None:
        figures |= {f"chunks_{name}": count for name, count in chunks._asdict().items()}
    _note(files, run_id, seconds, figures)


def was_complete(files: PartitionFiles, basis: str) -> bool:
    """Whether a run found the chunks complete for just this `basis`. False if that is not known:
    the run was killed before it was noted, is too long ago, the record is lost, ..."""
    return any(record.get("basis") == basis for record in _read(files.runs).values())


def _note(
    files: PartitionFiles, run_id: str, seconds: float, figures: Mapping[str, object]
) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    # Of two runs on one partition, one may parse while the other one chunks.
    with locked(files.runs_lock, run_id=run_id, timeout=_WAIT):
        noted = _read(files.runs)
        record = noted.pop(run_id, {"started_at": (now - timedelta(seconds=seconds)).isoformat()})
        noted[run_id] = record | {"finished_at": now.isoformat()} | dict(figures)
        _write(files.runs, noted)


def _read(path: Path) -> dict[str, dict[str, object]]:
    """By run id, in the order in which they were last heard of."""
    if not path.exists():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        return {str(record.pop("run_id")): record for record in records}
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error}; check its permissions") from error
    except (ValueError, KeyError, AttributeError, TypeError):  # not ours
        return {}  # History is lost with it, and the next run compares all documents.


def _write(path: Path, noted: Mapping[str, Mapping[str, object]]) -> None:
    lines = [
        json.dumps({"run_id": run_id, **record}) for run_id, record in list(noted.items())[-KEPT:]
    ]
    draft = path.with_name(f"{path.name}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text("\n".join([*lines, ""]), encoding="utf-8")
        sync(draft)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreError(
            f"cannot write {path}: {error}; what was published stays: free disk space or fix "
            "permissions, run again"
        ) from error
