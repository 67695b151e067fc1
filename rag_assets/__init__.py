"""Many documents, over time: sources, store, invariants, and what Dagster makes of them.

For notebooks and scripts: `open_warehouse()`. Importing this package loads neither Dagster nor
DuckDB.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_warehouse"]


def open_warehouse(path: "str | os.PathLike[str] | None" = None) -> "duckdb.DuckDBPyConnection":
    """A read-only DuckDB connection to what all corpora hold: the views and macros of `rag.duckdb`.

    `path` is the warehouse's folder; without it RAG_WAREHOUSE, or `data/warehouse` in the current
    folder. The connection can stay open as long as you like: no run waits for it, and each query
    shows what is published by then. Close it, or use it in a `with` block.

    Raises `StoreError` that says what to do if there is no warehouse, or it cannot be opened.
    """
    from rag_assets.store.catalog import open_warehouse as opened

    return opened(Path(path or os.environ.get("RAG_WAREHOUSE") or "data/warehouse"))
