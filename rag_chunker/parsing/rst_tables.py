"""Which cells does a docutils table have, with cells that span columns and rows?"""

from collections.abc import Callable, Iterator
from typing import Any


def has_header(table: Any) -> bool:
    """Whether the author marked header rows."""
    return any(node.tagname == "thead" for node in table.findall())


def table_cells(table: Any, words: Callable[[Any], str]) -> Iterator[list[str]]:
    """The rows of cell texts, the header rows joined into one; a spanning cell counts once, but
    a header cell names every column that it spans. `words` gives the text of a cell."""
    groups = {node.tagname: node for node in table.findall() if node.tagname in ("thead", "tbody")}
    if "thead" in groups:
        rows = _rows(groups["thead"], words, repeat=True)
        yield [" ".join(dict.fromkeys(filter(None, names))) for names in zip(*rows, strict=True)]
    if "tbody" in groups:
        yield from _rows(groups["tbody"], words, repeat=False)


def _rows(group: Any, words: Callable[[Any], str], *, repeat: bool) -> list[list[str]]:
    rows = [row for row in group.children if row.tagname == "row"]
    grid: list[dict[int, str]] = [{} for _ in rows]
    for at, row in enumerate(rows):
        column = 0
        for entry in row.children:
            while column in grid[at]:
                column += 1
            text = words(entry)
            for down in range(entry.get("morerows", 0) + 1):
                for right in range(entry.get("morecols", 0) + 1):
                    once = text if repeat or (down == 0 and right == 0) else ""
                    if at + down < len(grid):
                        grid[at + down][column + right] = once
            column += entry.get("morecols", 0) + 1
    width = max((max(row, default=-1) + 1 for row in grid), default=0)
    return [[row.get(column, "") for column in range(width)] for row in grid]
