"""What does the UI show of a materialization? Plots, a preview, figures: Dagster metadata.

Plots and tables come first, then the numbers, which the UI draws over time and partitions: their
names are what people compare, and stay.
"""

import shlex
from collections import defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.columns import CHUNK_LINEAGE, DOCUMENT_LINEAGE, column_lineage, column_schema
from rag_assets.figures import chunks_by_depth, documents_by_type, token_figures
from rag_assets.listing import listing
from rag_assets.partition_key import encode
from rag_assets.stages.report import ChunkReport, Failure, ParseReport
from rag_assets.store import chunks, documents
from rag_assets.store.layout import StoreFile
from rag_assets.store.reading import open_live

if TYPE_CHECKING:
    import duckdb

__all__ = ["chunk_metadata", "data_version", "failure_listing", "parse_metadata"]

Metadata = dict[str, dg.MetadataValue | str | int | float]

_PREVIEW_ROWS = 8
_PREVIEW_CHARACTERS = 120
_ALL_FAILURES = 'ragctl query "SELECT * FROM failed_documents"'


def parse_metadata(report: ParseReport, file: StoreFile) -> Metadata:
    """Of one partition's `parsed_documents`."""
    with open_live(file) as live:
        shown: Metadata = {
            "what_changed": _what_changed(report),
            "documents_by_type": dg.MetadataValue.md(documents_by_type(live)),
            "preview": _preview(
                live,
                "SELECT substr(document_id, $path) AS document, status, count(b.index) AS blocks, "
                "left(coalesce(title, first(b.text ORDER BY b.index)), $characters) AS title "
                "FROM (SELECT * FROM documents ORDER BY document_id LIMIT $rows) "
                "LEFT JOIN blocks AS b USING (document_id) "
                "GROUP BY document_id, status, title ORDER BY document_id",
                file,
            ),
        }
        shown |= _failures(report)
        if report.skipped:
            shown["skipped_files"] = listing(("path", "reason"), report.skipped)
        total, stale, blocks = live.execute(
            "SELECT count(*), count(*) FILTER (stale), (SELECT count(*) FROM blocks) FROM documents"
        ).fetchall()[0]
    shown |= {"documents": total, "documents_stale": stale, "blocks": blocks}
    shown |= _counts(report)
    shown["bytes_read"] = report.bytes_read
    return shown | _table(
        total,
        "documents",
        column_schema(documents.schema(), DOCUMENT_LINEAGE, "documents", "blocks"),
        column_lineage(DOCUMENT_LINEAGE),
        file,
    )


def chunk_metadata(report: ChunkReport, file: StoreFile) -> Metadata:
    """Of one partition's `chunks`."""
    with open_live(file) as live:
        tokens = token_figures(live)
        shown: Metadata = {
            "what_changed": f"{_what_changed(report)}; {_changed_chunks(report)}",
            "tokens_per_chunk": dg.MetadataValue.md(tokens.plot()),
            "chunks_per_heading_depth": dg.MetadataValue.md(chunks_by_depth(live)),
            "preview": _preview(
                live,
                "SELECT token_count AS tokens, array_to_string(heading_path, ' > ') AS "
                "heading_path, left(content, $characters) AS content, "
                "substr(document_id, $path) AS document "
                "FROM chunks ORDER BY document_id, position LIMIT $rows",
                file,
            ),
        }
        if report.inserted or report.updated or report.deleted:
            shown["changed_documents"] = _changed_documents(live, file)
        shown |= _failures(report)
        shown |= _inspect(live)
        rows, all_tokens = live.execute(
            "SELECT count(*), coalesce(sum(token_count), 0)::BIGINT FROM chunks"
        ).fetchall()[0]
    shown |= {
        "chunks": rows,
        "body_chunks": tokens.chunks,
        "tokens": all_tokens,
        "tokens_per_chunk_mean": round(tokens.mean, 1),
        "tokens_per_chunk_p95": tokens.p95,
        "token_budget": tokens.budget,
        "chunks_inserted": report.inserted,
        "chunks_updated": report.updated,
        "chunks_deleted": report.deleted,
        "chunks_unchanged": report.kept,
    }
    shown |= _counts(report)
    return shown | _table(
        rows,
        "chunks",
        column_schema(chunks.schema(), CHUNK_LINEAGE, "chunks"),
        column_lineage(CHUNK_LINEAGE),
        file,
    )


def data_version(file: StoreFile, table: str) -> dg.DataVersion:
    """A hash of the keys of a partition's rows: the same if nothing would be redone."""
    digest = sha256()
    with open_live(file) as live:
        rows = live.execute(f"SELECT document_id, key, status FROM {table} ORDER BY document_id")
        while batch := rows.fetchmany(10_000):
            for row in batch:
                digest.update(repr(row).encode(errors="replace"))
    return dg.DataVersion(digest.hexdigest()[:32])


