"""`ragctl chunk`: what it prints, and how it ends whatever it is given."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rag_chunker.cli import cli
from rag_chunker.cli.output import one_line
from rag_core.types import Chunk

_RAGCTL = [sys.executable, "-m", "rag_chunker.cli"]
_GUIDE = """# Guide

Read this first.

## Install

Run the installer twice.

- first
- second
"""


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(_GUIDE, "utf-8")
    return path


def _long_document(path: Path, sections: int) -> Path:
    text = "Every pump has a valve, and every valve has a seal that wears out. " * 12
    path.write_text("".join(f"# Part {n}\n\n{text}\n\n" for n in range(sections)), "utf-8")
    return path


def _chunk(*args: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["chunk", *map(str, args)], input=stdin)


def test_counts_blocks_and_chunks_and_points_at_parents(guide: Path) -> None:
    result = _chunk(guide)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "Guide",
        "text/markdown, 82 B, id local/local/guide.md",
        "blocks: 6 (heading 2, paragraph 2, list_item 2)",
        "chunks: 4 (heading 2, body 2)",
        "tokens: 14 (max 512, overlap 64, cl100k_base)",
        "",
        "  #0 heading    1 tok  Guide",
        "  #1 body       4 tok  ← #0 Guide  Read this first.",
        "  #2 heading    1 tok  ← #0 Guide  Install",
        "  #3 body       8 tok  ← #2 Install  Run the installer twice. first second",
    ]


def test_shows_the_first_n_chunks_and_how_to_see_the_others(guide: Path) -> None:
    lines = _chunk(guide, "-n", 2).stdout.splitlines()
    assert lines[-1] == "  … 2 more: -n 4 shows all"
    assert sum(line.startswith("  #") for line in lines) == 2
    assert not any("#" in line for line in _chunk(guide, "-n", 0).stdout.splitlines())


def test_json_gives_every_field_of_every_chunk(guide: Path) -> None:
    result = _chunk(guide, "--json", "--tenant", "acme", "--corpus", "docs", "--acl", "staff")
    chunks = [Chunk.model_validate_json(line) for line in result.stdout.splitlines()]
    assert [chunk.position for chunk in chunks] == [0, 1, 2, 3]
    assert {(chunk.tenant_id, chunk.document_id) for chunk in chunks} == {
        ("acme", "acme/docs/guide.md")
    }
    assert {chunk.acl_labels for chunk in chunks} == {("staff",)}
    assert set(json.loads(result.stdout.splitlines()[0])) == set(Chunk.model_fields)
    assert len(_chunk(guide, "--json", "-n", 1).stdout.splitlines()) == 1


def test_the_same_file_in_another_folder_has_the_same_ids(guide: Path, tmp_path: Path) -> None:
    other = tmp_path / "copy" / guide.name
    other.parent.mkdir()
    other.write_bytes(guide.read_bytes())
    assert _chunk(guide, "--json").stdout == _chunk(other, "--json").stdout


def test_stdin_is_a_document_whose_type_its_name_tells(guide: Path) -> None:
    named = _chunk("-", "--name", guide.name, "--json", stdin=_GUIDE)
    assert named.stdout == _chunk(guide, "--json").stdout
    assert "text/plain" in _chunk("-", stdin="just words").stdout


def test_the_settings_are_those_of_the_chunker(guide: Path) -> None:
    stdout = _chunk(
        guide, "--max-tokens", 8, "--overlap-tokens", 2, "--encoding", "o200k_base"
    ).stdout
    assert "(max 8, overlap 2, o200k_base)" in stdout
    lines = _chunk(guide, "--max-tokens", 8, "--overlap-tokens", 2, "--json").stdout.splitlines()
    counts = [json.loads(line)["token_count"] for line in lines]
    assert [count for count in counts if count > 8] == []


@pytest.mark.parametrize(("most", "overlap"), [(64, 64), (0, 0), (8, -1)])
def test_settings_that_do_not_go_together_are_named(guide: Path, most: int, overlap: int) -> None:
    result = _chunk(guide, "--max-tokens", most, "--overlap-tokens", overlap)
    assert result.exit_code == 2
    assert f"max_tokens={most}" in result.stderr
    assert f"overlap_tokens={overlap}" in result.stderr


def test_an_unknown_encoding_is_answered_with_the_known_ones(guide: Path) -> None:
    result = _chunk(guide, "--encoding", "klingon")
    assert result.exit_code == 2
    assert "klingon" in result.stderr
    assert "o200k_base" in result.stderr


@pytest.mark.parametrize(
    ("name", "data", "code", "says"),
    [
        ("missing.md", None, 2, "does not exist. Check the path"),
        ("program.bin", bytes(range(256)) * 20, 1, "convert it to PDF"),
        ("notes.txt", bytes(range(256)) * 20, 1, "unsupported type"),
        ("torn.docx", b"PK\x03\x04 torn", 1, "torn.docx"),
        ("torn.pdf", b"%PDF-1.7 torn", 1, "torn.pdf"),
    ],
)
def test_what_cannot_be_read_ends_in_one_message(
    tmp_path: Path, name: str, data: bytes | None, code: int, says: str
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    done = subprocess.run(
        [*_RAGCTL, "chunk", str(path)], capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_folder_is_refused(tmp_path: Path) -> None:
    result = _chunk(tmp_path)
    assert result.exit_code == 2
    assert "is a directory. Give one of its files" in result.stderr


@pytest.mark.parametrize("data", [b"", b" \n\t\n"])
def test_an_empty_file_has_no_chunks_and_says_so(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(data)
    result = _chunk(path)
    assert result.exit_code == 0
    assert "chunks: 0" in result.stdout
    assert "holds no text" in result.stderr
    assert _chunk(path, "--json").stdout == ""


def test_a_reader_that_has_enough_ends_it_quietly(tmp_path: Path) -> None:
    path = _long_document(tmp_path / "long.md", 300)
    with subprocess.Popen(
        [*_RAGCTL, "chunk", str(path), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 0


def test_an_interrupt_ends_it_without_a_traceback(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*_RAGCTL, "chunk", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        _wait_until_it_reads(running.pid)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        assert b"Traceback" not in running.stderr.read()


def _wait_until_it_reads(pid: int) -> None:
    """Its modules are loaded, so that the signal does not meet the interpreter's own start."""
    maps, deadline = Path(f"/proc/{pid}/maps"), time.monotonic() + 30
    while "_pydantic_core" not in maps.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.0)


