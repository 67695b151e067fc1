"""Which rules on a page form a table, and which words stand in which cell?"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rag_chunker.layout.geometry import Box, Rule
from rag_chunker.layout.hyphens import join_lines
from rag_chunker.layout.lines import Line, Word, join_words

_NEAR = 3.0
"""Points: rules that come this close meet."""


class Span(NamedTuple):
    """A cell that takes the columns `first` to `behind - 1` of row `row`, all counted from 0."""

    row: int
    first: int
    behind: int


_GAP = 0.5
"""Of the height of a line: more than the spaces between words are wide."""
_LONG = 150
"""Characters of a cell that takes a whole row from which on it is no title."""
_MOST_PAIRS = 1_000_000
"""Rules across times rules down; a page with more is a drawing."""
_STICKS_OUT = 6.0
"""Points: less is how rules are drawn, not a row."""


@dataclass(eq=False)
class Table:
    """Rows of cell texts, each row as wide as the table has columns."""

    rows: list[list[str]]
    box: Box
    column: int = 0
    page: int = 0
    order: int = 0
    """Position in the content of its page."""
    spans: list[Span] = field(default_factory=list)
    """Cells with text that take more than one column."""
    open_end: bool = False
    """Its last row goes on where the table does: no rule ends it."""
    bold_header: bool = False
    """Its first row is bold and some row below is not."""


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
        heights = self.heights
        return Box(self.down[0].at, heights[0], self.down[-1].at, heights[-1])

    @property
    def heights(self) -> list[float]:
        """Where its rows part, from the top. Rules down may stand out above and below the last
        rule across, where a row is broken at the end of a page."""
        heights = _places(self.across)
        if self.open_end:
            heights.append(max(rule.end for rule in self.down))
        top = min(rule.start for rule in self.down)
        return [top, *heights] if heights[0] - top > _STICKS_OUT else heights

    @property
    def open_end(self) -> bool:
        """Whether its last row has no rule below."""
        return max(rule.end for rule in self.down) - self.across[-1].at > _STICKS_OUT


def find_grids(across: Sequence[Rule], down: Sequence[Rule]) -> list[Grid]:
    """The groups of meeting rules that have at least two columns, from the top."""
    across, down = merged(across), merged(down)
    if not across or len(down) < 2 or len(across) * len(down) > _MOST_PAIRS:
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
    cells = _Cells(grid, words)
    for line, word in words:
        cells.add(line, word)
    return cells.table()


class _Cells:
    """The words in the cells of a grid, by row and column."""

    def __init__(self, grid: Grid, words: Sequence[tuple[Line, Word]]) -> None:
        self._grid = grid
        self._xs, self._ys = _places(grid.down), grid.heights
        self._down = [_near(grid.down, x) for x in self._xs]
        self._across = [_near(grid.across, y) for y in self._ys]
        self._words: dict[tuple[int, int], list[tuple[Line, Word]]] = {}
        self._stripes = self._find_stripes(words)

    def add(self, line: Line, word: Word) -> None:
        """Puts a word into the cell around its middle; on an outer rule it belongs inside."""
        row = _slot(self._ys, (word.top + word.bottom) / 2)
        column = _slot(self._xs, (word.left + word.right) / 2)
        while column > 0 and not self._has_left_rule(row, column):
            column -= 1
        while row > 0 and not _parted(self._across[row], self._middle(self._xs, column)):
            row -= 1
        self._words.setdefault((row, column), []).append((line, word))

    def table(self) -> Table | None:
        """What the cells make: at least two rows, two columns and three cells with text, and no
        boxes around text."""
        rows = sorted({row for row, _ in self._words})
        columns = sorted({column for _, column in self._words})
        if len(rows) < 2 or len(columns) < 2 or len(self._words) < 3:
            return None
        texts = [
            [cell_text(self._words.get((row, column), ())) for column in columns] for row in rows
        ]
        if _are_boxes(texts):
            return None
        table = Table(texts, self._grid.box, open_end=self._grid.open_end)
        for row, column in self._words:
            end = self._end_of_span(row, column)
            first, behind = bisect_left(columns, column), bisect_left(columns, end)
            if behind - first > 1:
                table.spans.append(Span(bisect_left(rows, row), first, behind))
        table.bold_header = has_bold_header(
            [[word for c in columns for _, word in self._words.get((row, c), ())] for row in rows]
        )
        return table

    def _end_of_span(self, row: int, column: int) -> int:
        """The column behind a cell: where the next rule stands."""
        end = column + 1
        while end < len(self._xs) - 1 and not self._has_left_rule(row, end):
            end += 1
        return end

    def _has_left_rule(self, row: int, column: int) -> bool:
        return row in self._stripes or _parted(self._down[column], self._middle(self._ys, row))

    def _find_stripes(self, words: Sequence[tuple[Line, Word]]) -> set[int]:
        """The rows without rules inside whose text has gaps where other rows have rules: where the
        cells of every other row are shaded, the shades are all that parts them."""
        bare = {
            row
            for row in range(len(self._ys) - 1)
            if not any(_parted(rules, self._middle(self._ys, row)) for rules in self._down[1:-1])
        }
        if not bare or len(bare) == len(self._ys) - 1:
            return set()
        lines: dict[int, dict[int, list[Word]]] = {row: {} for row in bare}
        for line, word in words:
            row = _slot(self._ys, (word.top + word.bottom) / 2)
            if row in bare:
                lines[row].setdefault(id(line), []).append(word)
        return {row for row in bare if self._is_parted(list(lines[row].values()))}

    def _is_parted(self, lines: list[list[Word]]) -> bool:
        """Whether the words stand in several columns, and none near the next column's."""
        filled: set[int] = set()
        for words in lines:
            words.sort(key=lambda word: word.left)
            for word, following in zip(words, [*words[1:], None], strict=True):
                column = _slot(self._xs, word.left + _NEAR)
                if column != _slot(self._xs, word.right - _NEAR):
                    return False
                filled.add(column)
                if following is None or column == _slot(self._xs, following.left + _NEAR):
                    continue
                if following.left - word.right < _GAP * (word.bottom - word.top):
                    return False
        return len(filled) > 1

    def _middle(self, places: list[float], index: int) -> float:
        return (places[index] + places[index + 1]) / 2


def _are_boxes(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at most half of the rows are several cells, and the others long texts, or most."""
    alone = [max(row, key=len) for row in rows if sum(map(bool, row)) < 2]
    if 2 * len(alone) < len(rows):
        return False
    return 3 * len(alone) > 2 * len(rows) or max(map(len, alone)) > _LONG


def _slot(places: list[float], where: float) -> int:
    return min(max(0, bisect_right(places, where) - 1), len(places) - 2)


def _near(rules: Sequence[Rule], at: float) -> list[Rule]:
    return [rule for rule in rules if abs(rule.at - at) <= _NEAR]


def _parted(rules: Sequence[Rule], where: float) -> bool:
    return any(rule.start <= where <= rule.end for rule in rules)


def has_bold_header(rows: Sequence[Sequence[Word]]) -> bool:
    """Whether all words of the first row are bold, and less than all of the others."""
    below = [word.style.bold for row in rows[1:] for word in row]
    return all(word.style.bold for word in rows[0]) and not all(below)


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
