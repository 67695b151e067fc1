"""How do rows of a query reach a terminal, a pipe or a file? Each format in a function."""

import csv
import io
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from rag_assets.replaced import replaced
from rag_chunker.cli.output import one_line
from rag_chunker.cli.terminal import console

if TYPE_CHECKING:
    import duckdb
    from rich.table import Table

__all__ = ["write"]

_AT_ONCE = 1_000
_SHOWN = 200
"""Rows of a table; nobody reads more of them."""
_NARROWEST = 9
"""Columns of the terminal that a column of a table needs to be legible."""
_CELL = 400
"""Characters of a table's cell that are shown."""


def write(
    connection: "duckdb.DuckDBPyConnection", query: str, kind: str, path: Path | None
) -> None:
    """The rows of `query` as `kind` (table, csv, jsonl, parquet) into the file, or to stdout.

    A file appears whole or not at all. Raises `duckdb.Error` for a query that is wrong, `OSError`.
    """
    if kind == "parquet":
        _as_parquet(connection, query, path)
        return
    rows = _executed(connection, query)
    if path is None:
        _WRITERS[kind](rows, sys.stdout.buffer)
        return
    with replaced(path) as draft, draft.open("wb") as file:
        _WRITERS[kind](rows, file)


class _Rows(NamedTuple):
    names: list[str]
    types: list[str]
    batches: Iterator[list[tuple[object, ...]]]


def _executed(connection: "duckdb.DuckDBPyConnection", query: str) -> _Rows:
    result = connection.execute(query)
    columns = result.description or []
    batches = iter(lambda: result.fetchmany(_AT_ONCE), [])
    return _Rows([c[0] for c in columns], [str(c[1]) for c in columns], batches)


def _as_table(rows: _Rows, file: BinaryIO) -> None:
    names = [one_line(name, _CELL) for name in rows.names]
    first = next(rows.batches, [])
    cells = [[one_line(_as_text(cell), _CELL) for cell in row] for row in first[:_SHOWN]]
    text = io.TextIOWrapper(file, "utf-8", write_through=True)
    screen = console(None if file is sys.stdout.buffer else text)
    if len(names) * _NARROWEST <= screen.width:
        screen.print(_table(names, cells))
    else:
        for record in _records(names, cells):
            screen.print(record, overflow="fold")
    text.detach()
    if len(first) > _SHOWN:
        click.echo(f"the first {_SHOWN} rows; LIMIT, or --format csv for all", err=True)


def _table(names: Sequence[str], cells: Iterable[Sequence[str]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for name in names:
        table.add_column(Text(name), overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _records(names: Sequence[str], cells: Iterable[Sequence[str]]) -> Iterator[str]:
    """One column a line, for rows that are too wide for a table."""
    widest = max(map(len, names))
    for number, row in enumerate(cells, start=1):
        lines = [f"{name:<{widest}}  {cell}" for name, cell in zip(names, row, strict=True)]
        yield "\n".join([f"row {number}", *lines, ""])


def _as_csv(rows: _Rows, file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.names)
    for batch in rows.batches:
        writer.writerows([_as_text(cell) for cell in row] for row in batch)
    text.flush()
    text.detach()


def _as_json_lines(rows: _Rows, file: BinaryIO) -> None:
    names = _distinct(rows.names)
    for batch in rows.batches:
        for row in batch:
            values = map(_as_json, row, rows.types)
            line = json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)
            file.write(line.encode("utf-8", "backslashreplace") + b"\n")
    file.flush()


def _as_parquet(connection: "duckdb.DuckDBPyConnection", query: str, path: Path | None) -> None:
    if path is not None:
        with replaced(path) as draft:
            connection.sql(query).write_parquet(str(draft), compression="zstd")
        return
    if sys.stdout.isatty():
        raise click.UsageError("Parquet is not for a terminal: name a file with --output")
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "rows.parquet"
        connection.sql(query).write_parquet(str(draft), compression="zstd")
        with draft.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(_as_json(value), ensure_ascii=False)
    return str(value)


def _as_json(value: object, kind: str = "") -> object:
    """Lists and numbers as such, JSON columns as what they hold, everything else as text."""
    if kind == "JSON" and isinstance(value, str):
        return json.loads(value)
    if isinstance(value, list | tuple):
        return [_as_json(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _as_json(one) for key, one in value.items()}
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _distinct(names: Sequence[str]) -> list[str]:
    """Columns of the same name get a number, so that none hides another."""
    found: list[str] = []
    for name in names:
        number, given = 1, name
        while given in found:
            number += 1
            given = f"{name}_{number}"
        found.append(given)
    return found


_WRITERS: dict[str, Callable[[_Rows, BinaryIO], None]] = {
    "table": _as_table,
    "csv": _as_csv,
    "jsonl": _as_json_lines,
}