def test_a_document_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.md"
    path.write_text("# Title\n\nred \x1b[31malert\x1b]0;owned\x07 \u202eabc\n", "utf-8")
    result = CliRunner().invoke(cli, ["chunk", str(path)], color=True)
    assert [char for char in result.stdout if char in "\x07\u202e"] == []
    assert "\x1b[31m" not in result.stdout
    assert "\x1b]" not in result.stdout


def test_piped_output_is_plain_and_no_color_is_obeyed(guide: Path) -> None:
    assert "\x1b" not in _chunk(guide).stdout
    assert "\x1b" in CliRunner().invoke(cli, ["chunk", str(guide)], color=True).stdout
    quiet = CliRunner().invoke(cli, ["chunk", str(guide)], color=True, env={"NO_COLOR": "1"})
    assert "\x1b" not in quiet.stdout


def test_text_beyond_the_terminals_encoding_is_no_error(guide: Path) -> None:
    done = subprocess.run(
        [*_RAGCTL, "chunk", str(guide)],
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0
    assert b"\\u2190 #0 Guide" in done.stdout


def test_long_work_shows_progress_and_rates_on_a_terminal_only(tmp_path: Path) -> None:
    path = _long_document(tmp_path / "long.md", 700)
    shown, stdout = _on_a_terminal([*_RAGCTL, "chunk", str(path), "-n", "1"])
    assert "chunking: " in shown
    assert "B/s" in shown
    assert "chunks: " in stdout
    assert "B/s" not in stdout
    assert _chunk(path, "-n", 1).stderr == ""


def _on_a_terminal(command: list[str]) -> tuple[str, str]:
    """What a command shows on stderr when that is a terminal, and what it prints."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        shown = bytearray()
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # how Linux says that the other side has closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
        assert running.stdout is not None
        stdout = running.stdout.read().decode()
        assert running.wait(60) == 0
    return shown.decode(), stdout


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("a  b\n c", 10, "a b c"),
        ("abcdef", 4, "abc…"),
        ("日本語の文", 6, "日本…"),
        ("日本語", 6, "日本語"),
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
        ("x", 0, "…"),
    ],
)
def test_one_line_fits_its_columns(text: str, columns: int, shown: str) -> None:
    assert one_line(text, columns) == shown
