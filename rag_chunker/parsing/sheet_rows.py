"""How do the cells of a sheet become text? Column by column, some hundred rows at a time.

The cells of a column are mostly of one kind, and a kind is told and shown for all of them at once
in half the time that it takes one by one.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from rag_chunker.parsing.sheet_cells import Format, Value, all_shown, formatted
from rag_chunker.parsing.sheet_formats import Formats
from rag_chunker.parsing.tables import PARTED, Lines


class Run(NamedTuple):
    """Rows that follow each other without a blank one between them."""

    first: int
    """0-based number of the first one."""
    end: int
    """Number of the one behind the last."""
    lines: Lines


_BATCH = 256


def sheet_runs(sheet: Any, columns: Sequence[int], formats: Formats) -> Iterator[Run]:
    """The filled rows of a sheet (of calamine), streaming: the cells of these 0-based columns, as
    the spreadsheet shows them. Runs end at a blank row, and sometimes before."""
    left = sheet.start[1] if sheet.start else 0
    rows = iter(sheet.iter_rows())
    first = 0
    while batch := list(islice(rows, _BATCH)):
        values = list(zip(*batch, strict=True))
        cells = [_cells(values[at - left], first, formats.get(at, {})) for at in columns]
        lines = list(map(PARTED.join, zip(*cells, strict=True)))
        if any(all(map(str.strip, column)) for column in cells):
            yield Run(first, first + len(batch), "\n".join(lines))
        else:
            yield from _runs(first, lines)
        first += len(batch)


def used_columns(sheet: Any) -> list[int]:
    """0-based numbers of the columns that hold a value. Mostly known after a few rows."""
    left = sheet.start[1] if sheet.start else 0
    unused = set(range(sheet.width))
    for row in sheet.iter_rows():
        unused -= {at for at in unused if row[at] != ""}
        if not unused:
            break
    return [left + at for at in range(sheet.width) if at not in unused]


def _cells(values: Sequence[Value], first: int, formats: dict[int, Format]) -> Sequence[str]:
    """The cells of one column, `first` being the number of the first row."""
    if not formats:
        return all_shown(values)
    return formatted(values, list(map(formats.get, range(first, first + len(values)))))


def _runs(first: int, rows: Sequence[str]) -> Iterator[Run]:
    start = 0
    for at, row in enumerate(rows):
        if not row or row.replace(PARTED, " ").isspace():
            if at > start:
                yield Run(first + start, first + at, "\n".join(rows[start:at]))
            start = at + 1
    if start < len(rows):
        yield Run(first + start, first + len(rows), "\n".join(rows[start:]))
