"""Many runs and many readers at once: nobody waits for a lock, and nobody sees half a version."""

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from rag_assets.partition_key import encode
from rag_assets.store.catalog import open_warehouse
from rag_assets.store.locking import locked
from rag_assets.workers import WorkerPool
from tests.scenarios import direct
from tests.scenarios.running import Order, Outcome
from tests.scenarios.shift import Shift

CORPORA = [f"corpus-{number:02}" for number in range(20)]
DOCUMENTS = 2
PROCESSES = 3
_VERSIONS = (
    r"SELECT corpus_id, list(DISTINCT regexp_extract(content, 'version (\d+)', 1)), count(*) "
    "FROM chunks WHERE kind = 'body' GROUP BY corpus_id ORDER BY corpus_id"
)
_WORDS = "SELECT corpus_id, content FROM chunks WHERE kind = 'body' ORDER BY corpus_id"

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def shifts() -> Iterator[list[Shift]]:
    with ExitStack() as processes:
        yield [processes.enter_context(Shift()) for _ in range(PROCESSES)]


def write(root: Path, version: int, corpora: list[str]) -> None:
    for corpus in corpora:
        folder = direct.sources(root, corpus)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(DOCUMENTS):
            text = f"# Document {number}\n\nThis is version {version} of {corpus}.\n"
            (folder / f"{number}.md").write_text(text)


def order(root: Path, corpus: str, **environ: str) -> Order:
    key = encode(direct.TENANT, corpus)
    return Order(
        root=str(root / "sources"),
        places={key: str(direct.sources(root, corpus))},
        warehouse=str(root / "warehouse"),
        key=key,
        environ=environ,
    )


def at_once(shifts: list[Shift], orders: list[Order], **options: int) -> list[Outcome]:
    """Runs, dealt out to the processes."""
    busy = shifts[: len(orders)]
    for number, shift in enumerate(busy):
        shift.begin(orders[number :: len(busy)], **options)
    return [outcome for shift in busy for outcome in shift.outcomes()]


def complaints(outcomes: list[Outcome]) -> list[str]:
    return [outcome.messages for outcome in outcomes if outcome.exit]


def torn(rows: list[tuple]) -> list[tuple]:
    """Partitions seen in more than one version, or not whole."""
    return [row for row in rows if len(row[1]) != 1 or row[2] != DOCUMENTS]


def read(warehouse: Path, stop: threading.Event) -> list[object]:
    """What was seen that should not be, until `stop`: a connection stays open throughout, and so
    does a cursor in the middle of its rows."""
    wrong: list[object] = []
    with open_warehouse(warehouse) as held, open_warehouse(warehouse) as connection:
        cursor = held.execute(_WORDS)
        seen = [cursor.fetchone()]
        at_the_end = False
        while not at_the_end:
            at_the_end = stop.wait(2.0)  # readers are not what is to fill the machine
            rows = connection.execute(_VERSIONS).fetchall()
            wrong += torn(rows)
            wrong += [] if len(rows) == len(CORPORA) else [f"{len(rows)} corpora"]
        seen += cursor.fetchall()
    versions: dict[str, set[str]] = {corpus: set() for corpus in CORPORA}
    for corpus, content in filter(None, seen):
        versions[corpus] |= set(re.findall(r"version (\d+)", content))
    wrong += [(corpus, found) for corpus, found in versions.items() if len(found) != 1]
    return wrong if len(seen) == len(CORPORA) * DOCUMENTS else [*wrong, f"{len(seen)} rows"]


@pytest.mark.long
def test_twenty_partitions_at_once_with_readers_in_the_middle_of_their_rows(
    tmp_path: Path, shifts: list[Shift]
) -> None:
    write(tmp_path, 1, CORPORA)
    with WorkerPool(1) as pool:
        for corpus in CORPORA:
            direct.run(tmp_path, pool, f"first {corpus}", corpus=corpus)
    stop = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        readers = [threads.submit(read, tmp_path / "warehouse", stop) for _ in range(2)]
        try:
            write(tmp_path, 2, CORPORA)
            orders = [order(tmp_path, one) for one in CORPORA]
            outcomes = at_once(shifts, orders, with_dagster=2)
        finally:
            stop.set()
        assert complaints(outcomes) == []
        assert [reader.result() for reader in readers] == [[], []]
    with open_warehouse(tmp_path / "warehouse") as warehouse:
        found = warehouse.execute(_VERSIONS).fetchall()
        runs = warehouse.execute("SELECT count(*) FROM runs WHERE published").fetchall()
    assert found == [(corpus, ["2"], DOCUMENTS) for corpus in CORPORA]
    assert runs == [(2 * len(CORPORA),)]


def test_runs_on_one_partition_all_succeed_where_the_setting_says_wait(
    tmp_path: Path, shifts: list[Shift]
) -> None:
    write(tmp_path, 1, ["twice"])
    one = order(tmp_path, "twice", RAG_WAIT_SECONDS="120")
    assert complaints(at_once(shifts, [one] * PROCESSES)) == []
    with open_warehouse(tmp_path / "warehouse") as warehouse:
        found = warehouse.execute("SELECT count(*), count(DISTINCT id) FROM chunks").fetchall()
        changes = warehouse.execute("SELECT DISTINCT change FROM chunk_changes").fetchall()
        runs = warehouse.execute("SELECT count(*), sum(documents_added) FROM runs").fetchall()
    assert found == [(2 * DOCUMENTS, 2 * DOCUMENTS)]
    assert changes == [("insert",)]  # the second and third found all of it done
    assert runs == [(PROCESSES, DOCUMENTS)]


def test_a_second_run_on_a_partition_names_the_first_where_the_setting_says_fail(
    tmp_path: Path, shifts: list[Shift]
) -> None:
    write(tmp_path, 1, ["twice"])
    one = order(tmp_path, "twice")
    files = direct.partition(tmp_path, corpus="twice")
    with locked(files.documents.lock, run_id="the-first-run"):
        [outcome] = at_once(shifts, [one])
    assert outcome.exit == 1
    assert "the-first-run" in outcome.messages
    assert outcome.crash == ""
    assert complaints(at_once(shifts, [one])) == []
