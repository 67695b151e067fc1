"""Who writes a partition's file now? An advisory lock that names its holder and dies with it."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rag_core.errors import StoreError

__all__ = ["locked"]


@contextmanager
def locked(path: Path, *, run_id: str, timeout: float = 0.0) -> Iterator[None]:
    """Hold the lock `path` for the time of the block.

    The operating system drops the lock when its holder dies, so a killed process blocks nobody.
    Raises `StoreError` that names the holder if the lock is not free within `timeout` seconds
    (0: at once).
    """
    from filelock import FileLock, Timeout

    note = path.with_suffix(".holder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        lock.acquire(timeout=timeout, poll_interval=0.05)
    except Timeout as error:
        raise StoreError(
            f"{path.stem} is being written by {_holder(note)}; wait for it to end, or stop it"
        ) from error
    except OSError as error:
        raise StoreError(f"cannot lock {path}: {error}; check its permissions") from error
    try:
        _sign(note, run_id)
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _sign(note: Path, run_id: str) -> None:
    """Written beside the lock, not into it: filelock before 4.0 empties the file on each try."""
    holder = {
        "run_id": run_id,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    draft = note.with_suffix(".draft")
    draft.write_text(json.dumps(holder), encoding="utf-8")
    draft.replace(note)


def _holder(note: Path) -> str:
    try:
        holder = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it is just starting or ending
        return "another run"
    return "run {run_id} (process {pid} on {host}, since {since})".format_map(holder)
