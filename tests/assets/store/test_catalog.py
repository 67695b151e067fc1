"""What people open: exact names, pruned files, nothing stale, nobody in the way."""

import multiprocessing
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from rag_assets.store import chunks, documents
from rag_assets.store.catalog import open_warehouse, refresh_catalog
from rag_assets.store.chunks import ChunkedDocument
from rag_assets.store.documents import FailedDocument, ParsedRow
from rag_assets.store.layout import Warehouse
from rag_assets.store.staging import staged
from rag_chunker.context import embedding_contexts
from rag_core.errors import StoreError
from rag_core.types import Block, BlockType, Chunk, Document, ParsedDocument

VIEWS = [
    "documents", "blocks", "pages", "ocr_pages", "ocr_regions", "chunks",
    "chunked_documents", "chunk_changes", "documents_as_parsed",
    "runs", "last_runs", "published_runs", "noted_runs",
    "chunk_context", "failed_documents", "corpus_summary", "visible_chunks(['a'])",
]  # fmt: skip
TENANTS = ["acme", "Acme", "NULL", "123", "2024-01-01", "O'Brien; --", "..", "日本", "%41", "a/b"]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    root = tmp_path / "it's [a] ware*house"
    root.mkdir()
    return Warehouse(root)


def publish(warehouse: Warehouse, tenant: str, *names: str, label: str = "a") -> None:
    partition = warehouse.partition(tenant, "007")
    parsed = [
        ParsedDocument(
            document=Document(
                id=f"{tenant}/007/{name}",
                tenant_id=tenant,
                corpus_id="007",
                source_uri=name,
                mime_type="text/plain",
                title=f"Title {name}",
                content_hash="0",
            ),
            blocks=(Block(type=BlockType.paragraph, text=name),),
        )
        for name in names
    ]
    with staged(partition.documents, documents.schema(), run_id="r") as staging:
        documents.replace(staging, [ParsedRow(document, "k") for document in parsed])
        lost = f"{tenant}/007/lost"
        documents.fail(staging, [FailedDocument(lost, "lost", "CorruptDocument", "torn")])
        staging.publish()
    with staged(partition.chunks, chunks.schema(), run_id="r") as staging:
        chunks.begin(staging)
        chunks.replace(staging, [chunked(document, label) for document in parsed])
        chunks.finish(staging)
        staging.publish()
    refresh_catalog(warehouse)


def chunked(parsed: ParsedDocument, label: str) -> ChunkedDocument:
    name = parsed.text
    fields = {
        "document_id": parsed.document.id,
        "tenant_id": parsed.document.tenant_id,
        "token_count": 2,
        "acl_labels": (label,),
    }
    heading = {"kind": "heading", "level": 1}
    made = [
        Chunk(id=f"{name}0", position=0, content="Head", metadata=heading, **fields),
        Chunk(
            id=f"{name}1",
            position=1,
            content=name,
            parent_id=f"{name}0",
            metadata={"kind": "body"},
            **fields,
        ),
    ]
    title = parsed.document.title
    contexts = embedding_contexts(made, title)
    return ChunkedDocument(parsed.document.id, "k", made, [label], contexts, title=title)


def query(warehouse: Warehouse, sql: str) -> list[tuple[object, ...]]:
    with open_warehouse(warehouse.root) as connection:
        return connection.execute(sql).fetchall()


def test_an_empty_warehouse_has_every_view_empty_and_typed_as_a_full_one(
    warehouse: Warehouse,
) -> None:
    def types() -> dict[str, list[tuple[object, ...]]]:
        return {view: query(warehouse, f"DESCRIBE FROM {view}") for view in VIEWS}

    assert refresh_catalog(warehouse) is True
    assert [view for view in VIEWS if query(warehouse, f"FROM {view}")] == []
    empty = types()
    publish(warehouse, "acme", "x")
    assert types() == empty


def test_names_come_back_exactly_as_text(warehouse: Warehouse) -> None:
    for tenant in TENANTS:
        publish(warehouse, tenant, "x")
    found = query(warehouse, "SELECT tenant_id, corpus_id, document_id FROM chunk_context")
    assert sorted(found) == sorted((tenant, "007", f"{tenant}/007/x") for tenant in TENANTS)
    assert query(warehouse, "SELECT DISTINCT typeof(tenant_id), typeof(corpus_id) FROM chunks") == [
        ("VARCHAR", "VARCHAR")
    ]


@pytest.mark.parametrize("view", ["chunks", "documents", "chunk_context", "visible_chunks(['a'])"])
def test_a_filter_on_the_tenant_opens_that_tenants_files_only(
    warehouse: Warehouse, view: str
) -> None:
    for tenant in ("a", "b", "c"):
        publish(warehouse, tenant, "x")
    ((_, plan),) = query(warehouse, f"EXPLAIN ANALYZE SELECT * FROM {view} WHERE tenant_id = 'b'")
    assert set(re.findall(r"Total Files Read: (\d+)", str(plan))) == {"1"}


