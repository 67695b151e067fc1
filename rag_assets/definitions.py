"""What Dagster loads: the assets, checks, job, sensor and schedule, wired to the environment."""

import os
from collections.abc import Mapping

import dagster as dg

from rag_assets.assets import chunks, parsed_documents, source_files
from rag_assets.automation import automation, ingest_job
from rag_assets.checks import published
from rag_assets.corpus_config import Defaults
from rag_assets.resources import SourcesResource, WarehouseResource, WorkersResource

__all__ = ["build_defs", "defs", "resources_from"]


def resources_from(environ: Mapping[str, str]) -> dict[str, dg.ConfigurableResource]:
    """The resources as the environment wants them; the README lists the variables.

    Raises `ConfigError` that names the variable for a value that cannot be.
    """
    defaults = Defaults.from_environment(environ)
    return {
        "sources": SourcesResource(
            root=environ.get("RAG_SOURCES", "data/sources"), **defaults.model_dump()
        ),
        "warehouse": WarehouseResource(
            root=environ.get("RAG_WAREHOUSE", "data/warehouse"),
            wait_seconds=float(environ.get("RAG_WAIT_SECONDS", "0")),
        ),
        "workers": WorkersResource(count=int(environ.get("RAG_WORKERS", "0"))),
    }


def build_defs(
    resources: Mapping[str, object], *, automation_status: str = "on"
) -> dg.Definitions:
    """The definitions with these resources; tests hand in their own."""
    sensor, schedule = automation(automation_status)
    return dg.Definitions(
        assets=[source_files, parsed_documents, chunks],
        asset_checks=[published],
        jobs=[ingest_job],
        sensors=[sensor],
        schedules=[schedule],
        resources=dict(resources),
        executor=dg.in_process_executor,
    )


defs = build_defs(
    resources_from(os.environ), automation_status=os.environ.get("RAG_AUTOMATION", "on")
)
