"""What does the UI show of `ocr_pages`? Figures, failures, doubtful pages, a preview."""

from hashlib import sha256

import dagster as dg

from rag_assets.columns import Lineage, column_lineage, column_schema
from rag_assets.listing import listing
from rag_assets.stages.report import OcrReport
from rag_assets.store import ocr_pages
from rag_assets.store.layout import StoreFile
from rag_assets.store.reading import open_live

__all__ = ["page_metadata", "pages_version"]

Metadata = dict[str, dg.MetadataValue | str | int | float]

_FILE, _PAGE = "source_files.content", "parsed_documents.document_id"
PAGE_LINEAGE: Lineage = {
    "document_id": _PAGE,
    "page": _PAGE,
    "content_hash": "parsed_documents.content_hash",
    **dict.fromkeys(["status", "error", "regions", "text", "confidence", "low_confidence"], _FILE),
}
_PREVIEW = (
    "SELECT document_id, page, status, round(confidence, 2) AS confidence, "
    "left(text, 120) AS text FROM ocr_pages ORDER BY document_id, page LIMIT 8"
)


def page_metadata(report: OcrReport, file: StoreFile) -> Metadata:
    """Of one partition's `ocr_pages`."""
    metadata: Metadata = {
        "pages_seen": report.seen,
        "pages_read": report.read,
        "pages_reused": report.reused,
        "pages_unchanged": report.unchanged,
        "pages_removed": report.removed,
        "pages_failed": report.failed,
        "pages_empty": report.empty,
        "pages_low_confidence": len(report.low_confidence),
        "documents_with_pages_to_read": report.documents,
        "seconds": round(report.seconds, 3),
    }
    if report.engine:
        metadata["engine"] = report.engine
    for kind, count in sorted(report.failures_by_kind.items()):
        metadata[f"failed/{kind}"] = count
    if report.failures:
        failures = [(f.document_id, f.page, f.kind, f.reason) for f in report.failures]
        metadata["failed_pages"] = listing(
            ("document_id", "page", "kind", "reason"),
            failures,
            more="ragctl query \"FROM ocr_pages WHERE status = 'failed'\"",
        )
    if report.low_confidence:
        doubtful = [(one, page, round(mean, 2)) for one, page, mean in report.low_confidence]
        metadata["low_confidence_pages"] = listing(
            ("document_id", "page", "confidence"),
            doubtful,
            more='ragctl query "FROM ocr_pages WHERE low_confidence"',
        )
    return metadata | _of_the_table(file)


def pages_version(file: StoreFile) -> dg.DataVersion:
    """A hash of the keys of a partition's pages: the same if nothing would be read again."""
    digest = sha256()
    if file.live.exists():
        with open_live(file) as live:
            rows = live.execute(
                "SELECT document_id, page, key, status FROM ocr_pages ORDER BY document_id, page"
            )
            while batch := rows.fetchmany(10_000):
                digest.update(repr(batch).encode(errors="replace"))
    return dg.DataVersion(digest.hexdigest()[:32])


def _of_the_table(file: StoreFile) -> Metadata:
    count, found = 0, []
    if file.live.exists():
        with open_live(file) as live:
            count = live.execute("SELECT count(*) FROM ocr_pages").fetchall()[0][0]
            found = live.execute(_PREVIEW).fetchall()
    metadata: Metadata = {
        "dagster/row_count": count,
        "dagster/table_name": "rag.main.ocr_pages",
        "dagster/column_schema": dg.MetadataValue.table_schema(
            column_schema(ocr_pages.schema(), PAGE_LINEAGE, "ocr_pages")
        ),
        "dagster/column_lineage": dg.MetadataValue.column_lineage(column_lineage(PAGE_LINEAGE)),
    }
    if found:
        names = ("document_id", "page", "status", "confidence", "text")
        metadata["preview"] = listing(names, found, total=count)
    return metadata
