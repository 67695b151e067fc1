"""How fast is each parser, and how much does it add to its library?

    python -m tests.bench.formats [FORMAT ...]

Each format has one document of a few hundred kB to some MB (a small real one of msg), and a
process of its own: what other formats leave behind is more for Python's cycle collector to look
at. Parser and library are measured in turns by CPU time, so that a busy machine slows both, and
the median of the pairs' ratios is printed. The peak is what one more process grew by, everything
that the parser's library holds outside of Python included.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rag_chunker.parsing import parse
from rag_core.types import CorpusId, DocumentId, Source, TenantId
from tests.bench.bare_libraries import BARE, TOLD_APART
from tests.bench.format_inputs import INPUTS, SAMPLE

_LEAST_SECONDS = 3.0
_LEAST_PAIRS = 5


class Measured(NamedTuple):
    """One format."""

    size: int
    blocks: int
    seconds: float
    """CPU, a document."""
    multiples: list[tuple[float, str]]
    """Of the bare library's CPU time, and what it does in it."""
    peak_mb: float
    bare_peak_mb: float | None
    """Of the bare library."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("formats", nargs="*", help="such as pdf docx; all if none is named")
    arguments.add_argument("--peak-of", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("--line-of", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.peak_of:
        print(_grown_by(given.peak_of, bare=given.bare))
        return
    if given.line_of:
        print(line(_suffix(given.line_of), measure(given.line_of)))
        return
    print(
        f"{'format':<8}{'kB':>7}{'blocks':>8}{'documents/s':>13}{'MB/s':>7}{'peak MB':>9}"
        f"{'bare MB':>9}{'multiple':>10}  of"
    )
    for name in INPUTS:
        if not given.formats or _suffix(name) in given.formats:
            print(_run("--line-of", name), flush=True)


def line(suffix: str, one: Measured) -> str:
    figures = (
        f"{suffix:<8}{one.size / 1e3:>7.0f}{one.blocks:>8}{1 / one.seconds:>13,.1f}"
        f"{one.size / one.seconds / 1e6:>7.2f}{one.peak_mb:>9.1f}"
        f"{'' if one.bare_peak_mb is None else f'{one.bare_peak_mb:.1f}':>9}"
    )
    multiples = [f"{multiple:>10.2f}  {library}" for multiple, library in one.multiples]
    return figures + f"\n{'':<{len(figures)}}".join(multiples)


def measure(name: str) -> Measured:
    """One of `INPUTS`, by name."""
    data = INPUTS[name]()
    source = _source(name)
    bare = [each[_suffix(name)] for each in (BARE, TOLD_APART) if _suffix(name) in each]
    blocks = len(parse(source, data).blocks)
    for _, read in bare:
        read(data)
    ours: list[float] = []
    ratios: list[list[float]] = [[] for _ in bare]
    until = time.perf_counter() + _LEAST_SECONDS
    while len(ours) < _LEAST_PAIRS or time.perf_counter() < until:
        ours.append(_seconds(lambda: parse(source, data)))
        for found, (_, read) in zip(ratios, bare, strict=True):
            found.append(ours[-1] / _seconds(partial(read, data)))
    multiples = [(median(found), library) for found, (library, _) in zip(ratios, bare, strict=True)]
    return Measured(len(data), blocks, median(ours), multiples, *_peaks_mb(name, data))


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def _peaks_mb(name: str, data: bytes) -> tuple[float, float | None]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        ours = float(_run("--peak-of", str(path)))
        has_bare = _suffix(name) in BARE
        return ours, float(_run("--peak-of", str(path), "--bare")) if has_bare else None


def _run(*arguments: str) -> str:
    """What this program says to them in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.formats", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip()


def _suffix(name: str) -> str:
    return name.rpartition(".")[2]


def _grown_by(path: Path, *, bare: bool) -> float:
    """MB that this process grows by while a file is parsed, or read by the bare library. Libraries
    are loaded before.

    Linux only; 0 elsewhere.
    """
    data = path.read_bytes()
    # There is no sample of every format; the libraries of odt are those of odp.
    samples = chain(SAMPLE.rglob(f"*{path.suffix}"), SAMPLE.rglob("*.odt"))
    sample = next(samples)
    read = BARE[_suffix(path.name)][1] if bare else partial(parse, _source(path.name))
    read(sample.read_bytes())
    before = _peak_kb()
    kept = read(data)
    grown = (_peak_kb() - before) / 1024
    del kept
    return grown


def _peak_kb() -> int:
    # Not ru_maxrss, which a new process inherits from the one that started it.
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else ()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def _source(name: str) -> Source:
    return Source(
        document_id=DocumentId(f"bench/formats/{name}"),
        tenant_id=TenantId("bench"),
        corpus_id=CorpusId("formats"),
        uri=name,
    )


if __name__ == "__main__":
    main()
