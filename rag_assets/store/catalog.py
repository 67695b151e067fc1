"""How do people query everything at once? `rag.duckdb`: views over all partitions' files."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from rag_assets.store import chunks, documents, ocr_pages, runs
from rag_assets.store.layout import Warehouse
from rag_assets.store.locking import locked
from rag_assets.store.schema import tables
from rag_assets.store.staging import sync
from rag_assets.store.trouble import explained
from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_warehouse", "refresh_catalog"]

_STORED = {
    "documents": documents.schema,
    "ocr_pages": ocr_pages.schema,
    "chunks": chunks.schema,
}
"""Which file has which tables."""

_NAMES = {"runs": "published_runs", "documents": "documents_as_parsed"}
"""What the view of a table is called, where that is not the table's name."""

_PARTITION = {"tenant_id": "VARCHAR", "corpus_id": "VARCHAR"}
_WAIT = 30.0  # seconds; a refresh takes a fraction of one


def refresh_catalog(warehouse: Warehouse, *, run_id: str = "catalog") -> bool:
    """Make `rag.duckdb` show the partitions that are there; True if it had to be written anew.

    Its definitions change only when the first file of a kind appears or the last one goes, when
    the warehouse moves, or with a new release; new versions and new partitions show by themselves.
    Written beside and renamed, so that nobody who has it open is in the way or disturbed.
    Raises `StoreError` if it cannot be written.
    """
    import duckdb

    lock = warehouse.root / ".locks" / "rag.lock"
    with locked(lock, run_id=run_id, timeout=_WAIT):
        script = _script(warehouse)
        digest = hashlib.sha256(script.encode()).hexdigest()
        for leftover in warehouse.root.glob(".rag.*.duckdb*"):
            leftover.unlink(missing_ok=True)
        if _digest(warehouse.catalog) == digest:
            return False
        draft = warehouse.root / f".rag.{uuid.uuid4().hex}.duckdb"
        try:
            with duckdb.connect(str(draft)) as connection:
                connection.execute(script)
                connection.execute(f"CREATE VIEW catalog_version AS SELECT '{digest}' AS digest")
                connection.execute("CHECKPOINT")
            sync(draft)
            draft.replace(warehouse.catalog)
        except (duckdb.Error, OSError) as error:
            raise StoreError(
                f"cannot write {warehouse.catalog}: {error}; the partitions are untouched, "
                "run again"
            ) from error
    return True


def open_warehouse(root: Path) -> "duckdb.DuckDBPyConnection":
    """A read-only connection to all partitions' views; it shows what is published later, too.

    Raises `StoreError` if there is no warehouse at `root`.
    """
    import duckdb

    catalog = Warehouse(root).catalog
    if not catalog.exists():
        raise StoreError(
            f"there is no warehouse at {root}; materialize a corpus first: `ragctl demo` for the "
            "sample, `ragctl ui` for your own; or set RAG_WAREHOUSE to where it lies"
        )
    try:
        return duckdb.connect(str(catalog), read_only=True)
    except duckdb.Error as error:
        raise StoreError(explained(error, catalog)) from error


def _script(warehouse: Warehouse) -> str:
    views = files("rag_assets.store").joinpath("sql/views.sql").read_text(encoding="utf-8")
    base = [
        _table_view(warehouse.root, file, table, columns)
        for file, schema in _STORED.items()
        for table, columns in tables(schema()).items()
    ]
    noted = _view("noted_runs", _union(warehouse.root, "runs.jsonl", runs.COLUMNS, _json_lines))
    return ";\n".join([*base, noted, views])


def _table_view(root: Path, file: str, table: str, columns: Mapping[str, str]) -> str:
    def reader(pattern: str) -> str:
        return f"read_duckdb({pattern}, table_name = '{table}', union_by_name = true, {_HIVE})"

    return _view(_NAMES.get(table, table), _union(root, f"{file}.duckdb", columns, reader))


def _json_lines(pattern: str) -> str:
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in runs.COLUMNS.items())
    return f"read_json({pattern}, format = 'newline_delimited', columns = {{{columns}}}, {_HIVE})"


_HIVE = "hive_partitioning = true, hive_types = {'tenant_id': 'VARCHAR', 'corpus_id': 'VARCHAR'}"


def _view(name: str, query: str) -> str:
    return f"CREATE VIEW {name} AS {query}"


def _union(root: Path, file: str, columns: Mapping[str, str], reader: Callable[[str], str]) -> str:
    """A query of all partitions' files of this name, or of nothing if no partition has one.

    The empty half fixes the names and types: files of an older release lack newer columns.
    """
    typed = {**_PARTITION, **columns}
    nothing = ", ".join(f"NULL::{kind} AS {_name(name)}" for name, kind in typed.items())
    query = f"SELECT {nothing} WHERE false"
    if any(root.glob(f"tenant_id=*/corpus_id=*/{file}")):
        # Absolute, so that the file opens from any folder of this machine.
        pattern = _text(f"{_glob_literal(root.resolve())}/tenant_id=*/corpus_id=*/{file}")
        names = ", ".join(_name(name) for name in typed)
        query = f"SELECT {names} FROM (SELECT * FROM {reader(pattern)} UNION ALL BY NAME {query})"
    return query


def _digest(catalog: Path) -> str | None:
    """Of what the views were made from, if there are any."""
    try:
        found = catalog.stat()
    except OSError:
        return None
    return _digest_of(catalog, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=16)
def _digest_of(catalog: Path, *_version: int) -> str | None:
    """Remembered, since a run asks after each of its stages, and opening costs 40 ms."""
    import duckdb

    try:
        with duckdb.connect(str(catalog), read_only=True) as connection:
            row = connection.execute("SELECT digest FROM catalog_version").fetchone()
    except duckdb.Error:  # none yet, damaged, or of an older release: write it
        return None
    return str(row[0]) if row else None


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _glob_literal(path: Path) -> str:
    return "".join(f"[{char}]" if char in "*[" else char for char in path.as_posix())
