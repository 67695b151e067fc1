"""Everything that the README shows runs, and prints what it says.

`README_UPDATE=1 pytest tests/test_readme.py` writes today's output into the README.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from rag_assets.corpus_config import (
    ChunkerConfig,
    CorpusConfig,
    Defaults,
    LabelRule,
    OcrConfig,
    parse_corpus_config,
)
from rag_chunker.cli import cli

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_CONSOLE = re.compile(
    r"```console\n\$ (?P<command>[^\n]+(?:\n> [^\n]+)*)\n(?P<output>.*?)```", re.DOTALL
)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_READ_BY_NAME = {f"RAG_{key.upper()}" for key in Defaults.model_fields}
"""Settings that stand for a field each."""
_VARIES = re.compile(r"in \d+\.\d s|\d\d-\d\d \d\d:\d\d")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like a fresh clone: the README and the commands beside this Python."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(README, folder)
    return folder


def run(command: str, folder: Path) -> str:
    """The command's output; `make demo` is what the Makefile runs for it."""
    words = shlex.split(command.replace("\n> ", "\n"))
    if words == ["make", "demo"]:
        words = ["ragctl", "demo"]
    words[0] = str(Path(sys.executable).with_name(Path(words[0]).name))
    dropped = {"DAGSTER_HOME", "RAG_SOURCES", "RAG_WAREHOUSE"}
    environ = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(900)  # the demo alone takes a minute, a busy machine's several
def test_the_commands_print_what_the_readme_says(project: Path) -> None:
    text = README.read_text(encoding="utf-8")
    wrong: list[str] = []
    for found in _CONSOLE.finditer(text):
        output = run(found["command"], project)
        if found["command"] == "make demo":
            output = output[: output.index("\nQuery it:")] if "\nQuery it:" in output else output
        output = "\n".join(line.rstrip() for line in output.splitlines()) + "\n"
        if _VARIES.sub("", output) != _VARIES.sub("", found["output"]):
            wrong.append(f"$ {found['command']}\n{output}")
            text = text.replace(found[0], f"```console\n$ {found['command']}\n{output}```")
    if os.environ.get("README_UPDATE") and wrong:
        README.write_text(text, encoding="utf-8")
    assert wrong == []


def test_the_python_in_the_readme_runs(project: Path) -> None:
    blocks = _PYTHON.findall(README.read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        subprocess.run(
            [sys.executable, "-W", "error", "-c", block], cwd=project, check=True, timeout=120
        )


def test_every_make_target_of_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`make (\w+)`|\$ make (\w+)", README.read_text(encoding="utf-8")))
    targets = {first or second for first, second in named}
    assert {target for target in targets if f"\n{target}:" not in makefile} == set()
    assert "$(BIN)/ragctl demo" in makefile


def test_every_environment_variable_of_the_readme_is_read() -> None:
    named = set(re.findall(r"`((?:RAG|DAGSTER)_[A-Z_]+)`", README.read_text(encoding="utf-8")))
    code = "".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "rag_assets").rglob("*.py"))
    )
    assert {name for name in named - _READ_BY_NAME if name not in code} == set()
    told = {name for name in re.findall(r"RAG_[A-Z_]+", code) if not name.endswith("_")}
    assert {*told, *_READ_BY_NAME} - named == set()


def test_every_command_and_every_key_of_corpus_toml_is_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    commands = cli.list_commands(click.Context(cli))
    assert [name for name in commands if not re.search(rf"ragctl {name}\b", text)] == []
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    config = parse_corpus_config(example.encode(), name="README.md", defaults=Defaults())
    sections = {
        "": CorpusConfig, "labels": LabelRule, "chunker": ChunkerConfig, "ocr": OcrConfig,
    }  # fmt: skip
    keys = {key for model in sections.values() for key in model.model_fields}
    assert {key for key in keys if not re.search(rf"^\[*{key}\b", example, re.M)} == {"shards"}
    assert config.chunker.embedding_budget == Defaults().embedding_budget
