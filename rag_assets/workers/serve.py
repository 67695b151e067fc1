"""What runs inside a worker: it limits itself, loads one function, and answers item by item.

Messages: the parent sends the pickled function, the worker answers with a `str`, empty if all is
well. Then for each item the parent sends `(seconds, args)` and the worker answers with a `Reply`.
"""

import faulthandler
import fcntl
import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from rag_assets.workers.deaths import OUT_OF_MEMORY, too_large
from rag_core.errors import ParseError, RagError

__all__ = ["Reply", "serve"]

_ALARM_GRACE = 1.0
"""Seconds by which the parent, who kills at the deadline, comes before the worker's own alarm."""
_LONGEST_MESSAGE = 1_000
"""Characters of a foreign error's message; some carry the whole document."""


class Reply(NamedTuple):
    """What became of one item."""

    result: object
    """The function's value, or a `RagError`."""
    seconds: float
    trace: str
    """The traceback, if it failed."""
    retires: bool
    """This was the worker's last item."""


def serve(channel_fd: int, lifeline_fd: int, memory_bytes: int, items: int) -> None:
    """Answer up to `items` items on the channel, then wait to be ended.

    `lifeline_fd` is the reading end of a pipe that the parent holds open as long as it lives.
    """
    _die_with_parent(lifeline_fd)
    _limit(memory_bytes)
    _quieten()
    channel = Connection(channel_fd)
    try:
        function = _loaded(channel)
        served = 0
        while True:
            served += 1
            reply = _answer(function, channel.recv_bytes(), memory_bytes)
            retires = reply.retires or served >= items or _peak_bytes() > memory_bytes // 2
            channel.send_bytes(_pickled(reply._replace(retires=retires), memory_bytes))
            del reply
    except EOFError:  # the parent wants no more
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _die_with_parent(lifeline_fd: int) -> None:
    """Let the kernel kill this worker and all that it starts when the parent is gone, however.

    A signal on the closing of a pipe reaches the whole process group, also while native code
    holds the interpreter lock. PR_SET_PDEATHSIG would fire when the parent's *thread* ends, and
    spare the worker's children.
    """
    fcntl.fcntl(lifeline_fd, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline_fd, fcntl.F_SETOWN, -os.getpgrp())
    flags = fcntl.fcntl(lifeline_fd, fcntl.F_GETFL)
    fcntl.fcntl(lifeline_fd, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([lifeline_fd], [], [], 0)[0]:  # it died before
        os._exit(1)


def _limit(memory_bytes: int) -> None:
    """RLIMIT_DATA counts what can be written to, so that models mapped from files and addresses
    merely reserved are free; RLIMIT_AS would count them."""
    _, allowed = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory_bytes if allowed == resource.RLIM_INFINITY else min(memory_bytes, allowed)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):  # without /proc: the system picks its victims as it likes
        Path("/proc/self/oom_score_adj").write_text("1000")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})


def _quieten() -> None:
    """Python's prints and warnings go nowhere. Standard error itself is a pipe for the last words
    of native code; it takes 64 KiB and drops the rest, so that nobody waits for a reader."""
    os.set_blocking(2, False)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (for life)
    faulthandler.enable(2)


def _loaded(channel: Connection) -> Callable[..., object]:
    try:
        function: Callable[..., object] = pickle.loads(channel.recv_bytes())  # noqa: S301 (ours)
    except Exception as error:  # an import can raise anything; the parent tells it and stops
        channel.send(_one_line(error))
        raise
    channel.send("")
    return function


def _answer(function: Callable[..., object], item: bytes, memory_bytes: int) -> Reply:
    started = time.perf_counter()
    try:
        seconds, args = pickle.loads(item)  # noqa: S301 (from our parent)
        # The second fence: it stands also while the parent is busy or stopped, and counts the
        # time asleep, as RLIMIT_CPU does not.
        signal.setitimer(signal.ITIMER_REAL, seconds + _ALARM_GRACE)
        result, trace, retires = function(*args), "", False
    except BaseException as error:  # also Rust's panics and SystemExit: they cost this item only
        result, trace = _told(error, memory_bytes), traceback.format_exc()
        retires = result is not error  # who knows what it left behind
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return Reply(result, time.perf_counter() - started, trace, retires)


def _told(error: BaseException, memory_bytes: int) -> RagError:
    """A `RagError` itself if it survives pickling, else one that says the same."""
    if _is_lack_of_memory(error):
        failed = too_large(memory_bytes)
        failed.document = getattr(error, "document", None)
        return failed
    if not isinstance(error, RagError):
        return _foreign(error)
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (ours)
    except Exception:  # of a plug-in's own class: anything
        return _foreign(error)
    return error


def _is_lack_of_memory(error: BaseException) -> bool:
    """Also as the cause of another error: adapters wrap whatever their library raises."""
    link: BaseException | None = error
    while link is not None and not isinstance(link, MemoryError):
        link = link.__cause__
    return link is not None


def _foreign(error: BaseException) -> ParseError:
    return ParseError(
        f"failed unexpectedly with {_one_line(error)}; run with debug logging for the "
        "traceback, and report it to the parser's authors"
    )


def _pickled(reply: Reply, memory_bytes: int) -> bytes:
    try:
        return pickle.dumps(reply, protocol=5)
    except MemoryError:
        failed: RagError = too_large(memory_bytes)
    except Exception as error:  # a value's own pickling can raise anything
        failed = ParseError(f"its result cannot leave the worker: {_one_line(error)}")
    return pickle.dumps(reply._replace(result=failed, retires=True))


def _one_line(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()[:_LONGEST_MESSAGE]


def _peak_bytes() -> int:
    """The most memory that this process ever held; 0 where the system does not tell.

    Not from getrusage: its figure starts from the parent's.
    """
    with suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
