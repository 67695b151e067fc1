"""The face of `ragctl`: instant help, commands of others, one line for each failure."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rag_chunker.cli import cli
from rag_chunker.cli.failures import as_click_error
from rag_core.errors import ConfigError, StoreError

_COMMANDS = ("chunk", "completion", "inspect", "ocr", "parse")
_HEAVY = ("asyncio", "dagster", "duckdb", "pydantic", "rich", "tiktoken", "sentencex")


def _python(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, **env},
    )


def _ragctl(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return _python("-m", "rag_chunker.cli", *args, **env)


def test_help_loads_nothing_heavy_and_no_command() -> None:
    done = _python(
        "-c",
        "import sys\n"
        "from rag_chunker.cli import cli\n"
        "cli.main(['--help'], standalone_mode=False)\n"
        f"print('loaded', [m for m in {_HEAVY!r} if m in sys.modules],\n"
        f"  [m for m in {_COMMANDS!r} if f'rag_chunker.cli.{{m}}' in sys.modules])",
    )
    assert done.stdout.endswith("loaded [] []\n"), done.stdout + done.stderr
    assert "Chunk a file and preview its chunks." in done.stdout


def test_importing_the_package_loads_nothing_heavy() -> None:
    done = _python(
        "-c",
        f"import sys, rag_chunker\nprint([m for m in {_HEAVY!r} if m in sys.modules])\n"
        "print([n for n in rag_chunker.__all__ if getattr(rag_chunker, n, None) is None])",
    )
    assert done.stdout == "[]\n[]\n"


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_the_help_of_each_command_has_an_example(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert re.search(rf"Example: .*\bragctl {name}\b", result.stdout)
    assert "  -h, --help" in result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_ragctl(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert f"_RAGCTL_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("ragctl in", {"plain,inspect"}),
        ("ragctl chunk --max", {"plain,--max-tokens"}),
        ("ragctl completion z", {"plain,zsh"}),
    ],
)
def test_commands_options_and_choices_are_completed(words: str, completed: set[str]) -> None:
    last = str(len(words.split()) - 1)
    done = _ragctl(_RAGCTL_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=last)
    assert set(done.stdout.split()) == completed


def test_an_unknown_command_is_a_matter_of_usage() -> None:
    done = _ragctl("chnk")
    assert done.returncode == 2
    assert "chnk" in done.stderr
    assert done.stdout == ""


def test_a_wrong_setting_exits_with_2_and_any_other_failure_with_1() -> None:
    assert as_click_error(ConfigError("x")).exit_code == 2
    assert as_click_error(StoreError("x")).exit_code == 1
    assert as_click_error(PermissionError(13, "Permission denied", "a.md")).message == (
        "a.md: Permission denied"
    )


class TestCommandsOfOtherDistributions:
    @pytest.fixture
    def site(self, tmp_path: Path) -> Path:
        """A folder with an installed distribution that adds four commands."""
        (tmp_path / "acme_tools.py").write_text(
            "import os, click\n"
            "open(os.environ['TRACE'], 'a').write('imported')\n"
            "@click.command()\ndef hello():\n    click.echo('hello from acme')\n"
            "number = 7\n",
            "utf-8",
        )
        (tmp_path / "acme_broken.py").write_text("raise RuntimeError('no luck')\n", "utf-8")
        info = tmp_path / "acme_tools-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tools\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            "[rag_chunker.commands]\nhello = acme_tools:hello\nnumber = acme_tools:number\n"
            "broken = acme_broken:x\nabsent = acme_absent:x\n"
        )
        return tmp_path

    def _run(self, site: Path, *args: str) -> subprocess.CompletedProcess[str]:
        return _ragctl(*args, PYTHONPATH=str(site), TRACE=str(site / "trace"))

    def test_are_listed_without_being_imported(self, site: Path) -> None:
        done = self._run(site, "--help")
        assert "hello       Added by acme_tools." in done.stdout
        assert not (site / "trace").exists()

    def test_run_like_our_own(self, site: Path) -> None:
        done = self._run(site, "hello")
        assert (done.returncode, done.stdout) == (0, "hello from acme\n")

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("broken", "RuntimeError: no luck"),
            ("absent", "needs the Python package 'acme_absent'"),
            ("number", "which is no click command"),
        ],
    )
    def test_that_cannot_be_loaded_say_so_in_one_line(
        self, site: Path, name: str, says: str
    ) -> None:
        done = self._run(site, name)
        assert done.returncode == 1
        assert says in done.stderr
        assert "Traceback" not in done.stderr
