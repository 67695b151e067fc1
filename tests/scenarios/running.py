"""One run of the real assets over one partition, in this process or in one of its own.

`python -m tests.scenarios.running` reads an `Order` as JSON from standard input, and prints the
`Outcome` as JSON. It may be told to kill itself, as a power cut would, after some documents.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import dagster as dg

from rag_assets.definitions import build_defs, resources_from
from rag_core.errors import ConfigError
from tests.scenarios.corpora import LastingWorkers, PlacedSourcesResource

PARSE, CHUNK = "parse", "chunk"


@dataclass(frozen=True)
class Order:
    """What to run."""

    root: str
    """The folder that sources lie below."""
    places: dict[str, str]
    """Partition key to folder."""
    warehouse: str
    key: str
    environ: dict[str, str] = field(default_factory=dict)
    """What a user would set: RAG_MAX_TOKENS, ..."""
    force: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    """Parser version by media type, `*` for all: as if another release of it were installed."""
    kill_after: int | None = None
    """Documents after which the process kills itself, counted in `kill_stage`."""
    kill_stage: str = CHUNK
    on_open: dict[str, str | None] = field(default_factory=dict)
    """Source file to what it holds as soon as it was opened for the first time; None: it is gone
    before."""
    tags: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    """What became of a run."""

    run_id: str = ""
    exit: int = 0
    """0 done, 1 a document or the run failed, 2 settings that cannot be; negative: the signal."""
    checks: dict[str, bool] = field(default_factory=dict)
    messages: str = ""
    """What the run complained about."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Relative path to reason."""
    crash: str = ""
    """An exception that nobody turned into a message."""


def resources_of(order: Order) -> dict[str, Any]:
    """As the environment makes them, but for where the folders lie. Raises `ConfigError`."""
    environ = {"RAG_SOURCES": order.root, "RAG_WAREHOUSE": order.warehouse, **order.environ}
    resources: dict[str, Any] = resources_from(environ)
    placed = {name: getattr(resources["sources"], name) for name in _fields(resources["sources"])}
    resources["sources"] = PlacedSourcesResource(**placed, places=order.places)
    resources["workers"] = LastingWorkers()
    return resources


def run(order: Order, instance: dg.DagsterInstance) -> Outcome:
    """All assets of one partition, in this process."""
    try:
        resources = resources_of(order)
    except ConfigError as error:
        return Outcome(exit=2, messages=str(error))
    instance.add_dynamic_partitions("rag_corpora", [order.key])
    options = {"config": {"force": order.force}}
    with _meddling(order):
        result = (
            build_defs(resources)
            .resolve_job_def("ingest")
            .execute_in_process(
                partition_key=order.key,
                instance=instance,
                raise_on_error=False,
                tags=order.tags,
                run_config={
                    "ops": dict.fromkeys(("parsed_documents", "ocr_pages", "chunks"), options),
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                },
            )
        )
    return _outcome(result)


def run_apart(order: Order, timeout: float = 300.0) -> "subprocess.CompletedProcess[str]":
    """The same in a process of its own; `outcome_of` reads what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "tests.scenarios.running"],
        input=json.dumps(asdict(order)),
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=Path(__file__).parents[2],
    )


def start_apart(order: Order) -> "subprocess.Popen[str]":
    """The same, started and not waited for."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.running"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdin
    process.stdin.write(json.dumps(asdict(order)))
    process.stdin.close()
    process.stdin = None
    return process


def outcome_of(code: int, output: str, errors: str) -> Outcome:
    """Of a process that has ended."""
    if code == 0:
        return Outcome(**json.loads(output.splitlines()[-1]))
    crash = "" if code == -signal.SIGKILL else errors[-2000:]
    return Outcome(exit=code, messages=errors, crash=crash)


def _fields(resource: Any) -> list[str]:
    return list(type(resource).model_fields)


