"""What runs by itself: a sensor that follows the sources, a schedule that re-checks everything.

The sensor looks at names, sizes and times only. Whether a document really changed is decided in
the run, by content.
"""

import json
import time
from hashlib import sha256
from typing import NamedTuple

import dagster as dg

from rag_assets.partition_key import encode
from rag_assets.partitions import CORPORA, known_corpora
from rag_assets.resources import SourcesResource, WarehouseResource
from rag_assets.sources import Inventory
from rag_assets.stages.keys import code_version
from rag_assets.store.catalog import refresh_catalog
from rag_core.errors import RagError, StoreError

__all__ = ["automation", "ingest_job"]

_DIGITS = 16
"""Of a fingerprint: the UI shows the cursor as it is, and 64 bits tell versions apart."""

ingest_job = dg.define_asset_job(
    "ingest",
    selection=["parsed_documents", "ocr_pages", "chunks"],
    description="Bring one corpus up to date: parse what changed, read its scans, chunk it, check "
    "it, publish it.",
)


def automation(status: str) -> tuple[dg.SensorDefinition, dg.ScheduleDefinition]:
    """The sensor and the schedule, both switched on from the start if `status` is `on`."""
    on = status == "on"

    @dg.sensor(
        job=ingest_job,
        minimum_interval_seconds=30,
        description="Makes partitions of new corpus folders, retires those of vanished ones, and "
        "requests one run for each corpus in which a file, corpus.toml or a default changed.",
        default_status=dg.DefaultSensorStatus.RUNNING if on else dg.DefaultSensorStatus.STOPPED,
    )
    def follow_sources(
        context: dg.SensorEvaluationContext,
        sources: SourcesResource,
        warehouse: WarehouseResource,
    ) -> dg.SensorResult | dg.SkipReason:
        try:
            inventory = sources.sources.corpora()
        except RagError as error:
            return dg.SkipReason(str(error))
        known = known_corpora(context.instance)
        if not inventory.corpora and known:
            return dg.SkipReason(
                f"{sources.root} holds no corpus any more, but {len(known)} partitions are known: "
                "nothing is removed. If that is meant, make one empty folder TENANT/CORPUS in it"
            )
        return _follow(context, sources, warehouse, inventory, known)

    @dg.schedule(
        job=ingest_job,
        cron_schedule="0 3 * * *",
        description="Every night one run per corpus: compares all documents by content, and "
        "catches up on what a failed run left undone.",
        default_status=dg.DefaultScheduleStatus.RUNNING if on else dg.DefaultScheduleStatus.STOPPED,
    )
    def recheck_everything(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest]:
        day = context.scheduled_execution_time.date().isoformat()
        return [
            dg.RunRequest(run_key=f"{day}:{key}", partition_key=key)
            for key in known_corpora(context.instance)
        ]

    return follow_sources, recheck_everything


def _follow(
    context: dg.SensorEvaluationContext,
    sources: SourcesResource,
    warehouse: WarehouseResource,
    inventory: Inventory,
    known: dict[str, tuple[str, str]],
) -> dg.SensorResult | dg.SkipReason:
    memory = _Memory.read(context.cursor)
    notes = [f"{skipped.path}: {skipped.reason}" for skipped in inventory.skipped]
    found = {encode(folder.tenant_id, folder.corpus_id) for folder in inventory.corpora}
    present = _fingerprints(inventory, sources, notes)
    gone = [
        key for key, pair in known.items() if key not in found and not inventory.may_exist(*pair)
    ]
    retired = [key for key in gone if _retire(warehouse, known[key], notes)]
    new = sorted(present.keys() - known.keys())
    changed = {
        key: value
        for key, value in present.items()
        if memory.seen.get(key) != value or key not in known
    }
    for note in notes:
        context.log.warning(note)
    if not (changed or retired):
        return dg.SkipReason("; ".join(["nothing changed", *notes])[:2000])
    kept = {key: value for key, value in memory.seen.items() if key in known and key not in gone}
    requests: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if new:
        requests.append(CORPORA.build_add_request(new))
    if retired:
        requests.append(CORPORA.build_delete_request(retired))
    generation = memory.generation + 1
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(run_key=f"{key}@{generation}:{value}", partition_key=key)
            for key, value in changed.items()
        ],
        dynamic_partitions_requests=requests,
        cursor=_Memory(generation, kept | present).written(),
    )


class _Memory(NamedTuple):
    """What the sensor knows from its last tick."""

    generation: int
    """Counts the ticks that found something: run keys are used once for ever, and what a corpus
    holds may well come back."""
    seen: dict[str, str]
    """Partition key to fingerprint."""

    @classmethod
    def read(cls, cursor: str | None) -> "_Memory":
        """Of a cursor; one that cannot be read, as of another release, means that all is new.

        Then the generation is the time, which no counter reaches, so that run keys stay new.
        """
        if not cursor:
            return cls(int(time.time()), {})
        try:
            written = json.loads(cursor)
            seen = {str(key): str(value) for key, value in written["seen"].items()}
            return cls(int(written["generation"]), seen)
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls(int(time.time()), {})

    def written(self) -> str:
        return json.dumps({"generation": self.generation, "seen": self.seen})


def _fingerprints(
    inventory: Inventory, sources: SourcesResource, notes: list[str]
) -> dict[str, str]:
    """By partition key: of a corpus' files, and of all else that decides what its chunks are."""
    settings = f"{sources.defaults.model_dump_json()} {code_version()}"
    found: dict[str, str] = {}
    for folder in inventory.corpora:
        try:
            files = folder.fingerprint()
        except StoreError as error:
            notes.append(str(error))
        else:
            digest = sha256(f"{files} {settings}".encode()).hexdigest()
            found[folder.partition_key] = digest[:_DIGITS]
    return found


def _retire(warehouse: WarehouseResource, pair: tuple[str, str], notes: list[str]) -> bool:
    """Removes a vanished corpus from the warehouse; False if a run holds it now (next time)."""
    try:
        partition = warehouse.warehouse.partition(*pair)
        warehouse.warehouse.remove(partition, run_id="follow_sources")
        refresh_catalog(warehouse.warehouse)
    except StoreError as error:
        notes.append(f"cannot retire {'/'.join(pair)} yet: {error}")
        return False
    return True
