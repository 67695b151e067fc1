"""How is one page laid out? Tables, bullets, columns: its lines in reading order."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from rag_chunker.layout.aligned import find_aligned
from rag_chunker.layout.columns import reading_order
from rag_chunker.layout.contents import mark_contents
from rag_chunker.layout.geometry import Rule
from rag_chunker.layout.grids import Grid, Table, fill_grid, find_grids
from rag_chunker.layout.lines import Line, Word


def lay_out(
    lines: Sequence[Line],
    *,
    across: Sequence[Rule] = (),
    down: Sequence[Rule] = (),
) -> list[Line | Table]:
    """The lines and tables of one page in reading order.

    `lines` have their `order` in the source's content, and their bullets (`attach_bullets`);
    `across` and `down` are the horizontal and vertical rules drawn.
    """
    rest = list(lines)
    mark_contents(rest)
    ruled: list[Table] = []
    for grid in find_grids(across, down):
        table, rest = _take(grid, rest)
        if table is not None:
            ruled.append(table)
    ordered = reading_order([*rest, *ruled])
    if len({item.column for item in ordered}) > 1:
        in_order = (item for item in ordered if isinstance(item, Line))
        for _, column in groupby(in_order, key=attrgetter("column")):
            mark_contents(list(column))
    return find_aligned(ordered, across)


def _take(grid: Grid, lines: list[Line]) -> tuple[Table | None, list[Line]]:
    """The table in a grid, and the lines without its words."""
    box = grid.box
    inside: list[tuple[Line, Word]] = []
    for line in lines:
        if line.box.meets(box):
            inside += [
                (line, word)
                for word in line.words
                if box.holds((word.left + word.right) / 2, (word.top + word.bottom) / 2)
            ]
    table = fill_grid(grid, inside)
    if table is None:
        return None, lines
    table.order = min(line.order for line, _ in inside)
    taken = {id(word) for _, word in inside}
    rest: list[Line] = []
    for line in lines:
        kept = [word for word in line.words if id(word) not in taken]
        if len(kept) == len(line.words):
            rest.append(line)
        elif kept:
            rest.append(line.with_words(kept))
    return table, rest