def _outcome(result: dg.ExecuteInProcessResult) -> Outcome:
    outcome = Outcome(run_id=result.run_id)
    lines = []
    for check in result.get_asset_check_evaluations():
        outcome.checks[check.check_name] = check.passed
        if not check.passed:
            lines.append(f"{check.check_name}: {check.description}")
            lines += [_text(value) for value in check.metadata.values()]
    for event in result.all_events:
        if event.is_step_failure:
            error = event.step_failure_data.error
            failure = event.step_failure_data.user_failure_data
            lines.append((failure.description or "") if failure else str(error))
            if failure is None and error is not None:
                outcome.crash = error.to_string()
    for event in result.get_asset_materialization_events():
        table = event.materialization.metadata.get("skipped_files")
        if table is not None:
            rows = [record.data for record in table.records]
            outcome.skipped |= {str(row["path"]): str(row["reason"]) for row in rows}
    lines += [f"skipped {path}: {reason}" for path, reason in outcome.skipped.items()]
    outcome.messages = "\n".join(lines)
    outcome.exit = 0 if result.success and all(outcome.checks.values()) else 1
    return outcome


def _text(value: dg.MetadataValue) -> str:
    if isinstance(value, dg.TableMetadataValue):
        return "\n".join(" ".join(map(str, record.data.values())) for record in value.records)
    return str(value.value)


@contextmanager
def _meddling(order: Order) -> Iterator[None]:
    """What happens to the process or its files while it runs."""
    import rag_assets.stages.chunk as chunking
    import rag_assets.stages.keys as keys
    import rag_assets.stages.parse as parsing

    patches = []
    if order.versions:
        parser_for = _others(order.versions, keys.parser_for)
        patches.append(mock.patch.object(keys, "parser_for", parser_for))
        version = _other_version(order.versions, keys.parser_version)
        patches.append(mock.patch.object(keys, "parser_version", version))
    if order.on_open:
        patches.append(mock.patch.object(os, "open", _changing(order.on_open)))
    if order.kill_after is not None:
        owner, name = {
            PARSE: (parsing._Run, "take"),
            CHUNK: (chunking._Run, "_chunked"),
        }[order.kill_stage]
        patches.append(mock.patch.object(owner, name, _dying(getattr(owner, name), order)))
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()


def _others(versions: dict[str, str], parser_for: Any) -> Any:
    class Other:
        def __init__(self, media_type: str) -> None:
            self._media_type = media_type
            self._version = parser_for(media_type).version()

        def version(self) -> str:
            found = f"{self._media_type} {self._version}"
            return _renewed(found, versions).removeprefix(f"{self._media_type} ")

    return Other


def _other_version(versions: dict[str, str], parser_version: Any) -> Any:
    return lambda source, data: _renewed(parser_version(source, data), versions)


def _renewed(found: str, versions: dict[str, str]) -> str:
    """`MEDIA_TYPE VERSION`, as of another release where `versions` has one."""
    added = [
        version
        for part, version in versions.items()
        if part in ("*", found.split()[0]) or part in found
    ]
    return " ".join([found, *added])


def _changing(on_open: dict[str, str | None]) -> Any:
    real_open, todo, lock = os.open, dict(on_open), threading.Lock()

    def opening(path: Any, *args: Any, **kwargs: Any) -> int:
        folder = kwargs.get("dir_fd")
        name = os.fspath(path)
        path = (
            name if folder is None else os.path.join(os.readlink(f"/proc/self/fd/{folder}"), name)
        )
        with lock:
            meant = path in todo
            text = todo.pop(path, None)
        if meant and text is None:
            os.unlink(path)
        descriptor = real_open(name, *args, **kwargs)
        if text is not None:
            Path(path).write_text(text, encoding="utf-8")
        return descriptor

    return opening


def _dying(function: Any, order: Order) -> Any:
    done = 0

    def dying(*args: Any) -> Any:
        nonlocal done
        result = function(*args)
        done += 1
        if done >= (order.kill_after or 0):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return dying


def main() -> None:
    """One run, as ordered on standard input."""
    order = Order(**json.load(sys.stdin))
    with dg.DagsterInstance.ephemeral() as instance:
        print(json.dumps(asdict(run(order, instance))))


if __name__ == "__main__":
    main()
