"""A version is published whole or not at all; real processes, real kills."""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

import duckdb
import pytest

from rag_assets.store.layout import StoreFile, Warehouse
from rag_assets.store.reading import open_live
from rag_assets.store.staging import Staging, staged
from rag_core.errors import StoreError

SCHEMA = "CREATE TABLE IF NOT EXISTS numbers (n INTEGER)"
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def file(tmp_path: Path) -> StoreFile:
    return Warehouse(tmp_path / "it's").partition("acme", "handbook").chunks


def add(staging: Staging, n: int) -> None:
    with staging.transaction() as connection:
        connection.execute("INSERT INTO numbers VALUES (?)", [n])


def publish(file: StoreFile, n: int) -> None:
    with staged(file, SCHEMA, run_id=f"r{n}") as staging:
        add(staging, n)
        staging.publish()


def live(file: StoreFile) -> list[int]:
    with open_live(file) as connection:
        return [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n").fetchall()]


def beside(file: StoreFile) -> set[str]:
    return {path.name for path in file.live.parent.iterdir()}


def hold(file: StoreFile, ready: Event, midway: bool) -> None:
    """Runs in a process of its own: commit 7, begin 8, wait to be killed."""
    with staged(file, SCHEMA, run_id="held") as staging:
        add(staging, 7)
        if midway:
            staging.connection.execute("BEGIN")
            staging.connection.execute("INSERT INTO numbers VALUES (8)")
        ready.set()
        time.sleep(60)


@pytest.fixture
def holder(file: StoreFile):
    started = []

    def start(midway: bool = False) -> Callable[[], None]:
        ready = SPAWN.Event()
        process = SPAWN.Process(target=hold, args=(file, ready, midway), daemon=True)
        process.start()
        started.append(process)
        assert ready.wait(30)

        def kill() -> None:
            assert process.pid
            os.kill(process.pid, signal.SIGKILL)
            process.join(10)

        return kill

    yield start
    for process in started:
        process.kill()
        process.join(10)


def test_published_versions_build_on_each_other_and_leave_nothing_behind(file: StoreFile) -> None:
    publish(file, 1)
    publish(file, 2)
    assert live(file) == [1, 2]
    assert beside(file) == {"chunks.duckdb"}


@pytest.mark.parametrize("error", [None, RuntimeError, KeyboardInterrupt])
def test_without_publish_the_live_file_is_untouched_and_work_goes_on(
    file: StoreFile, error: type[BaseException] | None
) -> None:
    publish(file, 1)
    before = file.live.read_bytes()
    with contextlib.suppress(*[error] if error else []), staged(file, SCHEMA, run_id="r2") as s:
        add(s, 2)
        if error:
            raise error
    assert file.live.read_bytes() == before
    with staged(file, SCHEMA, run_id="r3") as staging:
        assert staging.resumed
        staging.publish()
    assert live(file) == [1, 2]


def test_a_discarded_version_is_forgotten(file: StoreFile) -> None:
    publish(file, 1)
    with staged(file, SCHEMA, run_id="r2") as staging:
        add(staging, 2)
        staging.discard()
    with staged(file, SCHEMA, run_id="r3") as staging:
        assert not staging.resumed
    assert live(file) == [1]


def test_a_failed_transaction_leaves_nothing_of_it(file: StoreFile) -> None:
    with staged(file, SCHEMA, run_id="r1") as staging:
        add(staging, 1)
        with contextlib.suppress(RuntimeError), staging.transaction() as connection:
            connection.execute("INSERT INTO numbers VALUES (2)")
            raise RuntimeError
        staging.publish()
    assert live(file) == [1]


@pytest.mark.parametrize("published", [False, True])
def test_a_killed_run_is_gone_on_from_without_its_half_batch(
    file: StoreFile, holder: Callable[..., Callable[[], None]], published: bool
) -> None:
    if published:
        publish(file, 1)
    holder(midway=True)()
    if published:
        assert live(file) == [1]
    with staged(file, SCHEMA, run_id="next") as staging:
        assert staging.resumed
        staging.publish()
    assert live(file) == ([1, 7] if published else [7])
    assert beside(file) == {"chunks.duckdb"}


def test_a_second_writer_fails_with_the_holders_name(
    file: StoreFile, holder: Callable[..., Callable[[], None]]
) -> None:
    kill = holder()
    pattern = r"run held \(process \d+ on .+, since .+\)"
    started = time.monotonic()
    with pytest.raises(StoreError, match=pattern), staged(file, SCHEMA, run_id="second"):
        pass
    assert time.monotonic() - started < 5
    with (
        pytest.raises(StoreError, match=pattern),
        staged(file, SCHEMA, run_id="second", timeout=0.3),
    ):
        pass
    kill()
    with staged(file, SCHEMA, run_id="third"):
        pass


def test_a_partition_that_is_being_written_is_not_removed(
    tmp_path: Path, file: StoreFile, holder: Callable[..., Callable[[], None]]
) -> None:
    warehouse = Warehouse(tmp_path / "it's")
    kill = holder()
    with pytest.raises(StoreError, match="run held"):
        warehouse.remove(warehouse.partition("acme", "handbook"), run_id="r")
    kill()
    assert warehouse.remove(warehouse.partition("acme", "handbook"), run_id="r")


def test_a_staging_file_of_another_generation_is_dropped(file: StoreFile) -> None:
    publish(file, 1)
    with staged(file, SCHEMA, run_id="r2") as staging:
        add(staging, 2)
    kept = file.staging.read_bytes()
    file.staging.unlink()
    publish(file, 3)
    file.staging.write_bytes(kept)
    with staged(file, SCHEMA, run_id="r4") as staging:
        assert not staging.resumed
        staging.publish()
    assert live(file) == [1, 3]


@pytest.mark.parametrize("rubbish", [b"", b"no database", None])
def test_a_damaged_staging_file_is_dropped(file: StoreFile, rubbish: bytes | None) -> None:
    publish(file, 1)
    with staged(file, SCHEMA, run_id="r2") as staging:
        add(staging, 2)
    data = file.staging.read_bytes()
    file.staging.write_bytes(data[: len(data) // 3] if rubbish is None else rubbish)
    file.copy.write_bytes(b"left over")
    file.rows.write_bytes(b"left over")
    with staged(file, SCHEMA, run_id="r3") as staging:
        staging.publish()
    assert live(file) == [1]
    assert beside(file) == {"chunks.duckdb"}


def test_a_damaged_live_file_is_an_error_that_says_what_to_do(file: StoreFile) -> None:
    file.live.parent.mkdir(parents=True)
    file.live.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="remove it"), staged(file, SCHEMA, run_id="r"):
        pass
    assert file.live.read_bytes() == b"no database" * 1000


def test_a_file_of_another_partition_is_refused(tmp_path: Path, file: StoreFile) -> None:
    publish(file, 1)
    other = Warehouse(tmp_path / "it's").partition("evil", "handbook").chunks
    other.live.parent.mkdir(parents=True)
    other.live.write_bytes(file.live.read_bytes())
    with pytest.raises(StoreError, match="belongs to acme/handbook"):
        publish(other, 2)


def test_a_file_of_a_newer_format_is_refused(file: StoreFile) -> None:
    publish(file, 1)
    with duckdb.connect(str(file.live)) as connection:
        connection.execute("UPDATE store_meta SET format = 99")
    with pytest.raises(StoreError, match="upgrade"):
        publish(file, 2)


def test_a_reader_keeps_its_version_and_stops_nobody(file: StoreFile) -> None:
    publish(file, 1)
    with open_live(file) as reader:
        publish(file, 2)
        assert reader.execute("SELECT n FROM numbers").fetchall() == [(1,)]
    assert live(file) == [1, 2]


def test_a_full_disk_is_an_error_that_says_what_to_do(file: StoreFile) -> None:
    publish(file, 1)
    ready, out = SPAWN.Event(), SPAWN.Queue()
    process = SPAWN.Process(target=fill, args=(file, ready, out))
    process.start()
    message = out.get(timeout=60)
    process.join(10)
    assert "published version is untouched" in message
    assert live(file) == [1]
    publish(file, 2)
    assert live(file) == [1, 2]


def fill(file: StoreFile, ready: Event, out: "multiprocessing.Queue[str]") -> None:
    """Runs in a process of its own: no file may grow beyond 2 MB."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
    try:
        with staged(file, SCHEMA, run_id="full") as staging:
            staging.connection.execute(
                "CREATE TABLE big AS SELECT md5(i::VARCHAR) AS x FROM range(1000000) t(i)"
            )
            staging.publish()
        out.put("no error")
    except StoreError as error:
        out.put(str(error))
    except BaseException as error:
        out.put(f"{type(error)}: {error}")
