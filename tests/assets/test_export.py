"""`ragctl export` and the formats of `ragctl query`: the warehouse for other engines."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from click.testing import CliRunner, Result

from rag_chunker.cli import cli
from tests.assets.conftest import Project


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """What the tests below only read; the one that changes it comes last."""
    folder = tmp_path_factory.mktemp("project")
    with dg.DagsterInstance.ephemeral(tempdir=str(folder / "dagster")) as instance:
        project = Project(folder, instance)
        project.write("acme/docs/a.md", '# A "quoted"\n\nfirst, second\n\n## B\n\n- [red]x')
        project.write("O'Brien & co/Docs/b.md", "# B\n\ntext")
        for key in ("acme/docs", "O%27Brien%20%26%20co/Docs"):
            project.run(key)
        yield project


def ragctl(project: Project, *words: str | Path, **options: str) -> Result:
    environ = {"RAG_WAREHOUSE": str(project.warehouse), "COLUMNS": "80"}
    return CliRunner().invoke(cli, [str(word) for word in words], env=environ, **options)


def read(folder: Path, view: str = "chunk_context") -> list[tuple]:
    with duckdb.connect() as connection:
        return connection.execute(
            "SELECT tenant_id, corpus_id, * EXCLUDE (tenant_id, corpus_id) FROM "
            "read_parquet($files, hive_partitioning = true) ORDER BY ALL",
            {"files": f"{folder}/*/*/{view}.parquet"},
        ).fetchall()


def test_every_row_comes_back_under_its_tenant_and_corpus(stocked: Project, tmp_path: Path) -> None:
    for view in ("chunk_context", "chunks"):
        assert ragctl(stocked, "export", tmp_path, "--view", view).exit_code == 0
        rows = stocked.query(
            f"SELECT tenant_id, corpus_id, * EXCLUDE (tenant_id, corpus_id) FROM {view} "
            "ORDER BY ALL"
        )
        assert rows
        assert read(tmp_path, view) == rows


def test_only_what_is_asked_for_is_written(stocked: Project, tmp_path: Path) -> None:
    ragctl(stocked, "export", tmp_path, "--tenant", "acme")
    assert {row[0] for row in read(tmp_path)} == {"acme"}
    result = ragctl(stocked, "export", tmp_path / "x", "--corpus", "nope")
    assert result.exit_code == 1
    assert "no corpus matches */nope; there are: O'Brien & co/Docs, acme/docs" in result.stderr


def test_changes_since_a_time_are_those_and_no_others(stocked: Project, tmp_path: Path) -> None:
    for since, expected in (("2001-01-01", 2), ("2999-01-01T00:00", 0)):
        for view in ("chunk_changes", "chunk_context"):
            words = ("--view", view, "--since", since, "--tenant", "O'Brien & co")
            assert ragctl(stocked, "export", tmp_path / since, *words).exit_code == 0
        assert len(read(tmp_path / since, "chunk_changes")) == expected


class TestQuery:
    sql = "SELECT heading_path, content, 1.5 AS n, NULL AS nothing FROM chunk_context ORDER BY 2"

    def test_csv_holds_lists_as_json(self, stocked: Project) -> None:
        header, *rows = csv.reader(ragctl(stocked, "query", self.sql).output.splitlines())
        assert header == ["heading_path", "content", "n", "nothing"]
        assert rows[0] == ['["A \\"quoted\\"", "B"]', "[red]x", "1.5", ""]

    def test_json_lines_keep_numbers_lists_and_json(self, stocked: Project) -> None:
        sql = "SELECT 1.5 AS a, [1] AS a, metadata, 'nan'::DOUBLE AS n FROM chunks LIMIT 1"
        shown = ragctl(stocked, "query", sql, "--format", "jsonl").output
        assert json.loads(shown) == {
            "a": 1.5,
            "a_2": [1],
            "metadata": {"kind": "heading", "level": 1},
            "n": None,
        }

    def test_a_table_shows_brackets_as_they_are(self, stocked: Project) -> None:
        shown = ragctl(stocked, "query", self.sql, "--format", "table").output
        assert "[red]x" in shown
        assert '["A \\"quoted\\"", "B"]' in shown

    def test_rows_too_wide_for_a_table_stand_one_column_a_line(self, stocked: Project) -> None:
        shown = ragctl(stocked, "query", "FROM chunks", "--format", "table").output
        assert "\ncorpus_id     " in shown
        assert max(map(len, shown.splitlines())) <= 80

    @pytest.mark.parametrize("name", ["x.parquet", "x.jsonl", "x.csv"])
    def test_a_file_is_whole_or_not_there(
        self, stocked: Project, tmp_path: Path, name: str
    ) -> None:
        assert ragctl(stocked, "query", self.sql, "-o", tmp_path / name).exit_code == 0
        before = (tmp_path / name).read_bytes()
        with duckdb.connect() as connection:
            assert len(connection.execute(f"FROM '{tmp_path / name}'").fetchall()) == 3
        late = "SELECT CASE WHEN range < 5000 THEN 1 ELSE error('late') END FROM range(9000)"
        assert ragctl(stocked, "query", late, "-o", tmp_path / name).exit_code == 1
        assert [path.name for path in tmp_path.glob("*x.*")] == [name]
        assert (tmp_path / name).read_bytes() == before

    def test_parquet_can_be_piped(self, stocked: Project, tmp_path: Path) -> None:
        piped = ragctl(stocked, "query", self.sql, "--format", "parquet").stdout_bytes
        (tmp_path / "x.parquet").write_bytes(piped)
        with duckdb.connect() as connection:
            assert len(connection.execute(f"FROM '{tmp_path}/x.parquet'").fetchall()) == 3

    def test_sql_may_come_from_stdin(self, stocked: Project) -> None:
        assert ragctl(stocked, "query", "-", input="SELECT 5 AS five").output == "five\n5\n"

    @pytest.mark.parametrize(
        ("sql", "says"),
        [
            ("COPY chunks TO 'x'", "COPY is not run"),
            ("ATTACH 'x.duckdb'", "ATTACH is not run"),
            ("SELECT 1; SELECT 2", "give one query"),
            ("", "give one query"),
        ],
    )
    def test_what_is_no_query_is_not_run(self, stocked: Project, sql: str, says: str) -> None:
        result = ragctl(stocked, "query", sql)
        assert result.exit_code == 1
        assert says in result.stderr


def test_a_gone_corpus_is_gone_from_the_export_and_nothing_half_written_is_left(
    stocked: Project, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ragctl(stocked, "export", out)
    (stocked.sources / "acme/docs/a.md").write_text("# A\n\nnew")
    stocked.run("acme/docs")
    warehouse = stocked.resources["warehouse"].warehouse
    gone = warehouse.partition("O'Brien & co", "Docs")
    assert warehouse.remove(gone, run_id="test")
    shown = ragctl(stocked, "export", out).output
    assert "removed, its corpus is gone" in shown
    assert [row[:2] for row in read(out)] == [("acme", "docs")]
    files = [path.name for path in out.rglob("*") if path.is_file()]
    assert files == ["chunk_context.parquet"]
