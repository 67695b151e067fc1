"""What does the UI show of `ocr_pages`? Figures, failures, doubtful pages, a preview."""

from collections.abc import Sequence
from hashlib import sha256

import dagster as dg

from rag_assets.stages.report import OcrReport
from rag_assets.store.layout import StoreFile
from rag_assets.store.staging import open_live

__all__ = ["page_metadata", "pages_version"]

Metadata = dict[str, dg.MetadataValue | str | int | float]

_PAGE_COLUMNS = {
    "document_id": ("VARCHAR", "tenant/corpus/path"),
    "page": ("INTEGER", "number of the page, from 1"),
    "reason": ("VARCHAR", "why it was read: image, no-text, garbled, ..."),
    "status": ("VARCHAR", "ok, empty (nothing to read on it), no_images, or failed"),
    "error": ("VARCHAR", "why it could not be read"),
    "engine": ("VARCHAR", "what read it"),
    "languages": ("VARCHAR[]", "as set for the corpus"),
    "regions": ("JSON", "[{text, confidence, bbox, page}], in reading order"),
    "text": ("VARCHAR", "of all regions, one a line"),
    "confidence": ("DOUBLE", "mean over characters, 0..1"),
    "low_confidence": ("BOOLEAN", "somebody should look at the page"),
    "seconds": ("DOUBLE", "that reading took"),
}
_SHOWN = 50
_PREVIEW = (
    "SELECT document_id, page, status, round(confidence, 2)::VARCHAR AS confidence, "
    "left(text, 90) AS text FROM ocr_pages ORDER BY document_id, page LIMIT 8"
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
        failures = [(f.document_id, str(f.page), f.kind, f.reason) for f in report.failures]
        metadata["failed_pages"] = _table(("document_id", "page", "kind", "reason"), failures)
    if report.low_confidence:
        doubtful = [(one, str(page), f"{mean:.2f}") for one, page, mean in report.low_confidence]
        metadata["low_confidence_pages"] = _table(("document_id", "page", "confidence"), doubtful)
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
            dg.TableSchema(
                [
                    dg.TableColumn(name, kind, description=description)
                    for name, (kind, description) in _PAGE_COLUMNS.items()
                ]
            )
        ),
    }
    if found:
        names = ("document_id", "page", "status", "confidence", "text")
        metadata["preview"] = _table(names, found)
    return metadata


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> dg.TableMetadataValue:
    return dg.MetadataValue.table(
        [dg.TableRecord(dict(zip(names, map(_cell, row), strict=True))) for row in rows[:_SHOWN]]
    )


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())[:300]
