"""What a user can cause ends with one message that says what to do: never with a traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.assets.conftest import Project


@pytest.fixture(scope="module")
def project(shared_project: Project) -> Project:
    shared_project.write("acme/docs/a.md", "# A\n\n" + "text and more of it. " * 5_000)
    shared_project.run("acme/docs")
    return shared_project


@pytest.fixture(scope="module")
def environ(project: Project) -> dict[str, str]:
    places = {"RAG_SOURCES": str(project.sources), "RAG_WAREHOUSE": str(project.warehouse)}
    return {**os.environ, **places, "DAGSTER_HOME": str(project.warehouse.parent / "home")}


def start(environ: dict[str, str], *words: object, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rag_chunker.cli", *map(str, words)],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


def ragctl(environ: dict[str, str], *words: object) -> tuple[int, str]:
    """Exit code, and what is told on stderr."""
    process = start(environ, *words)
    _, told = process.communicate(timeout=60)
    assert "Traceback" not in told
    return process.returncode, told


def test_files_that_cannot_be_read_are_told_with_their_name(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(range(256)) * 40)
    for command in ("parse", "chunk", "inspect"):
        code, told = ragctl(environ, command, tmp_path / "absent.md")
        assert (code, "absent.md' does not exist" in told) == (2, True), told
        code, told = ragctl(environ, command, tmp_path)
        assert (code, "is a directory" in told) == (2, True), told
        code, told = ragctl(environ, command, tmp_path / "x.bin")
        assert (code, f"{tmp_path / 'x.bin'}: " in told) == (1, True), told


def test_a_disk_without_space_is_told(environ: dict[str, str], tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "rag_chunker.cli", "query", "FROM chunks"],
            env=environ, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert process.returncode == 1
    assert "No space left on device" in process.stderr
    assert "Traceback" not in process.stderr


def test_a_file_of_the_warehouse_that_somebody_writes_is_told(
    environ: dict[str, str], project: Project
) -> None:
    live = project.resources["warehouse"].warehouse.partition("acme", "docs").chunks.live
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(live)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as writer:  # fmt: skip
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        failed = [
            (words, exit_code, told)
            for words in (
                ("query", "FROM chunks"),
                ("status",),
                ("inspect", "--document", "acme/docs/a.md"),
                ("export", project.warehouse.parent / "out"),
            )
            for exit_code, told in [ragctl(environ, *words)]
            if exit_code != 1 or f"(process {writer.pid}): close it there" not in told
        ]
        writer.communicate("\n")
    assert failed == []


def test_a_broken_corpus_toml_is_named_with_what_is_allowed(
    environ: dict[str, str], project: Project
) -> None:
    broken = project.write("acme/docs/corpus.toml", "[chunker]\nmax_token = 3")
    process = start(environ, "doctor")
    said, told = process.communicate(timeout=60)
    broken.unlink()
    assert process.returncode == 1
    assert "Traceback" not in told
    said = " ".join(said.split())
    assert [word for word in ("acme/docs", "max_token", "max_tokens") if word not in said] == [], (
        said
    )


@pytest.mark.parametrize(
    "words",
    [
        ("query", "SELECT c.* FROM chunks AS c, range(2000)"),
        ("query", "SELECT c.* FROM chunks AS c, range(2000)", "--format", "jsonl"),
        ("query", "SELECT c.* FROM chunks AS c, range(2000)", "--format", "table"),
        ("status",),
        ("doctor",),
    ],
)
def test_a_reader_who_has_enough_ends_it_quietly(
    environ: dict[str, str], words: tuple[str, ...]
) -> None:
    process = start(environ, *words)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize("threads", [1, 16])
def test_ctrl_c_ends_a_long_query_with_one_word(environ: dict[str, str], threads: int) -> None:
    """With many threads, one that never looks for signals does the work, as on busy machines."""
    rows = "SELECT sum(a.range + b.range) FROM range(1000000) AS a, range(1000000) AS b"
    process = start(environ, "query", f"SET threads = {threads}; {rows}")
    try:
        deadline = time.monotonic() + 60
        while _cpu_seconds(process.pid) < 2 and time.monotonic() < deadline:  # what starting takes
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, told.strip()) == (130, "interrupted")


def _cpu_seconds(pid: int) -> float:
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, times[11:13])) / os.sysconf("SC_CLK_TCK")
