"""What does a corpus hold? Documents, blocks and pages of one partition, as parsing found them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from rag_assets.store.rows import incoming, json_text, line, printable, touched_rows
from rag_assets.store.staging import Staging
from rag_core.errors import StoreError
from rag_core.types import (
    Block,
    BlockType,
    CorpusId,
    Document,
    DocumentId,
    Page,
    ParsedDocument,
    TenantId,
)

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "FailedDocument",
    "PageToRead",
    "ParsedRow",
    "StoredDocument",
    "delete",
    "fail",
    "pages_to_read",
    "read",
    "replace",
    "schema",
    "stored",
]

_BATCH = 200  # documents that are in memory at once when reading back

_DOCUMENTS = {
    "document_id": "VARCHAR",
    "source_uri": "VARCHAR",
    "mime_type": "VARCHAR",
    "title": "VARCHAR",
    "content_hash": "VARCHAR",
    "metadata": "JSON",
    "status": "VARCHAR",
    "key": "VARCHAR",
    "size_bytes": "BIGINT",
    "seconds": "DOUBLE",
}
_BLOCKS = {
    "document_id": "VARCHAR",
    "index": "INTEGER",
    "type": "VARCHAR",
    "level": "TINYINT",
    "text": "VARCHAR",
    "attributes": "JSON",
    "start_offset": "BIGINT",
    "end_offset": "BIGINT",
}
_PAGES = {
    "document_id": "VARCHAR",
    "number": "INTEGER",
    "index": "INTEGER",
    "width": "DOUBLE",
    "height": "DOUBLE",
    "needs_ocr": "BOOLEAN",
    "reason": "VARCHAR",
}
_IDS = {"document_id": "VARCHAR"}
_ROWS_AT_ONCE = 2_000
_STATUS = "CASE f.error_kind WHEN 'UnsupportedMediaType' THEN 'skipped' ELSE 'failed' END"
_FAILURES = {
    "document_id": "VARCHAR",
    "source_uri": "VARCHAR",
    "error_kind": "VARCHAR",
    "error": "VARCHAR",
    "size_bytes": "BIGINT",
    "seconds": "DOUBLE",
}


@dataclass(frozen=True)
class ParsedRow:
    """A document that was parsed."""

    parsed: ParsedDocument
    key: str
    """Hash of everything that decides what parsing gives: bytes, parser, settings."""
    size_bytes: int | None = None
    seconds: float | None = None

    @property
    def status(self) -> str:
        """`ok`, `no_text` if all it has is pages that wait for OCR, else `empty`."""
        if self.parsed.text:
            return "ok"
        return "no_text" if any(page.needs_ocr for page in self.parsed.pages) else "empty"


@dataclass(frozen=True)
class FailedDocument:
    """A document that could not be parsed, and why."""

    document_id: str
    source_uri: str
    error_kind: str
    error: str
    size_bytes: int | None = None
    seconds: float | None = None


class StoredDocument(NamedTuple):
    """What the store knows of a document, as far as its being up to date goes."""

    document_id: str
    content_hash: str | None
    """Of the last good version, like the media type; None if there never was one."""
    mime_type: str | None
    key: str | None
    """None if it failed and is to be tried again."""
    error_kind: str | None
    error: str | None


class PageToRead(NamedTuple):
    """A page whose text has to come from its picture, and the document that it belongs to."""

    document_id: str
    source_uri: str
    mime_type: str
    content_hash: str
    n_pages: int
    """Of the document."""
    number: int
    """As the parser counts, from 1."""
    reason: str | None
    """Why, if the page needs OCR; None for one that has text."""


@cache
def schema() -> str:
    """SQL that makes the tables of documents.duckdb, or brings older ones up to date."""
    return files("rag_assets.store").joinpath("sql/documents.sql").read_text(encoding="utf-8")


def stored(
    connection: "duckdb.DuckDBPyConnection", inside: str, *, members: bool
) -> Iterator[StoredDocument]:
    """The documents whose id has `inside` in it (`members`) or has not, by id (code points);
    streams, so give it a connection of its own."""
    connection.execute(
        "SELECT document_id, content_hash, mime_type, "
        "CASE WHEN status NOT IN ('failed', 'skipped') THEN key END, "
        "CASE WHEN status IN ('failed', 'skipped') THEN error_kind END, "
        "CASE WHEN status IN ('failed', 'skipped') THEN error END "
        "FROM documents WHERE contains(document_id, ?) = ? ORDER BY document_id",
        [inside, members],
    )
    while rows := connection.fetchmany(_ROWS_AT_ONCE):
        yield from map(StoredDocument._make, rows)


def pages_to_read(
    connection: "duckdb.DuckDBPyConnection", *, with_text: Sequence[str] = ()
) -> Iterator[PageToRead]:
    """The pages that need OCR, by document and number; those of the media types `with_text` that
    do not, too. Streams."""
    cursor = connection.cursor()
    cursor.execute("USE live")
    cursor.execute(
        "WITH wanted AS (SELECT document_id, source_uri, mime_type, content_hash, number, "
        "CASE WHEN needs_ocr THEN coalesce(reason, 'no-text') END AS reason "
        "FROM pages JOIN documents USING (document_id) WHERE key IS NOT NULL "
        "AND (needs_ocr OR list_contains(?::VARCHAR[], mime_type))), "
        "sizes AS (SELECT document_id, count(*) AS n_pages FROM pages "
        "SEMI JOIN wanted USING (document_id) GROUP BY document_id) "
        "SELECT document_id, source_uri, mime_type, content_hash, n_pages, number, reason "
        "FROM wanted JOIN sizes USING (document_id) ORDER BY document_id, number",
        [list(with_text)],
    )
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        yield from map(PageToRead._make, rows)


def replace(staging: Staging, batch: Sequence[ParsedRow]) -> list[FailedDocument]:
    """Put the documents of `batch` in, in one transaction, in place of what was there of them.

    Returns those that cannot be stored (text that is no Unicode, NaN in attributes), to be recorded
    by `fail` unless they are on record. Raises `StoreError` for a document of another partition.
    """
    rows, failed = [], []
    for row in batch:
        document = row.parsed.document
        own = (staging.file.tenant_id, staging.file.corpus_id)
        if (document.tenant_id, document.corpus_id) != own:
            raise StoreError(
                f"belongs to {document.tenant_id}/{document.corpus_id}, not to {'/'.join(own)}",
                document=document.id,
            )
        try:
            rows.append((_document(row), _blocks(row.parsed), _pages(row.parsed)))
        except ValueError as error:  # UnicodeEncodeError is one
            failed.append(_unstorable(row, error))
    if not rows:
        return failed
    documents = [document for document, _, _ in rows]
    blocks = (block for _, found, _ in rows for block in found)
    pages = (page for _, _, found in rows for page in found)
    path = staging.file.rows
    with staging.transaction() as connection:
        with incoming(connection, "incoming_documents", _DOCUMENTS, documents, path):
            for table in ("documents", "blocks", "pages"):
                connection.execute(
                    f"DELETE FROM {table} WHERE document_id IN "
                    "(SELECT document_id FROM incoming_documents)"
                )
            connection.execute(
                "INSERT INTO documents BY NAME SELECT *, false AS stale, utc_now() AS parsed_at, "
                "? AS run_id FROM incoming_documents",
                [staging.run_id],
            )
        with incoming(connection, "incoming_blocks", _BLOCKS, blocks, path):
            connection.execute("INSERT INTO blocks BY NAME SELECT * FROM incoming_blocks")
        with incoming(connection, "incoming_pages", _PAGES, pages, path):
            connection.execute("INSERT INTO pages BY NAME SELECT * FROM incoming_pages")
    return failed


def fail(staging: Staging, failures: Sequence[FailedDocument]) -> None:
    """Record documents that could not be parsed, in one transaction: as skipped if there is no
    parser for their kind, else as failed.

    What was there of them stays, marked stale.
    """
    if not failures:
        return
    rows = [
        line(_FAILURES, [printable(getattr(failure, name)) for name in _FAILURES])
        for failure in failures
    ]
    with (
        staging.transaction() as connection,
        incoming(connection, "failures", _FAILURES, rows, staging.file.rows),
    ):
        connection.execute(
            f"UPDATE documents SET status = {_STATUS}, stale = (key IS NOT NULL), "
            "error_kind = f.error_kind, error = f.error, parsed_at = utc_now(), run_id = ? "
            "FROM failures AS f WHERE documents.document_id = f.document_id",
            [staging.run_id],
        )
        connection.execute(
            f"INSERT INTO documents BY NAME SELECT *, {_STATUS} AS status, false AS stale, "
            "utc_now() AS parsed_at, ? AS run_id FROM failures AS f "
            "WHERE document_id NOT IN (SELECT document_id FROM documents)",
            [staging.run_id],
        )


def delete(staging: Staging, document_ids: Iterable[str]) -> int:
    """Remove documents with all that belongs to them, in one transaction; how many there were."""
    rows = (line(_IDS, [document_id]) for document_id in document_ids)
    deleted = 0
    with (
        staging.transaction() as connection,
        incoming(connection, "gone", _IDS, rows, staging.file.rows),
    ):
        for table in ("blocks", "pages", "documents"):
            deleted = touched_rows(
                connection.execute(
                    f"DELETE FROM {table} WHERE document_id IN (SELECT document_id FROM gone)"
                )
            )
    return deleted


def read(
    connection: "duckdb.DuckDBPyConnection", document_ids: Iterable[str]
) -> Iterator[ParsedDocument]:
    """The documents, equal to those that were stored, a few hundred in memory at a time.

    Ordered by id within a few hundred; ids that are not there or were never parsed are left out.
    """
    ids = iter(document_ids)
    owner = connection.execute("SELECT tenant_id, corpus_id FROM store_meta").fetchone() or ("", "")
    while batch := list(islice(ids, _BATCH)):
        blocks = _by_document(connection, "blocks", "type, level, text, attributes", batch)
        pages = _by_document(connection, "pages", "number, width, height, needs_ocr, reason", batch)
        documents = connection.execute(
            "SELECT document_id, source_uri, mime_type, title, content_hash, metadata "
            "FROM documents WHERE key IS NOT NULL "
            "AND document_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY document_id",
            [batch],
        ).fetchall()
        for document_id, *rest in documents:
            yield ParsedDocument(
                document=_to_document(document_id, owner, rest),
                blocks=tuple(_to_block(row) for row in blocks.get(document_id, ())),
                pages=tuple(_to_page(row) for row in pages.get(document_id, ())),
            )


def _document(row: ParsedRow) -> bytes:
    document = row.parsed.document
    return line(
        _DOCUMENTS,
        [
            document.id,
            document.source_uri,
            document.mime_type,
            document.title,
            document.content_hash,
            json_text(document.metadata),
            row.status,
            row.key,
            row.size_bytes,
            row.seconds,
        ],
    )


def _blocks(parsed: ParsedDocument) -> list[bytes]:
    spans = {span.index: (span.start, span.end) for span in parsed.spans}
    return [
        line(
            _BLOCKS,
            [
                parsed.document.id,
                index,
                block.type.value,
                block.level,
                block.text,
                json_text(block.attributes),
                *spans.get(index, (None, None)),
            ],
        )
        for index, block in enumerate(parsed.blocks)
    ]


def _pages(parsed: ParsedDocument) -> list[bytes]:
    return [
        line(
            _PAGES,
            [
                parsed.document.id,
                page.number,
                index,
                page.width,
                page.height,
                page.needs_ocr,
                page.reason,
            ],
        )
        for index, page in enumerate(parsed.pages)
    ]


def _unstorable(row: ParsedRow, error: ValueError) -> FailedDocument:
    return FailedDocument(
        document_id=row.parsed.document.id,
        source_uri=row.parsed.document.source_uri,
        error_kind="StoreError",
        error=f"cannot be stored: {error}; its parser must give Unicode text and finite numbers",
        size_bytes=row.size_bytes,
        seconds=row.seconds,
    )


def _by_document(
    connection: "duckdb.DuckDBPyConnection", table: str, columns: str, batch: list[str]
) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    rows = connection.execute(
        f"SELECT document_id, {columns} FROM {table} "
        "WHERE document_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY document_id, index",
        [batch],
    ).fetchall()
    for document_id, *row in rows:
        found.setdefault(document_id, []).append(tuple(row))
    return found


def _to_document(document_id: str, owner: tuple[str, str], row: list[Any]) -> Document:
    uri, mime_type, title, content_hash, metadata = row
    return Document(
        id=DocumentId(document_id),
        tenant_id=TenantId(owner[0]),
        corpus_id=CorpusId(owner[1]),
        source_uri=uri,
        mime_type=mime_type,
        title=title,
        content_hash=content_hash,
        metadata=json.loads(metadata),
    )


def _to_block(row: tuple[Any, ...]) -> Block:
    kind, level, text, attributes = row
    return Block(type=BlockType(kind), level=level, text=text, attributes=json.loads(attributes))


def _to_page(row: tuple[Any, ...]) -> Page:
    number, width, height, needs_ocr, reason = row
    return Page(number=number, width=width, height=height, needs_ocr=needs_ocr, reason=reason)
