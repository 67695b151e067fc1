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
    merged cell that stands alone in its row is a title and stays as it is; below a row that names
    as many columns, all rows are data. The second value is True where names were joined, else
    None: not known.
    """
    numbered = iter(rows)
    head = list(islice(numbered, DEEPEST_HEADER))
    behind = (cells for _, cells in numbered)
    first = next((at for at, row in enumerate(head) if _names_columns(row, spans)), None)
    if first is None or _is_below_names(head[: first + 1], spans):
        return chain((cells for _, cells in head), behind), None
    last = first
    while (
        last + 1 < len(head)
        and _names_columns(head[last + 1], spans)
        and _goes_on(head[first:], last + 1 - first, spans)
    ):
        last += 1
    levels = [_spread(cells, spans.of_row(number)) for number, cells in head[first : last + 1]]
    if (
        last + 2 < len(head)
        and names_only(head[last + 1][1], years=True)
        and _goes_on(head[first:], last + 1 - first, spans)
    ):
        last += 1
        levels.append(head[last][1])
    joined = [_joined(names) for names in zip(*levels, strict=True)]
    above = (cells for _, cells in head[:first])
    below = (cells for _, cells in head[last + 1 :])
    return chain(above, [joined], below, behind), True if first <= 3 else None


def _is_below_names(rows: Sequence[Numbered], spans: Spans) -> bool:
    """Whether a row above the last one names as many columns as that one with its wide cells."""
    number, cells = rows[-1]
    named = sum(map(bool, _spread(cells, spans.of_row(number))))
    return any(sum(map(bool, above)) >= named for _, above in rows[:-1])


def _goes_on(rows: Sequence[Numbered], at: int, spans: Spans) -> bool:
    """Whether the row `at` belongs to the header that begins with the first one: it says more
    about wide cells only, or what is below it holds more than names."""
    below = {column for column, cell in enumerate(rows[at][1]) if cell}
    for number, cells in rows[:at]:
        wide = {column for ends in spans.of_row(number) for column in range(*ends)}
        if any(cells[column] and column not in wide for column in below):
            return at + 1 < len(rows) and not names_only(rows[at + 1][1], years=True)
    return True


Ranges = Sequence[tuple[int, int]]
"""Half-open column ranges of the cells of one row that span several."""


def with_levels_joined(
    rows: Sequence[Sequence[str]], wide: Sequence[Ranges], *, stated: int
) -> Sequence[Sequence[str]]:
    """The rows of a table whose first one is its header, with a header of several rows joined into
    one as `with_spans_named` does. `wide` are the ranges of each row.

    `stated` is how many rows the document says are header. Where it says 1 or nothing, a row of
    names goes on with the header above it that has wide cells, if all its own are below those; if
    that header is nothing but wide cells, only if the next row holds more than names.
    """
    count = min(max(stated, _levels(rows, wide)), len(rows))
    if count < 2:
        return rows
    width = max(map(len, rows))
    levels = [
        _spread([*cells, *[""] * (width - len(cells))], ranges)
        for cells, ranges in zip(rows[:count], wide, strict=False)
    ]
    return [[_joined(names) for names in zip(*levels, strict=True)], *rows[count:]]


def _levels(rows: Sequence[Sequence[str]], wide: Sequence[Ranges]) -> int:
    count = 1
    while count + 1 < min(len(rows), DEEPEST_HEADER) and wide[count - 1]:
        below = {at for first, behind in wide[count - 1] for at in range(first, behind)}
        filled = {at for at, cell in enumerate(rows[count]) if cell.strip()}
        named = {at for at, cell in enumerate(rows[count - 1]) if cell.strip()}
        if not (filled and filled <= below and names_only(rows[count], years=True)):
            break
        if named <= below and names_only(rows[count + 1], years=True):
            break
        count += 1
    return count


def _names_columns(row: Numbered, spans: Spans) -> bool:
    number, cells = row
    wide = spans.of_row(number)
    several = sum(map(bool, cells)) > 1 or (bool(wide) and not cells[0])
    return bool(wide) and several and names_only(cells, years=True)


def _spread(cells: Sequence[str], wide: Ranges) -> list[str]:
    spread = list(cells)
    for first, behind in wide:
        spread[first:behind] = [*cells[first : first + 1]] * (min(behind, len(cells)) - first)
    return spread


def _joined(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, (name.strip() for name in names))))
