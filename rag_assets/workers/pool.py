"""Hand out items to worker processes, a few at a time, and take back what becomes of each."""

import logging
import os
import pickle
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

from rag_assets.workers.deaths import Death, error_of, timeout
from rag_assets.workers.process import WorkerDied, WorkerProcess
from rag_core.errors import ConfigError, RagError

__all__ = ["Outcome", "WorkerPool"]

_log = logging.getLogger("rag_assets.workers")

_START_SECONDS = 120.0
"""For a worker to import its function: a second when idle, many on a crowded machine."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[K, V]):
    """What became of one item."""

    key: K
    result: V | RagError
    """The function's value, or why there is none: an error that names the item."""
    seconds: float
    """How long the worker had it."""


class WorkerPool:
    """At most `workers` processes; each is limited, and replaced when it dies.

    `seconds` is the deadline of an item, or a function of its arguments (the tuple) that gives
    it, so that thick documents may take longer. `memory_bytes` is what one worker may hold:
    `workers` times that should fit the machine. A worker is replaced once it held half of that,
    or after `items_per_worker` items, so that leaks do not add up; a thousand, since a new one
    takes a second of CPU to import parsers, as much as fifty small documents.

    Leaving the context, or the end of this process by any means, leaves no worker behind, nor
    anything that one started. One `run` at a time, from one thread.
    """

    def __init__(
        self,
        workers: int,
        *,
        seconds: float | Callable[[tuple[Any, ...]], float] = 60.0,
        memory_bytes: int = 2 << 30,
        items_per_worker: int = 1_000,
    ) -> None:
        if workers < 1 or items_per_worker < 1:
            raise ValueError(f"needs at least 1, not {workers=}, {items_per_worker=}")
        self._count = workers
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._items_per_worker = items_per_worker
        self._alive: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in list(self._alive):
            self._end(worker)

    def run(
        self, function: Callable[..., V], items: Iterable[tuple[K, tuple[Any, ...]]]
    ) -> Generator[Outcome[K, V], None, None]:
        """`function(*args)` for each `(key, args)`, each once; yields as they complete.

        Items are pulled one by one when a worker is free, so `items` may be endless and its
        arguments large: at most `workers` of them are held. `function` must be importable by
        name, and is imported once a worker; so must be the classes of arguments and values.

        Closing the iterator stops the items at work.

        A `RagError` that it raises is the item's result. Of the rest, `ParseTimeout` means the
        deadline, `DocumentTooLarge` the memory limit, `CorruptDocument` that the worker died, and
        `ParseError` any other exception, whose traceback is logged at debug level.

        Raises `ConfigError` if workers cannot start, `ValueError` if `function` is not importable
        by name, and whatever `items` raises.
        """
        named = _by_name(function)
        supply = iter(items)
        busy: dict[Connection, _Job[K]] = {}
        outcomes: list[Outcome[K, V]] = []
        try:
            while True:
                # Before yielding, so that workers work while the caller does.
                while len(busy) < self._count and (item := next(supply, None)) is not None:
                    job = self._assign(named, *item)
                    busy[job.worker.channel] = job
                yield from outcomes
                if not busy:
                    return
                outcomes = [
                    Outcome(job.key, cast(V | RagError, result), seconds)
                    for job, result, seconds in self._heard(busy)
                ]
        finally:
            for job in busy.values():
                self._end(job.worker)

    def _assign(self, function: bytes, key: K, args: tuple[Any, ...]) -> "_Job[K]":
        seconds = self._seconds(args) if callable(self._seconds) else self._seconds
        item = pickle.dumps((seconds, args), protocol=5)
        job = _Job(self._worker(function), key, seconds, item)
        if job.worker.is_ready:
            job.hand_over()
        return job

    def _worker(self, function: bytes) -> WorkerProcess:
        """One that waits for work, else a new one."""
        while self._idle:
            worker = self._idle.pop()
            # An idle worker has nothing to say; if there is something to read, it died.
            if worker.function == function and not worker.channel.poll():
                return worker
            self._end(worker)
        worker = WorkerProcess(
            function,
            memory_bytes=self._memory_bytes,
            items=self._items_per_worker,
            threads=max(1, len(os.sched_getaffinity(0)) // self._count),
        )
        self._alive.add(worker)
        return worker

    def _heard(
        self, busy: "dict[Connection, _Job[K]]"
    ) -> "Iterator[tuple[_Job[K], object, float]]":
        """Wait for news: the jobs that are done, which leave `busy`, with result and seconds."""
        patience = min(job.deadline for job in busy.values()) - time.monotonic()
        speaking = {*wait(list(busy), max(0.0, patience))}
        for channel, job in list(busy.items()):
            if channel in speaking and not job.worker.is_ready:
                job.worker.greet()
                job.hand_over()
            elif channel in speaking:
                del busy[channel]
                yield job, *self._result(job)
            elif job.deadline <= time.monotonic() and not channel.poll():
                del busy[channel]
                yield job, self._stopped(job), job.seconds

    def _result(self, job: "_Job[K]") -> tuple[object, float]:
        try:
            reply = job.worker.reply()
        except WorkerDied:
            return self._died(job), time.monotonic() - job.started
        noise = job.worker.last_words()
        if reply.retires:
            self._end(job.worker)
        else:
            self._idle.append(job.worker)
        _tell(job.key, reply.trace, noise)
        if isinstance(reply.result, RagError):
            return _naming(reply.result, job.key), reply.seconds
        return reply.result, reply.seconds

    def _died(self, job: "_Job[K]") -> RagError:
        death = self._end(job.worker)
        _tell(job.key, f"worker ended with status {death.status}", death.noise)
        error = error_of(death, seconds=job.seconds, memory_bytes=self._memory_bytes)
        return _naming(error, job.key)

    def _stopped(self, job: "_Job[K]") -> RagError:
        if not job.worker.is_ready:
            raise ConfigError(
                f"a worker process did not start within {_START_SECONDS:g} s; run fewer workers, "
                "or look for what its imports wait for"
            )
        _tell(job.key, "stopped at its deadline", self._end(job.worker).noise)
        return _naming(timeout(job.seconds), job.key)

    def _end(self, worker: WorkerProcess) -> Death:
        self._alive.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        return worker.end()


class _Job(Generic[K]):
    """One item and the worker that has it."""

    def __init__(self, worker: WorkerProcess, key: K, seconds: float, item: bytes) -> None:
        self.worker = worker
        self.key = key
        self.seconds = seconds
        self.started = time.monotonic()
        self.deadline = self.started + _START_SECONDS
        self._item = item

    def hand_over(self) -> None:
        """To a worker that listens: its time runs from here, imports not counted."""
        item, self._item = self._item, b""
        self.started = time.monotonic()
        self.deadline = self.started + self.seconds
        with suppress(WorkerDied):  # its channel is at its end, which is heard next
            self.worker.ask(item)


def _by_name(function: Callable[..., object]) -> bytes:
    if getattr(function, "__module__", None) == "__main__":
        raise ValueError(f"{function!r} is of the main module; move it to one that workers import")
    try:
        return pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(f"{function!r} cannot be imported by name: {error}") from error


def _naming(error: RagError, key: object) -> RagError:
    if error.document is None:
        error.document = str(key)
    return error


def _tell(key: object, trace: str, noise: str) -> None:
    if trace or noise:
        _log.debug("%s: %s\n%s", key, trace, noise)
