"""Which numbers do the rows and columns of a sheet have once the gaps between them are closed?"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

LARGE = 100_000
"""Cells of the rectangle that a sheet spans: 3 MB, and some hundredths of a second to walk."""
GAPS = 20
"""A sheet is mostly gaps if it spans that many times the cells that it has."""


def is_mostly_gaps(spanned: int, *, filled: int) -> bool:
    """Whether walking the blank cells of a sheet would cost more than closing its gaps."""
    return spanned > max(LARGE, GAPS * filled)


class Closed:
    """Old to new numbers of rows or columns; one that has no cell goes to its next neighbour."""

    def __init__(self, used: Iterable[int], *, kept: int, first: int) -> None:
        """`used` are the numbers of those with a cell. At most `kept` unused ones stay between two
        of them, and none before them: the first one becomes `first`."""
        self._used = sorted(used)
        self._new = [first] if self._used else []
        for before, here in pairwise(self._used):
            self._new.append(self._new[-1] + min(here - before, 1 + kept))

    def __getitem__(self, old: int) -> int:
        place = min(bisect_left(self._used, old), len(self._used) - 1)
        return self._new[place]

    def __contains__(self, old: int) -> bool:
        place = bisect_left(self._used, old)
        return place < len(self._used) and self._used[place] == old
