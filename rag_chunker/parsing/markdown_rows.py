"""Which text of a table row goes beyond the table's columns?"""

import re

from markdown_it.rules_block.table import escapedSplit

_CONTAINERS = re.compile(r"[\s>]*")


def last_cell_with_excess(line: str, columns: int) -> str | None:
    """The last column's source with all cells beyond it, if there are any.

    GFM drops them. Mostly they come from a `|` inside code, which GFM takes for a separator: put
    back together, the cell reads as its author meant it.
    """
    row = line[_CONTAINERS.match(line).end() :].rstrip()  # type: ignore[union-attr]
    if row.count("|") + 1 - row.startswith("|") - row.endswith("|") <= columns:
        return None
    cells = escapedSplit(row)
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip():
        cells = cells[:-1]
    return "|".join(cells[columns - 1 :]).strip() if len(cells) > columns else None
