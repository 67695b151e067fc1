"""`ragctl status` and `ragctl query`, on a warehouse that the assets made."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rag_chunker.cli import cli
from tests.assets import careless
from tests.assets.conftest import Project


def stocked(project: Project) -> dict[str, str]:
    """The environment of who works there."""
    project.write("acme/docs/good.md", "# Good\n\ntext")
    project.write("acme/docs/bad.pdf", b"%PDF-1.7\nnot really")
    project.write("acme/docs/what.xyz", b"\x00\x01")
    project.write("stray.txt", "in no corpus")
    project.run("acme/docs")
    return {"RAG_WAREHOUSE": str(project.warehouse), "RAG_SOURCES": str(project.sources)}


@pytest.fixture
def environment(project: Project) -> dict[str, str]:
    return stocked(project)


@pytest.fixture(scope="module")
def shared_environment(shared_project: Project) -> dict[str, str]:
    """To look at only."""
    return stocked(shared_project)


def run(environment: dict[str, str], *words: str) -> str:
    result = CliRunner().invoke(cli, words, env={"COLUMNS": "120", **environment})
    assert result.exit_code == 0, result.output
    return result.output


def test_status_names_what_is_missing_and_why(shared_environment: dict[str, str]) -> None:
    shown = run(shared_environment, "status")
    assert "acme/docs" in shown
    assert "failed: acme/docs/bad.pdf: " in shown
    assert "skipped: acme/docs/what.xyz: unsupported type" in shown
    assert "not taken: stray.txt: a file outside any corpus" in shown


def test_status_tells_what_the_last_run_saw_and_did(
    environment: dict[str, str], project: Project
) -> None:
    assert "acme/docs: last run saw 3 documents: 1 added, 2 failed\n" in run(environment, "status")
    project.write("acme/docs/more.md", "# More\n\ntext")
    project.run("acme/docs")
    shown = run(environment, "status")
    assert "last run saw 4 documents: 1 added, 2 failed, 1 unchanged\n" in shown
    assert "acme/docs: its chunks: 2 inserted, 2 unchanged\n" in shown
    project.run("acme/docs")
    shown = run(environment, "status")
    assert "last run saw 4 documents: 2 failed, 2 unchanged\n" in shown
    (line,) = run(environment, "status", "--json").splitlines()
    assert json.loads(line)["run"]["documents_unchanged"] == 2


def test_status_says_which_checks_failed_so_that_nothing_was_published(
    environment: dict[str, str], project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = run(environment, "status")
    passed = re.search(r"^acme/docs: checks: (\d+) passed$", shown, re.MULTILINE)
    assert passed
    careless.install(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    settings = f'[chunker]\nname = "{careless.NAME}"\nmax_tokens = 16\noverlap_tokens = 2\n'
    toml = project.write("acme/docs/corpus.toml", settings)
    project.write("acme/docs/pumps.md", f"# Pumps\n\n{'Pumps leak now and then. ' * 90}")
    assert not project.materialize("acme/docs").success
    shown = run(environment, "status")
    assert re.search(
        r"^acme/docs: checks: budget failed \(\d+ places\), slices failed \(\d places\): "
        r"not published, the version before stays$",
        shown,
        re.MULTILINE,
    )
    assert "its chunks" not in shown  # those that it made are gone
    (line,) = run(environment, "status", "--json").splitlines()
    last = json.loads(line)["run"]
    assert set(last["checks_failed"]) == set(careless.BREAKS)
    assert (last["checks_passed"], last["published"]) == (int(passed[1]) - 2, False)
    toml.unlink()
    project.run("acme/docs")
    assert f"acme/docs: checks: {passed[1]} passed\n" in run(environment, "status")


def test_status_fits_eighty_columns_and_shows_brackets(
    environment: dict[str, str], project: Project
) -> None:
    project.write("acme/[red]a long name of a corpus with words/a.md", "# A")
    project.run("acme/%5Bred%5Da%20long%20name%20of%20a%20corpus%20with%20words")
    shown = run({**environment, "COLUMNS": "80"}, "status").split("acme/docs: last")[0]
    assert "[red]a" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_status_as_json_is_one_object_a_corpus(shared_environment: dict[str, str]) -> None:
    (line,) = run(shared_environment, "status", "acme", "--json").splitlines()
    found = json.loads(line)
    assert (found["corpus_id"], found["documents"], found["failed"], found["chunks"]) == (
        "docs",
        3,
        1,
        2,
    )
    assert {one["status"] for one in found["missing"]} == {"failed", "skipped"}


def test_query_prints_rows_as_csv_and_json_lines(shared_environment: dict[str, str]) -> None:
    sql = "SELECT content, position FROM chunks ORDER BY position"
    assert run(shared_environment, "query", sql) == "content,position\nGood,0\ntext,1\n"
    lines = run(shared_environment, "query", sql, "--format", "jsonl").splitlines()
    assert json.loads(lines[1]) == {"content": "text", "position": 1}


@pytest.mark.parametrize("sql", ["DROP VIEW chunks", "nonsense", "SELECT * FROM nowhere"])
def test_query_refuses_what_is_wrong_or_would_write(
    shared_environment: dict[str, str], sql: str
) -> None:
    result = CliRunner().invoke(cli, ["query", sql], env=shared_environment)
    assert result.exit_code == 1
    assert "Traceback" not in result.output


def test_without_a_warehouse_both_say_what_to_do(tmp_path: Path) -> None:
    for words in (["status"], ["query", "SELECT 1"]):
        result = CliRunner().invoke(cli, words, env={"RAG_WAREHOUSE": str(tmp_path)})
        assert result.exit_code == 1
        assert "materialize a corpus first" in result.output
