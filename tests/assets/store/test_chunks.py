"""The change log tells exactly what happened, also over crashes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.store import chunks
from rag_assets.store.chunks import ChunkedDocument, FailedChunking, RunCounts
from rag_assets.store.layout import StoreFile, Warehouse
from rag_assets.store.reading import open_live
from rag_assets.store.staging import staged
from rag_core.errors import StoreError
from rag_core.types import Chunk


@pytest.fixture
def file(tmp_path: Path) -> StoreFile:
    return Warehouse(tmp_path).partition("acme", "c").chunks


def document(name: str, contents: str, *, key: str = "k", label: str = "a") -> ChunkedDocument:
    """One chunk per letter, named by it; a capital is a heading over what follows."""
    made: list[Chunk] = []
    parent = None
    for position, letter in enumerate(contents):
        heading = letter.isupper()
        made.append(
            Chunk(
                id=f"{name}{letter}",
                document_id=f"acme/c/{name}",
                tenant_id="acme",
                position=position,
                parent_id=None if heading else parent,
                content=letter,
                token_count=1,
                acl_labels=(label,),
                metadata={"kind": "heading", "level": 1} if heading else {"kind": "body"},
                start=position,
                end=position + 1,
            )
        )
        parent = f"{name}{letter}" if heading else parent
    return ChunkedDocument(f"acme/c/{name}", key, made, [label])


def run(file: StoreFile, run_id: str, *batch: ChunkedDocument) -> RunCounts:
    with staged(file, chunks.schema(), run_id=run_id) as staging:
        chunks.begin(staging)
        chunks.replace(staging, batch)
        counts = chunks.finish(staging)
        staging.publish()
    return counts


def rows(file: StoreFile, sql: str) -> list[tuple[object, ...]]:
    with open_live(file) as connection:
        return connection.execute(sql).fetchall()


def test_only_what_differs_is_logged(file: StoreFile) -> None:
    assert run(file, "r1", document("d", "Hxy")) == RunCounts(1, 0, 3, 0, 0)
    assert run(file, "r2", document("d", "Hxy")) == RunCounts(1, 0, 0, 0, 0)
    assert run(file, "r3", document("d", "Hxzy")) == RunCounts(1, 0, 1, 1, 0)
    assert run(file, "r4", document("d", "Hy", label="b")) == RunCounts(1, 0, 0, 2, 2)
    found = rows(file, "SELECT run_id, chunk_id, change FROM chunk_changes ORDER BY sequence")
    assert found[3:] == [
        ("r3", "dy", "update"),
        ("r3", "dz", "insert"),
        ("r4", "dx", "delete"),
        ("r4", "dz", "delete"),
        ("r4", "dH", "update"),
        ("r4", "dy", "update"),
    ]
    assert rows(file, "SELECT id, position, acl_labels, heading_path FROM chunks ORDER BY 2") == [
        ("dH", 0, ["b"], []),
        ("dy", 1, ["b"], ["H"]),
    ]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("pqr"), st.none() | st.permutations("Hxyz").map("".join), max_size=3
        ),
        min_size=1,
        max_size=4,
    )
)
def test_the_log_replayed_from_nothing_gives_the_table(
    file: StoreFile, runs: list[dict[str, str | None]]
) -> None:
    with staged(file, chunks.schema(), run_id="r") as staging:
        chunks.begin(staging)
        for batch in runs:
            chunks.replace(staging, [document(n, text[:3]) for n, text in batch.items() if text])
            chunks.delete(staging, [f"acme/c/{n}" for n, text in batch.items() if not text])
        log = staging.connection.execute(
            "SELECT sequence, chunk_id, change FROM chunk_changes ORDER BY sequence"
        ).fetchall()
        ids = staging.connection.execute("SELECT id FROM chunks").fetchall()
    there: set[str] = set()
    for _, chunk_id, change in log:
        assert (chunk_id in there) is (change != "insert")
        there.discard(chunk_id) if change == "delete" else there.add(chunk_id)
    assert sorted(ids) == sorted((chunk_id,) for chunk_id in there)
    assert [sequence for sequence, *_ in log] == list(range(1, len(log) + 1))


def test_a_run_that_takes_over_owns_what_the_killed_one_did(file: StoreFile) -> None:
    run(file, "r1", document("a", "x"))
    with staged(file, chunks.schema(), run_id="killed") as staging:
        chunks.begin(staging)
        chunks.replace(staging, [document("b", "y")])
    assert run(file, "r2", document("b", "y"), document("c", "z")) == RunCounts(2, 0, 2, 0, 0)
    assert rows(file, "SELECT run_id, chunk_id FROM chunk_changes ORDER BY sequence") == [
        ("r1", "ax"),
        ("r2", "by"),
        ("r2", "cz"),
    ]
    assert rows(file, "SELECT run_id FROM runs ORDER BY started_at") == [("r1",), ("r2",)]
    assert rows(file, "SELECT count(*), count(DISTINCT id) FROM chunks") == [(3, 3)]


def test_a_failed_document_keeps_its_chunks_and_is_tried_again(file: StoreFile) -> None:
    run(file, "r1", document("a", "x"))
    with staged(file, chunks.schema(), run_id="r2") as staging:
        chunks.begin(staging)
        chunks.fail(
            staging,
            [
                FailedChunking("acme/c/a", "ChunkError", "no"),
                FailedChunking("acme/c/b", "ChunkError", "no"),
            ],
        )
        assert chunks.keys(staging.connection) == {"acme/c/a": None, "acme/c/b": None}
        assert chunks.finish(staging) == RunCounts(2, 2, 0, 0, 0)
        staging.publish()
    sql = "SELECT document_id, status, stale, n_chunks, error FROM chunked_documents ORDER BY 1"
    assert rows(file, sql) == [
        ("acme/c/a", "failed", True, 1, "no"),
        ("acme/c/b", "failed", False, 0, "no"),
    ]
    assert rows(file, "SELECT id FROM chunks") == [("ax",)]
    run(file, "r3", document("a", "x"), document("b", "y"))
    assert rows(file, sql) == [
        ("acme/c/a", "ok", False, 1, None),
        ("acme/c/b", "ok", False, 1, None),
    ]


def test_a_deleted_document_leaves_nothing_but_its_log(file: StoreFile) -> None:
    run(file, "r1", document("a", "xy"), document("b", "z"))
    with staged(file, chunks.schema(), run_id="r2") as staging:
        chunks.begin(staging)
        assert chunks.delete(staging, ["acme/c/a", "nowhere"]) == 1
        assert chunks.finish(staging).deleted == 2
        staging.publish()
    assert rows(file, "SELECT id FROM chunks") == [("bz",)]
    assert rows(file, "SELECT document_id FROM chunked_documents") == [("acme/c/b",)]


@pytest.mark.parametrize("field", [{"tenant_id": "evil"}, {"document_id": "acme/c/other"}])
def test_a_chunk_of_another_tenant_or_document_is_refused(
    file: StoreFile, field: dict[str, str]
) -> None:
    good = document("a", "x")
    bad = ChunkedDocument(good.document_id, "k", [good.chunks[0].model_copy(update=field)], ["a"])
    with staged(file, chunks.schema(), run_id="r") as staging:
        chunks.begin(staging)
        with pytest.raises(StoreError, match="is of tenant"):
            chunks.replace(staging, [bad])
        assert chunks.keys(staging.connection) == {}


def test_what_cannot_be_stored_costs_one_document(file: StoreFile) -> None:
    with staged(file, chunks.schema(), run_id="r") as staging:
        chunks.begin(staging)
        batch = [document("a", "\ud800"), document("b", "x")]
        failed = chunks.unstorable(batch)
        assert [row.document_id for row in failed] == ["acme/c/a"]
        with pytest.raises(ValueError, match="surrogates"):
            chunks.replace(staging, batch)
        chunks.replace(staging, batch[1:])
        chunks.fail(staging, failed)
        assert chunks.keys(staging.connection) == {"acme/c/a": None, "acme/c/b": "k"}


def test_a_repeated_id_is_stored_as_it_came_for_the_checks_to_name(file: StoreFile) -> None:
    run(file, "r1", document("a", "xx"))
    assert run(file, "r2", document("a", "xx")) == RunCounts(1, 0, 0, 0, 0)
    assert rows(file, "SELECT id, position FROM chunks ORDER BY 2") == [("ax", 0), ("ax", 1)]


def test_an_older_file_gets_the_columns_it_lacks(file: StoreFile) -> None:
    run(file, "r1", document("a", "x"))
    with staged(file, "", run_id="old") as staging:
        staging.connection.execute("ALTER TABLE chunks DROP COLUMN heading_path")
        staging.publish()
    run(file, "r2", document("b", "y"))
    assert rows(file, "SELECT id, heading_path FROM chunks ORDER BY 1") == [
        ("ax", None),
        ("by", []),
    ]
