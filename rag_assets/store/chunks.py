"""Which chunks does a corpus have? Chunks of one partition, with a log of every change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from rag_assets.store.rows import incoming, json_text, line, printable, touched_rows
from rag_assets.store.staging import Staging
from rag_chunker.context import heading_paths
from rag_core.errors import StoreError
from rag_core.types import Chunk

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "ChunkedDocument",
    "FailedChunking",
    "RunCounts",
    "begin",
    "compact",
    "delete",
    "fail",
    "failures",
    "finish",
    "keys",
    "replace",
    "schema",
    "unstorable",
]

_CHUNKS = {
    "id": "VARCHAR",
    "document_id": "VARCHAR",
    "position": "INTEGER",
    "parent_id": "VARCHAR",
    "content": "VARCHAR",
    "content_ref": "VARCHAR",
    "token_count": "INTEGER",
    "acl_labels": "VARCHAR[]",
    "metadata": "JSON",
    "start_offset": "BIGINT",
    "end_offset": "BIGINT",
    "overlap": "INTEGER",
    "heading_path": "VARCHAR[]",
    "kind": "VARCHAR",
    "level": "TINYINT",
    "context": "VARCHAR",
}
_DOCUMENTS = {
    "document_id": "VARCHAR",
    "title": "VARCHAR",
    "status": "VARCHAR",
    "stale": "BOOLEAN",
    "key": "VARCHAR",
    "n_chunks": "INTEGER",
    "max_tokens": "INTEGER",
    "overlap_tokens": "INTEGER",
    "tokenizer": "VARCHAR",
    "embedding_tokens": "INTEGER",
    "acl_labels": "VARCHAR[]",
    "seconds": "DOUBLE",
}
_FAILURES = {"document_id": "VARCHAR", "error_kind": "VARCHAR", "error": "VARCHAR"}
_IDS = {"document_id": "VARCHAR"}
_KEYS_AT_ONCE = 10_000


@dataclass(frozen=True)
class ChunkedDocument:
    """A document's chunks, and the settings that they were made with."""

    document_id: str
    key: str
    """Hash of everything that decides what chunking gives: text, chunker, settings, labels."""
    chunks: Sequence[Chunk]
    acl_labels: Sequence[str]
    """What the corpus' configuration says for this document; the chunks must carry just these."""
    contexts: Sequence[str | None] = ()
    """Of each chunk: what stands before its content in `embedding_text`, None for a heading; empty
    where nobody embeds."""
    title: str | None = None
    max_tokens: int | None = None
    """The budget of body chunks; None for a chunker without one."""
    overlap_tokens: int | None = None
    tokenizer: str | None = None
    embedding_tokens: int | None = None
    """The budget of `embedding_text`."""
    seconds: float | None = None
    stale: bool = False
    """True if the blocks were those of an earlier version, since the newest cannot be parsed."""


@dataclass(frozen=True)
class FailedChunking:
    """A document that could not be chunked, and why."""

    document_id: str
    error_kind: str
    error: str


@dataclass(frozen=True)
class RunCounts:
    """What a run did to a partition's chunks."""

    documents: int
    failed: int
    inserted: int
    updated: int
    deleted: int


@cache
def schema() -> str:
    """SQL that makes the tables of chunks.duckdb, or brings older ones up to date."""
    return _sql("chunks.sql")


def keys(connection: "duckdb.DuckDBPyConnection") -> dict[str, str | None]:
    """The key of every document, by id; None if it failed and is to be tried again."""
    rows = connection.execute(
        "SELECT document_id, CASE WHEN status <> 'failed' THEN key END FROM chunked_documents"
    )
    found: dict[str, str | None] = {}
    while batch := rows.fetchmany(_KEYS_AT_ONCE):
        found.update(batch)
    return found


def failures(connection: "duckdb.DuckDBPyConnection") -> dict[str, tuple[str, str]]:
    """Kind and text of the recorded error, by id, of the documents that could not be chunked."""
    rows = connection.execute(
        "SELECT document_id, error_kind, error FROM chunked_documents WHERE status = 'failed'"
    ).fetchall()
    return {document_id: (kind, error) for document_id, kind, error in rows}


