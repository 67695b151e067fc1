"""The partitions: one per tenant's corpus. What a key looks like stands in `partition_key.py`."""

import dagster as dg

from rag_assets.partition_key import decode
from rag_assets.sources import Sources

__all__ = ["CORPORA", "known_corpora", "register_corpora"]

CORPORA = dg.DynamicPartitionsDefinition(name="rag_corpora")
"""Keys are `tenant/corpus`. The name is one for the whole Dagster instance."""


def known_corpora(instance: dg.DagsterInstance) -> dict[str, tuple[str, str]]:
    """The registered partitions: key to (tenant, corpus)."""
    return {key: decode(key) for key in instance.get_dynamic_partitions(str(CORPORA.name))}


def register_corpora(instance: dg.DagsterInstance, sources: Sources) -> list[str]:
    """Make a partition of every corpus folder; the keys of all that are there, sorted.

    Raises `StoreError` if the sources cannot be listed.
    """
    keys = sorted(folder.partition_key for folder in sources.corpora().corpora)
    instance.add_dynamic_partitions(str(CORPORA.name), keys)
    return keys
