"""One worker as its parent sees it: started, asked, heard, ended."""

import os
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from multiprocessing.connection import Pipe

from rag_assets.workers.deaths import Death
from rag_assets.workers.serve import Reply
from rag_core.errors import ConfigError, ParseError

__all__ = ["WorkerDied", "WorkerProcess"]

_BOOT = (
    "import sys; sys.path[:] = sys.argv[5:]; from rag_assets.workers.serve import serve; "
    "serve(*map(int, sys.argv[1:5]))"
)
_THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
"""By default each library takes one thread a core in each worker, and memory for each thread."""
_NOISE_BYTES = 65_536
"""What a pipe holds."""


class WorkerDied(Exception):
    """The worker is gone; `end` says how."""


class WorkerProcess:
    """A fresh interpreter that knows one function, in a session and a temporary folder of its own.

    Started as a program of its own, not by `multiprocessing`: no thread or lock of the parent is
    inherited, and the parent's main module is not imported again.
    """

    def __init__(self, function: bytes, *, memory_bytes: int, items: int, threads: int) -> None:
        """Starts it, without waiting. Raises `ConfigError` if the system refuses.

        `threads` is how many native libraries may run, unless the environment says so already.
        """
        self.function = function
        self.is_ready = False
        self._death: Death | None = None
        with ExitStack() as on_failure, ExitStack() as childs:
            self._folder = tempfile.mkdtemp(prefix="rag-worker-")
            on_failure.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self.channel, theirs = Pipe()
            on_failure.callback(self.channel.close)
            childs.callback(theirs.close)
            lifeline, self._lifeline = _pipe(childs, on_failure, ours="write")
            noise, self._noise = _pipe(childs, on_failure, ours="read")
            numbers = (theirs.fileno(), lifeline, memory_bytes, items)
            path = [os.path.abspath(entry) for entry in sys.path]
            try:
                self._process = subprocess.Popen(  # noqa: S603 (our own interpreter)
                    [sys.executable, "-P", "-c", _BOOT, *map(str, numbers), *path],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=noise,
                    pass_fds=(theirs.fileno(), lifeline),
                    start_new_session=True,
                    env={
                        **dict.fromkeys(_THREAD_SETTINGS, str(threads)),
                        **os.environ,
                        "TMPDIR": self._folder,
                    },
                )
            except OSError as error:
                raise ConfigError(
                    f"cannot start a worker process: {error}; run fewer workers"
                ) from error
            on_failure.pop_all()
        with suppress(OSError):  # it died at once: `greet` will tell
            self.channel.send_bytes(function)

    def greet(self) -> None:
        """Take its first message. Raises `ConfigError` if it cannot work at all."""
        try:
            trouble: str = self.channel.recv()
        except (EOFError, OSError):
            death = self.end()
            last_words = death.noise.strip().rpartition("\n")[2]
            trouble = f"status {death.status} {last_words}".strip()
        if trouble:
            raise ConfigError(
                f"worker processes cannot start: {trouble}; check that the function's module can "
                "be imported there, and that the memory limit leaves room for it"
            )
        self.is_ready = True

    def ask(self, item: bytes) -> None:
        """Hand over one pickled `(seconds, args)`. Raises `WorkerDied`."""
        try:
            self.channel.send_bytes(item)
        except OSError as error:
            raise WorkerDied from error

    def reply(self) -> Reply:
        """Its answer, waited for. Raises `WorkerDied`."""
        try:
            answer = self.channel.recv_bytes()
        except (EOFError, OSError) as error:
            raise WorkerDied from error
        try:
            reply: Reply = pickle.loads(answer)  # noqa: S301 (from our worker)
        except Exception as error:  # a value's own unpickling can raise anything
            failed = ParseError(
                f"its result cannot be read back: {type(error).__name__}: {error}; report it to "
                "the parser's authors"
            )
            return Reply(failed, 0.0, repr(error), retires=True)
        return reply

    def last_words(self) -> str:
        """What native code has written to standard error since the last call."""
        with suppress(BlockingIOError):
            return os.read(self._noise, _NOISE_BYTES).decode(errors="replace")
        return ""

    def end(self) -> Death:
        """Kill it with all that it started, and free what it held. Calling it again is harmless."""
        if self._death is not None:
            return self._death
        with suppress(ProcessLookupError):  # before reaping, while its number cannot be reused
            os.killpg(self._process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        peak = _own_peak(usage.ru_maxrss)
        self._death = Death(self._process.returncode, peak, self.last_words())
        self.channel.close()
        os.close(self._lifeline)
        os.close(self._noise)
        shutil.rmtree(self._folder, ignore_errors=True)
        return self._death


def _pipe(childs: ExitStack, on_failure: ExitStack, *, ours: str) -> tuple[int, int]:
    """A pipe as `(the child's end, our end)`; ours never blocks."""
    read, write = os.pipe()
    theirs, kept = (write, read) if ours == "read" else (read, write)
    childs.callback(os.close, theirs)
    on_failure.callback(os.close, kept)
    os.set_blocking(kept, False)
    return theirs, kept


def _own_peak(maxrss_kib: int) -> int | None:
    """Linux starts the peak of a new process at its parent's, so only one above that says a
    thing about the child."""
    if maxrss_kib <= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
        return None
    return maxrss_kib * 1024
