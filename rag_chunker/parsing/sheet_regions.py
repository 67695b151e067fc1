"""Where does one table of a sheet end and the next begin?"""

from collections.abc import Iterator, Sequence

from rag_chunker.parsing.headers import names_only

Row = tuple[int, list[str]]
"""0-based number and cells."""


class SheetRegions:
    """The tables of a sheet, each as an iterator of its rows without the blank ones, streaming.

    Blank rows part two tables, unless the row behind them is data of the same columns: some cell
    is no name (a number, a date), and most of its columns are filled in the row before the gap.
    Each table must be read to its end before the next is asked for.
    """

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._next: Row | None = None

    def __iter__(self) -> Iterator[Iterator[Row]]:
        self._next = next((row for row in self._rows if _is_filled(row)), None)
        while self._next is not None:
            yield self._region(self._next)

    def _region(self, first: Row) -> Iterator[Row]:
        self._next = None
        yield first
        last, gap = first, False
        for row in self._rows:
            if not _is_filled(row):
                gap = True
                continue
            if gap and not _continues(last[1], row[1]):
                self._next = row
                return
            last, gap = row, False
            yield row


def _is_filled(row: Row) -> bool:
    return any(map(str.strip, row[1]))


def _continues(before: Sequence[str], cells: Sequence[str]) -> bool:
    filled = {at for at, cell in enumerate(cells) if cell.strip()}
    known = {at for at, cell in enumerate(before) if cell.strip()}
    return len(filled) > 1 and 2 * len(filled & known) > len(filled) and not names_only(cells)
