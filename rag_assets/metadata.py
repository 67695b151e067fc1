"""What does the UI show of a materialization? Figures, columns, a preview: Dagster metadata."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import dagster as dg

from rag_assets.stages.report import ChunkReport, ParseReport
from rag_assets.store.layout import StoreFile
from rag_assets.store.staging import open_live

__all__ = ["CHUNK_COLUMNS", "DOCUMENT_COLUMNS", "chunk_metadata", "data_version", "parse_metadata"]

Metadata = dict[str, dg.MetadataValue | str | int | float]

DOCUMENT_COLUMNS = {
    "document_id": ("VARCHAR", "tenant/corpus/path, unique over all tenants"),
    "source_uri": ("VARCHAR", "where the bytes came from"),
    "mime_type": ("VARCHAR", "as found by content, then by name"),
    "title": ("VARCHAR", "what the document calls itself"),
    "content_hash": ("VARCHAR", "sha256 of the bytes that were parsed"),
    "metadata": ("JSON", "front matter, author, encoding, ..."),
    "status": ("VARCHAR", "ok, empty, no_text, failed, or skipped (no parser for its kind)"),
    "error": ("VARCHAR", "why it failed"),
    "stale": ("BOOLEAN", "the blocks are those of an earlier version, the newest failed"),
}
CHUNK_COLUMNS = {
    "id": ("VARCHAR", "the same for the same content on every machine"),
    "document_id": ("VARCHAR", "tenant/corpus/path"),
    "position": ("INTEGER", "0-based within the document"),
    "parent_id": ("VARCHAR", "the enclosing heading's chunk; NULL at the top"),
    "content": ("VARCHAR", "the chunk's text, a slice of the document's"),
    "token_count": ("INTEGER", "of the content, overlap included"),
    "acl_labels": ("VARCHAR[]", "who may see it; empty: nobody"),
    "metadata": ("JSON", '{"kind": "heading", "level": 1..6} or {"kind": "body"}'),
    "start_offset": ("BIGINT", "of the new part, in the document's text"),
    "end_offset": ("BIGINT", "behind the new part"),
    "overlap": ("INTEGER", "leading characters that repeat earlier text"),
    "heading_path": ("VARCHAR[]", "texts of the enclosing headings, outermost first"),
}

_PREVIEW_ROWS = 8
_PREVIEW_CHARACTERS = 90


def parse_metadata(report: ParseReport, file: StoreFile) -> Metadata:
    """Of one partition's `parsed_documents`."""
    metadata = _counts(report)
    metadata["bytes_read"] = report.bytes_read
    if report.skipped:
        metadata["skipped"] = _table(report.skipped, ("path", "reason"))
    sql = (
        "SELECT document_id, title, mime_type, status, "
        "(SELECT count(*) FROM blocks b WHERE b.document_id = d.document_id) AS blocks "
        "FROM documents d ORDER BY document_id LIMIT ?"
    )
    return metadata | _of_table(file, "documents", DOCUMENT_COLUMNS, sql)


def chunk_metadata(report: ChunkReport, file: StoreFile) -> Metadata:
    """Of one partition's `chunks`."""
    metadata = _counts(report)
    metadata |= {
        "chunks_inserted": report.inserted,
        "chunks_updated": report.updated,
        "chunks_deleted": report.deleted,
        "chunks_unchanged": report.kept,
    }
    sql = (
        "SELECT document_id, position, kind, token_count, array_to_string(heading_path, ' > ') "
        "AS heading_path, content FROM chunks ORDER BY document_id, position LIMIT ?"
    )
    return metadata | _of_table(file, "chunks", CHUNK_COLUMNS, sql)


def data_version(file: StoreFile, table: str) -> dg.DataVersion:
    """A hash of the keys of a partition's rows: the same if nothing would be redone."""
    digest = sha256()
    with open_live(file) as live:
        rows = live.execute(
            f"SELECT document_id, key, status FROM {table} ORDER BY document_id"  # noqa: S608
        )
        while batch := rows.fetchmany(10_000):
            for row in batch:
                digest.update(repr(row).encode(errors="replace"))
    return dg.DataVersion(digest.hexdigest()[:32])


def _counts(report: ParseReport | ChunkReport) -> Metadata:
    metadata: Metadata = {
        "documents_seen": report.seen,
        "documents_added": report.added,
        "documents_changed": report.changed,
        "documents_removed": report.removed,
        "documents_unchanged": report.unchanged,
        "documents_failed": report.failed,
        "seconds": round(report.seconds, 3),
    }
    for kind, count in sorted(report.failures_by_kind.items()):
        metadata[f"failed/{kind}"] = count
    if report.failures:
        rows = [(f.document_id, f.kind, f.reason) for f in report.failures]
        metadata["failed_documents"] = _table(rows, ("document_id", "kind", "reason"))
    return metadata


def _of_table(
    file: StoreFile, table: str, columns: Mapping[str, tuple[str, str]], preview: str
) -> Metadata:
    with open_live(file) as live:
        count = live.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]  # noqa: S608
        rows = live.execute(preview, [_PREVIEW_ROWS])
        names = [column[0] for column in rows.description or []]
        found = rows.fetchall()
    return {
        "dagster/row_count": count,
        "dagster/table_name": f"rag.main.{table}",
        "dagster/column_schema": dg.MetadataValue.table_schema(
            dg.TableSchema(
                [
                    dg.TableColumn(name, kind, description=description)
                    for name, (kind, description) in columns.items()
                ]
            )
        ),
        "preview": dg.MetadataValue.md(_markdown(names, found)),
    }


def _table(rows: Sequence[Sequence[str]], names: Sequence[str]) -> dg.TableMetadataValue:
    shown = [
        dg.TableRecord(dict(zip(names, (str(cell)[:300] for cell in row), strict=True)))
        for row in rows[:50]
    ]
    return dg.MetadataValue.table(shown)


def _markdown(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [" | ".join(names), " | ".join("---" for _ in names)]
    lines += [" | ".join(_cell(cell) for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(value: object) -> str:
    text = "" if value is None else " ".join(str(value).split())
    if len(text) > _PREVIEW_CHARACTERS:
        text = text[: _PREVIEW_CHARACTERS - 1] + "…"
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
