"""What does an error of DuckDB mean for whoever meets it, and what is to be done?"""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = ["explained", "querying"]

_HELD = re.compile(r'lock on file "(?P<file>.+?)".*held in (?P<program>.+?) \(PID (?P<pid>\d+)\)')
_LOCK = re.compile(r'lock on file "(?P<file>.+?)"')
_NAMED = re.compile(r'file "(?P<file>.+?)"', re.IGNORECASE)
_DAMAGED = (
    "not a valid DuckDB database file",
    "Could not read enough bytes",
    "Corrupt database file",
    "Failed to load checkpoint",
    "serialization error",
)


@contextmanager
def querying(connection: "duckdb.DuckDBPyConnection") -> Iterator[None]:
    """Errors of DuckDB inside become `StoreError`s that say what to do; Ctrl-C ends what runs on
    the connection, as the `KeyboardInterrupt` that it is."""
    import duckdb

    try:
        with _ended_by_ctrl_c(connection):
            yield
    except duckdb.Error as error:
        raise StoreError(explained(error)) from error
    except RuntimeError as error:
        if "interrupted" in str(error):  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from error
        raise


@contextmanager
def _ended_by_ctrl_c(connection: "duckdb.DuckDBPyConnection") -> Iterator[None]:
    """DuckDB looks for signals in the main thread only, then waits for its other threads, which go
    on to the end of the query unless they are told."""

    def end(*_: object) -> None:
        connection.interrupt()
        raise KeyboardInterrupt

    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not ours:  # whoever handles, or ignores, the signal otherwise has a reason
        yield
        return
    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def explained(error: Exception, file: Path | None = None) -> str:
    """The file at fault, what is wrong with it, and what to do; or DuckDB's own words.

    `file` is the one that was being opened, None for an error of a query; a file that the error
    names comes before it.
    """
    text = str(error)
    named = _NAMED.search(text)
    which = named["file"] if named else str(file or "the database")
    if _LOCK.search(text):
        held = _HELD.search(text)
        where = f"{held['program']} (process {held['pid']})" if held else "another process"
        return (
            f"{which} is open for writing in {where}: close it there, or open it read-only there; "
            "then any number can read it at once"
        )
    if "No space left" in text:
        return f"no space left on the disk while using {which}: free some, then try again"
    if "Permission denied" in text:
        return f"no permission to open {which}: run as the user who owns it"
    if any(sign in text for sign in _DAMAGED):
        return f"{which} is damaged: remove it, the next run writes it anew"
    if file is None:
        return text
    return f"{which} cannot be read ({text}); remove it, the next run writes it anew"