def begin(staging: Staging) -> None:
    """Start the run of this staging; call it once, first.

    What a killed run left in the staging file becomes this run's own, so that whoever reads the
    change log by run misses nothing.
    """
    with staging.transaction() as connection:
        for table in ("chunk_changes", "chunked_documents"):
            connection.execute(
                f"UPDATE {table} SET run_id = ? WHERE run_id IN "
                "(SELECT run_id FROM runs WHERE finished_at IS NULL)",
                [staging.run_id],
            )
        connection.execute(
            "DELETE FROM runs WHERE finished_at IS NULL OR run_id = ?", [staging.run_id]
        )
        connection.execute(
            "INSERT INTO runs (run_id, started_at) VALUES (?, utc_now())", [staging.run_id]
        )


def finish(staging: Staging) -> RunCounts:
    """End the run of this staging, before it is published: what it did, also kept in `runs`."""
    with staging.transaction() as connection:
        row = connection.execute(
            "UPDATE runs SET finished_at = utc_now(), documents = d.documents, failed = d.failed, "
            "inserted = c.inserted, updated = c.updated, deleted = c.deleted FROM "
            "(SELECT count(*) FILTER (change = 'insert') AS inserted, "
            "count(*) FILTER (change = 'update') AS updated, "
            "count(*) FILTER (change = 'delete') AS deleted "
            "FROM chunk_changes WHERE run_id = $run) AS c, "
            "(SELECT count(*) AS documents, count(*) FILTER (status = 'failed') AS failed "
            "FROM chunked_documents WHERE run_id = $run) AS d WHERE run_id = $run "
            "RETURNING runs.documents, runs.failed, runs.inserted, runs.updated, runs.deleted",
            {"run": staging.run_id},
        ).fetchone()
    if row is None:
        raise StoreError(f"run {staging.run_id} was never begun")
    return RunCounts(*row)


def compact(staging: Staging, *, keep_days: float) -> int:
    """Shorten the change log: of what is older than `keep_days`, one insert per chunk that was
    there then, under its old sequence number; how many entries went.

    So the log, replayed from nothing, still gives the chunks that are there, and whoever follows
    it by sequence number misses nothing that is younger. What this run logged always stays.
    """
    old = "run_id <> $run AND changed_at < utc_now() - to_seconds($seconds)"
    given = {"run": staging.run_id, "seconds": keep_days * 86_400}
    with staging.transaction() as connection:
        # Compacting leaves inserts only: where there is nothing else, there is nothing to do.
        if not connection.execute(
            f"SELECT 1 FROM chunk_changes WHERE {old} AND change <> 'insert' LIMIT 1",
            given,
        ).fetchall():
            return 0
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE last_old AS "
            "SELECT max(sequence) AS sequence, arg_max(change, sequence) AS change "
            f"FROM chunk_changes WHERE {old} GROUP BY document_id, chunk_id",
            given,
        )
        gone = touched_rows(
            connection.execute(
                f"DELETE FROM chunk_changes WHERE {old} AND sequence NOT IN "
                "(SELECT sequence FROM last_old WHERE change <> 'delete')",
                given,
            )
        )
        connection.execute(
            "UPDATE chunk_changes SET change = 'insert' "
            "WHERE sequence IN (SELECT sequence FROM last_old WHERE change = 'update')"
        )
        connection.execute("DROP TABLE last_old")
    return gone


def unstorable(batch: Iterable[ChunkedDocument]) -> list[FailedChunking]:
    """Those that cannot be stored (text that is no Unicode, NaN in metadata), and why."""
    failed = []
    for document in batch:
        try:
            _ = _lines(document), _document(document)
        except ValueError as error:  # UnicodeEncodeError is one
            message = (
                f"cannot be stored: {error}; its chunker must give Unicode text and finite numbers"
            )
            failed.append(FailedChunking(document.document_id, "StoreError", message))
    return failed


def replace(staging: Staging, batch: Sequence[ChunkedDocument]) -> None:
    """Put the chunks of the documents of `batch` in place of what was there of them, in one
    transaction, and log the difference.

    Raises `ValueError` for what is `unstorable`, `StoreError` for a chunk of another tenant or
    document; then nothing of the batch is stored.
    """
    for document in batch:
        _must_own(staging, document)
    documents = [_document(document) for document in batch]
    chunks = [line for document in batch for line in _lines(document)]
    with (
        staging.transaction() as connection,
        incoming(connection, "incoming_documents", _DOCUMENTS, documents, staging.file.rows),
    ):
        _apply(staging, chunks)
        _forget_documents(connection)
        connection.execute(
            "INSERT INTO chunked_documents BY NAME SELECT *, utc_now() AS chunked_at, ? AS run_id "
            "FROM incoming_documents",
            [staging.run_id],
        )


