"""Where does one table of a sheet end and the next begin?"""

from collections.abc import Iterator, Sequence

from rag_chunker.parsing.headers import names_only
from rag_chunker.parsing.sheet_rows import Run
from rag_chunker.parsing.tables import PARTED


class SheetRegions:
    """The tables of a sheet, each as an iterator of its rows without the blank ones, streaming.

    Blank rows part two tables, unless the row behind them is data of the same columns: some cell
    is no name (a number, a date), and most of its columns are filled in the row before the gap.
    Each table must be read to its end before the next is asked for.
    """

    def __init__(self, runs: Iterator[Run]) -> None:
        self._runs = runs
        self._next: Run | None = None

    def __iter__(self) -> Iterator[Iterator[Run]]:
        self._next = next(self._runs, None)
        while self._next is not None:
            yield self._region(self._next)

    def _region(self, first: Run) -> Iterator[Run]:
        self._next = None
        yield first
        before = first
        for run in self._runs:
            if run.first > before.end and not _continues(_last_row(before), _first_row(run)):
                self._next = run
                return
            yield run
            before = run


def _last_row(run: Run) -> list[str]:
    return run.lines.rsplit("\n", 1)[-1].split(PARTED)


def _first_row(run: Run) -> list[str]:
    return run.lines.split("\n", 1)[0].split(PARTED)


def _continues(before: Sequence[str], cells: Sequence[str]) -> bool:
    filled = {at for at, cell in enumerate(cells) if cell.strip()}
    known = {at for at, cell in enumerate(before) if cell.strip()}
    return len(filled) > 1 and 2 * len(filled & known) > len(filled) and not names_only(cells)
