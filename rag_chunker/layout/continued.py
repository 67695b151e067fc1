"""Which tables are one that was broken at the end of a page?"""

from collections.abc import Sequence
from typing import TypeVar

from rag_chunker.layout.grids import Table

Other = TypeVar("Other")

_SHIFT = 8.0
"""Points by which the edges of the parts may differ."""


def join_tables(items: Sequence[Other | Table]) -> list[Other | Table]:
    """The items, tables that go on over a page break joined, their repeated headers dropped.

    Nothing may stand between the parts, and they have the same number of columns in the same
    place. A part goes on with the row before if that row has no rule below, or if its own first
    row has an empty first cell.
    """
    found: list[Other | Table] = []
    last_page = 0
    for item in items:
        before = found[-1] if found else None
        if (
            isinstance(item, Table)
            and isinstance(before, Table)
            and item.page == last_page + 1
            and _alike(before, item)
        ):
            _append(before, item)
            last_page = item.page
            continue
        found.append(item)
        if isinstance(item, Table):
            last_page = item.page
    return found


def _alike(before: Table, table: Table) -> bool:
    return (
        len(before.rows[0]) == len(table.rows[0])
        and abs(before.box.left - table.box.left) <= _SHIFT
        and (abs(before.box.right - table.box.right) <= _SHIFT or before.rows[0] == table.rows[0])
    )


def _append(before: Table, table: Table) -> None:
    same = 0
    while same < min(len(before.rows), len(table.rows)) and table.rows[same] == before.rows[same]:
        same += 1
    rows = table.rows[same:]
    goes_on = rows and (before.open_end or (not rows[0][0] and any(rows[0])))
    if goes_on and len(before.rows) > 1:
        before.rows[-1] = [
            " ".join(filter(None, pair)) for pair in zip(before.rows[-1], rows[0], strict=True)
        ]
        rows = rows[1:]
    before.rows += rows
    before.open_end = table.open_end
