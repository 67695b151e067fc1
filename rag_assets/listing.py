"""How are rows shown in Dagster's UI? The first few, as a table that says how many are missing."""

from collections.abc import Sequence

import dagster as dg

from rag_assets.plots import shortened

__all__ = ["MOST_ROWS", "listing"]

MOST_ROWS = 20
_LONGEST_CELL = 300
Cell = str | int | float | bool | None


def listing(
    names: Sequence[str], rows: Sequence[Sequence[Cell]], total: int | None = None, more: str = ""
) -> dg.TableMetadataValue:
    """A table of at most `MOST_ROWS` rows, long text shortened, line breaks as spaces.

    `total` is how many rows there are, if `rows` are only the first of them. If some are left out,
    a last row says how many, and where to see them: `more`, a command or a query.
    """
    shown = [tuple(_cell(cell) for cell in row) for row in rows[:MOST_ROWS]]
    left_out = (len(rows) if total is None else total) - len(shown)
    if left_out > 0:
        where = f": {more}" if more else ""
        shown.append((f"… and {left_out:,} more{where}", *[""] * (len(names) - 1)))
    return dg.MetadataValue.table(
        [dg.TableRecord(dict(zip(names, row, strict=True))) for row in shown],
        dg.TableSchema([dg.TableColumn(name, _kind(shown, at)) for at, name in enumerate(names)]),
    )


def _cell(value: Cell) -> Cell:
    if value is None:
        return ""
    return shortened(" ".join(value.split()), _LONGEST_CELL) if isinstance(value, str) else value


def _kind(rows: Sequence[Sequence[Cell]], at: int) -> str:
    kinds = {type(row[at]) for row in rows if row[at] != ""}
    return (
        {int: "int", float: "float", bool: "bool"}.get(*kinds, "string")
        if len(kinds) == 1
        else "string"
    )
