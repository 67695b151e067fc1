"""Every run is on record with what it saw and did, whether it found something new or not."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag_assets.store import runs
from rag_assets.store.catalog import open_warehouse, refresh_catalog
from rag_assets.store.layout import Warehouse
from rag_assets.store.runs import ChunkCounts, RunRecord, last_runs, note_chunking, note_parsing
from rag_assets.workers import WorkerPool
from rag_core.errors import StoreError
from tests.scenarios import direct


def put(folder: Path, name: str, data: bytes) -> None:
    file = direct.sources(folder) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def last(folder: Path) -> RunRecord:
    with open_warehouse(folder / "warehouse") as warehouse:
        [record] = last_runs(warehouse)
    return record


def ids(folder: Path) -> list[str]:
    with open_warehouse(folder / "warehouse") as warehouse:
        found = warehouse.execute("SELECT run_id FROM runs ORDER BY finished_at").fetchall()
    return [run_id for (run_id,) in found]


def test_a_run_that_finds_nothing_new_is_on_record_all_the_same(
    tmp_path: Path, pool: WorkerPool
) -> None:
    put(tmp_path, "a.md", b"# A\n\nwords\n")
    put(tmp_path, "bad.pdf", b"%PDF-1.7\nnot really")
    direct.run(tmp_path, pool, "first")
    direct.run(tmp_path, pool, "second")
    record = last(tmp_path)
    assert record.run_id == "second"
    documents = (record.documents_seen, record.documents_unchanged, record.documents_failed)
    assert documents == (2, 1, 1)
    assert (record.documents_added, record.documents_changed, record.documents_removed) == (0, 0, 0)
    chunks = (record.chunks_inserted, record.chunks_updated, record.chunks_deleted)
    assert (chunks, record.chunks_unchanged) == ((0, 0, 0), 2)
    assert ids(tmp_path) == ["first", "second"]


def test_what_a_run_did_is_counted(tmp_path: Path, pool: WorkerPool) -> None:
    put(tmp_path, "a.md", b"# A\n\nwords\n\n## B\n\nmore\n")
    put(tmp_path, "gone.md", b"gone")
    direct.run(tmp_path, pool, "first")
    put(tmp_path, "a.md", b"# A\n\nother words\n\n## B\n\nmore\n")
    put(tmp_path, "b.md", b"new")
    (direct.sources(tmp_path) / "gone.md").unlink()
    direct.run(tmp_path, pool, "second")
    record = last(tmp_path)
    assert (record.documents_added, record.documents_changed, record.documents_removed) == (1, 1, 1)
    chunks = (record.chunks_inserted, record.chunks_updated, record.chunks_deleted)
    # An edit moves what follows it in its document: same chunks, other offsets.
    assert (chunks, record.chunks_unchanged) == ((2, 2, 2), 1)
    assert record.started_at
    assert record.finished_at
    assert record.started_at < record.finished_at


def test_runs_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")
    files = warehouse.partition("acme", "docs")

    def note(number: int) -> None:
        counts = dict.fromkeys(("seen", "added", "changed", "removed", "failed", "unchanged"), 1)
        note_parsing(files, f"run {number}", 1.0, **counts)
        note_chunking(
            files,
            f"run {number}",
            1.0,
            failed=2,
            checks_passed=2,
            checks_failed={},
            chunks=ChunkCounts(2, 2, 2, 2),
        )

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(note, range(24)))
    refresh_catalog(warehouse)
    with open_warehouse(warehouse.root) as connection:
        found = connection.execute(
            "SELECT run_id, documents_seen, chunks_unchanged FROM runs ORDER BY run_id"
        ).fetchall()
    assert found == sorted((f"run {number}", 1, 2) for number in range(24))


def test_old_runs_go_but_those_that_published_chunks_stay(
    tmp_path: Path, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "KEPT", 2)
    put(tmp_path, "a.md", b"words")
    for run_id in ("first", "second", "third", "fourth"):
        direct.run(tmp_path, pool, run_id)
    assert ids(tmp_path) == ["first", "third", "fourth"]


def test_a_damaged_record_costs_the_history_only(tmp_path: Path, pool: WorkerPool) -> None:
    put(tmp_path, "a.md", b"words")
    direct.run(tmp_path, pool, "first")
    direct.partition(tmp_path).runs.write_bytes(b"\xff\0{")
    direct.run(tmp_path, pool, "second")
    assert last(tmp_path).run_id == "second"


def test_a_record_that_cannot_be_written_says_so_and_leaves_no_draft(
    tmp_path: Path, pool: WorkerPool
) -> None:
    put(tmp_path, "a.md", b"words")
    direct.run(tmp_path, pool, "first")
    path = direct.partition(tmp_path).runs
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError, match=r"runs\.jsonl"):
        direct.run(tmp_path, pool, "second")
    assert [file.name for file in path.parent.glob("*.draft")] == []
