"""Is what was published still right? All invariants, on everything a partition holds."""

import tempfile
from dataclasses import replace
from pathlib import Path

from rag_assets.corpus_config import CorpusConfig
from rag_assets.quality import InvariantResult, check
from rag_assets.stages.stitch import corpus_text
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.reading import open_live
from rag_assets.store.staging import Staging
from rag_chunker import TiktokenCounter

__all__ = ["audit"]


def audit(
    config: CorpusConfig, files: PartitionFiles, *, recount: int = 5_000
) -> list[InvariantResult]:
    """Check the live version of a partition's chunks; one result per invariant.

    Needs no lock and changes nothing: a run at work neither waits nor is waited for. Tokens are
    recounted for about `recount` chunks. Raises `StoreError` if there is nothing to read.
    """
    counter = TiktokenCounter(config.chunker.encoding)
    with (
        tempfile.TemporaryDirectory() as folder,
        corpus_text(files) as text,
        open_live(files.chunks) as connection,
    ):
        aside = replace(files.chunks, live=Path(folder) / files.chunks.live.name)
        looked_at = Staging(aside, "audit", lambda: connection)
        return check(
            looked_at, files.documents, counter, texts=text.read, everything=True, recount=recount
        )
