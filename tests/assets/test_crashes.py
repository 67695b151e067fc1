"""A run that dies leaves what was published, and the next one ends as an undisturbed one."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag_assets.store.locking import locked
from rag_assets.store.reading import open_live
from rag_assets.workers import WorkerPool
from rag_core.errors import StoreError
from tests.scenarios import direct, stored

PROJECT = Path(__file__).parents[2]
DOCUMENTS = 60
FILES = {"documents": ("document_id, key", "documents"), "chunks": ("id, position", "chunks")}
FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from rag_assets.workers import WorkerPool
from tests.scenarios import direct
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails with an error instead
from rag_core.errors import StoreError
with WorkerPool(1) as pool:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    try:
        direct.run(Path(sys.argv[1]), pool, "full")
    except StoreError as error:
        print(error)
"""
HOLDER = """
import sys, time
from pathlib import Path
from rag_assets.store.locking import locked
with locked(Path(sys.argv[1]), run_id="first"):
    print("held", flush=True)
    time.sleep(1)
"""


def write(folder: Path, version: str) -> None:
    root = direct.sources(folder)
    root.mkdir(parents=True, exist_ok=True)
    for number in range(DOCUMENTS):
        kept = "always" if number % 3 else version
        text = f"# Document {number}\n\n{kept} words\n\n## Part\n\n{version} {number}\n"
        (root / f"d{number:02}.md").write_text(text)
    (root / f"only-{version}.md").write_text(version)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory, pool: WorkerPool) -> Path:
    """An old version published, a new one in the sources; `undisturbed` is what it comes to."""
    folder = tmp_path_factory.mktemp("grown")
    write(folder, "old")
    direct.run(folder, pool, "old")
    write(folder, "new")
    (direct.sources(folder) / "only-old.md").unlink()
    shutil.copytree(folder / "warehouse", folder / "undisturbed")
    direct.run(folder, pool, "undisturbed", warehouse="undisturbed")
    return folder


@pytest.fixture
def folder(grown: Path, tmp_path: Path) -> Path:
    """The same, to spoil. The files keep their paths, since rows name them."""
    (tmp_path / "sources").symlink_to(grown / "sources")
    shutil.copytree(
        grown / "warehouse", tmp_path / "warehouse", ignore=shutil.ignore_patterns("rag*")
    )
    return tmp_path


def rows(folder: Path, warehouse: str = "warehouse") -> dict[str, list[tuple]]:
    found = stored.everything(folder / warehouse, direct.TENANT, direct.CORPUS)
    for document in found["documents"]:
        assert document[1]
    return {
        **found,
        "documents": [(row[0], *row[2:]) for row in found["documents"]],  # not where they lie
    }


def published(folder: Path, warehouse: str = "warehouse") -> list[list[tuple]]:
    """What a reader gets of each file right now: ids and keys."""
    found = []
    for name in FILES:
        with open_live(getattr(direct.partition(folder, warehouse), name)) as live:
            columns, table = FILES[name]
            found.append(live.execute(f"SELECT {columns} FROM {table} ORDER BY ALL").fetchall())
    return found


def apart(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.direct", str(folder), "killed", *words],
        cwd=PROJECT,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    "moment",
    ["open:1", "copy:1", "commit:1", "committed:1", "sync:1", "rename:1", "rename:3", "open:2",
     "copy:2", "committed:4", "commit:6", "renamed:4"],
)  # fmt: skip
def test_killed_at_any_moment_the_next_run_ends_as_an_undisturbed_one(
    grown: Path, folder: Path, pool: WorkerPool, moment: str
) -> None:
    before = published(folder)
    process = apart(folder, moment)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, errors
    versions = zip(before, published(grown, "undisturbed"), published(folder), strict=True)
    assert [now for old, new, now in versions if now not in (old, new)] == []
    direct.run(folder, pool, "next")
    assert rows(folder) == rows(grown, "undisturbed")
    assert [p.name for p in direct.partition(folder).folder.iterdir() if p.suffix != ".duckdb"] == [
        "runs.jsonl"
    ]


def test_killed_after_any_time_the_next_run_ends_as_an_undisturbed_one(
    grown: Path, folder: Path, pool: WorkerPool
) -> None:
    numbers = random.Random(3)
    note = direct.partition(folder).documents.lock.with_suffix(".holder")
    for _ in range(4):
        process = apart(folder)
        while not note.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(numbers.uniform(0, 1.5))
        process.kill()
        process.communicate(timeout=60)
        note.unlink(missing_ok=True)
        published(folder)
    direct.run(folder, pool, "next")
    assert rows(folder) == rows(grown, "undisturbed")


def test_a_killed_worker_costs_nothing_but_its_document(tmp_path: Path) -> None:
    root = direct.sources(tmp_path)
    root.mkdir(parents=True)
    for number in range(8):
        (root / f"d{number}.md").write_text(f"text {number}")
    with WorkerPool(1) as pool:
        direct.run(tmp_path, pool, "first")  # so that a worker waits
        (victim,) = pool._idle
        os.kill(victim._process.pid, signal.SIGKILL)
        for number in range(8):
            (root / f"d{number}.md").write_text(f"other {number}")
        direct.run(tmp_path, pool, "second")
        direct.run(tmp_path, pool, "third")
    texts = [row[4] for row in rows(tmp_path)["chunks"]]
    assert texts == [f"other {number}" for number in range(8)]


@pytest.mark.parametrize("limit", [4096, 300_000, 700_000])
def test_a_full_disk_leaves_what_was_published(
    grown: Path, folder: Path, pool: WorkerPool, limit: int
) -> None:
    before = published(folder)
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder), str(limit)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "published version is untouched" in done.stdout
    assert published(folder) == before
    direct.run(folder, pool, "next")
    assert rows(folder) == rows(grown, "undisturbed")


def test_a_second_run_on_a_partition_fails_at_once_and_names_the_first(
    folder: Path, pool: WorkerPool
) -> None:
    with locked(direct.partition(folder).documents.lock, run_id="run-1"):
        started = time.monotonic()
        with pytest.raises(StoreError, match=r"run run-1 \(process \d+ on "):
            direct.run(folder, pool, "run-2")
        assert time.monotonic() - started < 2
    direct.run(folder, pool, "run-2")


def test_a_second_run_waits_if_it_is_told_to(grown: Path, folder: Path, pool: WorkerPool) -> None:
    lock = direct.partition(folder).documents.lock
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    direct.run(folder, pool, "second", wait=60)
    holder.communicate(timeout=60)
    assert rows(folder) == rows(grown, "undisturbed")
