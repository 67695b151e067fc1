"""Parsed documents of one corpus become chunks: checked on the side, then published."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from itertools import islice

from rag_assets.corpus_config import CHUNKERS_GROUP, ChunkerConfig, CorpusConfig
from rag_assets.quality import InvariantResult, check
from rag_assets.stages.keys import chunk_key
from rag_assets.stages.report import ChunkReport, Failure
from rag_assets.store import chunks, documents
from rag_assets.store.chunks import ChunkedDocument, FailedChunking
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.staging import Staging, open_live, staged
from rag_chunker import HeadingAwareChunker, TiktokenCounter
from rag_chunker.pipeline import chunk_now
from rag_core.errors import ChunkError
from rag_core.spi import Chunker
from rag_core.types import ParsedDocument, Principal, RequestContext, TenantId

__all__ = ["StagedChunks", "staged_chunks"]

_BATCH = 100
"""Documents a transaction."""
_PRINCIPAL = "rag_assets"


class StagedChunks:
    """The next version of a partition's chunks: complete, checked, not yet published."""

    def __init__(
        self, staging: Staging, report: ChunkReport, results: list[InvariantResult]
    ) -> None:
        self._staging = staging
        self.report = report
        self.results = results
        """How each invariant fared."""

    @property
    def passed(self) -> bool:
        """False if an invariant is broken that forbids publishing."""
        return all(result.passed or result.severity == "warning" for result in self.results)

    def publish(self) -> None:
        """Make this version the one that readers see. Raises `StoreError`."""
        self._staging.publish()

    def discard(self) -> None:
        """Forget it; the live version stays."""
        self._staging.discard()


@contextmanager
def staged_chunks(
    config: CorpusConfig,
    files: PartitionFiles,
    labels_path: Callable[[str], str],
    *,
    run_id: str,
    wait: float,
    force: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> Iterator[StagedChunks]:
    """Chunk what changed in the partition's documents file, and check the result.

    The caller publishes or discards what it gets. `labels_path` gives, for a document id, the path
    that label rules match. A document that cannot be chunked is recorded with its reason and keeps
    its old chunks. Raises `StoreError` if nothing was parsed yet, or another run writes the
    partition for more than `wait` seconds; `ConfigError` if the chunker cannot be set up.
    """
    started = time.monotonic()
    chunker = chunker_of(config.chunker)
    counter = TiktokenCounter(config.chunker.encoding)
    with (
        open_live(files.documents) as corpus,
        staged(files.chunks, chunks.schema(), run_id=run_id, timeout=wait) as staging,
    ):
        chunks.begin(staging)
        run = _Run(config, staging, chunker, labels_path, files, log)
        wanted = run.wanted(corpus.execute(_PARSED).fetchall(), force)
        for batch in _batches(documents.read(corpus, wanted)):
            run.chunk(batch)
        run.remove_what_is_gone()
        counts = chunks.finish(staging)
        total = staging.connection.execute("SELECT count(*) FROM chunks").fetchone()
        run.report.inserted = counts.inserted
        run.report.updated = counts.updated
        run.report.deleted = counts.deleted
        run.report.kept = (total[0] if total else 0) - counts.inserted - counts.updated
        log("checking the invariants")
        results = check(staging, files.documents, counter, current_keys=run.keys.items())
        run.report.seconds = time.monotonic() - started
        yield StagedChunks(staging, run.report, results)


def chunker_of(config: ChunkerConfig) -> Chunker:
    """The chunker that a corpus asks for.

    An entry point of the group `rag_chunker.chunkers` is called with `max_tokens`,
    `overlap_tokens` and `token_counter`.
    """
    named = {entry.name: entry for entry in entry_points(group=CHUNKERS_GROUP)}
    make = named[config.name].load() if config.name in named else HeadingAwareChunker
    chunker: Chunker = make(
        max_tokens=config.max_tokens,
        overlap_tokens=config.overlap_tokens,
        token_counter=TiktokenCounter(config.encoding),
    )
    return chunker


_PARSED = "SELECT document_id, key, stale FROM documents WHERE key IS NOT NULL ORDER BY document_id"


class _Run:
    """The state of one call of `staged_chunks`."""

    def __init__(
        self,
        config: CorpusConfig,
        staging: Staging,
        chunker: Chunker,
        labels_path: Callable[[str], str],
        files: PartitionFiles,
        log: Callable[[str], None],
    ) -> None:
        self.report = ChunkReport()
        self.keys: dict[str, str] = {}
        """Document id to the key that its chunks must have."""
        self._config = config
        self._staging = staging
        self._chunker = chunker
        self._labels_path = labels_path
        self._tenant = TenantId(files.tenant_id)
        self._log = log
        self._known = chunks.keys(staging.connection)
        self._stale: set[str] = set()

    def wanted(self, parsed: list[tuple[str, str, bool]], force: bool) -> list[str]:
        """Ids of the documents to chunk, of all that are parsed."""
        wanted = []
        for document_id, parsed_key, stale in parsed:
            key = chunk_key(parsed_key, self._config, self._labels(document_id), stale)
            self.keys[document_id] = key
            self._stale |= {document_id} if stale else set()
            if force or self._known.get(document_id) != key:
                wanted.append(document_id)
        self.report.seen = len(parsed)
        self.report.unchanged = len(parsed) - len(wanted)
        return wanted

    def chunk(self, batch: list[ParsedDocument]) -> None:
        done: list[ChunkedDocument] = []
        failed: list[FailedChunking] = []
        for parsed in batch:
            try:
                done.append(self._chunked(parsed))
            except ChunkError as error:
                kind = type(error).__name__
                failed.append(FailedChunking(parsed.document.id, kind, error.message))
        unstorable = chunks.replace(self._staging, done)
        chunks.fail(self._staging, failed)
        failed += unstorable
        self.report.failures += [Failure(f.document_id, f.error_kind, f.error) for f in failed]
        lost = {failure.document_id for failure in failed}
        for document in done:
            if document.document_id not in lost:
                self.report.count(document.document_id, self._known)
        self._log(
            f"{self.report.added + self.report.changed} documents chunked, "
            f"{self.report.failed} failed so far"
        )

    def remove_what_is_gone(self) -> None:
        gone = self._known.keys() - self.keys.keys()
        if gone:
            self.report.removed = chunks.delete(self._staging, sorted(gone))

    def _chunked(self, parsed: ParsedDocument) -> ChunkedDocument:
        started = time.monotonic()
        document_id = parsed.document.id
        labels = self._labels(document_id)
        principal = Principal(id=_PRINCIPAL, acl_labels=labels)
        made = chunk_now(
            RequestContext(tenant_id=self._tenant, principal=principal), parsed, self._chunker
        )
        settings = self._config.chunker
        return ChunkedDocument(
            document_id=document_id,
            key=self.keys[document_id],
            chunks=made,
            acl_labels=labels,
            title=parsed.document.title,
            max_tokens=settings.max_tokens,
            overlap_tokens=settings.overlap_tokens,
            tokenizer=settings.encoding,
            seconds=time.monotonic() - started,
            stale=document_id in self._stale,
        )

    def _labels(self, document_id: str) -> tuple[str, ...]:
        return self._config.labels_for(self._labels_path(document_id))


def _batches(found: Iterator[ParsedDocument]) -> Iterator[list[ParsedDocument]]:
    while batch := list(islice(found, _BATCH)):
        yield batch
