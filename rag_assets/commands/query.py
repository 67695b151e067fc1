"""`ragctl query SQL`: read-only SQL on the warehouse, as a table or as data."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag_chunker.cli.failures import Failed

if TYPE_CHECKING:
    import duckdb

_READS = {"SELECT", "EXPLAIN", "MULTI", "SET"}
"""Kinds of statements that change nothing: FROM, WITH, SHOW, DESCRIBE and SUMMARIZE are SELECTs,
a PIVOT is MULTI."""


@click.command(
    short_help="Run SQL on the warehouse, read-only.",
    epilog='Example: ragctl query "SELECT document_id, count(*) FROM chunks GROUP BY ALL"\n\n'
    'Example: ragctl query "FROM chunk_context" --format parquet -o chunks.parquet',
)
@click.argument("sql")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "csv", "jsonl", "parquet"]),
    help="How the rows come.  [default: by the extension of --output, else a table on a terminal "
    "and csv when piped]",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="A file to write, whole or not at all."
)
def query(sql: str, kind: str | None, output: str | None) -> None:
    """Run SQL on the views of the warehouse (RAG_WAREHOUSE, data/warehouse) and print the rows.

    SQL may be - to read it from stdin. `ragctl query "SHOW TABLES"` lists the views, "DESCRIBE
    chunks" the columns of one. Only what reads is run.
    """
    from rag_assets.commands.rows import write
    from rag_assets.store.catalog import open_warehouse
    from rag_assets.store.trouble import querying

    text = sys.stdin.read() if sql == "-" else sql
    path = None if output is None else Path(output)
    kind = kind or _usual(path)
    with open_warehouse(Path(os.environ.get("RAG_WAREHOUSE", "data/warehouse"))) as warehouse:
        warehouse.execute("SET autoinstall_known_extensions = false")  # nothing comes by network
        with querying(warehouse):
            write(warehouse, _last_query(warehouse, text), kind, path)


def _usual(output: Path | None) -> str:
    known = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
    if output is not None:
        return known.get(output.suffix.lower(), "csv")
    return "table" if sys.stdout.isatty() else "csv"


def _last_query(warehouse: "duckdb.DuckDBPyConnection", sql: str) -> str:
    """The last statement of the SQL; those before it have been run."""
    statements = warehouse.extract_statements(sql)
    kinds = [statement.type.name for statement in statements]
    for kind in kinds:
        if kind not in _READS:
            raise Failed(
                f"ragctl query only reads: {kind} is not run; to write rows into a file: --format "
                "and --output"
            )
    if not kinds or [kind for kind in kinds if kind != "SET"] != kinds[-1:]:
        raise Failed("give one query, such as FROM chunks LIMIT 5, and SETs before it")
    for statement in statements[:-1]:
        warehouse.execute(statement)
    return statements[-1].query
