"""Parsed documents of one corpus become chunks: checked on the side, then published."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from itertools import islice

from rag_assets.corpus_config import CHUNKERS_GROUP, ChunkerConfig, CorpusConfig
from rag_assets.quality import InvariantResult, check, invariants
from rag_assets.stages.keys import ChunkKeys
from rag_assets.stages.report import ChunkReport, Failure
from rag_assets.stages.stitch import CorpusText, TextVersion, corpus_text, identities_of
from rag_assets.store import chunks
from rag_assets.store.chunks import ChunkedDocument, FailedChunking
from rag_assets.store.identity import identity, on_disk
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.reading import open_live
from rag_assets.store.rows import printable
from rag_assets.store.runs import ChunkCounts, note_chunking, was_complete
from rag_assets.store.staging import Staging, staged
from rag_chunker import HeadingAwareChunker, TiktokenCounter
from rag_chunker.context import embedding_contexts
from rag_chunker.pipeline import chunk_now
from rag_core.errors import ChunkError
from rag_core.spi import Chunker
from rag_core.types import ParsedDocument, Principal, RequestContext, TenantId

__all__ = ["KEEP_CHANGES_DAYS", "StagedChunks", "staged_chunks"]

KEEP_CHANGES_DAYS = 90.0
"""How long the log of chunks inserted, updated and deleted is kept in full, unless told."""
_BATCH = 100
"""Documents a transaction."""
_ROWS_AT_ONCE = 10_000
_PRINCIPAL = "rag_assets"
_Parsed = tuple[str, str, bool]
"""Document id, key, and whether its blocks are those of an earlier version."""


class StagedChunks:
    """The next version of a partition's chunks: complete, checked, not yet published."""

    def __init__(
        self,
        staging: Staging,
        files: PartitionFiles,
        report: ChunkReport,
        results: list[InvariantResult],
        keys: ChunkKeys,
        text_identities: tuple[str | None, ...],
    ) -> None:
        self._staging = staging
        self._files = files
        self._keys = keys
        self._text_identities = text_identities
        self.report = report
        self.results = results
        """How each invariant fared."""

    @property
    def passed(self) -> bool:
        """False if an invariant is broken that forbids publishing."""
        return all(result.passed or result.severity == "warning" for result in self.results)

    def publish(self) -> None:
        """Make this version the one that readers see, and put the run on record.

        Raises `StoreError`.
        """
        self._staging.publish()
        done = self.report
        is_complete = not done.failed and all(result.passed for result in self.results)
        self._note(
            ChunkCounts(done.inserted, done.updated, done.deleted, done.kept),
            _basis(self._keys, self._staging, self._text_identities) if is_complete else None,
        )

    def discard(self) -> None:
        """Forget it; the live version stays. What the checks said goes on record."""
        self._staging.discard()
        self._note(None, None)

    def _note(self, chunks: ChunkCounts | None, basis: str | None) -> None:
        broken = {one.name: one.offender_count for one in self.results if not one.passed}
        note_chunking(
            self._files,
            self._staging.run_id,
            self.report.seconds,
            failed=self.report.failed,
            checks_passed=len(self.results) - len(broken),
            checks_failed=broken,
            chunks=chunks,
            basis=basis,
        )


