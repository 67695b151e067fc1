"""Pages without text get theirs from an OCR engine: each page once per content and engine."""

import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from rag_assets.corpus_config import CorpusConfig, OcrConfig
from rag_assets.sources import CorpusFolder
from rag_assets.stages.engine import usable_engine
from rag_assets.stages.keys import PageKeys
from rag_assets.stages.page_plan import DocumentToRead, plan_for
from rag_assets.stages.page_worker import hand_over, read_stored_page, take_back
from rag_assets.stages.report import OcrReport, PageFailure
from rag_assets.stages.source_bytes import found_again
from rag_assets.store import documents, ocr_pages
from rag_assets.store.documents import PageToRead
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.ocr_pages import FailedPage, PageId, PlacedPage, ReadPage
from rag_assets.store.reading import open_live
from rag_assets.store.rows import printable
from rag_assets.store.staging import Staging, staged
from rag_assets.workers import WorkerPool
from rag_core.errors import OCRError, ParseError, RagError
from rag_core.spi import OCREngine
from rag_core.types import OCRResult, Page, ParsedDocument, Source

__all__ = ["read_corpus_pages"]

_BATCH = 20
"""Pages a transaction, at most."""
_BATCH_SECONDS = 1.0
"""How long a page waits for its transaction: what a killed run reads again is not much more."""
_SAID_EACH = 10.0
"""Seconds between two messages about the progress."""


