"""Does what scenarios tell, with the real assets, sensor and schedule; checks what they expect.

Each method named after a step takes `(world, step)`, so that any interpreter of the format can
play its files: `play(path, Driver())`. Close it at the end, or use it in a `with` block.
"""

import contextlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import dagster as dg

from rag_assets.automation import automation
from rag_assets.partition_key import decode, encode
from rag_assets.store.layout import Warehouse
from tests.scenarios import expectations, settings, stored
from tests.scenarios.running import (
    CHUNK,
    Order,
    Outcome,
    outcome_of,
    resources_of,
    run,
    run_apart,
    start_apart,
)

Step = dict[str, Any]
World = Any
"""Of whatever interpreter plays: has `base`, `map`, `acl`, `pair(step)`, `root(tenant, corpus)`."""
Pair = tuple[str, str]


@dataclass
class Ran:
    """A run that a scenario gave a name."""

    pair: Pair
    outcome: Outcome
    ids: dict[str, list[str]] = field(default_factory=dict)
    """Chunk ids by document, when it had ended."""
    processed: list[str] = field(default_factory=list)


@dataclass
class Ticked:
    """An evaluation of the sensor or the schedule."""

    requests: list[dg.RunRequest] = field(default_factory=list)
    launched: list[dg.RunRequest] = field(default_factory=list)
    """Those that Dagster would not drop, since their run key is new."""
    error: str = ""
    said: str = ""