@contextmanager
def staged_chunks(
    config: CorpusConfig,
    files: PartitionFiles,
    labels_path: Callable[[str], str],
    *,
    run_id: str,
    wait: float,
    force: bool = False,
    keep_changes_days: float = KEEP_CHANGES_DAYS,
    log: Callable[[str], None] = lambda _: None,
) -> Iterator[StagedChunks]:
    """Chunk what changed in the partition's text, that of pages read by OCR included, and check
    the result.

    The caller publishes or discards what it gets. `labels_path` gives, for a document id, the path
    that label rules match. A document that cannot be chunked is recorded with its reason and keeps
    its old chunks. Changes older than `keep_changes_days` are compacted, see `chunks.compact`. If
    nothing is new, nothing is copied, checked or written; documents are not even compared if a run
    before compared just these versions of the files under just these settings. Raises `StoreError`
    if nothing was parsed yet, or another run writes the partition for more than `wait` seconds;
    `ConfigError` if the chunker cannot be set up.
    """
    started = time.monotonic()
    chunker = chunker_of(config.chunker)
    keys = ChunkKeys(config)
    if not files.documents.live.exists():
        with open_live(files.documents):  # says what to do
            pass
    with staged(files.chunks, chunks.schema(), run_id=run_id, timeout=wait) as staging:
        known = () if force else _compared_before(keys, staging, files)
        if known:
            log("nothing changed: the published version stays as it was checked")
            report = _all_unchanged(staging, time.monotonic() - started)
            yield StagedChunks(staging, files, report, _nothing_to_check(), keys, known)
            return
        # Opened when the lock is held: a run that waited must not chunk the text of before.
        with corpus_text(files) as text:
            run = _Run(config, staging, chunker, keys, labels_path, files, log)
            wanted = run.wanted(text.versions(), force)
            for batch in _batches(text.read(wanted)):
                run.chunk(batch)
            run.remove_what_is_gone()
            results = run.finish(text, keep_changes_days)
            run.report.seconds = time.monotonic() - started
            yield StagedChunks(staging, files, run.report, results, keys, text.identities)


def _compared_before(
    keys: ChunkKeys, staging: Staging, files: PartitionFiles
) -> tuple[str | None, ...]:
    """Identities of the files of the text, if a run has found that the live chunks are all that
    they give; nothing if there is any doubt."""
    if staging.has_begun:  # the first version, or one that a killed run left
        return ()
    identities = identities_of(staging.reading, files)
    basis = _basis(keys, staging, identities)
    return identities if basis is not None and was_complete(files, basis) else ()


def _basis(
    keys: ChunkKeys, staging: Staging, text_identities: tuple[str | None, ...]
) -> str | None:
    """Names the live chunks, and all that they follow from; None if that cannot be told."""
    chunks_identity = identity(on_disk(staging.file), staging.generation)
    known = [one for one in (*text_identities, chunks_identity) if one is not None]
    return keys.basis(*known) if len(known) == len(text_identities) + 1 else None


def _all_unchanged(staging: Staging, seconds: float) -> ChunkReport:
    documents, kept = staging.reading.execute(
        "SELECT (SELECT count(*) FROM chunked_documents), count(*) FROM chunks"
    ).fetchall()[0]
    return ChunkReport(seen=documents, unchanged=documents, kept=kept, seconds=seconds)


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


