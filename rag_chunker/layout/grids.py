"""Which rules on a page form a table, and which words stand in which cell?"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rag_chunker.layout.geometry import Box, Rule
from rag_chunker.layout.hyphens import join_lines
from rag_chunker.layout.lines import Line, Word, join_words

_NEAR = 3.0
"""Points: rules that come this close meet."""


@dataclass(eq=False)
class Table:
    """Rows of cell texts, each row as wide as the table has columns."""

    rows: list[list[str]]
    box: Box
    column: int = 0
    page: int = 0
    order: int = 0
    """Position among the page's lines: before the line of this index."""


def merged(rules: Sequence[Rule]) -> list[Rule]:
    """Rules on the same straight line that touch, as one; dashes and cell edges grow together."""
    lanes: list[tuple[float, list[Rule]]] = []
    for rule in sorted(rules):
        if not lanes or rule.at - lanes[-1][0] > _NEAR / 2:
            lanes.append((rule.at, []))
        lanes[-1][1].append(rule)
    return [rule for at, lane in lanes for rule in _joined(at, lane)]


def _joined(at: float, lane: list[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for rule in sorted(lane, key=lambda rule: rule.start):
        if found and rule.start <= found[-1].end + _NEAR:
            last = found[-1]
            found[-1] = Rule(at, last.start, max(last.end, rule.end))
        else:
            found.append(Rule(at, rule.start, rule.end))
    return found


@dataclass(frozen=True, slots=True)
class Grid:
    """Rules that meet: at least two columns."""

    across: tuple[Rule, ...]
    down: tuple[Rule, ...]

    @property
    def box(self) -> Box:
        return Box(
            self.down[0].at,
            min(rule.at for rule in self.across),
            self.down[-1].at,
            max(rule.at for rule in self.across),
        )


def find_grids(across: Sequence[Rule], down: Sequence[Rule]) -> list[Grid]:
    """The groups of meeting rules that have at least two columns, from the top."""
    across, down = merged(across), merged(down)
    if not across or len(down) < 2 or len(across) * len(down) > 4_000_000:
        return []
    group = list(range(len(across) + len(down)))
    for index, flat in enumerate(across):
        for offset, tall in enumerate(down):
            if (
                flat.start - _NEAR <= tall.at <= flat.end + _NEAR
                and tall.start - _NEAR <= flat.at <= tall.end + _NEAR
            ):
                group[_root(group, len(across) + offset)] = _root(group, index)
    members: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate((*across, *down)):
        pair = members.setdefault(_root(group, index), ([], []))
        pair[index >= len(across)].append(rule)
    grids = [
        Grid(tuple(sorted(flat)), tuple(sorted(tall)))
        for flat, tall in members.values()
        if len(_places(flat)) >= 2 and len(_places(tall)) >= 3
    ]
    return sorted(grids, key=lambda grid: grid.box.top)


def _root(group: list[int], index: int) -> int:
    while group[index] != index:
        group[index] = group[group[index]]
        index = group[index]
    return index


def _places(rules: Sequence[Rule]) -> list[float]:
    """The distinct positions of rules, in order."""
    places: list[float] = []
    for rule in sorted(rules):
        if not places or rule.at - places[-1] > _NEAR:
            places.append(rule.at)
    return places


def fill_grid(grid: Grid, words: Sequence[tuple[Line, Word]]) -> Table | None:
    """The table that a grid and the words inside it make; None if it is rather a drawing.

    A cell that spans columns or rows has its text in the first of them.
    """
    xs, ys = _places(grid.down), _places(grid.across)
    cells: dict[tuple[int, int], list[tuple[Line, Word]]] = {}
    for line, word in words:
        row = bisect_right(ys, (word.top + word.bottom) / 2) - 1
        column = bisect_right(xs, (word.left + word.right) / 2) - 1
        if not (0 <= row < len(ys) - 1 and 0 <= column < len(xs) - 1):
            continue
        cells.setdefault(_first_of_span(grid, xs, ys, row, column), []).append((line, word))
    if not _is_table(cells):
        return None
    rows = [
        [cell_text(cells.get((row, column), ())) for column in range(len(xs) - 1)]
        for row in range(len(ys) - 1)
    ]
    used = [any(row[column] for row in rows) for column in range(len(xs) - 1)]
    rows = [[cell for cell, keep in zip(row, used, strict=True) if keep] for row in rows]
    return Table([row for row in rows if any(row)], grid.box)


def _first_of_span(
    grid: Grid, xs: list[float], ys: list[float], row: int, column: int
) -> tuple[int, int]:
    """Goes left and up from a cell as long as no rule stands in the way."""
    while column > 0 and not _parted(grid.down, xs[column], (ys[row] + ys[row + 1]) / 2):
        column -= 1
    while row > 0 and not _parted(grid.across, ys[row], (xs[column] + xs[column + 1]) / 2):
        row -= 1
    return row, column


def _parted(rules: Sequence[Rule], at: float, where: float) -> bool:
    return any(abs(rule.at - at) <= _NEAR and rule.start <= where <= rule.end for rule in rules)


def _is_table(cells: dict[tuple[int, int], list[tuple[Line, Word]]]) -> bool:
    rows = {row for row, _ in cells}
    columns = {column for _, column in cells}
    return len(rows) >= 2 and len(columns) >= 2 and len(cells) >= 3


def cell_text(words: Sequence[tuple[Line, Word]]) -> str:
    """The words of one cell as text, its lines joined, line-end hyphens undone where sure."""
    lines: list[tuple[Line, list[Word]]] = []
    for line, word in words:
        if not lines or lines[-1][0] is not line:
            lines.append((line, []))
        lines[-1][1].append(word)
    pieces = [
        (join_words(part), line.hyphen and part[-1] is line.words[-1]) for line, part in lines
    ]
    return join_lines(pieces)
