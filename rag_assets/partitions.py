"""The partitions: one per tenant's corpus. What a key looks like stands in `partition_key.py`."""

from contextlib import suppress

import dagster as dg

from rag_assets.partition_key import decode
from rag_assets.sources import Sources
from rag_core.errors import ConfigError

__all__ = ["CORPORA", "known_corpora", "register_corpora"]

CORPORA = dg.DynamicPartitionsDefinition(name="rag_corpora")
"""Keys are `tenant/corpus`. The name is one for the whole Dagster instance."""


def known_corpora(instance: dg.DagsterInstance) -> dict[str, tuple[str, str]]:
    """The registered partitions: key to (tenant, corpus). What else a person may have typed in
    the UI's "Add a partition" is no corpus, and left out."""
    found: dict[str, tuple[str, str]] = {}
    for key in instance.get_dynamic_partitions(str(CORPORA.name)):
        with suppress(ConfigError):
            found[key] = decode(key)
    return found


def register_corpora(instance: dg.DagsterInstance, sources: Sources) -> list[str]:
    """Make a partition of every corpus folder; the keys of all that are there, sorted.

    Raises `StoreError` if the sources cannot be listed.
    """
    keys = sorted(folder.partition_key for folder in sources.corpora().corpora)
    instance.add_dynamic_partitions(str(CORPORA.name), keys)
    return keys
