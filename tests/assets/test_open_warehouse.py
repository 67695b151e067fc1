"""`rag_assets.open_warehouse()`: the warehouse from a notebook, read-only, while runs publish."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import rag_assets
from rag_core.errors import StoreError
from tests.assets.conftest import Project


@pytest.fixture
def stocked(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    project.write("acme/docs/corpus.toml", 'acl_labels = ["staff"]')
    project.write("acme/docs/a.md", "# A\n\nfirst")
    project.run("acme/docs")
    monkeypatch.setenv("RAG_WAREHOUSE", str(project.warehouse))
    return project


def test_gives_the_views_and_macros_where_the_environment_says(stocked: Project) -> None:
    with rag_assets.open_warehouse() as warehouse:
        assert warehouse.sql("SELECT embedding_text FROM chunk_context").fetchall() == [
            ("A\n\nfirst",)
        ]
        assert len(warehouse.sql("FROM visible_chunks(['staff'])").fetchall()) == 2
        assert warehouse.sql("FROM visible_chunks(['other'])").fetchall() == []


def test_an_open_connection_sees_what_runs_publish_and_holds_none_up(stocked: Project) -> None:
    with rag_assets.open_warehouse(stocked.warehouse) as warehouse:
        for text in ("second", "third"):
            stocked.write("acme/docs/a.md", f"# A\n\n{text}")
            stocked.run("acme/docs")
            assert warehouse.sql("SELECT content FROM chunk_context").fetchall() == [(text,)]
        stocked.write("beta/docs/b.md", "# B\n\nnew tenant")
        stocked.run("beta/docs")
        tenants = warehouse.sql("SELECT DISTINCT tenant_id FROM chunks ORDER BY ALL").fetchall()
        assert tenants == [("acme",), ("beta",)]


def test_nothing_can_be_written(stocked: Project) -> None:
    with rag_assets.open_warehouse() as warehouse, pytest.raises(duckdb.Error, match="read-only"):
        warehouse.execute("DROP VIEW chunks")


def test_without_a_warehouse_it_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"materialize a corpus first: `ragctl demo`"):
        rag_assets.open_warehouse(tmp_path)


def test_a_catalog_that_somebody_writes_names_who_and_what_to_do(stocked: Project) -> None:
    catalog = stocked.warehouse / "rag.duckdb"
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(catalog)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(StoreError) as caught:
            rag_assets.open_warehouse()
        writer.communicate("\n")
    assert f"(process {writer.pid}): close it there" in str(caught.value)


def test_a_damaged_catalog_says_how_to_mend_it(stocked: Project) -> None:
    (stocked.warehouse / "rag.duckdb").write_bytes(b"junk" * 5000)
    with pytest.raises(StoreError, match="is damaged: remove it, the next run writes it anew"):
        rag_assets.open_warehouse()
    (stocked.warehouse / "rag.duckdb").unlink()
    stocked.run("acme/docs")
    rag_assets.open_warehouse().close()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, rag_assets; print([m for m in ('dagster', 'duckdb') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
