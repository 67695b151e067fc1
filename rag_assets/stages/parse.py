"""Files of one corpus become documents and blocks: only those that changed are parsed."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rag_assets.corpus_config import CorpusConfig
from rag_assets.source_tree import tree_at
from rag_assets.sources import CorpusFolder, Skipped, SourceFile
from rag_assets.stages.keys import parse_key, parse_key_of
from rag_assets.stages.report import Failure, ParseReport
from rag_assets.store import documents
from rag_assets.store.documents import FailedDocument, ParsedRow, StoredMember
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.runs import note_parsing
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
    at stay. If nothing is new, nothing is copied or written. `wait` is how many seconds to wait
    for another run that writes the partition.

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
        report = run.report
        report.seconds = time.monotonic() - started
        note_parsing(
            files,
            run_id,
            report.seconds,
            seen=report.seen,
            added=report.added,
            changed=report.changed,
            removed=report.removed,
            failed=report.failed,
            unchanged=report.unchanged,
        )
    return report


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
        self._known = documents.keys(staging.reading)
        self._known_failures = documents.failures(staging.reading)
        self._members = _Members(documents.members(staging.reading, _INSIDE))
        self._gone = set(self._known)
        """Documents of the store that were not met yet."""
        self._hidden: set[str] = set()
        """What could not be looked at, as a document id or the beginning of some."""
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
                if self._has_vanished(found, error):
                    self._skip(Skipped(path=found.path, reason="gone since it was listed"))
                else:
                    self._fail(found.document_id, found.uri, error, size=found.size)
                continue
            self.report.bytes_read += len(data)
            source = found.source()
            changed = self._is_changed(source, data)
            if changed:
                yield source.document_id, (source, data)
            if changed or self._members.are_outdated(source.document_id):
                yield from self._changed_members(source, data)
            else:
                self._keep_members(source.document_id)

    def _has_vanished(self, file: SourceFile, error: RagError) -> bool:
        """Whether it was removed while this runs, as against its disk being lost: then the folder
        that it lay in is still there, without it."""
        if not isinstance(error.__cause__, FileNotFoundError):
            return False
        folder, _, name = file.path.rpartition("/")
        try:
            there = tree_at(self._folder.root).children(folder)
        except OSError:
            return False
        return all(child.name != name for child in there)

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

    def take(self, document_id: str, result: ParsedDocument | RagError, seconds: float) -> None:
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
        """Writes what has come so far; a failure that is on record as it is needs no writing."""
        if not self._parsed and not self._failed:
            return
        unstorable = documents.replace(self._staging, self._parsed) if self._parsed else []
        documents.fail(self._staging, [f for f in self._failed if not self._is_on_record(f)])
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
        """Removes the documents that the folder does not have any more."""
        gone = sorted(one for one in self._gone if not self._is_hidden(one))
        if gone:
            self.report.removed = documents.delete(self._staging, gone)

    def _skip(self, skipped: Skipped) -> None:
        self.report.skipped.append((skipped.path, skipped.reason))
        if skipped.unseen:
            self._hidden.add(f"{self._folder.partition_key}/{skipped.path}".rstrip("/"))

    def _is_hidden(self, document_id: str) -> bool:
        """Whether it, its container, or a folder above it could not be looked at."""
        if not self._hidden:
            return False
        ends = [at for at, char in enumerate(document_id) if char == "/"]
        above = (document_id[:end].removesuffix("!") for end in [*ends, len(document_id)])
        return not self._hidden.isdisjoint(above)

    def _is_on_record(self, failure: FailedDocument) -> bool:
        known = self._known_failures.get(failure.document_id)
        return known == (failure.error_kind, failure.error) and not self._force

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
        for member in self._members.of(container):
            if member in self._gone:
                self._gone.remove(member)
                self.report.seen += 1
                self.report.unchanged += 1


class _Members:
    """The documents of the store that lie inside others."""

    def __init__(self, stored: list[StoredMember]) -> None:
        self._ids: dict[str, list[str]] = defaultdict(list)
        self._outdated: set[str] = set()
        for member in stored:
            containers = list(_containers_of(member.document_id))
            for container in containers:
                self._ids[container].append(member.document_id)
            if member.key is None or member.key != _key_now(member):
                self._outdated.update(containers)

    def of(self, container: str) -> list[str]:
        """Ids of all that is inside."""
        return self._ids.get(container, [])

    def are_outdated(self, container: str) -> bool:
        """Whether one of them failed, or has a parser of another version by now: the container's
        own key does not tell."""
        return container in self._outdated


def _containers_of(document_id: str) -> Iterator[str]:
    at = document_id.find(_INSIDE)
    while at >= 0:
        yield document_id[:at]
        at = document_id.find(_INSIDE, at + 1)


def _key_now(member: StoredMember) -> str | None:
    try:
        return parse_key_of(member.content_hash or "", member.mime_type or "")
    except ParseError:
        return None
