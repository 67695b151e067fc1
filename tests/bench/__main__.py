"""All comparison tables, one after the other: `python -m tests.bench`, which is `make bench`.

    python -m tests.bench [NAME ...]       # chunking pdf_quality formats incremental ocr

Each runs in a process of its own, so that none finds the memory of another in its way; one that
fails or needs what is not installed is reported and the others go on. Larger sets than those in
this repository are taken from `BENCH_DATA` (a folder with `bench/` and `pdf/`; by default
`../shared/data`) where it is there.
"""

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_DATA = Path(os.environ.get("BENCH_DATA", _ROOT.parent / "shared" / "data"))
BENCHES: dict[str, tuple[str, Path | None]] = {
    "chunking": ("The chunker", _DATA / "bench"),
    "pdf_quality": ("What is found in PDF files", _DATA / "pdf"),
    "formats": ("The parsers", None),
    "incremental": ("Runs over a corpus that hardly changed", None),
    "ocr": ("OCR engines", None),
}
"""Module in this folder to its title, and a folder that it takes as argument if that is there."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    names = arguments.parse_args().names or list(BENCHES)
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        arguments.error(f"no bench {unknown[0]!r}; known: {', '.join(BENCHES)}")
    failed = [name for name in names if not run(name)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def run(name: str) -> bool:
    """Runs one bench, printing what it prints; False if it failed. One that is not there is
    skipped."""
    title, folder = BENCHES[name]
    module = f"tests.bench.{name}"
    if find_spec(module) is None:
        return True
    data = [str(folder)] if folder is not None and folder.is_dir() else []
    print(f"\n## {title} (python -m {' '.join([module, *data])})\n", flush=True)
    return subprocess.run([sys.executable, "-m", module, *data], cwd=_ROOT).returncode == 0


if __name__ == "__main__":
    main()
