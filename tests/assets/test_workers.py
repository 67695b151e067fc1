"""Real processes, really killed."""

import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import poisons
import pytest

from rag_assets.workers import Outcome, WorkerPool
from rag_core.errors import (
    ConfigError,
    CorruptDocument,
    DocumentTooLarge,
    EncryptedDocument,
    ParseError,
    ParseTimeout,
    RagError,
)

MEMORY = 128 << 20


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """Shared by the tests: what one does to it, the next does not notice."""
    with WorkerPool(2, seconds=20, memory_bytes=MEMORY) as pool:
        yield pool


Started = Callable[[], set[int]]


@pytest.fixture
def started() -> Iterator[Started]:
    """The living and dead processes that the test has started so far: none, at its end."""
    before = descendants()
    yield lambda: descendants() - before
    assert descendants() - before == set()


def descendants(of: int | None = None) -> set[int]:
    """All processes below one (this one), zombies too."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found: set[int] = set()
    level = {of or os.getpid()}
    while level:
        level = {child for child, parent in parents.items() if parent in level}
        found |= level
    return found


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # whoever inherited it has yet to reap it


def gone(pids: set[int], patience: float = 5.0) -> bool:
    deadline = time.monotonic() + patience
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_running, pids))


def only(pool: WorkerPool, function: Callable[..., object] | None, *args: object) -> object:
    [outcome] = pool.run(poisons.apply, [("acme/handbook/a.pdf", (function, *args))])
    assert outcome.key == "acme/handbook/a.pdf"
    return outcome.result


def warm_up(pool: WorkerPool) -> None:
    """Two workers that are ready for `poisons.apply`."""
    assert len(list(pool.run(poisons.apply, [(0, (None,)), (1, (None,))]))) == 2


def error(pool: WorkerPool, function: Callable[..., object], *args: object) -> RagError:
    result = only(pool, function, *args)
    assert isinstance(result, RagError)
    assert result.document == "acme/handbook/a.pdf"
    return result


def test_every_item_is_done_once(pool: WorkerPool) -> None:
    outcomes = list(pool.run(poisons.double, ((n, (n,)) for n in range(100))))
    assert sorted((one.key, one.result) for one in outcomes) == [(n, 2 * n) for n in range(100)]
    assert [one for one in outcomes if not 0 <= one.seconds < 20] == []


def test_no_items_start_no_process(started: Started) -> None:
    with WorkerPool(2) as pool:
        assert list(pool.run(poisons.double, [])) == []
        assert started() == set()


@pytest.mark.parametrize(
    ("poison", "cause"),
    [
        (poisons.segfault, "SIGSEGV"),
        (poisons.abort, "SIGABRT"),
        (poisons.leave, "exit code 3"),
    ],
)
def test_a_crash_costs_one_document_and_says_what_happened(
    pool: WorkerPool, poison: Callable[..., object], cause: str
) -> None:
    failed = error(pool, poison)
    assert type(failed) is CorruptDocument
    assert cause in failed.message
    assert "save it again" in failed.message
    assert only(pool, poisons.double, 4) == 8


def test_a_crash_is_noticed_at_once(pool: WorkerPool) -> None:
    only(pool, None)
    before = time.monotonic()
    error(pool, poisons.abort)
    assert time.monotonic() - before < 2


@pytest.mark.parametrize(
    "poison",
    [
        poisons.sleep,
        poisons.sleep_with_the_interpreter_locked,
        poisons.spin,
        poisons.sleep_in_a_child,
    ],
)
def test_what_hangs_is_stopped_at_its_deadline_with_all_that_it_started(
    started: Started, poison: Callable[..., object]
) -> None:
    with WorkerPool(1, seconds=0.3) as pool:
        [outcome] = pool.run(poison, [("a", ())])
        assert type(outcome.result) is ParseTimeout
        assert str(outcome.result).startswith("a: was stopped after 0.3 s; raise")
        assert outcome.seconds == pytest.approx(0.3)
        assert started() == set()


def test_thick_documents_may_take_longer() -> None:
    with WorkerPool(2, seconds=lambda args: 0.2 if args[0] > 1 else 20) as pool:
        items = [("thick", (0.5,)), ("stuck", (60.0,))]
        results = {one.key: one.result for one in pool.run(poisons.sleep, items)}
    assert results["thick"] is None
    assert isinstance(results["stuck"], ParseTimeout)


def test_the_deadline_holds_while_the_caller_is_busy(started: Started) -> None:
    with WorkerPool(2, seconds=0.2) as pool:
        warm_up(pool)
        run = pool.run(poisons.apply, [("quick", (None,)), ("stuck", (poisons.spin,))])
        assert next(run).key == "quick"
        time.sleep(2)
        assert len([one for one in started() if is_running(one)]) == 1, "nobody stopped it"
        assert isinstance(next(run).result, ParseTimeout)


def test_what_is_done_before_its_deadline_counts_however_late_the_caller_asks() -> None:
    with WorkerPool(2, seconds=1) as pool:
        warm_up(pool)
        run = pool.run(poisons.apply, [(0, (None,)), (1, (poisons.sleep, 0.2))])
        assert next(run).key == 0
        time.sleep(1.2)
        assert next(run).result is None


@pytest.mark.parametrize(
    "poison",
    [
        poisons.eat_memory,
        poisons.eat_memory_and_wrap,
        poisons.eat_memory_in_c,
        poisons.rust_runs_out_of_memory,
    ],
)
def test_a_memory_hog_costs_one_document(poison: Callable[..., object]) -> None:
    # A worker's peak shows only where it is above ours: half the limit has to be more than that,
    # however large the process that runs the tests has become.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    limit = max(MEMORY, 2 * own + MEMORY)
    with WorkerPool(1, seconds=60, memory_bytes=limit) as pool:
        failed = error(pool, poison)
        assert type(failed) is DocumentTooLarge
        assert f"{limit / 2**20:,.0f} MiB" in failed.message
        assert "raise the memory limit" in failed.message
        assert only(pool, poisons.double, 4) == 8


def test_a_kill_from_outside_is_told_as_lack_of_memory(pool: WorkerPool) -> None:
    failed = error(pool, poisons.killed)
    assert type(failed) is DocumentTooLarge
    assert "run fewer workers" in failed.message


def test_arguments_that_do_not_fit_cost_one_document(pool: WorkerPool) -> None:
    failed = error(pool, poisons.length, bytes(MEMORY))
    assert type(failed) is DocumentTooLarge
    assert only(pool, poisons.length, b"abc") == 3


def test_errors_raised_on_purpose_come_back_as_they_are(pool: WorkerPool) -> None:
    failed = error(pool, poisons.refuse, None)
    assert type(failed) is EncryptedDocument
    assert failed.message == "needs a password"
    named = only(pool, poisons.refuse, "archive.zip!/inner.pdf")
    assert isinstance(named, EncryptedDocument)
    assert named.document == "archive.zip!/inner.pdf"


@pytest.mark.parametrize(
    ("poison", "args", "words"),
    [
        (poisons.fail, ("by zero",), "ZeroDivisionError: by zero"),
        (poisons.exit_politely, (), "SystemExit: 4"),
        (poisons.fail_oddly, (), "7 of nine"),
        (poisons.unpicklable, (), "cannot leave the worker"),
        (poisons.unreadable, (), "cannot be read back"),
    ],
)
def test_any_other_failure_is_told_with_its_type_and_message(
    pool: WorkerPool, poison: Callable[..., object], args: tuple[object, ...], words: str
) -> None:
    failed = error(pool, poison, *args)
    assert type(failed) is ParseError
    assert words in failed.message
    assert only(pool, poisons.double, 4) == 8


def test_tracebacks_and_last_words_go_to_the_log(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "rag_assets.workers"):
        error(pool, poisons.fail, "by zero")
        error(pool, poisons.segfault)
    assert "raise ZeroDivisionError(message)" in caplog.text
    assert "in segfault" in caplog.text  # where Python was, by faulthandler


def test_noise_is_kept_out_of_results_and_blocks_nobody(
    pool: WorkerPool, capfd: pytest.CaptureFixture[str]
) -> None:
    results = [one.result for one in pool.run(poisons.chatter, ((n, ()) for n in range(4)))]
    assert results == ["said"] * 4
    assert capfd.readouterr() == ("", "")


def test_large_arguments_and_results_pass() -> None:
    data = os.urandom(1 << 20) * 100
    with WorkerPool(1) as pool:
        outcomes = list(pool.run(poisons.echo, [("scan", (data,))]))
    assert [one.result == data for one in outcomes] == [True]


def test_poison_among_many_costs_only_itself(started: Started) -> None:
    poison = {100: poisons.segfault, 250: poisons.leave, 400: poisons.spin}
    with WorkerPool(2, seconds=1, items_per_worker=150) as pool:
        outcomes = list(pool.run(poisons.apply, ((n, (poison.get(n),)) for n in range(500))))
    assert sorted(one.key for one in outcomes) == list(range(500))
    assert {one.key: type(one.result) for one in outcomes if one.result != "fine"} == {
        100: CorruptDocument,
        250: CorruptDocument,
        400: ParseTimeout,
    }


def test_items_are_pulled_only_as_workers_get_free(pool: WorkerPool) -> None:
    pulled = 0

    def endless() -> Iterator[tuple[int, tuple[int]]]:
        nonlocal pulled
        for pulled in count(1):
            yield pulled, (pulled,)

    run = pool.run(poisons.double, endless())
    ahead = []
    for done in range(1, 50):
        next(run)
        ahead.append(pulled - done)
    run.close()
    assert max(ahead) <= 3  # two at work, and one that came back at the same moment


def test_a_worker_is_replaced_after_its_share(started: Started) -> None:
    with WorkerPool(1, items_per_worker=3) as pool:
        pids = [one.result for one in pool.run(poisons.pid, ((n, ()) for n in range(7)))]
    assert [len(set(pids[:3])), len(set(pids[3:6])), len(set(pids))] == [1, 1, 3]


def test_a_worker_that_held_much_memory_is_replaced() -> None:
    with WorkerPool(1, memory_bytes=MEMORY) as pool:
        before = only(pool, poisons.pid)
        assert only(pool, poisons.pid) == before
        only(pool, poisons.hold_memory, MEMORY * 6 // 10)
        assert only(pool, poisons.pid) != before


def test_an_idle_worker_that_died_costs_nothing() -> None:
    with WorkerPool(1) as pool:
        pid = only(pool, poisons.pid)
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        assert gone({pid})
        assert only(pool, poisons.pid) != pid


def test_a_new_function_gets_new_workers_and_the_same_one_does_not(started: Started) -> None:
    with WorkerPool(1) as pool:
        first = only(pool, poisons.pid)
        assert only(pool, poisons.pid) == first
        [other] = pool.run(poisons.pid, [(0, ())])
        assert other.result != first
        assert len(started()) == 1


def test_a_run_that_is_abandoned_stops_its_items(started: Started) -> None:
    with WorkerPool(2) as pool:
        run = pool.run(poisons.apply, [(0, (None,)), (1, (poisons.sleep,))])
        assert next(run).key == 0
        run.close()
        assert only(pool, None) == "fine"


@pytest.mark.parametrize("leaving", [RuntimeError, KeyboardInterrupt])
def test_leaving_by_an_exception_leaves_nothing(
    started: Started, leaving: type[BaseException]
) -> None:
    with pytest.raises(leaving), WorkerPool(2) as pool:  # noqa: PT012 (leaving is the subject)
        run = pool.run(poisons.apply, [(0, (None,)), (1, (poisons.sleep_in_a_child,))])
        next(run)
        raise leaving


def test_an_error_of_the_supply_is_the_callers(started: Started) -> None:
    def supply() -> Iterator[tuple[int, tuple[float]]]:
        yield 0, (60.0,)
        raise OSError("the share is gone")

    with WorkerPool(2) as pool, pytest.raises(OSError, match="the share is gone"):
        list(pool.run(poisons.sleep, supply()))


def test_temporary_files_of_a_killed_worker_are_removed() -> None:
    with WorkerPool(1) as pool:
        folder = only(pool, poisons.temporary_folder)
        assert Path(str(folder)).is_dir()
    assert not Path(str(folder)).exists()


_PARENT = """
import sys, poisons
from rag_assets.workers import WorkerPool
with WorkerPool(3) as pool:
    items = [(0, (None,)), (1, (poisons.sleep_with_the_interpreter_locked,)),
             (2, (poisons.sleep_in_a_child,))]
    for outcome in pool.run(poisons.apply, items):
        print(outcome.key, flush=True)
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_die_with_their_parent(sent: signal.Signals, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"0\n"
        deadline = time.monotonic() + 5
        while len(below := descendants(parent.pid)) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(below) == 4, "three workers, and what one of them started"
        parent.send_signal(sent)
        parent.wait(5)
    assert gone(below)


def test_workers_load_only_what_the_function_needs(pool: WorkerPool) -> None:
    loaded = only(pool, poisons.loaded_modules)
    assert isinstance(loaded, list)
    heavy = {"dagster", "duckdb", "pytest", "pydantic", "rag_chunker", "fsspec"}
    assert heavy.intersection(loaded) == set()
    assert only(pool, poisons.main_file) is None, "the parent's main module was imported"


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with WorkerPool(len(os.sched_getaffinity(0))) as pool:
        assert only(pool, poisons.variable, "OMP_NUM_THREADS") == "1"
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with WorkerPool(1) as pool:
        assert only(pool, poisons.variable, "OMP_NUM_THREADS") == "7"


def test_it_works_beside_threads_that_hold_locks() -> None:
    lock = threading.Lock()
    results: list[object] = []

    def step() -> None:
        with WorkerPool(1) as pool:
            results.extend(one.result for one in pool.run(poisons.double, [(1, (1,))]))

    with lock:
        steps = [threading.Thread(target=step) for _ in range(3)]
        for one in steps:
            one.start()
        for one in steps:
            one.join(20)
    assert results == [2, 2, 2]


def test_workers_outlive_the_thread_that_started_them() -> None:
    with WorkerPool(1) as pool:
        started: list[object] = []
        thread = threading.Thread(target=lambda: started.append(only(pool, poisons.pid)))
        thread.start()
        thread.join()
        assert only(pool, poisons.pid) == started[0]


def test_a_function_that_workers_cannot_import_is_refused(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match="cannot be imported by name"):
        list(pool.run(lambda: None, [(0, ())]))


def test_workers_that_cannot_start_stop_the_run(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WorkerPool(1, memory_bytes=4 << 20) as pool, pytest.raises(ConfigError, match="memory"):
        list(pool.run(poisons.double, [(0, (0,))]))
    monkeypatch.setattr(poisons.double, "__module__", "poisons")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if not one.endswith("assets")])
    with WorkerPool(1) as pool, pytest.raises(ConfigError, match="No module named 'poisons'"):
        list(pool.run(poisons.double, [(0, (0,))]))


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"workers": 1, "items_per_worker": 0}])
def test_a_pool_of_nobody_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="needs at least 1"):
        WorkerPool(**wrong)


def test_outcomes_are_values() -> None:
    assert Outcome("a", 1, 0.5) == Outcome("a", 1, 0.5)
