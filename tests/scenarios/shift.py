"""One run after the other in a process that stays: it has loaded its libraries, and has a worker.

`python -m tests.scenarios.shift` reads what `Shift.begin` writes, a line each time, and prints the
list of the `Outcome`s.
"""

import json
import subprocess
import sys
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Self

import dagster as dg

from rag_assets.partition_key import decode
from rag_assets.workers import WorkerPool
from rag_core.errors import RagError
from tests.scenarios import direct
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

    def begin(self, orders: Sequence[Order], *, with_dagster: int = 1_000) -> None:
        """Hand it what to do; it does one after the other, while you do something else: the first
        so many as Dagster runs, which take four times the CPU, of the others the stages alone."""
        assert self._process.stdin
        told = {"orders": [asdict(order) for order in orders], "with_dagster": with_dagster}
        print(json.dumps(told), file=self._process.stdin, flush=True)

    def outcomes(self) -> list[Outcome]:
        """Wait for what became of what it was handed."""
        assert self._process.stdout
        return [Outcome(**one) for one in json.loads(self._process.stdout.readline())]


def main() -> None:
    """All runs of all lines, with a new Dagster instance a line."""
    with WorkerPool(1) as pool:
        for line in sys.stdin:
            told = json.loads(line)
            orders = [Order(**order) for order in told["orders"]]
            first = told["with_dagster"]
            with dg.DagsterInstance.ephemeral() as instance:
                outcomes = [run(order, instance) for order in orders[:first]]
            outcomes += [_run_stages(order, pool) for order in orders[first:]]
            print(json.dumps([asdict(outcome) for outcome in outcomes]), flush=True)


def _run_stages(order: Order, pool: WorkerPool) -> Outcome:
    _, corpus = decode(order.key)
    run_id = uuid.uuid4().hex
    try:
        direct.run(Path(order.root).parent, pool, run_id, corpus=corpus)
    except RagError as error:
        return Outcome(run_id=run_id, exit=1, messages=str(error))
    return Outcome(run_id=run_id)


if __name__ == "__main__":
    main()
