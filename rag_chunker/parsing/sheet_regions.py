"""Where does one table of a sheet end and the next begin?"""

from collections.abc import Container, Iterator, Sequence

from rag_chunker.parsing.headers import kind_of, names_only
from rag_chunker.parsing.sheet_rows import Run
from rag_chunker.parsing.tables import PARTED


class SheetRegions:
    """The tables of a sheet, each as an iterator of its rows without the blank ones, streaming.

    Blank rows part two tables, unless the row behind them is data of the same columns: some cell
    is no name (a number, a date, but no date below a number), and most of its columns are filled in
    the row before the gap. A row in `headers` (numbers of rows that are known to name columns)
    begins a table. Each table must be read to its end before the next is asked for.
    """

    def __init__(self, runs: Iterator[Run], headers: Container[int]) -> None:
        self._runs = runs
        self._headers = headers
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
            if run.first > before.end and (
                run.first in self._headers or not _continues(_last_row(before), _first_row(run))
            ):
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
    shared = filled & known
    if len(filled) < 2 or 2 * len(shared) <= len(filled) or names_only(cells):
        return False
    kinds = {(kind_of(before[at]), kind_of(cells[at])) for at in shared}
    return ("number", "date") not in kinds
