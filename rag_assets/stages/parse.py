"""Files of one corpus become documents and blocks: only those that changed are parsed."""

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.corpus_config import CorpusConfig
from rag_assets.source_tree import tree_at
from rag_assets.sources import CorpusFolder, Skipped, SourceFile
from rag_assets.stages.keys import ParseKeys, parse_key
from rag_assets.stages.known import KnownDocuments
from rag_assets.stages.report import Failure, ParseReport
from rag_assets.stages.source_bytes import INSIDE
from rag_assets.store import documents
from rag_assets.store.documents import FailedDocument, ParsedRow, StoredDocument
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.rows import printable
from rag_assets.store.runs import note_parsing
from rag_assets.store.staging import Staging, staged
from rag_assets.workers import WorkerPool
from rag_chunker.parsing.containers import members
from rag_chunker.pipeline import parse_document
from rag_core.errors import ParseError, RagError
from rag_core.types import ParsedDocument, Source

if TYPE_CHECKING:
    import duckdb

__all__ = ["parse_corpus"]

_BATCH = 200
"""Documents a transaction: what a killed run loses at most."""
_BATCH_BYTES = 32_000_000
"""Of sources, so that a batch of large documents stays small in memory."""


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
        with staging.snapshot() as known:
            run = _Run(folder, config, staging, known, force, log)
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
    known: StoredDocument | None


class _Parsed(NamedTuple):
    row: ParsedRow
    known: StoredDocument | None


class _Failed(NamedTuple):
    failure: FailedDocument
    known: StoredDocument | None


class _Run:
    """The state of one call of `parse_corpus`."""

    def __init__(
        self,
        folder: CorpusFolder,
        config: CorpusConfig,
        staging: Staging,
        known: "duckdb.DuckDBPyConnection",
        force: bool,
        log: Callable[[str], None],
    ) -> None:
        self.report = ParseReport()
        self._folder = folder
        self._config = config
        self._staging = staging
        self._force = force
        self._log = log
        self._keys = ParseKeys()
        members = list(documents.stored(known, INSIDE, members=True))
        files = documents.stored(known, INSIDE, members=False)
        self._known = KnownDocuments(files, members, self._keys)
        self._hidden: set[str] = set()
        """What could not be looked at, as a document id or the beginning of some."""
        self._pending: dict[str, _Pending] = {}
        self._parsed: list[_Parsed] = []
        self._failed: list[_Failed] = []
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
                    known = self._known.meet(found.document_id)
                    self._fail(found.document_id, found.uri, error, known, size=found.size)
                continue
            self.report.bytes_read += len(data)
            yield from self._changed(found, data)

    def _changed(self, file: SourceFile, data: bytes) -> Iterator[tuple[str, tuple[Source, bytes]]]:
        """The document itself and those inside it, as far as they have to be parsed."""
        known = self._known.meet(file.document_id)
        is_current = self._is_current(known, data)
        is_outdated_inside = self._known.are_outdated_inside(file.document_id)
        if is_current:
            self._count_unchanged()
            if not is_outdated_inside:  # as nearly all documents are: no need to ask their kind
                self._keep_members(file.document_id)
                return
        source = file.source()
        must_parse = not is_current and self._must_parse(source, data, known)
        if must_parse:
            yield source.document_id, (source, data)
        if must_parse or is_outdated_inside:
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
                known = self._known.meet(member.document_id)
                if self._is_current(known, content):
                    self._count_unchanged()
                elif self._must_parse(member, content, known):
                    yield member.document_id, (member, content)
        except ParseError as error:  # parsing the container itself tells the same, and is recorded
            self._log(f"{source.document_id}: cannot look inside: {error.message}")
            self._fail_members(source.document_id, source.uri, error)

    def _is_current(self, known: StoredDocument | None, data: bytes) -> bool:
        """Whether the store has the blocks of just these bytes, by the parser of now."""
        if known is None or self._force or known.content_hash != sha256(data).hexdigest():
            return False
        return self._keys.are_current(known)

    def _must_parse(self, source: Source, data: bytes, known: StoredDocument | None) -> bool:
        try:
            key = parse_key(source, data)
        except ParseError as error:
            self._fail(source.document_id, source.uri, error, known, size=len(data))
            return False
        if known is not None and known.key == key and not self._force:
            self._count_unchanged()
            return False
        self._pending[source.document_id] = _Pending(source, key, len(data), known)
        return True

    def take(self, document_id: str, result: ParsedDocument | RagError, seconds: float) -> None:
        """One document that came back from a worker."""
        source, key, size, known = self._pending.pop(document_id)
        if isinstance(result, RagError):
            self._fail(document_id, source.uri, result, known, size, seconds)
        else:
            self._parsed.append(_Parsed(ParsedRow(result, key, size, seconds), known))
        self._bytes += size
        if len(self._parsed) + len(self._failed) >= _BATCH or self._bytes >= _BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes what has come so far; a failure that is on record as it is needs no writing."""
        if not self._parsed and not self._failed:
            return
        known: dict[str, StoredDocument | None] = {
            parsed.row.parsed.document.id: parsed.known for parsed in self._parsed
        }
        unstorable = documents.replace(self._staging, [parsed.row for parsed in self._parsed])
        self._failed += [_Failed(one, known.pop(one.document_id)) for one in unstorable]
        new = [failed.failure for failed in self._failed if not self._is_on_record(failed)]
        documents.fail(self._staging, new)
        for before in known.values():
            if before is None:
                self.report.added += 1
            else:
                self.report.changed += 1
        self.report.failures += [
            Failure(one.document_id, one.error_kind, one.error) for one, _ in self._failed
        ]
        self.report.seen += len(known) + len(self._failed)
        self._parsed, self._failed, self._bytes = [], [], 0
        self._log(f"{self.report.seen} documents seen, {self.report.failed} failed so far")

    def remove_what_is_gone(self) -> None:
        """Removes the documents that the folder does not have any more."""
        gone = sorted(one for one in self._known.never_met() if not self._is_hidden(one))
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

    def _is_on_record(self, failed: _Failed) -> bool:
        """As it is: the kind of the error and its text."""
        one, known = failed
        recorded = known and (known.error_kind, known.error)
        return recorded == (one.error_kind, printable(one.error)) and not self._force

    def _fail(
        self,
        document_id: str,
        uri: str,
        error: RagError,
        known: StoredDocument | None,
        size: int | None = None,
        seconds: float | None = None,
    ) -> None:
        kind = type(error).__name__
        failure = FailedDocument(document_id, uri, kind, error.message, size, seconds)
        self._failed.append(_Failed(failure, known))
        self._fail_members(document_id, uri, error)

    def _fail_members(self, container: str, uri: str, error: RagError) -> None:
        """What is stored of them stays, but is no newer than what is stored of the container."""
        for member in self._known.meet_all_inside(container):
            failure = FailedDocument(
                member.document_id,
                uri + member.document_id.removeprefix(container),
                type(error).__name__,
                f"cannot look inside {container}: {error.message}",
            )
            self._failed.append(_Failed(failure, member))

    def _keep_members(self, container: str) -> None:
        for _ in self._known.meet_all_inside(container):
            self._count_unchanged()

    def _count_unchanged(self) -> None:
        self.report.seen += 1
        self.report.unchanged += 1
