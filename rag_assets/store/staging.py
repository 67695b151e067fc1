"""How does a partition's file change? Beside the live file, and published by one rename.

    live ──copy──> .copy ──rename──> .staging ──transactions──> .staging ──rename──> live

Nobody ever writes a file that somebody reads. A process killed anywhere leaves the live file as it
was, and a staging file that the next run goes on from if it still stems from the live file.
"""

import errno
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from rag_assets.store.layout import StoreFile
from rag_assets.store.locking import locked
from rag_assets.store.reading import open_live, unreadable
from rag_assets.store.schema import apply
from rag_core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = ["FORMAT", "Staging", "staged", "sync"]

FORMAT = 1
"""Raised when an older release could misread a file. New columns alone do not raise it."""

_META = """
CREATE TABLE IF NOT EXISTS store_meta (
    format INTEGER, tenant_id VARCHAR, corpus_id VARCHAR,
    generation VARCHAR,  -- names this version of the live file; new with each publication
    base VARCHAR         -- the generation that a staging file was copied from, '' for none
)"""


class Staging:
    """The next version of one partition's file, and the only connection to it.

    Copied from the live file when `connection` is first asked for: a run that finds nothing to
    change copies nothing, and its `publish()` does nothing.
    """

    def __init__(
        self,
        file: StoreFile,
        run_id: str,
        begin: "Callable[[], duckdb.DuckDBPyConnection]",
        *,
        live: "duckdb.DuckDBPyConnection | None" = None,
        generation: str = "",
        resumed: bool = False,
    ) -> None:
        self.file = file
        self.run_id = run_id
        self.resumed = resumed
        """True if this goes on from what a run that did not end left behind."""
        self.generation = generation
        """Names the version that is live, from `publish()` on the new one; '' for none."""
        self._begin = begin
        self._live = live
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._ended = False

    @property
    def connection(self) -> "duckdb.DuckDBPyConnection":
        """To read and to write the next version. Raises `StoreError` if that has ended."""
        if self._ended:
            raise StoreError(f"the next version of {self.file.live} was published or discarded")
        if self._connection is None:
            self._connection = self._begin()
        return self._connection

    @property
    def has_begun(self) -> bool:
        """Whether there is a next version, so that publishing will change something."""
        return self._connection is not None

    @property
    def reading(self) -> "duckdb.DuckDBPyConnection":
        """To read what is there so far: the next version if it has begun, else the live one."""
        if self._connection is None and self._live is not None:
            return self._live
        return self.connection

    @contextmanager
    def snapshot(self) -> "Iterator[duckdb.DuckDBPyConnection]":
        """To read what is there now, at leisure, while the next version begins and changes.

        Leave the block before publishing.
        """
        if self._connection is None and self._live is not None:
            cursor = self._live.cursor()
            cursor.execute("USE live")
        else:
            cursor = self.connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def publish(self) -> None:
        """Make this version the live one: all of it, durably, or nothing.

        Ends the staging: the connection is closed. Raises `StoreError` if the disk refuses.
        """
        if self._connection is None:
            self.close()
            return
        generation = uuid.uuid4().hex
        self._connection.execute("UPDATE store_meta SET generation = ?", [generation])
        self._connection.execute("CHECKPOINT")
        self.close()
        sync(self.file.staging)
        self.file.staging.replace(self.file.live)
        self.generation = generation
        sync(self.file.live.parent)

    def discard(self) -> None:
        """Forget this version: the next run starts from the live file. Ends the staging."""
        self.close()
        _sweep(self.file, keep_staging=False)

    def close(self) -> None:
        """Close the connection; what was committed stays in the staging file."""
        self._close_live()
        if self._connection is not None and not self._ended:
            self._connection.close()
        self._ended = True

    def _close_live(self) -> None:
        if self._live is not None:
            self._live.close()
            self._live = None

    @contextmanager
    def transaction(self) -> Iterator["duckdb.DuckDBPyConnection"]:
        """Commit all that the block does, or nothing of it."""
        self.connection.execute("BEGIN")
        try:
            yield self.connection
        except BaseException:  # also for Ctrl-C: half a batch must not stay
            if not self._ended:
                self.connection.execute("ROLLBACK")
            raise
        self._commit()

    def _commit(self) -> None:
        self.connection.execute("COMMIT")


@contextmanager
def staged(
    file: StoreFile,
    schema: str,
    *,
    run_id: str,
    timeout: float = 0.0,
    memory_limit: str = "512MiB",
) -> Iterator[Staging]:
    """The next version of `file`, locked; once begun, with `schema` applied: see `schema.apply`.

    Leaving the block without `publish()`, by an exception or not, keeps what was committed for the
    next run and never touches the live file. An error of DuckDB itself that hints at a damaged or
    unwritable file discards the staging file. Raises `StoreError`: the file is locked (names the
    holder, after `timeout` seconds), the disk is full, the live file cannot be read, ...
    """
    with (
        locked(file.lock, run_id=run_id, timeout=timeout),
        _store_errors(file),
        _live(file) as live,
    ):
        generation = _generation(live, file)
        resumed = _stems_from(generation, file)
        _sweep(file, keep_staging=resumed)
        base = None if resumed else generation
        staging = Staging(
            file,
            run_id,
            lambda: _begun(file, schema, memory_limit, base),
            live=live,
            generation=generation,
            resumed=resumed,
        )
        try:
            if resumed or live is None:
                _ = staging.connection
            yield staging
        except _damage() as error:
            staging.close()
            _sweep(file, keep_staging=False)
            raise error
        finally:
            staging.close()


