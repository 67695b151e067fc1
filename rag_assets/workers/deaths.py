"""Why did a worker die, and what can be done about the document it worked on?"""

import signal
from typing import NamedTuple

from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseTimeout, RagError

__all__ = ["OUT_OF_MEMORY", "Death", "error_of", "timeout", "too_large"]

OUT_OF_MEMORY = 87
"""Exit code of a worker that could not even say that it met its memory limit."""

_ALLOCATION_FAILED = (
    "memory allocation of",  # Rust's abort
    "std::bad_alloc",  # an uncaught exception of C++
    "Cannot allocate memory",  # what C says of ENOMEM
)


class Death(NamedTuple):
    """How a worker ended."""

    status: int
    """Its exit code, or minus the number of the signal that ended it."""
    peak_bytes: int | None
    """The most memory it ever held; None if that cannot be told from its parent's."""
    noise: str
    """What native libraries wrote to its standard error during the last item."""


def error_of(death: Death, *, seconds: float, memory_bytes: int) -> RagError:
    """The error of the one document that the worker was reading under these limits."""
    if death.status in (-signal.SIGALRM, -signal.SIGXCPU):
        return timeout(seconds)
    if _met_memory_limit(death, memory_bytes):
        return too_large(memory_bytes, f" ({_cause(death.status)})")
    if death.status == -signal.SIGKILL:
        return DocumentTooLarge(
            "its worker was killed from outside, most likely by the system for lack of memory; "
            "run fewer workers, give the machine more memory, or split the document"
        )
    return CorruptDocument(
        f"its worker died ({_cause(death.status)}); open the document in the program that wrote "
        "it and save it again, or exclude it"
    )


def timeout(seconds: float) -> ParseTimeout:
    """Stopped at its deadline."""
    return ParseTimeout(
        f"was stopped after {seconds:g} s; raise the time limit, or split the document"
    )


def too_large(memory_bytes: int, detail: str = "") -> DocumentTooLarge:
    """Stopped at its memory limit."""
    return DocumentTooLarge(
        f"needs more memory than the {memory_bytes / 2**20:,.0f} MiB that a worker may "
        f"use{detail}; raise the memory limit, or split the document"
    )


def _met_memory_limit(death: Death, memory_bytes: int) -> bool:
    """A native library that gets no memory mostly crashes.

    Workers that ever held half of their memory are replaced after that item (see `serve`), so a
    crash above that is the doing of the last item.
    """
    if death.status == OUT_OF_MEMORY or any(sign in death.noise for sign in _ALLOCATION_FAILED):
        return True
    peak = death.peak_bytes
    return death.status < 0 and peak is not None and peak > memory_bytes // 2


def _cause(status: int) -> str:
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:  # a real-time signal
        return f"signal {-status}"