class Driver:
    """State of one scenario: a Dagster instance, a warehouse, what has run so far."""

    def __init__(self, *, kill_stage: str = CHUNK) -> None:
        self._cleanup = contextlib.ExitStack()
        self._folder = Path(
            self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="scenario-store-"))
        )
        self.instance = self._cleanup.enter_context(
            dg.DagsterInstance.ephemeral(tempdir=str(self._folder / "dagster"))
        )
        self.warehouse = self._folder / "warehouse"
        self.runs: dict[str, Ran] = {}
        self.ticks: dict[str, Ticked] = {}
        self.before: dict[Pair, list[stored.Row]] = {}
        """A partition's chunks before its last run."""
        self.readers: list[subprocess.Popen[str]] = []
        self._environ = {"RAG_WAIT_SECONDS": "120"}
        self._settings = settings.Settings()
        self._versions: dict[str, str] = {}
        self._on_open: dict[str, str | None] = {}
        self._kill_stage = kill_stage
        self._cursor: str | None = None
        self._run_keys: set[str] = set()
        self._seen: dict[Pair, list[stored.Row]] | None = None
        """While something is asserted, when nothing changes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End readers, forget the warehouse."""
        for reader in self.readers:
            reader.communicate(timeout=30)
        self.readers.clear()
        self._cleanup.close()

    # Steps

    def run(self, world: World, step: Step) -> None:
        """Materialize one partition."""
        order = self.order(world, step)
        if isinstance(order, Outcome):
            outcome = order
        elif order.kill_after is not None:
            self._remember(world.pair(step))
            done = run_apart(order)
            outcome = outcome_of(done.returncode, done.stdout, done.stderr)
        else:
            self._remember(world.pair(step))
            with _at_most(step.get("timeout_s")):
                outcome = run(order, self.instance)
        self._on_open = {}
        self._note(step.get("id", f"run {len(self.runs)}"), world.pair(step), outcome)
        _expect(step, outcome)

    def parallel(self, world: World, step: Step) -> None:
        """Several runs at once, in processes or threads of their own."""
        orders = [self.order(world, one) for one in step["runs"]]
        for one in step["runs"]:
            self._remember(world.pair(one))
        if "threads" in step:
            with ThreadPoolExecutor(len(orders)) as pool:
                outcomes = list(pool.map(_run_alone, orders))
        else:
            processes = [start_apart(order) for order in orders if isinstance(order, Order)]
            ended = [(p.communicate(timeout=300), p.returncode) for p in processes]
            outcomes = [outcome_of(code, out, err) for (out, err), code in ended]
        for one, outcome in zip(step["runs"], outcomes, strict=True):
            self._note(one.get("id", f"run {len(self.runs)}"), world.pair(one), outcome)
            _expect(one, outcome)

    def config(self, world: World, step: Step) -> None:
        """Settings, of one corpus if the step names one, else of all."""
        self._settings.take(
            step.get("set", {}), world.pair(step) if "corpus" in step else None, self._environ
        )

    def acl(self, world: World, step: Step) -> None:
        """Labels of a document, or of a whole corpus."""
        labels = next(step[name] for name in ("acl", "labels", "acl_labels", "set") if name in step)
        if "path" in step:
            world.acl[(*world.pair(step), step["path"])] = labels
        else:
            self._settings.take({"acl_labels": labels}, world.pair(step), self._environ)

    def parser_version(self, world: World, step: Step) -> None:
        """Another release of a parser, or of all of them."""
        name = step.get("parser") or step.get("mime_type") or step.get("format") or "*"
        self._versions[name] = str(step.get("version", step.get("set", "another")))

    def during_read(self, world: World, step: Step) -> None:
        """In the next run, the file changes as soon as it is opened."""
        path = world.root(*world.pair(step)) / step["path"]
        self._on_open[str(path)] = step.get("write", step.get("text", ""))

    def vanish_before_read(self, world: World, step: Step) -> None:
        """In the next run, the file goes after it was listed, before it is opened."""
        self._on_open[str(world.root(*world.pair(step)) / step["path"])] = None

    def remove_tenant(self, world: World, step: Step) -> None:
        """The tenant's folder goes, with all corpora."""
        tenant = world.pair(step)[0]
        number = list(world.map).index(tenant)
        shutil.rmtree(world.base / "src" / f"t{number}")
        for known in [key for key in world.acl if key[0] == tenant]:
            del world.acl[known]
        self._settings.forget(tenant)

    def open_reader(self, world: World, step: Step) -> None:
        """Another process holds `rag.duckdb` and a cursor open until the end, and reads on."""
        reader = subprocess.Popen(
            [sys.executable, "-c", _READER, str(self.warehouse)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.readers.append(reader)
        assert reader.stdout
        assert reader.stdout.readline() == "open\n"

    def sql(self, world: World, step: Step) -> None:
        """Somebody changes the published file by hand."""
        import duckdb

        tenant, corpus = world.pair(step)
        partition = Warehouse(self.warehouse).partition(tenant, corpus)
        file = partition.documents if "documents" in step["sql"] else partition.chunks
        # The views show tenant and corpus, which the files themselves do not have.
        columns = {"tenant_id": tenant, "corpus_id": corpus}
        with duckdb.connect(str(file.live)) as connection:
            tables = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
            tables = [name for name in tables if name in step["sql"] and name != "store_meta"]
            for table in tables:
                for name, value in columns.items():
                    quoted = value.replace("'", "''")
                    connection.execute(
                        f"ALTER TABLE {table} ADD COLUMN {name} VARCHAR DEFAULT '{quoted}'"
                    )
            connection.execute(step["sql"])
            for table in tables:
                for name in columns:
                    connection.execute(f"ALTER TABLE {table} DROP COLUMN {name}")

    def run_checks(self, world: World, step: Step) -> None:
        """The invariants, on what is published."""
        from rag_assets.stages.audit import audit

        order = self.order(world, step)
        assert isinstance(order, Order)
        resources = resources_of(order)
        _, config = resources["sources"].corpus(order.key)
        results = audit(config, resources["warehouse"].partition(order.key))
        outcome = Outcome(
            checks={result.name: result.passed for result in results},
            messages="\n".join(
                f"{order.key} {result.name}: {offender}"
                for result in results
                for offender in result.offenders
            ),
        )
        outcome.exit = 0 if all(outcome.checks.values()) else 1
        self._note(step["id"], world.pair(step), outcome)

    def reset_cursor(self, world: World, step: Step) -> None:
        """The sensor's memory is lost, or is what an older release left."""
        self._cursor = step.get("cursor", step.get("set"))

    def tick(self, world: World, step: Step) -> None:
        """Evaluate the sensor, or the schedule, and run what it requests."""
        ticked = self.ticks[step.get("id", f"tick {len(self.ticks)}")] = Ticked()
        kind = step.get("kind", step.get("of", "schedule" if step.get("schedule") else "sensor"))
        try:
            result = self._evaluate(world, step, kind)
        except Exception as error:  # whatever it is, Dagster would show it as a failed tick
            ticked.error = repr(error)
            return
        if isinstance(result, dg.SkipReason):
            ticked.said = result.skip_message or ""
            return
        for request in result.dynamic_partitions_requests or ():
            if isinstance(request, dg.AddDynamicPartitionsRequest):
                self.instance.add_dynamic_partitions("rag_corpora", list(request.partition_keys))
            else:
                for key in request.partition_keys:
                    self.instance.delete_dynamic_partition("rag_corpora", key)
        dies = step.get("fail_after_first_yield")
        for request in result.run_requests or ():
            ticked.requests.append(request)
            if request.run_key not in self._run_keys:
                self._launch(world, request, ticked)
            if dies:
                return
        self._cursor = result.cursor

    def assert_(self, world: World, step: Step) -> None:
        """What must hold now."""
        self._seen = {}
        try:
            for name, expected in step.items():
                if name not in {"op", "tenant", "corpus", "note", "comment"}:
                    getattr(expectations, name)(self, world, world.pair(step), expected)
        finally:
            self._seen = None

    # What expectations ask for

    def rows(self, pair: Pair) -> list[stored.Row]:
        """The chunks of a partition."""
        if self._seen is None:
            return stored.rows(self.warehouse, *pair)
        if pair not in self._seen:
            self._seen[pair] = stored.rows(self.warehouse, *pair)
        return self._seen[pair]

    def fresh(self, world: World, pair: Pair) -> dict[str, list[tuple[Any, ...]]]:
        """What a run over the present sources gives in an empty warehouse."""
        order = self.order(world, {"tenant": pair[0], "corpus": pair[1]})
        assert isinstance(order, Order)
        with tempfile.TemporaryDirectory() as empty, dg.DagsterInstance.ephemeral() as instance:
            run(replace(order, warehouse=empty), instance)
            return stored.everything(Path(empty), *pair)

    def order(self, world: World, step: Step) -> Order | Outcome:
        """The run that a step asks for; an outcome if it cannot even begin."""
        tenant, corpus = world.pair(step)
        try:
            arguments = settings.arguments(step.get("args", []))
            key = encode(tenant, corpus)
        except ValueError as error:
            return Outcome(exit=2, messages=str(error))
        except expectations.REFUSED as error:
            return Outcome(exit=1, messages=str(error))
        if corpus not in world.map.get(tenant, {}):
            world.root(tenant, corpus)
        places = self._places(world)
        if "source" in step:
            places[key] = str(world.base / str(step["source"]).removeprefix("@"))
        self._settings.write(places, world.acl)
        return Order(
            root=str(world.base / "src"),
            places=places,
            warehouse=str(self.warehouse),
            key=key,
            environ={**self._environ, **arguments.environ},
            force=bool(step.get("force")) or arguments.force,
            versions=self._versions,
            kill_after=step.get("kill_after_docs"),
            kill_stage=self._kill_stage,
            on_open=self._on_open,
        )

    # Private

    def _places(self, world: World) -> dict[str, str]:
        places = {}
        for number, (tenant, corpora) in enumerate(world.map.items()):
            for corpus, at in corpora.items():
                with contextlib.suppress(expectations.REFUSED):
                    key = encode(tenant, corpus)
                    places[key] = str(world.base / "src" / f"t{number}" / f"docs{at or ''}")
        return places

    def _remember(self, pair: Pair) -> None:
        self.before[pair] = self.rows(pair)

    def _note(self, name: str, pair: Pair, outcome: Outcome) -> None:
        ran = self.runs[name] = Ran(pair, outcome)
        for row in self.rows(pair):
            ran.ids.setdefault(row.document, []).append(row.id)
        if outcome.run_id:
            ran.processed = stored.processed(self.warehouse, *pair, outcome.run_id)

    def _evaluate(self, world: World, step: Step, kind: str) -> Any:
        sensor, schedule = automation("on")
        if kind == "schedule":
            now = datetime.fromisoformat(step["at"]) if "at" in step else datetime.now(UTC)
            # An ephemeral instance has no reference, which the context of a schedule insists on.
            with tempfile.TemporaryDirectory() as home:
                instance = dg.DagsterInstance.local_temp(home)
                keys = self.instance.get_dynamic_partitions("rag_corpora")
                instance.add_dynamic_partitions("rag_corpora", list(keys))
                with dg.build_schedule_context(
                    instance=instance, scheduled_execution_time=now
                ) as context:
                    requests = schedule(context)
            return dg.SensorResult(run_requests=requests, cursor=self._cursor)
        default = {"tenant": next(iter(world.map), "t1")}
        order = self.order(
            world, {**default, "corpus": next(iter(world.map.get(default["tenant"], {})), "docs")}
        )
        assert isinstance(order, Order)
        resources = resources_of(order)
        context = dg.build_sensor_context(
            instance=self.instance,
            cursor=self._cursor,
            resources={name: resources[name] for name in ("sources", "warehouse")},
        )
        return sensor(context)

    def _launch(self, world: World, request: dg.RunRequest, ticked: Ticked) -> None:
        tenant, corpus = decode(str(request.partition_key))
        ticked.launched.append(request)
        if request.run_key:
            self._run_keys.add(request.run_key)
        order = self.order(world, {"tenant": tenant, "corpus": corpus})
        assert isinstance(order, Order)
        self._remember((tenant, corpus))
        outcome = run(replace(order, tags=dict(request.tags)), self.instance)
        self._note(f"run {len(self.runs)}", (tenant, corpus), outcome)


def _run_alone(order: Order | Outcome) -> Outcome:
    if isinstance(order, Outcome):
        return order
    with dg.DagsterInstance.ephemeral() as instance:
        return run(order, instance)


def _expect(step: Step, outcome: Outcome) -> None:
    expected = step.get("expect_exit", "any")
    fits = {
        "any": outcome.exit >= 0,
        "nonzero": outcome.exit > 0,
        "killed": outcome.exit == -signal.SIGKILL,
    }.get(expected, outcome.exit == expected)
    assert fits, f"exit {outcome.exit}, expected {expected}: {outcome.messages}"
    for name in ("expect_stderr_contains", "expect_output_contains"):
        wanted = step.get(name, [])
        for text in [wanted] if isinstance(wanted, str) else wanted:
            assert text in outcome.messages


class _at_most:  # noqa: N801 # reads as a phrase after `with`
    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._started = time.monotonic()

    def __exit__(self, *exception: object) -> None:
        took = time.monotonic() - self._started
        assert self._seconds is None or took <= self._seconds, f"took {took:.1f} s"


_READER = """
import sys
from pathlib import Path
from rag_assets.store.catalog import open_warehouse, refresh_catalog
from rag_assets.store.layout import Warehouse
root = Path(sys.argv[1])
if not (root / "rag.duckdb").exists():
    refresh_catalog(Warehouse(root))
with open_warehouse(root) as connection:
    cursor = connection.cursor().execute("SELECT * FROM chunks")
    cursor.fetchone()
    print("open", flush=True)
    sys.stdin.read()
    cursor.fetchall()
    connection.execute("SELECT count(*) FROM chunks").fetchone()
"""