@contextmanager
def _live(file: StoreFile) -> "Iterator[duckdb.DuckDBPyConnection | None]":
    """The live file to read, if there is one; its folder is there in any case."""
    file.live.parent.mkdir(parents=True, exist_ok=True)
    with open_live(file) if file.live.exists() else nullcontext() as live:
        yield live


def _connect(path: Path, memory_limit: str) -> "duckdb.DuckDBPyConnection":
    import duckdb

    # Two threads: a third gains little on files of this size, and each needs memory of its own.
    return duckdb.connect(str(path), config={"memory_limit": memory_limit, "threads": 2})


def _begun(
    file: StoreFile, schema: str, memory_limit: str, base: str | None
) -> "duckdb.DuckDBPyConnection":
    """The staging file as it is, or anew from the live file of generation `base`."""
    if base:
        shutil.copyfile(file.live, file.copy)
        file.copy.replace(file.staging)
    connection = _connect(file.staging, memory_limit)
    try:
        # One transaction: a process killed before its end leaves the base of the version before,
        # so that nobody goes on from there.
        connection.execute("BEGIN")
        _prepare(connection, file, schema)
        if base:
            connection.execute("UPDATE store_meta SET base = ?", [base])
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: "duckdb.DuckDBPyConnection", file: StoreFile, schema: str) -> None:
    connection.execute(_META)
    if not connection.execute("SELECT 1 FROM store_meta").fetchall():
        connection.execute(
            "INSERT INTO store_meta VALUES (?, ?, ?, '', '')",
            [FORMAT, file.tenant_id, file.corpus_id],
        )
    _must_fit(connection, file)
    apply(connection, schema)
    # TIMESTAMPTZ would be a column that Python reads only with pytz (DuckDB 1.5.5).
    connection.execute("CREATE OR REPLACE TEMP MACRO utc_now() AS make_timestamp(epoch_us(now()))")


def _must_fit(connection: "duckdb.DuckDBPyConnection", file: StoreFile) -> None:
    """Raises `StoreError` for a file of a newer release, or of another partition."""
    found = connection.execute("SELECT format, tenant_id, corpus_id FROM store_meta").fetchall()
    for made_by, tenant_id, corpus_id in found:
        if made_by > FORMAT:
            raise StoreError(
                f"{file.live} has format {made_by}, this release writes {FORMAT}: upgrade it"
            )
        if (tenant_id, corpus_id) != (file.tenant_id, file.corpus_id):
            raise StoreError(
                f"{file.live} belongs to {tenant_id}/{corpus_id}, not to "
                f"{file.tenant_id}/{file.corpus_id}: remove it, the next run builds it anew"
            )


def _stems_from(generation: str, file: StoreFile) -> bool:
    """Whether a staging file is there, opens, and was copied from what is live now."""
    import duckdb

    if not file.staging.exists():
        return False
    try:
        # Not read-only: opening replays the log of a killed process.
        with duckdb.connect(str(file.staging)) as connection:
            found = connection.execute("SELECT base FROM store_meta").fetchall()
    except duckdb.Error:  # torn, no DuckDB file at all, or killed before its first commit
        return False
    return found == [(generation,)]


def _generation(live: "duckdb.DuckDBPyConnection | None", file: StoreFile) -> str:
    """Of the live file, if it is this partition's; '' if there is none."""
    import duckdb

    if live is None:
        return ""
    try:
        _must_fit(live, file)
        row = live.execute("SELECT generation FROM store_meta").fetchone()
    except duckdb.Error as error:
        raise unreadable(file, error) from error
    return str(row[0]) if row else ""


def _sweep(file: StoreFile, *, keep_staging: bool) -> None:
    """Remove what killed processes left. Only ever called by the holder of the lock."""
    leftovers = [file.rows, *_of(file.copy), file.live.with_name(f"{file.live.name}.tmp")]
    leftovers += [file.staging.with_name(f"{file.staging.name}.tmp")]
    if not keep_staging or not file.staging.exists():
        leftovers += _of(file.staging)
    for path in leftovers:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _of(path: Path) -> list[Path]:
    """A DuckDB file and what DuckDB keeps beside it."""
    return [path, *(path.with_name(f"{path.name}{end}") for end in (".wal", ".tmp"))]


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot sync folders
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _damage() -> tuple[type[Exception], ...]:
    """DuckDB errors after which the staging file cannot be relied on."""
    import duckdb

    return (
        duckdb.IOException,
        duckdb.FatalException,
        duckdb.InternalException,
        duckdb.SerializationException,
    )


@contextmanager
def _store_errors(file: StoreFile) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise StoreError(
            f"{file.live}: {error}; free disk space beside it, or raise the memory limit"
        ) from error
    except (duckdb.Error, OSError) as error:
        full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
        if full or "No space left" in str(error):
            raise StoreError(
                f"no space left to write {file.live}; it needs room for a second copy. "
                "The published version is untouched: free disk space and run again"
            ) from error
        raise StoreError(
            f"cannot write the next version of {file.live}: {error}. "
            "The published version is untouched: run again"
        ) from error
