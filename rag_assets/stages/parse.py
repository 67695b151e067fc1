"""Files of one corpus become documents and blocks: only those that changed are parsed."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple


from rag_assets.corpus_config import CorpusConfig
from rag_assets.sources import CorpusFolder, Skipped, SourceFile
from rag_assets.stages.keys import parse_key
from rag_assets.stages.report import Failure, ParseReport
from rag_assets.store import documents
from rag_assets.store.documents import FailedDocument, ParsedRow
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.staging import Staging, staged
from rag_assets.workers import WorkerPool
from rag_chunker.parsing.containers import members
from rag_chunker.pipeline import parse_document
from rag_core.errors import ParseError, RagError
from rag_core.types import ParsedDocument, Source

__all__ = ["parse_corpus"]

_BATCH = 200
"""Documents a transaction: what a killed run loses at most."""
_BATCH_BYTES = 32_000_000
"""Of sources, so that a batch of large documents stays small in memory."""
_INSIDE = "!/"
"""Between a container's id and the name of a member."""


def parse_corpus(
    folder: CorpusFolder,
    config: CorpusConfig,
    files: PartitionFiles,
    pool: WorkerPool,
    *,
    run_id: str,
    wait: float,
    force: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> ParseReport:
    """Bring the partition's documents file up to date with the corpus folder, and publish it.

    Reads every file once and parses those whose key is new, all of them with `force`. A document
    that fails is recorded with its reason, keeps what was there of it, and is tried again by the
    next run. Documents whose file is gone are removed; those below a folder that cannot be looked
    at stay. `wait` is how many seconds to wait for another run that writes the partition.

    Raises `StoreError` if the folder cannot be listed, or the store cannot be written.
    """
    started = time.monotonic()
    with staged(files.documents, documents.schema(), run_id=run_id, timeout=wait) as staging:
        run = _Run(folder, config, staging, force, log)
        for outcome in pool.run(parse_document, run.changed_documents()):
            run.take(outcome.key, outcome.result, outcome.seconds)
        run.flush()
        run.remove_what_is_gone()
        staging.publish()
    run.report.seconds = time.monotonic() - started
    return run.report


class _Pending(NamedTuple):
    source: Source
    key: str
    size: int


class _Run:
    """The state of one call of `parse_corpus`."""

    def __init__(
        self,
        folder: CorpusFolder,
        config: CorpusConfig,
        staging: Staging,
        force: bool,
        log: Callable[[str], None],
    ) -> None:
        self.report = ParseReport()
        self._folder = folder
        self._config = config
        self._staging = staging
        self._force = force
        self._log = log
        self._known = documents.keys(staging.connection)
        self._gone = set(self._known)
        """Documents of the store that were not met yet."""
        self._members: dict[str, list[str]] = defaultdict(list)
        for document_id in self._known:
            container, inside, _ = document_id.partition(_INSIDE)
            if inside:
                self._members[container].append(document_id)
        self._pending: dict[str, _Pending] = {}
        self._parsed: list[ParsedRow] = []
        self._failed: list[FailedDocument] = []
        self._bytes = 0

    def changed_documents(self) -> Iterator[tuple[str, tuple[Source, bytes]]]:
        """What has to be parsed: `(document id, arguments of parse_document)`, one file at a time.

        Notes all else on the way: what is unchanged, skipped, unreadable.
        """
        for found in self._folder.files(self._config):
            if isinstance(found, Skipped):
                self._skip(found)
                continue
            try:
                data = self._folder.read(found)
            except RagError as error:
                self._fail(found.document_id, found.uri, error, size=found.size)
                continue
            self.report.bytes_read += len(data)
            source = found.source()
            if self._is_changed(source, data):
                yield source.document_id, (source, data)
                yield from self._changed_members(source, data)
            else:
                self._keep_members(source.document_id)

    def _changed_members(
        self, source: Source, data: bytes
    ) -> Iterator[tuple[str, tuple[Source, bytes]]]:
        try:
            for member, content in members(source, data):
                if self._is_changed(member, content):
                    yield member.document_id, (member, content)
        except ParseError as error:  # parsing the container itself tells the same, and is recorded
            self._log(f"{source.document_id}: cannot look inside: {error.message}")
            self._keep_members(source.document_id)

    def _is_changed(self, source: Source, data: bytes) -> bool:
        try:
            key = parse_key(source, data)
        except ParseError as error:
            self._fail(source.document_id, source.uri, error, size=len(data))
            return False
        if self._known.get(source.document_id) == key and not self._force:
            self._gone.discard(source.document_id)
            self.report.seen += 1
            self.report.unchanged += 1
            return False
        self._pending[source.document_id] = _Pending(source, key, len(data))
        return True

    def take(
        self, document_id: str, result: ParsedDocument | RagError, seconds: float
    ) -> None:
        """One document that came back from a worker."""
        pending = self._pending.pop(document_id)
        if isinstance(result, RagError):
            self._fail(document_id, pending.source.uri, result, pending.size, seconds)
        else:
            self._gone.discard(document_id)
            self._parsed.append(ParsedRow(result, pending.key, pending.size, seconds))
        self._bytes += pending.size
        if len(self._parsed) + len(self._failed) >= _BATCH or self._bytes >= _BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes what has come so far."""
        if not self._parsed and not self._failed:
            return
        unstorable = documents.replace(self._staging, self._parsed)
        documents.fail(self._staging, self._failed)
        self._failed += unstorable
        failed = {failure.document_id for failure in self._failed}
        for row in self._parsed:
            if row.parsed.document.id not in failed:
                self.report.count(row.parsed.document.id, self._known)
        for failure in self._failed:
            self.report.failures.append(
                Failure(failure.document_id, failure.error_kind, failure.error)
            )
        self.report.seen += len({row.parsed.document.id for row in self._parsed} | failed)
        self._parsed, self._failed, self._bytes = [], [], 0
        self._log(f"{self.report.seen} documents seen, {self.report.failed} failed so far")

    def remove_what_is_gone(self) -> None:
        if self._gone:
            self.report.removed = documents.delete(self._staging, sorted(self._gone))

    def _skip(self, skipped: Skipped) -> None:
        self.report.skipped.append((skipped.path, skipped.reason))
        if skipped.unseen:
            hidden = f"{self._folder.partition_key}/{skipped.path}".rstrip("/") + "/"
            self._gone -= {one for one in self._gone if f"{one}/".startswith(hidden)}

    def _fail(
        self,
        document_id: str,
        uri: str,
        error: RagError,
        size: int | None = None,
        seconds: float | None = None,
    ) -> None:
        kind = type(error).__name__
        self._failed.append(FailedDocument(document_id, uri, kind, error.message, size, seconds))
        self._gone.discard(document_id)
        self._keep_members(document_id)

    def _keep_members(self, container: str) -> None:
        self._gone.difference_update(self._members.get(container, ()))
