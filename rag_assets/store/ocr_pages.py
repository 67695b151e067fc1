"""What did OCR engines read? The pages of one partition, and what is on them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.store.rows import incoming, json_text, line, printable, touched_rows
from rag_assets.store.staging import Staging
from rag_chunker.stitching import UNSURE, mean_confidence
from rag_core.errors import StoreError
from rag_core.types import OCRRegion, OCRResult

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "IMAGES",
    "Content",
    "FailedPage",
    "KnownPage",
    "PageId",
    "PlacedPage",
    "ReadPage",
    "Readings",
    "count_empty",
    "delete",
    "digests",
    "doubtful",
    "known",
    "must_be_storable",
    "readings",
    "replace",
    "schema",
]

_PLACES = {
    "document_id": "VARCHAR",
    "page": "INTEGER",
    "reason": "VARCHAR",
    "content_hash": "VARCHAR",
    "key": "VARCHAR",
}
_READ = {
    **_PLACES,
    "status": "VARCHAR",
    "engine": "VARCHAR",
    "engine_version": "VARCHAR",
    "languages": "VARCHAR[]",
    "regions": "JSON",
    "text": "VARCHAR",
    "confidence": "DOUBLE",
    "low_confidence": "BOOLEAN",
    "seconds": "DOUBLE",
}
_FAILED = {**_PLACES, "error_kind": "VARCHAR", "error": "VARCHAR", "seconds": "DOUBLE"}
_IDS = {"document_id": "VARCHAR", "page": "INTEGER"}
_ROWS_AT_ONCE = 10_000
_NOTED = "false AS stale, utc_now() AS read_at, ? AS run_id"

IMAGES = "images"
"""Reason to read a page that has text of its own: only the pictures between the text are read."""

PageId = tuple[str, int]
"""Document id and page number."""
Content = tuple[str, str]
"""Document id and the hash of the bytes that the pages were read of."""


class PlacedPage(NamedTuple):
    """A page of a document that is to be read."""

    document_id: str
    number: int
    """As the parser counts, from 1."""
    reason: str | None
    """Why: see `Page.reason`, or `IMAGES`."""
    content_hash: str
    """Of the document's bytes."""
    key: str | None
    """Hash of everything that decides what is read; None if no engine can read it now."""

    @property
    def id(self) -> PageId:
        return self.document_id, self.number


@dataclass(frozen=True)
class ReadPage:
    """A page that an engine has read."""

    place: PlacedPage
    result: OCRResult
    engine_version: str
    languages: tuple[str, ...] = ()
    seconds: float | None = None


@dataclass(frozen=True)
class FailedPage:
    """A page that could not be read, and why."""

    place: PlacedPage
    error_kind: str
    error: str
    seconds: float | None = None


class KnownPage(NamedTuple):
    """What the store has of a page."""

    status: str
    content_hash: str
    key: str | None
    error_kind: str | None
    error: str | None


class Readings(NamedTuple):
    """What is known of the pages of one document's content."""

    read: dict[int, OCRResult]
    """By page number."""
    failed: dict[int, str]
    """Page number to reason, of those without any reading at all."""


@cache
def schema() -> str:
    """SQL that makes the tables of ocr_pages.duckdb, or brings older ones up to date."""
    return files("rag_assets.store").joinpath("sql/ocr_pages.sql").read_text(encoding="utf-8")


def known(connection: "duckdb.DuckDBPyConnection") -> dict[PageId, KnownPage]:
    """All pages that have been read or tried."""
    rows = connection.execute(
        "SELECT document_id, page, status, content_hash, key, error_kind, error FROM ocr_pages"
    )
    found: dict[PageId, KnownPage] = {}
    while batch := rows.fetchmany(_ROWS_AT_ONCE):
        found.update(((document, page), KnownPage(*rest)) for document, page, *rest in batch)
    return found


def count_empty(connection: "duckdb.DuckDBPyConnection") -> int:
    """How many pages have nothing to read on them."""
    rows = connection.execute("SELECT count(*) FROM ocr_pages WHERE status = 'empty'").fetchall()
    return int(rows[0][0])


def doubtful(connection: "duckdb.DuckDBPyConnection") -> list[tuple[str, int, float]]:
    """The pages with a low mean confidence: document id, number, confidence; the lowest first."""
    return connection.execute(
        "SELECT document_id, page, confidence FROM ocr_pages WHERE low_confidence "
        "ORDER BY confidence, document_id, page"
    ).fetchall()


def must_be_storable(result: OCRResult) -> None:
    """Raises `StoreError` if its text is no Unicode."""
    try:
        json_text([region.text for region in result.regions])
    except ValueError as error:  # UnicodeEncodeError is one
        raise StoreError(
            f"cannot be stored: {error}; the engine {result.engine!r} must give Unicode text"
        ) from error


def replace(
    staging: Staging,
    read: Sequence[ReadPage],
    failed: Sequence[FailedPage] = (),
    copies: Sequence[PlacedPage] = (),
) -> None:
    """Put pages in, in one transaction, in place of what was there of them.

    `copies` are pages of which another one with the same key was read, now or before. A page that
    failed keeps what was read on it of the same content before, marked stale. What was read must
    be storable, see `must_be_storable`.
    """
    lines = [_line(page) for page in read]
    lost = [_failed_line(page) for page in failed]
    rows = staging.file.rows
    with staging.transaction() as connection:
        with incoming(connection, "incoming_pages", _READ, lines, rows):
            _forget(connection, "incoming_pages")
            connection.execute(
                f"INSERT INTO ocr_pages BY NAME SELECT *, {_NOTED} FROM incoming_pages",
                [staging.run_id],
            )
        with incoming(
            connection, "incoming_copies", _PLACES, [line(_PLACES, page) for page in copies], rows
        ):
            _copy(connection, staging.run_id)
        with incoming(connection, "incoming_failures", _FAILED, lost, rows):
            _fail(connection, staging.run_id)


