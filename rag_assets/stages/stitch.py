"""What text do chunks come from? The parsed blocks, with the words that OCR read in their place."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.store import documents, ocr_pages
from rag_assets.store.identity import ABSENT, generation, generation_aside, identity, on_disk
from rag_assets.store.layout import PartitionFiles
from rag_assets.store.reading import open_live
from rag_chunker.stitching import stitched
from rag_core.types import ParsedDocument

if TYPE_CHECKING:
    import duckdb

__all__ = ["CorpusText", "TextVersion", "corpus_text", "identities_of"]

_BATCH = 200  # documents whose readings are in memory at once
_ROWS_AT_ONCE = 10_000


class TextVersion(NamedTuple):
    """A document that has blocks, and which version of them."""

    document_id: str
    key: str
    """Changes with the blocks, and with the words read on its pages."""
    stale: bool
    """The blocks are those of an earlier version, since the newest cannot be parsed."""


class CorpusText:
    """The documents of one partition as chunking sees them."""

    def __init__(
        self,
        corpus: "duckdb.DuckDBPyConnection",
        pages: "duckdb.DuckDBPyConnection | None",
        identities: tuple[str | None, ...] = (None,),
    ) -> None:
        self.identities = identities
        """Which versions of which files this is: see `identities_of`; None for one not known."""
        self._corpus = corpus
        self._pages = pages
        self._digests = {} if pages is None else ocr_pages.digests(pages)

    def versions(self) -> Iterator[TextVersion]:
        """Every document that has been parsed, by id; streams."""
        cursor = self._corpus.cursor()
        cursor.execute("USE live")
        cursor.execute(
            "SELECT document_id, content_hash, key, stale FROM documents WHERE key IS NOT NULL "
            "ORDER BY document_id"
        )
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            for document_id, content_hash, key, stale in rows:
                digest = self._digests.get((document_id, content_hash))
                yield TextVersion(document_id, _with(key, digest), stale)

    def read(self, document_ids: Iterable[str]) -> Iterator[ParsedDocument]:
        """These documents, in any order; ids that are not there are left out."""
        if self._pages is None:
            yield from documents.read(self._corpus, document_ids)
            return
        ids = iter(document_ids)
        while batch := list(islice(ids, _BATCH)):
            readings = ocr_pages.readings(self._pages, batch)
            for parsed in documents.read(self._corpus, batch):
                known = readings.get((parsed.document.id, parsed.document.content_hash))
                yield parsed if known is None else stitched(parsed, known.read, known.failed)


@contextmanager
def corpus_text(files: PartitionFiles) -> Iterator[CorpusText]:
    """The text as it is published now; of pages, if any were ever read.

    Raises `StoreError` if nothing was parsed yet, or a file cannot be read.
    """
    disks = [on_disk(file) for file in (files.documents, files.ocr_pages)]
    there = files.ocr_pages.live.exists()
    with (
        open_live(files.documents) as corpus,
        open_live(files.ocr_pages) if there else nullcontext() as pages,
    ):
        read = ABSENT if pages is None else identity(disks[1], generation(pages))
        yield CorpusText(corpus, pages, (identity(disks[0], generation(corpus)), read))


def identities_of(
    connection: "duckdb.DuckDBPyConnection", files: PartitionFiles
) -> tuple[str | None, ...]:
    """Those that `corpus_text` would have now, through a connection to another file."""
    found = []
    for file in (files.documents, files.ocr_pages):
        disk = on_disk(file)
        aside = "" if disk in (None, ABSENT) else generation_aside(connection, file)
        found.append(identity(disk, aside))
    return tuple(found)


def _with(key: str, digest: str | None) -> str:
    """The key itself where nothing was read, so that reading pages redoes no other document."""
    return key if digest is None else sha256(f"{key} {digest}".encode()).hexdigest()
