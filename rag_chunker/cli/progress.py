"""How far is it? Progress bars with rates on stderr: on a terminal, for long work only."""

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

from rag_chunker.cli.output import size
from rag_chunker.tokens import TiktokenCounter

__all__ = ["WatchedCounter", "stage"]

_LONG = 500_000
"""Bytes of a document whose parsing and chunking takes long enough to wonder."""


class WatchedCounter:
    """A `TiktokenCounter` that reports how many characters it has counted."""

    def __init__(self, encoding: str) -> None:
        self._counter = TiktokenCounter(encoding)
        self.report: Callable[[int], None] = lambda _: None

    def count(self, text: str) -> int:
        return self._counter.count(text)

    def name(self) -> str:
        return self._counter.name()

    @property
    def joints(self) -> re.Pattern[str] | None:
        return self._counter.joints

    def token_ends(self, text: str) -> Sequence[int]:
        """Called for one stretch of the document after the other, so that what is reported adds up
        to its length."""
        ends = self._counter.token_ends(text)
        self.report(len(text))
        return ends


@contextmanager
def stage(doing: str, amount: int, *, counted: bool) -> Iterator[Callable[[int], None]]:
    """A stage of work on `amount` bytes or characters; yields what to call with each part done.

    `counted` says whether it will be called at all; a stage that cannot tell how far it is shows
    that it is alive. At its end a line with the rate stays.
    """
    if amount < _LONG or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"))
    bars = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    started = time.monotonic()
    with bars:
        task = bars.add_task(doing, total=amount if counted else None, rate=size(amount))

        def advance(part: int) -> None:
            bars.update(task, advance=part, rate=_rate(bars.tasks[0].completed + part, started))

        yield advance
    click.echo(f"{doing}: {size(amount)} at {_rate(amount, started)}", err=True)


def _rate(done: float, started: float) -> str:
    seconds = max(time.monotonic() - started, 1e-3)
    return f"{size(int(done / seconds))}/s"