def delete(staging: Staging, pages: Iterable[PageId]) -> int:
    """Remove pages, in one transaction; how many there were."""
    rows = (line(_IDS, page) for page in pages)
    with (
        staging.transaction() as connection,
        incoming(connection, "gone", _IDS, rows, staging.file.rows),
    ):
        return _forget(connection, "gone")


def digests(connection: "duckdb.DuckDBPyConnection") -> dict[Content, str]:
    """A hash for each content with words read on its pages, which changes with these words."""
    rows = connection.execute(
        "SELECT document_id, content_hash, sha256(string_agg(page || ' ' || key, ' ' "
        "ORDER BY page)) FROM ocr_pages WHERE text <> '' GROUP BY document_id, content_hash"
    )
    found: dict[Content, str] = {}
    while batch := rows.fetchmany(_ROWS_AT_ONCE):
        found.update(((document, content), digest) for document, content, digest in batch)
    return found


def readings(
    connection: "duckdb.DuckDBPyConnection", document_ids: Sequence[str]
) -> dict[Content, Readings]:
    """What is known of the pages of these documents; nothing of one without such pages."""
    rows = connection.execute(
        "SELECT document_id, content_hash, page, engine, regions, error FROM ocr_pages "
        "WHERE document_id IN (SELECT unnest(?::VARCHAR[])) AND status <> 'no_images' "
        "ORDER BY document_id, page",
        [list(document_ids)],
    ).fetchall()
    found: dict[Content, Readings] = {}
    for document_id, content_hash, page, engine, regions, error in rows:
        read, failed = found.setdefault((document_id, content_hash), Readings({}, {}))
        if regions is None:
            failed[page] = error
        else:
            read[page] = OCRResult(engine=engine, regions=tuple(_regions(regions)))
    return found


def _copy(connection: "duckdb.DuckDBPyConnection", run_id: str) -> None:
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE copied AS SELECT read.* EXCLUDE (document_id, page, reason, "
        "content_hash, seconds, read_at, run_id), place.document_id, place.page, place.reason, "
        "place.content_hash, utc_now() AS read_at, ? AS run_id FROM incoming_copies AS place "
        "JOIN (SELECT * FROM ocr_pages WHERE status <> 'failed' QUALIFY "
        "row_number() OVER (PARTITION BY key ORDER BY read_at) = 1) AS read USING (key)",
        [run_id],
    )
    _forget(connection, "copied")
    connection.execute("INSERT INTO ocr_pages BY NAME SELECT * FROM copied")
    connection.execute("DROP TABLE copied")


def _fail(connection: "duckdb.DuckDBPyConnection", run_id: str) -> None:
    connection.execute(
        "DELETE FROM ocr_pages USING incoming_failures AS f WHERE ocr_pages.document_id = "
        "f.document_id AND ocr_pages.page = f.page AND (ocr_pages.regions IS NULL "
        "OR ocr_pages.content_hash <> f.content_hash)"
    )
    connection.execute(
        "UPDATE ocr_pages SET status = 'failed', stale = true, error_kind = f.error_kind, "
        "error = f.error, read_at = utc_now(), run_id = ? FROM incoming_failures AS f "
        "WHERE ocr_pages.document_id = f.document_id AND ocr_pages.page = f.page",
        [run_id],
    )
    connection.execute(
        "INSERT INTO ocr_pages BY NAME SELECT * EXCLUDE (key), 'failed' AS status, "
        f"false AS low_confidence, {_NOTED} FROM incoming_failures AS f "
        "ANTI JOIN ocr_pages USING (document_id, page)",
        [run_id],
    )


def _forget(connection: "duckdb.DuckDBPyConnection", listed: str) -> int:
    return touched_rows(
        connection.execute(
            f"DELETE FROM ocr_pages USING {listed} AS gone "
            "WHERE ocr_pages.document_id = gone.document_id AND ocr_pages.page = gone.page"
        )
    )


def _line(page: ReadPage) -> bytes:
    regions = [region.model_dump(mode="json") for region in page.result.regions]
    text = "\n".join(region.text for region in page.result.regions)
    confidence = mean_confidence(page.result)
    return line(
        _READ,
        [
            *page.place,
            _status(page.result, text),
            page.result.engine or None,
            page.engine_version,
            page.languages,
            json_text(regions),
            text,
            confidence,
            confidence is not None and confidence < UNSURE,
            page.seconds,
        ],
    )


def _status(result: OCRResult, text: str) -> str:
    if not result.engine:
        return "no_images"
    return "ok" if text.strip() else "empty"


def _failed_line(page: FailedPage) -> bytes:
    told = (page.error_kind, printable(page.error), page.seconds)
    return line(_FAILED, [*page.place, *told])


def _regions(stored: str) -> Iterator[OCRRegion]:
    for region in json.loads(stored):
        yield OCRRegion.model_validate(region)
