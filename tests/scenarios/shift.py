"""One run after the other in a process that stays: it has loaded its libraries, and has a worker.

`python -m tests.scenarios.shift` reads a list of `Order`s a line from standard input as JSON, and
prints the list of their `Outcome`s.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Self

import dagster as dg

from tests.scenarios.running import Order, Outcome, run


class Shift:
    """Such a process. Ends with its `with` block."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.scenarios.shift"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate(timeout=60)

    def begin(self, orders: Sequence[Order]) -> None:
        """Hand it what to do; it does one after the other, while you do something else."""
        assert self._process.stdin
        print(json.dumps([asdict(order) for order in orders]), file=self._process.stdin, flush=True)

    def outcomes(self) -> list[Outcome]:
        """Wait for what became of what it was handed."""
        assert self._process.stdout
        return [Outcome(**one) for one in json.loads(self._process.stdout.readline())]


def main() -> None:
    """All runs of all lines, with a new Dagster instance a line."""
    for line in sys.stdin:
        with dg.DagsterInstance.ephemeral() as instance:
            outcomes = [asdict(run(Order(**order), instance)) for order in json.loads(line)]
        print(json.dumps(outcomes), flush=True)


if __name__ == "__main__":
    main()
