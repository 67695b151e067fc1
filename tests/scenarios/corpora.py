"""Corpora whose folders lie anywhere, under any names: what a scenario hands to the assets."""

import os
from collections.abc import Mapping

from rag_assets.partition_key import decode, encode
from rag_assets.resources import SourcesResource, WorkersResource
from rag_assets.sources import CorpusFolder, Inventory, Sources
from rag_assets.workers import WorkerPool
from rag_core.errors import ConfigError
from rag_core.types import CorpusId, TenantId


class PlacedSources(Sources):
    """Looks where it is told to for each partition, instead of at `TENANT/CORPUS/`."""

    def __init__(self, root: str, places: Mapping[str, str]) -> None:
        super().__init__(root)
        self._places = places

    def corpora(self) -> Inventory:
        super().corpora()  # raises if the root cannot be listed
        found = [
            CorpusFolder(tenant_id=TenantId(tenant), corpus_id=CorpusId(corpus), root=place)
            for key, place in self._places.items()
            for tenant, corpus in [decode(key)]
            if os.path.isdir(place)
        ]
        return Inventory(corpora=tuple(found), skipped=())


class PlacedSourcesResource(SourcesResource):
    """`places`: partition key to folder."""

    places: dict[str, str]

    @property
    def sources(self) -> Sources:
        return PlacedSources(self.root, self.places)


class _LastingPool(WorkerPool):
    """Stays when its `with` block ends: a worker takes a second to start."""

    def __exit__(self, *exception: object) -> None:
        pass


_pool: list[_LastingPool] = []


class LastingWorkers(WorkersResource):
    """One worker for all runs of a test process; it ends with the process."""

    def pool(self) -> WorkerPool:
        if not _pool:
            _pool.append(_LastingPool(1, seconds=60.0, memory_bytes=2 << 30))
        return _pool[0]


def key_of(tenant: str, corpus: str) -> str | None:
    """The partition key; None for names that are refused."""
    try:
        return encode(tenant, corpus)
    except ConfigError:
        return None
