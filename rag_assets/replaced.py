"""How does a file appear whole or not at all? Written beside its place, then renamed into it."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replaced"]


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; it becomes `path` at the end, and goes if that fails.

    An `OSError` about it names `path`.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename == str(draft):
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)
