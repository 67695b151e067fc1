"""Which columns of a sheet hold tables of their own that stand side by side?"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rag_chunker.parsing.headers import SAMPLE, kind_of, names_only
from rag_chunker.parsing.sheet_cells import Value, shown

MOST_ROWS = 2_000
"""In a longer sheet, columns behind a blank one are taken for columns of the same table."""


def tables_side_by_side(sheet: Any, columns: Sequence[int]) -> list[list[int]]:
    """The columns of a sheet (of calamine) that hold a value, in one group for each table.

    A blank column parts two tables if each side has a header and a first column of words, and they
    begin in different rows or one goes on for two rows more: otherwise it is a blank column
    inside of a table.
    """
    groups: list[list[int]] = []
    for before, column in pairwise([-2, *columns]):
        if column > before + 1:
            groups.append([])
        groups[-1].append(column)
    if len(groups) < 2 or sheet.height > MOST_ROWS:
        return [list(columns)]
    left = sheet.start[1] if sheet.start else 0
    rows = list(sheet.iter_rows())
    found = groups[:1]
    for group in groups[1:]:
        one, other = (_extent(rows, each, left) for each in (found[-1], group))
        if one and other and (one.top != other.top or abs(one.bottom - other.bottom) > 1):
            found.append(group)
        else:
            found[-1] = [*found[-1], *group]
    return found


class _Extent(NamedTuple):
    top: int
    """Number of the header row."""
    bottom: int
    """Number of the last row that has a value."""


def _extent(rows: Sequence[Sequence[Value]], columns: Sequence[int], left: int) -> _Extent | None:
    """Where the table in these columns lies; None if they have no header above words."""
    filled = [at for at, row in enumerate(rows) if any(row[c - left] != "" for c in columns)]
    wide = (at for at in filled if sum(rows[at][c - left] != "" for c in columns) > 1)
    top = next(wide, None)
    if top is None or not names_only([shown(rows[top][c - left]) for c in columns]):
        return None
    firsts = [rows[at][columns[0] - left] for at in filled if at > top][:SAMPLE]
    words = sum(kind_of(shown(first)) == "word" for first in firsts)
    return _Extent(top, filled[-1]) if 2 * words > len(firsts) else None