class _Run:
    """The state of one call of `staged_chunks`."""

    def __init__(
        self,
        config: CorpusConfig,
        staging: Staging,
        chunker: Chunker,
        keys: ChunkKeys,
        labels_path: Callable[[str], str],
        files: PartitionFiles,
        log: Callable[[str], None],
    ) -> None:
        self.report = ChunkReport()
        self._config = config
        self._staging = staging
        self._chunker = chunker
        self._labels_path = labels_path
        self._files = files
        self._log = log
        self._keys = keys
        self._begun = False
        if staging.has_begun:  # the first version, or one that a killed run left
            self._begin()
        self._known = chunks.keys(staging.reading)
        self._known_failures = chunks.failures(staging.reading)
        self._gone = set(self._known)
        """Documents of the store that are not parsed any more."""
        self._wanted: dict[str, tuple[str, bool]] = {}
        """Of those to chunk: the key that they will have, and whether their blocks are stale."""
        self._force = False

    def wanted(self, parsed: Iterable[TextVersion], force: bool) -> Iterable[str]:
        """Ids of the documents to chunk, of all that are parsed."""
        self._force = force
        for document_id, text_key, stale in parsed:
            key = self._key(document_id, text_key, stale)
            self._gone.discard(document_id)
            self.report.seen += 1
            if force or self._known.get(document_id) != key:
                self._wanted[document_id] = key, stale
        self.report.unchanged = self.report.seen - len(self._wanted)
        return self._wanted

    def chunk(self, batch: list[ParsedDocument]) -> None:
        """Replace the chunks of these documents, or record why that failed."""
        done: list[ChunkedDocument] = []
        failed: list[FailedChunking] = []
        for parsed in batch:
            try:
                done.append(self._chunked(parsed))
            except ChunkError as error:
                kind = type(error).__name__
                failed.append(FailedChunking(parsed.document.id, kind, error.message))
        failed += chunks.unstorable(done)
        lost = {failure.document_id for failure in failed}
        done = [document for document in done if document.document_id not in lost]
        new = [failure for failure in failed if not self._is_on_record(failure)]
        if done or new:
            self._begin()
            chunks.replace(self._staging, done)
            chunks.fail(self._staging, new)
        self.report.failures += [Failure(f.document_id, f.error_kind, f.error) for f in failed]
        for document in done:
            self.report.count(document.document_id, self._known)
        self._log(
            f"{self.report.added + self.report.changed} documents chunked, "
            f"{self.report.failed} failed so far"
        )

    def remove_what_is_gone(self) -> None:
        """Removes the documents that are not parsed any more."""
        if self._gone:
            self._begin()
            self.report.removed = chunks.delete(self._staging, sorted(self._gone))

    def finish(self, text: CorpusText, keep_changes_days: float) -> list[InvariantResult]:
        """Count what was done, and check it."""
        if self._begun:
            counts = chunks.finish(self._staging)
            self.report.inserted = counts.inserted
            self.report.updated = counts.updated
            self.report.deleted = counts.deleted
            chunks.compact(self._staging, keep_days=keep_changes_days)
        row = self._staging.reading.execute("SELECT count(*) FROM chunks").fetchone()
        self.report.kept = (row[0] if row else 0) - self.report.inserted - self.report.updated
        if not self._begun:
            self._log("nothing changed: the published version stays as it was checked")
            return _nothing_to_check()
        self._log("checking the invariants")
        keys = ((one, self._key(one, key, stale)) for one, key, stale in text.versions())
        counter = TiktokenCounter(self._config.chunker.encoding)
        return check(
            self._staging, self._files.documents, counter, texts=text.read, current_keys=keys
        )

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            chunks.begin(self._staging)

    def _chunked(self, parsed: ParsedDocument) -> ChunkedDocument:
        started = time.monotonic()
        document_id = parsed.document.id
        key, stale = self._wanted[document_id]
        labels = self._labels(document_id)
        principal = Principal(id=_PRINCIPAL, acl_labels=labels)
        tenant = TenantId(self._files.tenant_id)
        made = chunk_now(
            RequestContext(tenant_id=tenant, principal=principal), parsed, self._chunker
        )
        settings = self._config.chunker
        return ChunkedDocument(
            document_id=document_id,
            key=key,
            chunks=made,
            contexts=embedding_contexts(
                made,
                parsed.document.title,
                counter=TiktokenCounter(settings.encoding),
                max_tokens=settings.embedding_budget,
            ),
            acl_labels=labels,
            title=parsed.document.title,
            max_tokens=settings.max_tokens,
            overlap_tokens=settings.overlap_tokens,
            tokenizer=settings.encoding,
            embedding_tokens=settings.embedding_budget,
            seconds=time.monotonic() - started,
            stale=stale,
        )

    def _key(self, document_id: str, text_key: str, stale: bool) -> str:
        return self._keys.key(text_key, self._labels(document_id), stale)

    def _labels(self, document_id: str) -> tuple[str, ...]:
        return self._config.labels_for(self._labels_path(document_id))

    def _is_on_record(self, failure: FailedChunking) -> bool:
        known = self._known_failures.get(failure.document_id)
        return known == (failure.error_kind, printable(failure.error)) and not self._force


def _nothing_to_check() -> list[InvariantResult]:
    """What was published was checked then."""
    return [
        InvariantResult(one.name, one.description, one.severity, True, 0, 0, ())
        for one in invariants()
    ]


def _batches(found: Iterator[ParsedDocument]) -> Iterator[list[ParsedDocument]]:
    while batch := list(islice(found, _BATCH)):
        yield batch
