"""Which tables and columns does a file have? From the SQL of its schema, the one source."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

__all__ = ["apply", "tables"]

_COLUMNS = """
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE NOT internal AND database_name = current_database()
ORDER BY table_name, column_index"""


@cache
def tables(schema: str) -> Mapping[str, Mapping[str, str]]:
    """Types by column by table that the statements of `schema` make."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(schema)
        return _columns(connection)


def apply(connection: "duckdb.DuckDBPyConnection", schema: str) -> None:
    """Make the tables of `schema` (`CREATE TABLE IF NOT EXISTS ...`), and give tables that an
    older release made the columns they lack, NULL in all rows."""
    connection.execute(schema)
    there = _columns(connection)
    for table, columns in tables(schema).items():
        for column, kind in columns.items():
            if column not in there[table]:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")


def _columns(connection: "duckdb.DuckDBPyConnection") -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(_COLUMNS).fetchall():
        found.setdefault(table, {})[column] = kind
    return found
