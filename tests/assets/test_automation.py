"""What runs by itself: who is asked to run, when, and what is removed."""

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.automation import automation
from rag_assets.partition_key import decode
from rag_assets.resources import SourcesResource
from rag_assets.stages import keys
from rag_assets.store import chunks, documents
from rag_assets.store.catalog import refresh_catalog
from rag_assets.store.locking import locked
from rag_assets.store.staging import staged
from rag_chunker.parsing.markdown import MarkdownParser
from tests.assets.conftest import Project

GUIDE = "# Guide\n\nText.\n"


class Daemon:
    """Evaluates the sensor as Dagster's daemon does: keeps its cursor, makes its partitions."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.cursor: str | None = None
        self.said = ""

    def tick(self) -> list[str]:
        """The partitions that runs were requested for."""
        return [str(request.partition_key) for request in self.requests()]

    def requests(self) -> list[dg.RunRequest]:
        sensor, _ = automation("on")
        resources = {name: self.project.resources[name] for name in ("sources", "warehouse")}
        context = dg.build_sensor_context(
            instance=self.project.instance, cursor=self.cursor, resources=resources
        )
        result = sensor(context)
        if isinstance(result, dg.SkipReason):
            self.said = result.skip_message or ""
            return []
        assert isinstance(result, dg.SensorResult)
        for request in result.dynamic_partitions_requests or ():
            if isinstance(request, dg.AddDynamicPartitionsRequest):
                self.project.instance.add_dynamic_partitions(
                    "rag_corpora", list(request.partition_keys)
                )
            else:
                for key in request.partition_keys:
                    self.project.instance.delete_dynamic_partition("rag_corpora", key)
        self.cursor = result.cursor
        return list(result.run_requests or ())

    @property
    def partitions(self) -> list[str]:
        return sorted(self.project.instance.get_dynamic_partitions("rag_corpora"))


@pytest.fixture
def daemon(project: Project) -> Daemon:
    return Daemon(project)


def publish(project: Project, key: str) -> Path:
    """An empty version of a partition, as a run would leave it; its folder."""
    files = project.resources["warehouse"].warehouse.partition(*decode(key))
    for file, kind in ((files.documents, documents), (files.chunks, chunks)):
        with staged(file, kind.schema(), run_id="r") as staging:
            staging.publish()
    return files.folder


def test_a_new_folder_becomes_a_partition_with_one_run(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/it's #1/deep/down/guide.md", GUIDE)
    assert daemon.tick() == ["acme/docs", "acme/it%27s%20%231"]
    assert daemon.partitions == ["acme/docs", "acme/it%27s%20%231"]


def test_a_tick_that_finds_nothing_new_requests_nothing(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    assert daemon.tick() == []
    assert "nothing changed" in daemon.said


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("acme/docs/guide.md", "# Guide\n\nOther.\n"),
        ("acme/docs/more.md", "new"),
        ("acme/docs/corpus.toml", 'acl_labels = ["staff"]'),
    ],
)
def test_a_change_asks_for_exactly_the_partition_that_it_touches(
    project: Project, daemon: Daemon, path: str, content: str
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/wiki/guide.md", GUIDE)
    project.write("evil/docs/guide.md", GUIDE)
    daemon.tick()
    project.write(path, content)
    assert daemon.tick() == ["acme/docs"]
    assert daemon.tick() == []


def test_a_deleted_file_asks_for_a_run(project: Project, daemon: Daemon) -> None:
    file = project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    file.unlink()
    assert daemon.tick() == ["acme/docs"]


def test_a_rewrite_that_keeps_size_and_time_asks_for_a_run(
    project: Project, daemon: Daemon
) -> None:
    file = project.write("acme/docs/guide.md", "price 100")
    os.utime(file, ns=(10**18, 10**18))
    daemon.tick()
    file.write_text("price 999")
    os.utime(file, ns=(10**18, 10**18))
    assert daemon.tick() == ["acme/docs"]


def test_another_default_asks_for_every_partition_once(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/wiki/guide.md", GUIDE)
    daemon.tick()
    project.resources["sources"] = SourcesResource(root=str(project.sources), max_tokens=100)
    assert daemon.tick() == ["acme/docs", "acme/wiki"]
    assert daemon.tick() == []


def test_another_release_asks_for_every_partition_once(
    project: Project, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    monkeypatch.setattr(keys, "CHUNK_STAGE", keys.CHUNK_STAGE + 1)
    assert daemon.tick() == ["acme/docs"]
    assert daemon.tick() == []


def test_another_release_of_a_parser_asks_for_every_partition_once(
    project: Project, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    monkeypatch.setattr(MarkdownParser, "version", lambda _: "another")
    assert daemon.tick() == ["acme/docs"]
    assert daemon.tick() == []


def test_content_that_comes_back_is_run_again(project: Project, daemon: Daemon) -> None:
    """Run keys are used once for ever: a key made of content alone would drop the third run."""
    run_keys = []
    for content in ("state A", "state B", "state A"):
        os.utime(project.write("acme/docs/a.md", content), ns=(10**18, 10**18))
        run_keys += [request.run_key for request in daemon.requests()]
    assert len(set(run_keys)) == 3


def test_a_vanished_folder_takes_partition_and_rows_with_it(
    project: Project, daemon: Daemon
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/wiki/guide.md", GUIDE)
    daemon.tick()
    stays, goes = publish(project, "acme/docs"), publish(project, "acme/wiki")
    shutil.rmtree(project.sources / "acme/wiki")
    assert daemon.tick() == []
    assert daemon.partitions == ["acme/docs"]
    assert (stays.exists(), goes.exists()) == (True, False)
    assert daemon.tick() == []


def test_a_tenant_that_comes_back_starts_anew(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("evil/docs/guide.md", GUIDE)
    daemon.tick()
    (project.sources / "evil").rename(project.sources.parent / "away")
    daemon.tick()
    (project.sources.parent / "away").rename(project.sources / "evil")
    assert daemon.tick() == ["evil/docs"]
    assert daemon.partitions == ["acme/docs", "evil/docs"]


def test_a_missing_root_removes_nothing_and_says_so(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    folder = publish(project, "acme/docs")
    project.sources.rename(project.sources.with_name("unmounted"))
    assert daemon.tick() == []
    assert "cannot list the sources" in daemon.said
    project.sources.mkdir()  # the mount point, with nothing mounted
    assert daemon.tick() == []
    assert "nothing is removed" in daemon.said
    assert daemon.partitions == ["acme/docs"]
    assert folder.exists()


def test_an_empty_folder_says_that_emptiness_is_meant(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    shutil.rmtree(project.sources / "acme")
    (project.sources / "new/empty").mkdir(parents=True)
    assert daemon.tick() == ["new/empty"]
    assert daemon.partitions == ["new/empty"]


def test_a_root_that_is_no_folder_removes_nothing(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    shutil.rmtree(project.sources)
    project.sources.write_text("a file")
    assert daemon.tick() == []
    assert daemon.partitions == ["acme/docs"]


def test_a_folder_whose_name_got_a_twin_keeps_its_partition(
    project: Project, daemon: Daemon
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/wiki/guide.md", GUIDE)
    daemon.tick()
    folder = publish(project, "acme/docs")
    project.write("acme/Docs/guide.md", GUIDE)
    assert daemon.tick() == []
    assert "differs only in case" in daemon.said
    assert daemon.partitions == ["acme/docs", "acme/wiki"]
    assert folder.exists()


def test_a_tenant_that_cannot_be_looked_at_keeps_its_partitions(
    project: Project, daemon: Daemon
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("evil/docs/guide.md", GUIDE)
    daemon.tick()
    shutil.rmtree(project.sources / "evil")
    (project.sources / "evil").symlink_to("evil")  # also for root, who may read every folder
    assert daemon.tick() == []
    assert daemon.partitions == ["acme/docs", "evil/docs"]


def test_a_partition_that_a_run_holds_is_retired_by_the_next_tick(
    project: Project, daemon: Daemon
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/wiki/guide.md", GUIDE)
    daemon.tick()
    folder = publish(project, "acme/wiki")
    shutil.rmtree(project.sources / "acme/wiki")
    lock = project.resources["warehouse"].partition("acme/wiki").chunks.lock
    with locked(lock, run_id="run-7"):
        assert daemon.tick() == []
        assert "run-7" in daemon.said
    assert (folder.exists(), daemon.partitions) == (True, ["acme/docs", "acme/wiki"])
    daemon.tick()
    assert (folder.exists(), daemon.partitions) == (False, ["acme/docs"])


@pytest.mark.parametrize(
    "cursor",
    ["", "1700000000", "{}", "no json", '{"generation": "x", "seen": []}', "[1]", "null"],
)
def test_a_cursor_of_another_release_costs_one_run_each(
    project: Project, daemon: Daemon, cursor: str
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    before = daemon.requests()
    daemon.cursor = cursor
    again = daemon.requests()
    assert [request.partition_key for request in again] == ["acme/docs"]
    assert daemon.tick() == []
    assert json.loads(daemon.cursor or "")["generation"] >= 1
    assert before


def test_a_lost_cursor_uses_no_run_key_again(
    project: Project, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    (first,) = daemon.requests()
    daemon.cursor = None
    monkeypatch.setattr("time.time", lambda: 4e9)
    (second,) = daemon.requests()
    assert first.run_key != second.run_key


def test_a_partition_deleted_by_hand_comes_back_with_its_folder(
    project: Project, daemon: Daemon
) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    daemon.tick()
    project.instance.delete_dynamic_partition("rag_corpora", "acme/docs")
    assert daemon.tick() == ["acme/docs"]


def test_a_key_that_a_person_mistyped_stops_nothing(project: Project, daemon: Daemon) -> None:
    project.instance.add_dynamic_partitions("rag_corpora", ["not a key", "a/b/c"])
    project.write("acme/docs/guide.md", GUIDE)
    assert daemon.tick() == ["acme/docs"]


def test_the_schedule_asks_for_every_partition_once_a_day(tmp_path: Path) -> None:
    _, schedule = automation("on")
    # An ephemeral instance has no reference, which the context of a schedule insists on.
    instance = dg.DagsterInstance.local_temp(str(tmp_path))
    instance.add_dynamic_partitions("rag_corpora", ["acme/docs", "acme/wiki"])

    def requested(day: int) -> list[dg.RunRequest]:
        when = datetime(2026, 5, day, 3, tzinfo=UTC)
        context = dg.build_schedule_context(instance=instance, scheduled_execution_time=when)
        with context:
            return schedule(context)

    assert [r.partition_key for r in requested(1)] == ["acme/docs", "acme/wiki"]
    run_keys = [r.run_key for day in (1, 2) for r in requested(day)]
    assert len(set(run_keys)) == 4
    assert [r.run_key for r in requested(1)] == run_keys[:2]


def test_both_are_switched_as_told() -> None:
    for status, sensor_status, schedule_status in (
        ("on", dg.DefaultSensorStatus.RUNNING, dg.DefaultScheduleStatus.RUNNING),
        ("off", dg.DefaultSensorStatus.STOPPED, dg.DefaultScheduleStatus.STOPPED),
    ):
        sensor, schedule = automation(status)
        assert (sensor.default_status, schedule.default_status) == (sensor_status, schedule_status)


def test_the_catalog_forgets_a_retired_partition(project: Project, daemon: Daemon) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/wiki/guide.md", GUIDE)
    daemon.tick()
    assert project.materialize("acme/wiki").success
    assert project.query("SELECT count(*) FROM chunks") == [(2,)]
    shutil.rmtree(project.sources / "acme/wiki")
    daemon.tick()
    assert project.query("SELECT count(*) FROM chunks") == [(0,)]
    assert not refresh_catalog(project.resources["warehouse"].warehouse)
