"""Readers share DuckDBs one after the other, and nothing else."""

import threading
from pathlib import Path

import duckdb
import pytest

from rag_assets.store.layout import StoreFile, Warehouse
from rag_assets.store.reading import open_live
from rag_assets.store.staging import staged
from rag_core.errors import StoreError


@pytest.fixture
def files(tmp_path: Path) -> list[StoreFile]:
    warehouse = Warehouse(tmp_path / "it's")
    return [warehouse.partition("acme", corpus).chunks for corpus in ("a", "b", "c", "d")]


def publish(file: StoreFile, n: int) -> None:
    with staged(file, "CREATE TABLE IF NOT EXISTS numbers (n INTEGER)", run_id="r") as staging:
        with staging.transaction() as connection:
            connection.execute("DELETE FROM numbers")
            connection.execute("INSERT INTO numbers VALUES (?)", [n])
        staging.publish()


def read(connection: duckdb.DuckDBPyConnection) -> list[tuple]:
    return connection.execute("SELECT n FROM numbers").fetchall()


def test_each_reader_sees_the_version_of_its_time(files: list[StoreFile]) -> None:
    publish(files[0], 1)
    with open_live(files[0]) as first:
        publish(files[0], 2)
        with open_live(files[0]) as second:
            publish(files[0], 3)
            with open_live(files[0]) as third:
                assert [read(one) for one in (first, second, third)] == [[(1,)], [(2,)], [(3,)]]
        with open_live(files[0]) as fourth:
            assert (read(fourth), read(first)) == ([(3,)], [(1,)])


def test_nothing_of_a_reader_is_left_to_the_next(files: list[StoreFile]) -> None:
    publish(files[0], 1)
    publish(files[1], 2)
    with open_live(files[0]) as reader:
        reader.execute("CREATE TEMP TABLE scratch AS SELECT 1")
        reader.execute("SET VARIABLE partition_key = 'acme/a'")
        reader.execute("ATTACH ':memory:' AS corpus")
        kept = reader.cursor()
        kept.execute("USE live")
        assert read(kept) == [(1,)]
    with open_live(files[1]) as reader:
        assert read(reader) == [(2,)]
        assert reader.execute("SELECT getvariable('partition_key')").fetchall() == [(None,)]
        with pytest.raises(duckdb.CatalogException):
            reader.execute("FROM scratch")
        reader.execute("ATTACH ':memory:' AS corpus")


def test_an_error_leaves_no_trace(files: list[StoreFile]) -> None:
    publish(files[0], 1)
    files[1].live.parent.mkdir(parents=True)
    files[1].live.write_bytes(b"no database at all" * 1000)
    for _ in range(4):
        with pytest.raises(StoreError, match="damaged: remove it"), open_live(files[1]):
            pass
        with pytest.raises(StoreError, match="materialize the stage"), open_live(files[2]):
            pass
        with pytest.raises(duckdb.Error), open_live(files[0]) as reader:
            reader.execute("BEGIN; FROM nowhere")
        with open_live(files[0]) as reader:
            assert read(reader) == [(1,)]


def test_threads_do_not_get_in_each_others_way(files: list[StoreFile]) -> None:
    for number, file in enumerate(files):
        publish(file, number)
    wrong: list[object] = []

    def look(number: int) -> None:
        for turn in range(20):
            at = (number + turn) % len(files)
            with open_live(files[at]) as reader:
                if read(reader) != [(at,)]:
                    wrong.append((number, turn, at))

    threads = [threading.Thread(target=look, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
