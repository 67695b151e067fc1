"""What does it cost to stay up to date? Tables of runs that find nothing, or one edited document.

    python -m tests.bench.incremental [nothing] [edit]

Every figure is of a process of its own, which has loaded its libraries; peak memory is that of the
whole process, libraries included.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

from rag_assets.store import chunks, documents
from rag_assets.store.layout import StoreFile
from rag_assets.store.staging import staged
from rag_assets.workers import WorkerPool
from tests.scenarios import direct

SMALL_DOCUMENTS = 20_000
CHUNKS_PER_DOCUMENT = 100
SIZES = (10_000, 100_000, 1_000_000)
"""Chunks of the partitions in which one document is edited."""


def main() -> None:
    """Print the tables."""
    wanted = sys.argv[1:] or ["nothing", "edit"]
    if wanted[0] == "--apart":
        _apart(*wanted[1:])
        return
    if "nothing" in wanted:
        _print_nothing()
    if "edit" in wanted:
        _print_edit()


def _print_nothing() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, SMALL_DOCUMENTS, _small)
        _publish_copies(folder, SMALL_DOCUMENTS)
        print(f"A run that finds nothing to do, {SMALL_DOCUMENTS:,} small documents")
        print(f"{'':24}{'seconds':>9}{'CPU':>8}{'s/1,000':>9}{'peak MiB':>10}{'ratio':>7}")
        base = _measured(folder, "walk")
        for label, figures in (
            ("walk, read and hash", base),
            ("all documents compared", _measured(folder, "run")),
            ("the same once more", _measured(folder, "run")),
            ("libraries alone", _measured(folder, "nothing")),
        ):
            per_thousand = figures["seconds"] / SMALL_DOCUMENTS * 1000
            print(
                f"{label:24}{figures['seconds']:9.2f}{figures['cpu']:8.2f}{per_thousand:9.3f}"
                f"{figures['peak']:10.0f}{figures['cpu'] / base['cpu']:7.1f}"
            )


def _print_edit() -> None:
    print(f"One edited document, {CHUNKS_PER_DOCUMENT} chunks each")
    print(f"{'chunks':>10}{'MB':>7}{'parse s':>9}{'chunk s':>9}{'both':>7}{'CPU':>7}"
          f"{'peak MiB':>10}{'nothing s':>11}")  # fmt: skip
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder, count = Path(name), size // CHUNKS_PER_DOCUMENT
            _write(folder, count, _long)
            _publish_copies(folder, count)
            megabytes = sum(f.live.stat().st_size for f in direct.partition(folder).files
                            if f.live.exists()) / 1e6  # fmt: skip
            nothing = _measured(folder, "run")
            edited = direct.sources(folder) / _name(count // 2)
            edited.write_text(edited.read_text().replace("section 7 ", "chapter 7 "))
            found = _measured(folder, "run")
            # Ids of copies are made up, so that all chunks of the document are replaced.
            assert (found["changed"], found["inserted"]) == (1, CHUNKS_PER_DOCUMENT), found
            print(
                f"{size:10,}{megabytes:7.0f}{found['parse']:9.2f}{found['chunk']:9.2f}"
                f"{found['seconds']:7.2f}{found['cpu']:7.2f}{found['peak']:10.0f}"
                f"{nothing['seconds']:11.2f}"
            )


def _small() -> str:
    return "# Note\n\nA few words about the matter, no more than a short note has.\n"


def _long() -> str:
    parts = [
        f"## Part {number}\n\nThis is section {number} of the text. It says what it has to say, "
        "and then it says a little more about the same matter.\n"
        for number in range(CHUNKS_PER_DOCUMENT // 2)
    ]
    return "\n".join(parts)


def _name(number: int) -> str:
    return f"{number // 200:03}/document {number:06}.md"


def _write(folder: Path, count: int, text: Any) -> None:
    root = direct.sources(folder)
    for number in range(count):
        file = root / _name(number)
        if number % 200 == 0:
            file.parent.mkdir(parents=True)
        file.write_text(text())


def _publish_copies(folder: Path, count: int) -> None:
    """What a run over equal documents publishes: one is run, its rows are copied for the others."""
    root = direct.sources(folder)
    whole = root.rename(root.with_name("whole"))
    first = root / _name(0)
    first.parent.mkdir(parents=True)
    first.write_bytes((whole / _name(0)).read_bytes())
    with WorkerPool(1) as pool:
        direct.run(folder, pool, "template")
    first.unlink()
    first.parent.rmdir()
    root.rmdir()
    whole.rename(root)
    ids = [f"{direct.TENANT}/{direct.CORPUS}/{_name(n)}" for n in range(1, count)]
    files = direct.partition(folder)
    _copy(files.documents, documents.schema(), ids, {
        "documents": "document_id", "blocks": "document_id, text", "pages": "document_id",
    })  # fmt: skip
    _copy(files.chunks, chunks.schema(), ids, {
        "chunks": "document_id, id, parent_id, content", "chunked_documents": "document_id",
        "chunk_changes": "document_id, chunk_id, sequence",
    })  # fmt: skip


def _copy(file: StoreFile, schema: str, ids: list[str], tables: dict[str, str]) -> None:
    made = {
        "document_id": "copies.new_id",
        "id": "md5(copies.new_id || t.id)",
        "parent_id": "md5(copies.new_id || t.parent_id)",
        "chunk_id": "md5(copies.new_id || t.chunk_id)",
        # Real texts differ, and do not compress as a thousand copies of one do.
        "content": "md5(copies.new_id || t.id) || t.content",
        "text": "md5(copies.new_id || t.index) || t.text",
        "sequence": f"t.sequence + {CHUNKS_PER_DOCUMENT} * copies.number",
    }
    with staged(file, schema, run_id="copies", memory_limit="2GiB") as staging:
        with staging.transaction() as connection:
            connection.execute(
                "CREATE TEMP TABLE copies AS SELECT unnest(?::VARCHAR[]) AS new_id, "
                "unnest(range(1, ?)) AS number",
                [ids, len(ids) + 1],
            )
            for table, columns in tables.items():
                replaced = ", ".join(f"{made[c]} AS {c}" for c in columns.split(", "))
                connection.execute(
                    f"INSERT INTO {table} SELECT t.* REPLACE ({replaced}) FROM copies, "
                    f"(SELECT * FROM {table}) AS t ORDER BY copies.number"
                )
        staging.publish()


def _measured(folder: Path, what: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.incremental", "--apart", str(folder), what],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _apart(folder: str, what: str) -> None:
    if what != "walk":
        _warm_up()
    started, cpu = time.monotonic(), time.process_time()
    found: dict[str, float] = {}
    if what == "walk":
        _walk_and_hash(direct.sources(Path(folder)))
    elif what == "run":
        with _pool() as pool:
            parsed, chunked = direct.run(Path(folder), pool, "measured")
        found = {
            "parse": parsed.seconds,
            "chunk": chunked.seconds,
            "changed": parsed.changed,
            "inserted": chunked.inserted,
        }
    found["seconds"] = time.monotonic() - started
    found["cpu"] = time.process_time() - cpu
    found["peak"] = _peak_mebibytes()
    print(json.dumps(found))


def _peak_mebibytes() -> float:
    """Not from getrusage, whose figure starts from the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _warm_up() -> None:
    """Load what the stages load when they first need it."""
    with tempfile.TemporaryDirectory() as name, _pool() as pool:
        _write(Path(name), 1, _small)
        direct.run(Path(name), pool, "warm up")


def _pool() -> AbstractContextManager[Any]:
    """Parses in this process: a worker's start is not what is measured here."""
    return nullcontext(_Here())


class _Here:
    def run(self, function: Any, items: Iterable[Any]) -> Iterator[Any]:
        from rag_assets.workers.pool import Outcome

        for key, arguments in items:
            yield Outcome(key, function(*arguments), 0.0)


def _walk_and_hash(root: Path) -> int:
    found = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                found += len(sha256(file.read()).hexdigest())
    return found


if __name__ == "__main__":
    main()