def read_corpus_pages(
    folder: CorpusFolder,
    config: CorpusConfig,
    files: PartitionFiles,
    pool: WorkerPool,
    *,
    run_id: str,
    wait: float,
    force: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> OcrReport:
    """Read the pages that need OCR and were not read before, and publish what is on them.

    A page is read again only if the document's bytes, the engine, its version or its languages
    changed, or with `force`; the same content elsewhere in the corpus counts as read. A page that
    fails, hangs or kills its worker is recorded with its reason, and tried again by the next run;
    the others go on. A run that is killed goes on where it was. Without an engine that can work,
    what was read stays, and the other pages are recorded with what to install. A corpus without
    such pages costs one query.

    `wait` is how many seconds to wait for another run that writes the partition. Raises
    `StoreError` if nothing was parsed yet, the folder cannot be listed, or the store cannot be
    written.
    """
    started = time.monotonic()
    has_pages = bool(_pages(config, files))
    if not has_pages and not files.ocr_pages.live.exists() and not files.ocr_pages.staging.exists():
        return OcrReport()
    with staged(files.ocr_pages, ocr_pages.schema(), run_id=run_id, timeout=wait) as staging:
        pages = _pages(config, files)  # again: another run may have parsed while this one waited
        run = _Run(folder, config, staging, pages, force, log)
        run.read(pool)
        run.remove_what_is_gone()
        run.sum_up()
        staging.publish()
    run.report.seconds = time.monotonic() - started
    return run.report


def _pages(config: CorpusConfig, files: PartitionFiles) -> list[PageToRead]:
    with_text = (_PDF,) if config.ocr.images_in_text_pages else ()
    with open_live(files.documents) as corpus:
        return list(documents.pages_to_read(corpus, with_text=with_text))


_PDF = "application/pdf"


class _Run:
    """The state of one call of `read_corpus_pages`."""

    def __init__(
        self,
        folder: CorpusFolder,
        config: CorpusConfig,
        staging: Staging,
        pages: list[PageToRead],
        force: bool,
        log: Callable[[str], None],
    ) -> None:
        self.report = OcrReport(seen=len(pages), documents=len({p.document_id for p in pages}))
        self._folder = folder
        self._config = config
        self._staging = staging
        self._log = log
        self._known = ocr_pages.known(staging.reading)
        self._gone = self._known.keys() - {(page.document_id, page.number) for page in pages}
        self._engine: OCREngine | None = None
        self._engine_error: RagError | None = None
        if pages:
            self._choose_engine(config.ocr)
        plan = plan_for(pages, self._known, self._keys(), force=force)
        self._todo, self._copies = plan.to_read, plan.copies
        self._left = sum(len(todo.pages) for todo in self._todo.values())
        self.report.unchanged = plan.unchanged
        self._at_work: dict[PageId, PlacedPage] = {}
        self._handed: dict[str, tuple[Path, set[PageId]]] = {}
        """By document: where its bytes lie for the workers, and its pages that are not read yet."""
        self._lost: dict[str | None, FailedPage] = {}
        """Pages that failed in this run, by their keys."""
        self._read: list[ReadPage] = []
        self._failed: list[FailedPage] = []
        self._flushed = self._said = time.monotonic()

    def read(self, pool: WorkerPool) -> None:
        """Reads what has to be read, and tells on the way."""
        if self._engine_error is not None:
            self._fail_the_rest(self._engine_error)
        elif self._engine is not None and self._todo:
            self._log(f"{self._left:,} pages to read with {self.report.engine}")
            with tempfile.TemporaryDirectory(prefix="rag-ocr-") as folder:
                items = self._items(self._engine, Path(folder))
                for outcome in pool.run(read_stored_page, items):
                    self._take(outcome.key, outcome.result, outcome.seconds)
            self._fail_the_rest(
                ParseError("the file is gone since it was parsed: run again, or bring it back")
            )
        self._flush()
        self._copy()

    def remove_what_is_gone(self) -> None:
        """Removes pages of documents that are gone, and those that need no OCR any more."""
        if self._gone:
            self.report.removed = ocr_pages.delete(self._staging, sorted(self._gone))

    def sum_up(self) -> None:
        """Notes how all pages of the partition stand."""
        self.report.empty = ocr_pages.count_empty(self._staging.reading)
        self.report.low_confidence = ocr_pages.doubtful(self._staging.reading)

    def _keys(self) -> PageKeys | None:
        if self._engine is None:
            return None
        return PageKeys(self._engine, self._config.ocr.languages)

    def _choose_engine(self, config: OcrConfig) -> None:
        try:
            self._engine = usable_engine(config)
            self.report.engine = self._engine.version()
        except RagError as error:
            self._engine_error = error

    def _items(
        self, engine: OCREngine, folder: Path
    ) -> Iterator[tuple[PageId, tuple[bytes, str, int, bool]]]:
        """`(page, arguments of read_stored_page)`, one document after the other."""
        pickled = pickle.dumps(engine)
        for number, found in enumerate(found_again(self._folder, self._config, self._todo.keys())):
            todo = self._todo.pop(found.source.document_id, None)
            if todo is None:  # a folder named like a container has the same document
                continue
            path = folder / str(number)
            try:
                _hand_over(todo.document, found.data, found.source, path)
            except RagError as error:
                self._fail_all(todo, error)
                continue
            ids = {place.id for place in todo.pages}
            self._handed[found.source.document_id] = path, ids
            for place in todo.pages:
                self._at_work[place.id] = place
                images_only = place.reason == ocr_pages.IMAGES
                yield place.id, (pickled, str(path), place.number, images_only)

    def _take(self, page: PageId, result: OCRResult | RagError, seconds: float) -> None:
        """One page that came back from a worker."""
        place = self._at_work.pop(page)
        path, waiting = self._handed[place.document_id]
        waiting.discard(page)
        if not waiting:
            take_back(path)
            del self._handed[place.document_id]
        try:
            if isinstance(result, RagError):
                raise result
            ocr_pages.must_be_storable(result)
        except RagError as error:
            self._fail(place, error, seconds)
        else:
            languages = self._config.ocr.languages
            self._read.append(ReadPage(place, result, self.report.engine, languages, seconds))
        self._left -= 1
        due = time.monotonic() - self._flushed >= _BATCH_SECONDS
        if due or len(self._read) + len(self._failed) >= _BATCH:
            self._flush()

    def _fail_the_rest(self, error: RagError) -> None:
        for todo in self._todo.values():
            self._fail_all(todo, error)
        self._todo = {}

    def _fail_all(self, todo: DocumentToRead, error: RagError) -> None:
        for place in todo.pages:
            self._fail(place, error)
            self._left -= 1

    def _fail(self, place: PlacedPage, error: RagError, seconds: float | None = None) -> None:
        self._failed.append(FailedPage(place, type(error).__name__, error.message, seconds))

    def _flush(self) -> None:
        """Writes what has come so far; a failure that is on record as it is needs no writing."""
        new = [page for page in self._failed if not self._is_on_record(page)]
        if self._read or new:
            ocr_pages.replace(self._staging, self._read, new)
        self._note()
        self._read, self._failed = [], []
        self._flushed = time.monotonic()
        if self._flushed - self._said >= _SAID_EACH:
            self._said = self._flushed
            done, failed = self.report.read, self.report.failed
            self._log(f"{done:,} pages read, {failed:,} failed, {self._left:,} to go")

    def _copy(self) -> None:
        """Gives pages what was read on others of the same content, or the reason why it was not."""
        good = [place for place in self._copies if place.key not in self._lost]
        for place in self._copies:
            if place.key in self._lost:
                self._failed.append(replace(self._lost[place.key], place=place))
        if good:
            ocr_pages.replace(self._staging, [], copies=good)
        self.report.reused = len(good)
        self._flush()

    def _note(self) -> None:
        self.report.read += len(self._read)
        self._lost |= {page.place.key: page for page in self._failed}
        self.report.failures += [
            PageFailure(page.place.document_id, page.error_kind, page.error, page.place.number)
            for page in self._failed
        ]

    def _is_on_record(self, page: FailedPage) -> bool:
        known = self._known.get(page.place.id)
        return known is not None and (
            (known.status, known.content_hash, known.error_kind, known.error)
            == ("failed", page.place.content_hash, page.error_kind, printable(page.error))
        )


def _hand_over(page: PageToRead, data: bytes | RagError, source: Source, path: Path) -> None:
    """Raises `RagError`: the document cannot be read, is another one by now, ..."""
    if isinstance(data, RagError):
        raise data
    if sha256(data).hexdigest() != page.content_hash:
        raise ParseError("the file has changed since it was parsed: run again")
    document = source.document(data, mime_type=page.mime_type)
    # Of the other pages, all that matters is how many there are.
    pages = tuple(Page(number=n, width=0, height=0) for n in range(1, page.n_pages + 1))
    try:
        hand_over(ParsedDocument(document=document, pages=pages), data, path)
    except OSError as error:
        raise OCRError(
            f"cannot be handed to a worker by {path.parent}: {error}; free space there, or set "
            "TMPDIR to another folder"
        ) from error
