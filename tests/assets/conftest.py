"""A project in a temporary folder: sources, a warehouse, a Dagster instance."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.definitions import build_defs
from rag_assets.partition_key import decode
from rag_assets.partitions import register_corpora
from rag_assets.resources import SourcesResource, WarehouseResource
from rag_assets.store.catalog import open_warehouse
from rag_assets.workers import WorkerPool
from tests.scenarios import direct
from tests.scenarios.corpora import LastingWorkers


class Project:
    """What a data engineer has: files, assets to materialize, a warehouse to query."""

    def __init__(self, folder: Path, instance: dg.DagsterInstance) -> None:
        self.instance = instance
        self.sources = folder / "sources"
        self.warehouse = folder / "warehouse"
        self.sources.mkdir()
        self.resources = {
            "sources": SourcesResource(root=str(self.sources)),
            "warehouse": WarehouseResource(root=str(self.warehouse)),
            "workers": LastingWorkers(count=1),
        }
        self.defs = build_defs(self.resources)

    def write(self, path: str, content: str | bytes) -> Path:
        """A source file, `TENANT/CORPUS/...`."""
        file = self.sources / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def materialize(self, key: str, *, force: bool = False) -> dg.ExecuteInProcessResult:
        """All assets of one partition."""
        register_corpora(self.instance, self.resources["sources"].sources)
        options = {"config": {"force": force}}
        result = self.defs.resolve_job_def("ingest").execute_in_process(
            partition_key=key,
            instance=self.instance,
            raise_on_error=False,
            run_config={
                "ops": dict.fromkeys(("parsed_documents", "ocr_pages", "chunks"), options),
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
        )
        for event in result.all_events:
            if event.is_step_failure:
                print(event.event_specific_data)
        return result

    def run(self, key: str) -> None:
        """The same without Dagster, in a third of the time: for who looks at the warehouse only."""
        tenant, corpus = decode(key)
        pool = self.resources["workers"].pool()
        direct.run(self.sources.parent, pool, uuid.uuid4().hex, tenant=tenant, corpus=corpus)

    def query(self, sql: str, *parameters: object) -> list[tuple]:
        with open_warehouse(self.warehouse) as connection:
            return connection.execute(sql, list(parameters)).fetchall()


@pytest.fixture(scope="session")
def pool() -> WorkerPool:
    """One worker for all runs: it takes half a second of CPU time to start."""
    return LastingWorkers().pool()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield from _project(tmp_path)


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One for all tests of a module that only look: a run takes seconds."""
    yield from _project(tmp_path_factory.mktemp("shared"))


def _project(folder: Path) -> Iterator[Project]:
    with dg.DagsterInstance.ephemeral(tempdir=str(folder / "dagster")) as instance:
        yield Project(folder, instance)