def failure_listing(failures: list[Failure]) -> dg.TableMetadataValue:
    """Documents and why they failed, those of the same kind of failure together."""
    rows = sorted((f.kind, f.document_id, f.reason) for f in failures)
    return listing(("kind", "document_id", "reason"), rows, more=_ALL_FAILURES)


def _what_changed(report: ParseReport | ChunkReport) -> str:
    """One sentence, such as `2 documents added, 1 failed, 7 unchanged`."""
    counts = {
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "failed": report.failed,
        "unchanged": report.unchanged,
    }
    return "documents: " + _counted(counts)


def _changed_chunks(report: ChunkReport) -> str:
    counts = {"inserted": report.inserted, "updated": report.updated, "deleted": report.deleted}
    return "chunks: " + _counted(counts)


def _counted(counts: dict[str, int]) -> str:
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return ", ".join(told) or "nothing changed"


def _changed_documents(live: "duckdb.DuckDBPyConnection", file: StoreFile) -> dg.TableMetadataValue:
    """What the newest run did to the chunks of each document, the largest changes first."""
    rows = live.execute(
        """
        SELECT substr(document_id, ?) AS document,
            count(*) FILTER (change = 'insert') AS inserted,
            count(*) FILTER (change = 'update') AS updated,
            count(*) FILTER (change = 'delete') AS deleted,
            count(*) OVER () AS documents
        FROM chunk_changes
        WHERE run_id = (SELECT arg_max(run_id, sequence) FROM chunk_changes)
        GROUP BY document_id ORDER BY count(*) DESC, document LIMIT 10
        """,
        [_path_from(file)],
    ).fetchall()
    return listing(
        ("document", "inserted", "updated", "deleted"),
        [row[:-1] for row in rows],
        total=rows[0][-1] if rows else 0,
        more='ragctl query "SELECT * FROM chunk_changes"',
    )


def _inspect(live: "duckdb.DuckDBPyConnection") -> Metadata:
    """The command that shows a document with its chunks drawn in."""
    largest = live.execute(
        "SELECT arg_max(document_id, n_chunks) FROM chunked_documents"
    ).fetchall()[0][0]
    if largest is None:
        return {}
    command = f"ragctl inspect --document {shlex.quote(largest)}"
    return {"inspect_a_document": dg.MetadataValue.path(command)}


def _failures(report: ParseReport | ChunkReport) -> Metadata:
    if not report.failures:
        return {}
    found: dict[str, list[Failure]] = defaultdict(list)
    for failure in report.failures:
        found[failure.kind].append(failure)
    by_reason = sorted(found.items(), key=lambda row: (-len(row[1]), row[0]))
    return {
        "failures_by_reason": listing(
            ("kind", "documents", "for_example"),
            [(kind, len(those), those[0].document_id) for kind, those in by_reason],
        ),
        "failed_documents": failure_listing(report.failures),
    }


def _counts(report: ParseReport | ChunkReport) -> Metadata:
    counts: Metadata = {
        "documents_seen": report.seen,
        "documents_added": report.added,
        "documents_changed": report.changed,
        "documents_removed": report.removed,
        "documents_unchanged": report.unchanged,
        "documents_failed": report.failed,
        "seconds": round(report.seconds, 3),
    }
    for kind, count in sorted(report.failures_by_kind.items()):
        counts[f"failed/{kind}"] = count
    return counts


def _table(
    rows: int,
    name: str,
    schema: dg.TableSchema,
    lineage: dg.TableColumnLineage,
    file: StoreFile,
) -> Metadata:
    """What Dagster knows by name, and shows in places of its own."""
    return {
        "stored_bytes": file.live.stat().st_size,
        "stored_in": dg.MetadataValue.path(file.live),
        "dagster/row_count": rows,
        "dagster/table_name": f"rag.main.{name}",
        "dagster/column_schema": dg.MetadataValue.table_schema(schema),
        "dagster/column_lineage": dg.MetadataValue.column_lineage(lineage),
    }


def _preview(live: "duckdb.DuckDBPyConnection", sql: str, file: StoreFile) -> dg.TableMetadataValue:
    """The first rows, the columns that matter most first: narrow windows cut off the others."""
    rows = live.execute(
        sql,
        {"path": _path_from(file), "characters": _PREVIEW_CHARACTERS, "rows": _PREVIEW_ROWS},
    )
    names = [column[0] for column in rows.description or []]
    return listing(names, rows.fetchall())


def _path_from(file: StoreFile) -> int:
    """Where, in a document's id, its path within the corpus begins; from 1."""
    return len(encode(file.tenant_id, file.corpus_id)) + 2
