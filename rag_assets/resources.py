"""What the assets borrow: where documents come from, where chunks go, how much may run at once.

Resources only configure; each hands out a plain object of a module that knows no Dagster.
"""

import os
from pathlib import Path

import dagster as dg
from pydantic import Field

from rag_assets.corpus_config import CorpusConfig, Defaults
from rag_assets.partition_key import decode
from rag_assets.sources import CorpusFolder, Sources
from rag_assets.stages.chunk import KEEP_CHANGES_DAYS
from rag_assets.store.layout import PartitionFiles, Warehouse
from rag_assets.workers import WorkerPool

__all__ = ["SourcesResource", "WarehouseResource", "WorkersResource"]


class SourcesResource(dg.ConfigurableResource):
    """The folder or fsspec URL below which `TENANT/CORPUS/**` lies."""

    root: str = "data/sources"
    max_tokens: int = Defaults().max_tokens
    overlap_tokens: int = Defaults().overlap_tokens
    encoding: str = Defaults().encoding
    embedding_tokens: int | None = Defaults().embedding_tokens

    @property
    def sources(self) -> Sources:
        return Sources(self.root)

    @property
    def defaults(self) -> Defaults:
        """What holds where a corpus.toml says nothing."""
        return Defaults(
            max_tokens=self.max_tokens,
            overlap_tokens=self.overlap_tokens,
            encoding=self.encoding,
            embedding_tokens=self.embedding_tokens,
        )

    def corpus(self, partition_key: str) -> tuple[CorpusFolder, CorpusConfig]:
        """A partition's folder and settings. Raises `ConfigError` or `StoreError`."""
        folder = self.sources.folder(*decode(partition_key))
        return folder, folder.config(self.defaults)


class WarehouseResource(dg.ConfigurableResource):
    """The folder of the partition files and of `rag.duckdb`."""

    root: str = "data/warehouse"
    wait_seconds: float = Field(
        default=0.0,
        description="How long a run waits for another one that writes the same partition; "
        "0 fails at once, naming the other run.",
    )
    keep_changes_days: float = Field(
        default=KEEP_CHANGES_DAYS,
        ge=0,
        description="How long chunk_changes lists every change; what is older is compacted into "
        "one insert per chunk that was there then.",
    )

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(Path(self.root).absolute())

    def partition(self, partition_key: str) -> PartitionFiles:
        return self.warehouse.partition(*decode(partition_key))


_PAGE_WORKER_BYTES = 1 << 30
"""What a worker with an OCR engine needs, a large page included."""


class WorkersResource(dg.ConfigurableResource):
    """The processes in which documents are parsed, and what one document may cost."""

    count: int = Field(default=0, description="Processes per run; 0: one per core.")
    seconds: float = Field(default=60.0, description="A document's time limit.")
    seconds_per_megabyte: float = Field(default=5.0, description="On top, for large documents.")
    memory_megabytes: int = Field(default=2048, description="A worker's memory limit.")
    page_seconds: float = Field(default=120.0, description="The time limit of a page that is read.")
    page_memory_megabytes: int = Field(
        default=4096,
        description="The memory limit of a worker that reads pages; an OCR engine takes 500 to "
        "1,000. At most as many run as have 1,024 each.",
    )

    def pool(self) -> WorkerPool:
        """A pool to use in a `with` block; starts no process before there is work."""
        return WorkerPool(
            self.count or len(os.sched_getaffinity(0)),
            seconds=lambda args: self.seconds + self.seconds_per_megabyte * len(args[1]) / 1e6,
            memory_bytes=self.memory_megabytes * 1024 * 1024,
        )

    def page_pool(self) -> WorkerPool:
        """The same for reading pages: fewer where memory is scarce, each with more of it."""
        room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _PAGE_WORKER_BYTES
        return WorkerPool(
            max(1, min(self.count or len(os.sched_getaffinity(0)), room)),
            seconds=self.page_seconds,
            memory_bytes=self.page_memory_megabytes * 1024 * 1024,
        )
