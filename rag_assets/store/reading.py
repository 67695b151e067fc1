"""How is a published file read? Attached to a DuckDB of its own, which then waits for the next.

`connect(path)` would join a connection that this process already has under that path, and show the
version that was live when that one was opened. A DuckDB takes 40 ms of CPU time to start, to attach
a file takes 2: so one that is not used any more is kept for whoever reads next.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rag_assets.store.layout import StoreFile
from rag_assets.store.trouble import explained
from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_live", "unreadable"]

_MOST_IDLE = 2
"""A run reads two files at once."""
_IDLE: "defaultdict[int, list[duckdb.DuckDBPyConnection]]" = defaultdict(list)
"""By process: a fork has the parent's memory, but none of the threads of its DuckDBs."""
_OTHERS = "SELECT count(*) FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'"
"""What a reader attached, and left."""


@contextmanager
def open_live(file: StoreFile) -> "Iterator[duckdb.DuckDBPyConnection]":
    """A connection that reads the live file: the version that is live now, for the time of the
    block. Its cursors need `USE live` of their own.

    Raises `StoreError` if there is none or it cannot be read.
    """
    import duckdb

    if not file.live.exists():
        raise StoreError(
            f"there is no {file.live.name} for {file.tenant_id}/{file.corpus_id} yet; "
            "materialize the stage that writes it"
        )
    idle = _IDLE[os.getpid()]
    # Two threads: a third gains little on files of this size, and each needs memory of its own.
    owner = idle.pop() if idle else duckdb.connect(config={"memory_limit": "512MiB", "threads": 2})
    try:
        quoted = str(file.live).replace("'", "''")  # ATTACH takes no parameters
        owner.execute(f"ATTACH '{quoted}' AS live (READ_ONLY)")
    except duckdb.Error as error:
        owner.close()
        raise unreadable(file, error) from error
    try:
        with owner.cursor() as reader:
            reader.execute("USE live")
            yield reader
        owner.execute("DETACH live")
        is_empty = owner.execute(_OTHERS).fetchall() == [(0,)]
    except BaseException:  # nobody knows what state it is in
        owner.close()
        raise
    if is_empty and len(idle) < _MOST_IDLE:
        idle.append(owner)
    else:
        owner.close()


def unreadable(file: StoreFile, error: Exception) -> StoreError:
    """What an error of DuckDB says of a live file, and what to do."""
    return StoreError(explained(error, file.live))
