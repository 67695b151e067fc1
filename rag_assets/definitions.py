"""What Dagster loads: the assets, checks, job, sensor and schedule, wired to the environment."""

import os
import re
from collections.abc import Mapping

import dagster as dg

from rag_assets.assets import chunks, ocr_pages, parsed_documents, source_files
from rag_assets.automation import automation, ingest_job
from rag_assets.checks import published
from rag_assets.corpus_config import Defaults
from rag_assets.resources import SourcesResource, WarehouseResource, WorkersResource
from rag_assets.stages.chunk import KEEP_CHANGES_DAYS
from rag_core.errors import ConfigError

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
            wait_seconds=_number(environ, "RAG_WAIT_SECONDS"),
            keep_changes_days=_number(environ, "RAG_KEEP_CHANGES_DAYS", str(KEEP_CHANGES_DAYS)),
        ),
        "workers": WorkersResource(count=int(_number(environ, "RAG_WORKERS"))),
    }


def _number(environ: Mapping[str, str], name: str, default: str = "0") -> float:
    value = environ.get(name, default)
    if not re.fullmatch(r"\d+(\.\d+)?", value):
        raise ConfigError(f"{name} = {value!r} must be a number, 0 or more", document="environment")
    return float(value)


def build_defs(resources: Mapping[str, object], *, automation_status: str = "on") -> dg.Definitions:
    """The definitions with these resources; tests hand in their own."""
    sensor, schedule = automation(automation_status)
    return dg.Definitions(
        assets=[source_files, parsed_documents, ocr_pages, chunks],
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
