"""What are the columns called where merged cells span them in a header of several rows?"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from rag_chunker.parsing.headers import DEEPEST_HEADER, names_only

Numbered = tuple[int, list[str]]
Range = tuple[tuple[int, int], tuple[int, int]]


class Spans:
    """The merged cells of one sheet that span columns, by row, counted in the columns kept."""

    def __init__(self, ranges: Sequence[Range], columns: Sequence[int]) -> None:
        """`ranges` are ((top, left), (bottom, right)), 0-based and inclusive; `columns` are the
        numbers of the columns that were kept, ascending."""
        self._by_row: dict[int, list[tuple[int, int]]] = {}
        for (top, left), (_, right) in ranges:
            first, behind = bisect_left(columns, left), bisect_left(columns, right + 1)
            if behind - first > 1:
                self._by_row.setdefault(top, []).append((first, behind))

    def of_row(self, number: int) -> list[tuple[int, int]]:
        """Half-open column ranges of the cells that start in this row."""
        return self._by_row.get(number, [])


def with_spans_named(
    rows: Iterable[Numbered], spans: Spans
) -> tuple[Iterator[list[str]], bool | None]:
    """The rows of one table, with a header of several rows joined into one, and whether it was.

    A header row with merged cells gives each column below a merged cell that cell's name; the
    names of the row below it follow: `2024` over `Q1` and `Q2` becomes `2024 Q1`, `2024 Q2`. A
    merged cell that stands alone in its row is a title and stays as it is. The second value is
    True where that happened, else None: not known.
    """
    numbered = iter(rows)
    head = list(islice(numbered, DEEPEST_HEADER))
    behind = (cells for _, cells in numbered)
    first = next((at for at, row in enumerate(head) if _names_columns(row, spans)), None)
    if first is None:
        return chain((cells for _, cells in head), behind), None
    last = first
    while last + 1 < len(head) and _names_columns(head[last + 1], spans):
        last += 1
    levels = [_spread(cells, spans.of_row(number)) for number, cells in head[first : last + 1]]
    if last + 2 < len(head) and names_only(head[last + 1][1], years=True):
        last += 1
        levels.append(head[last][1])
    joined = [_joined(names) for names in zip(*levels, strict=True)]
    above = (cells for _, cells in head[:first])
    below = (cells for _, cells in head[last + 1 :])
    return chain(above, [joined], below, behind), True if first <= 3 else None


def _names_columns(row: Numbered, spans: Spans) -> bool:
    number, cells = row
    wide = spans.of_row(number)
    several = sum(map(bool, cells)) > 1 or (bool(wide) and not cells[0])
    return bool(wide) and several and names_only(cells, years=True)


def _spread(cells: Sequence[str], wide: Sequence[tuple[int, int]]) -> list[str]:
    spread = list(cells)
    for first, behind in wide:
        spread[first:behind] = [cells[first]] * (behind - first)
    return spread


def _joined(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, (name.strip() for name in names))))