def fail(staging: Staging, failures: Sequence[FailedChunking]) -> None:
    """Record documents that could not be chunked, in one transaction.

    Chunks that were there of them stay, and the document is marked stale.
    """
    if not failures:
        return
    rows = [line(_FAILURES, [f.document_id, f.error_kind, printable(f.error)]) for f in failures]
    with (
        staging.transaction() as connection,
        incoming(connection, "failures", _FAILURES, rows, staging.file.rows),
    ):
        connection.execute(
            "UPDATE chunked_documents SET status = 'failed', "
            "stale = (stale OR status <> 'failed'), error_kind = f.error_kind, error = f.error, "
            "chunked_at = utc_now(), run_id = ? "
            "FROM failures AS f WHERE chunked_documents.document_id = f.document_id",
            [staging.run_id],
        )
        connection.execute(
            "INSERT INTO chunked_documents BY NAME SELECT *, 'failed' AS status, "
            "false AS stale, 0 AS n_chunks, utc_now() AS chunked_at, ? AS run_id FROM failures "
            "WHERE document_id NOT IN (SELECT document_id FROM chunked_documents)",
            [staging.run_id],
        )


def delete(staging: Staging, document_ids: Iterable[str]) -> int:
    """Remove documents with their chunks, in one transaction; how many documents there were."""
    rows = (line(_IDS, [document_id]) for document_id in document_ids)
    with (
        staging.transaction() as connection,
        incoming(connection, "incoming_documents", _IDS, rows, staging.file.rows),
    ):
        _apply(staging, [])
        return _forget_documents(connection)


def _apply(staging: Staging, chunks: list[bytes]) -> None:
    connection = staging.connection
    with incoming(connection, "incoming_chunks", _CHUNKS, chunks, staging.file.rows):
        connection.execute("SET VARIABLE run_id = ?", [staging.run_id])
        connection.execute(_sql("replace_chunks.sql"))


def _forget_documents(connection: "duckdb.DuckDBPyConnection") -> int:
    return touched_rows(
        connection.execute(
            "DELETE FROM chunked_documents "
            "WHERE document_id IN (SELECT document_id FROM incoming_documents)"
        )
    )


def _must_own(staging: Staging, document: ChunkedDocument) -> None:
    tenant = staging.file.tenant_id
    for chunk in document.chunks:
        if (chunk.tenant_id, chunk.document_id) != (tenant, document.document_id):
            raise StoreError(
                f"chunk {chunk.id} at position {chunk.position} is of tenant {chunk.tenant_id!r} "
                f"and document {chunk.document_id!r}, in a partition of {tenant!r}",
                document=document.document_id,
            )


def _lines(document: ChunkedDocument) -> list[bytes]:
    paths = heading_paths(document.chunks)
    contexts = document.contexts or [None] * len(document.chunks)
    return [
        _chunk(chunk, paths[chunk.id], context)
        for chunk, context in zip(document.chunks, contexts, strict=True)
    ]


def _chunk(chunk: Chunk, heading_path: tuple[str, ...], context: str | None) -> bytes:
    kind, level = chunk.metadata.get("kind"), chunk.metadata.get("level")
    return line(
        _CHUNKS,
        [
            chunk.id,
            chunk.document_id,
            chunk.position,
            chunk.parent_id,
            chunk.content,
            chunk.content_ref,
            chunk.token_count,
            chunk.acl_labels,
            json_text(chunk.metadata),
            chunk.start,
            chunk.end,
            chunk.overlap,
            heading_path,
            kind if isinstance(kind, str) else None,
            level if isinstance(level, int) and 0 <= level <= 127 else None,
            context,
        ],
    )


def _document(document: ChunkedDocument) -> bytes:
    return line(
        _DOCUMENTS,
        [
            document.document_id,
            document.title,
            "ok",
            document.stale,
            document.key,
            len(document.chunks),
            document.max_tokens,
            document.overlap_tokens,
            document.tokenizer,
            document.embedding_tokens,
            sorted(set(document.acl_labels)),
            document.seconds,
        ],
    )


@cache
def _sql(name: str) -> str:
    return files("rag_assets.store").joinpath(f"sql/{name}").read_text(encoding="utf-8")
