"""`ragctl query SQL`: read-only SQL on the warehouse, as a table or as data."""

import csv
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click


@click.command(
    short_help="Run SQL on the warehouse, read-only.",
    epilog='Example: ragctl query "SELECT document_id, count(*) FROM chunks GROUP BY ALL"',
)
@click.argument("sql")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "csv", "jsonl"]),
    help="Default: a table on a terminal, csv when piped.",
)
def query(sql: str, kind: str | None) -> None:
    """Run SQL on rag.duckdb below RAG_WAREHOUSE (data/warehouse) and print the rows."""
    import duckdb

    from rag_assets.store.catalog import open_warehouse

    kind = kind or ("table" if sys.stdout.isatty() else "csv")
    with open_warehouse(Path(os.environ.get("RAG_WAREHOUSE", "data/warehouse"))) as warehouse:
        try:
            result = warehouse.execute(sql)
            names = [column[0] for column in result.description or []]
            _WRITERS[kind](names, iter(result.fetchone, None))
        except duckdb.Error as error:
            raise click.ClickException(str(error)) from error


def _as_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(*names)
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    Console().print(table, markup=False)


def _as_csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _as_json_lines(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    for row in rows:
        line = dict(zip(names, row, strict=True))
        click.echo(json.dumps(line, ensure_ascii=False, default=str))


_WRITERS = {"table": _as_table, "csv": _as_csv, "jsonl": _as_json_lines}
