"""`ragctl doctor`: what is there, what is missing, and how to get it."""

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from click.testing import CliRunner

from rag_assets import doctor
from rag_chunker.cli import cli
from tests.assets.conftest import Project


def examined(folder: Path, **environ: str) -> dict[str, tuple[str, str]]:
    places = {"RAG_SOURCES": str(folder / "sources"), "RAG_WAREHOUSE": str(folder / "warehouse")}
    home = {"DAGSTER_HOME": str(folder / "home")}
    return {
        what: (state, detail) for what, state, detail in doctor.examine(places | home | environ)
    }


def test_a_working_project_is_told_in_figures(project: Project) -> None:
    project.write("acme/docs/a.md", "# A\n\ntext")
    project.run("acme/docs")
    found = examined(project.sources.parent)
    assert [item for item in found.items() if item[1][0] == "broken"] == []
    assert found["vocabulary o200k_base"][0] == "ok"
    assert found["warehouse"] == ("ok", "1 corpus, 1 documents, 2 chunks")
    assert version("duckdb") in found["extra assets"][1]


def test_what_is_missing_comes_with_the_command_that_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_ocr(package: str) -> str:
        if package == "rapidocr":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(doctor, "version", without_ocr)
    found = examined(tmp_path)
    assert found["extra ocr"][0] == "optional"
    assert "rapidocr missing; pip install 'rag-chunker[ocr]'" in found["extra ocr"][1]
    assert "ragctl demo" in found["sources"][1]
    assert "ragctl demo" in found["warehouse"][1]


def test_releases_of_dagster_that_do_not_go_together_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        doctor, "version", lambda name: "9.9" if name == "dagster-webserver" else version(name)
    )
    assert examined(tmp_path)["Dagster"][0] == "broken"


@pytest.mark.parametrize(
    ("text", "environ", "what", "says"),
    [
        ("max_tokens = 3", {}, "sources", "acme/docs/corpus.toml: unknown key 'max_tokens'"),
        ("", {"RAG_MAX_TOKENS": "many"}, "settings", "RAG_MAX_TOKENS"),
        ("", {"RAG_WORKERS": "many"}, "settings", "RAG_WORKERS"),
    ],
)
def test_wrong_settings_are_broken(
    project: Project, text: str, environ: dict[str, str], what: str, says: str
) -> None:
    project.write("acme/docs/corpus.toml", text)
    found = examined(project.sources.parent, **environ)
    assert found[what][0] == "broken"
    assert says in found[what][1]


def test_the_exit_code_tells_whether_something_is_broken(project: Project) -> None:
    environ = {
        "RAG_SOURCES": str(project.sources),
        "RAG_WAREHOUSE": str(project.warehouse),
        "DAGSTER_HOME": str(project.sources),
    }
    assert CliRunner().invoke(cli, ["doctor"], env=environ).exit_code == 0
    project.warehouse.mkdir(exist_ok=True)
    (project.warehouse / "rag.duckdb").write_bytes(b"junk" * 4000)
    result = CliRunner().invoke(cli, ["doctor", "--json"], env=environ)
    assert result.exit_code == 1
    found = [json.loads(line) for line in result.stdout.splitlines()]
    broken = [one["detail"] for one in found if one["state"] == "broken"]
    assert len(broken) == 1
    assert "is damaged: remove it" in broken[0]
    assert "1 to mend" in result.stderr
