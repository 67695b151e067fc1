"""One corpus through all stages, without Dagster: for tests that need many runs.

`python -m tests.scenarios.direct FOLDER RUN_ID [KILL_AT]` does it in a process of its own, which
kills itself at the moment named: `WHERE:N` is the Nth time that WHERE is reached.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag_assets.sources import Sources
from rag_assets.stages.chunk import KEEP_CHANGES_DAYS, staged_chunks
from rag_assets.stages.ocr import read_corpus_pages
from rag_assets.stages.parse import parse_corpus
from rag_assets.stages.report import ChunkReport, OcrReport, ParseReport
from rag_assets.store import staging
from rag_assets.store.catalog import refresh_catalog
from rag_assets.store.layout import PartitionFiles, Warehouse
from rag_assets.workers import WorkerPool

TENANT, CORPUS = "acme", "docs"

MOMENTS = (
    "open",  # the lock is held, nothing done
    "copy",  # the live file is being copied
    "commit",  # before a transaction is committed
    "committed",  # behind it
    "sync",  # before the finished staging file is synced
    "rename",  # before a rename: the copy's, or the one that publishes
    "renamed",  # behind it
)


def sources(folder: Path, corpus: str = CORPUS) -> Path:
    """Where the corpus' files lie."""
    return folder / "sources" / TENANT / corpus


def partition(folder: Path, warehouse: str = "warehouse", corpus: str = CORPUS) -> PartitionFiles:
    """Where its rows lie."""
    return Warehouse(folder / warehouse).partition(TENANT, corpus)


def run(
    folder: Path,
    pool: WorkerPool,
    run_id: str,
    *,
    warehouse: str = "warehouse",
    wait: float = 0.0,
    force: bool = False,
    keep_changes_days: float = KEEP_CHANGES_DAYS,
    tenant: str = TENANT,
    corpus: str = CORPUS,
) -> tuple[ParseReport, ChunkReport]:
    """All stages, checked and published as the assets do it."""
    parsed, _, chunked = run_all(
        folder,
        pool,
        run_id,
        warehouse=warehouse,
        wait=wait,
        force=force,
        keep_changes_days=keep_changes_days,
        tenant=tenant,
        corpus=corpus,
    )
    return parsed, chunked


def run_all(
    folder: Path,
    pool: WorkerPool,
    run_id: str,
    *,
    warehouse: str = "warehouse",
    wait: float = 0.0,
    force: bool = False,
    keep_changes_days: float = KEEP_CHANGES_DAYS,
    readers: WorkerPool | None = None,
    between: Callable[[], None] = lambda: None,
    tenant: str = TENANT,
    corpus: str = CORPUS,
) -> tuple[ParseReport, OcrReport, ChunkReport]:
    """The same, with the report of each stage; `readers` read pages, by default those of `pool`.
    `between` is called when documents are parsed and their pages not read."""
    found = Sources(folder / "sources").folder(tenant, corpus)
    config = found.config()
    files = Warehouse(folder / warehouse).partition(tenant, corpus)
    parsed = parse_corpus(found, config, files, pool, run_id=run_id, wait=wait, force=force)
    between()
    readers = readers or pool
    read = read_corpus_pages(found, config, files, readers, run_id=run_id, wait=wait, force=force)
    prefix = len(found.partition_key) + 1
    with staged_chunks(
        config,
        files,
        lambda document_id: document_id[prefix:],
        run_id=run_id,
        wait=wait,
        force=force,
        keep_changes_days=keep_changes_days,
    ) as staged:
        assert [result for result in staged.results if not result.passed] == []
        staged.publish()
    refresh_catalog(Warehouse(folder / warehouse))
    return parsed, read, staged.report


def main() -> None:
    """One run, perhaps a short one."""
    folder, run_id, *kill_at = sys.argv[1:]
    if kill_at:
        moment, _, number = kill_at[0].partition(":")
        _die_at(moment, int(number))
    with WorkerPool(1) as pool:
        run(Path(folder), pool, run_id)


def _die_at(moment: str, number: int) -> None:
    left = number

    def reached() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            reached()
            return function(*args, **kwargs)

        return wrapped

    def behind(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            reached()
            return result

        return wrapped

    def half_copy(source: Path, target: Path) -> None:
        data = source.read_bytes()
        target.write_bytes(data[: len(data) // 2])
        reached()
        target.write_bytes(data)

    places: dict[str, tuple[Any, str, Callable[..., Any]]] = {
        "open": (staging, "_sweep", before),
        "copy": (staging.shutil, "copyfile", lambda _: half_copy),
        "commit": (staging.Staging, "_commit", before),
        "committed": (staging.Staging, "_commit", behind),
        "sync": (staging, "sync", before),
        "rename": (Path, "replace", before),
        "renamed": (Path, "replace", behind),
    }
    owner, name, wrap = places[moment]
    setattr(owner, name, wrap(getattr(owner, name)))


if __name__ == "__main__":
    main()