def test_the_catalog_is_written_only_when_its_definition_changes(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x")
    before = warehouse.catalog.stat().st_ino
    publish(warehouse, "b", "y")
    assert refresh_catalog(warehouse) is False
    assert warehouse.catalog.stat().st_ino == before
    assert len(query(warehouse, "FROM chunk_context")) == 2
    for partition in list(warehouse.partitions()):
        warehouse.remove(partition, run_id="r")
    assert refresh_catalog(warehouse) is True
    assert query(warehouse, "FROM chunk_context") == []


def test_an_open_reader_sees_each_new_version(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x")
    with open_warehouse(warehouse.root) as reader:
        cursor = reader.cursor()
        for n, names in enumerate(["xy", "xyz"], start=2):
            publish(warehouse, "a", *names)
            assert cursor.execute("SELECT count(*) FROM chunk_context").fetchall() == [(n,)]


def poll(
    root: Path, stop: "multiprocessing.synchronize.Event", out: "multiprocessing.Queue"
) -> None:
    """Runs in a process of its own: an analyst who never stops asking."""
    seen, errors = set(), []
    with open_warehouse(root) as connection:
        out.put("ready")
        while not stop.is_set():
            try:
                sql = "SELECT count(*), count(DISTINCT document_id) FROM chunks"
                seen.add(connection.execute(sql).fetchone())
            except duckdb.Error as error:
                errors.append(str(error))
    out.put((seen, errors))


def test_an_analyst_in_another_process_disturbs_no_run_and_sees_whole_versions(
    warehouse: Warehouse,
) -> None:
    publish(warehouse, "a", "x")
    spawn = multiprocessing.get_context("spawn")
    stop, out = spawn.Event(), spawn.Queue()
    process = spawn.Process(target=poll, args=(warehouse.root, stop, out), daemon=True)
    process.start()
    assert out.get(timeout=60) == "ready"
    names = ["x"]
    for name in "abcdefgh":
        names.append(name)
        publish(warehouse, "a", *names)
        warehouse.catalog.touch()
    stop.set()
    seen, errors = out.get(timeout=60)
    process.join(10)
    assert errors == []
    assert [row for row in seen if row[0] != 2 * row[1]] == []


def test_context_stands_before_the_content_to_embed(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x")
    sql = "SELECT title, heading_path, content, embedding_text FROM chunk_context"
    assert query(warehouse, sql) == [("Title x", ["Head"], "x", "Title x > Head\n\nx")]


def test_only_those_with_a_label_see_a_chunk(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x", label="staff")
    publish(warehouse, "b", "y", label="boss")
    sql = "SELECT DISTINCT tenant_id FROM visible_chunks({})"
    assert query(warehouse, sql.format("['boss', 'x']")) == [("b",)]
    assert query(warehouse, sql.format("[]")) == []
    assert query(warehouse, sql.format("NULL")) == []


def test_the_summary_counts_what_is_there(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x", "y")
    sql = (
        "SELECT tenant_id, documents, chunks, body_chunks, tokens, failed, stale, last_run "
        "FROM corpus_summary"
    )
    assert query(warehouse, sql) == [("a", 3, 4, 2, 8, 1, 0, "r")]
    assert query(warehouse, "SELECT stage, document_id, error FROM failed_documents") == [
        ("parse", "a/007/lost", "torn")
    ]


def test_files_of_an_older_release_stand_beside_newer_ones(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x")
    publish(warehouse, "b", "y")
    with duckdb.connect(str(warehouse.partition("a", "007").chunks.live)) as connection:
        connection.execute("ALTER TABLE chunks DROP COLUMN heading_path")
    found = query(warehouse, "SELECT tenant_id, heading_path FROM chunks ORDER BY 1, position")
    assert found == [("a", None), ("a", None), ("b", []), ("b", ["Head"])]


def test_the_catalog_opens_from_any_folder(warehouse: Warehouse, tmp_path: Path) -> None:
    publish(warehouse, "a", "x")
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); "
        "print(c.execute('SELECT count(*) FROM chunks').fetchone()[0])"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with open_warehouse(warehouse.root):  # somebody else has it open, too
        done = subprocess.run(
            [sys.executable, "-c", code, str(warehouse.catalog)],
            cwd=elsewhere, capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert done.stdout.strip() == "2"


def test_no_warehouse_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="materialize"):
        open_warehouse(tmp_path)


def test_a_damaged_catalog_is_written_anew(warehouse: Warehouse) -> None:
    publish(warehouse, "a", "x")
    warehouse.catalog.write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreError, match="remove it"):
        open_warehouse(warehouse.root)
    assert refresh_catalog(warehouse) is True
    assert len(query(warehouse, "FROM chunks")) == 2


def test_a_catalog_that_another_program_replaced_is_written_anew(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    publish(warehouse, "a", "x")
    assert refresh_catalog(warehouse) is False
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("CREATE VIEW catalog_version AS SELECT 'another' AS digest")
    (tmp_path / "other.duckdb").replace(warehouse.catalog)
    assert refresh_catalog(warehouse) is True
    with duckdb.connect(str(warehouse.catalog)) as edited:  # in place
        edited.execute("CREATE OR REPLACE VIEW catalog_version AS SELECT 'another' AS digest")
    assert refresh_catalog(warehouse) is True
    assert len(query(warehouse, "FROM chunks")) == 2
