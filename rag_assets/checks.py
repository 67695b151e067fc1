"""The invariants as asset checks, so that the UI shows what was verified before publishing."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import dagster as dg

from rag_assets.partitions import CORPORA
from rag_assets.quality import InvariantResult, invariants
from rag_assets.resources import WarehouseResource
from rag_assets.stages.report import OcrReport, ParseReport
from rag_assets.store.catalog import open_warehouse
from rag_assets.store.staging import open_live

__all__ = [
    "chunk_check_specs",
    "chunk_checks",
    "page_check_specs",
    "page_checks",
    "parse_check",
    "parse_check_specs",
    "published",
]

_CHUNKS = dg.AssetKey("chunks")
_PARSED = dg.AssetKey("parsed_documents")
_PAGES = dg.AssetKey("ocr_pages")
_SEVERITY = {"error": dg.AssetCheckSeverity.ERROR, "warning": dg.AssetCheckSeverity.WARN}
_EVERY_DOCUMENT_PARSED = "every_document_parsed"
_EVERY_PAGE_READ = "every_page_read"
_PAGES_READ_WELL = "pages_read_well"


def chunk_check_specs() -> list[dg.AssetCheckSpec]:
    """One per invariant. Those that forbid publishing are blocking."""
    with _partitioned_checks():
        return [
            dg.AssetCheckSpec(
                invariant.name,
                asset=_CHUNKS,
                description=invariant.description,
                blocking=invariant.severity == "error",
                partitions_def=CORPORA,
            )
            for invariant in invariants()
        ]


def chunk_checks(results: Iterable[InvariantResult]) -> Iterator[dg.AssetCheckResult]:
    """How the invariants fared, with the first offending rows."""
    for result in results:
        metadata: dict[str, dg.MetadataValue] = {
            "checked_chunks": dg.MetadataValue.int(result.checked),
            "offenders": dg.MetadataValue.int(result.offender_count),
        }
        if result.offenders:
            metadata["offending_rows"] = _offending_rows(result)
        yield dg.AssetCheckResult(
            check_name=result.name,
            asset_key=_CHUNKS,
            passed=result.passed,
            severity=_SEVERITY[result.severity],
            description=_sentence(result),
            metadata=metadata,
        )


def parse_check_specs() -> list[dg.AssetCheckSpec]:
    """Of `parsed_documents`: a warning, since one bad document stops no other."""
    with _partitioned_checks():
        return [
            dg.AssetCheckSpec(
                _EVERY_DOCUMENT_PARSED,
                asset=_PARSED,
                description="Every document of the corpus could be read and parsed.",
                partitions_def=CORPORA,
            )
        ]


def parse_check(report: ParseReport) -> dg.AssetCheckResult:
    """A warning that names the documents which failed, and why."""
    failures = [f for f in report.failures if f.kind != "UnsupportedMediaType"]
    metadata: dict[str, dg.MetadataValue] = {"failed": dg.MetadataValue.int(len(failures))}
    if failures:
        metadata["failed_documents"] = dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {"document_id": f.document_id, "kind": f.kind, "reason": f.reason[:300]}
                )
                for f in failures[:20]
            ]
        )
    return dg.AssetCheckResult(
        check_name=_EVERY_DOCUMENT_PARSED,
        asset_key=_PARSED,
        passed=not failures,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{len(failures)} of {report.seen} documents failed" if failures else None,
        metadata=metadata,
    )


def page_check_specs() -> list[dg.AssetCheckSpec]:
    """Of `ocr_pages`: warnings, since one bad page stops no other."""
    promises = {
        _EVERY_PAGE_READ: "Every page that needs OCR could be read.",
        _PAGES_READ_WELL: "No page's mean confidence is so low that somebody should look at it.",
    }
    with _partitioned_checks():
        return [
            dg.AssetCheckSpec(name, asset=_PAGES, description=promise, partitions_def=CORPORA)
            for name, promise in promises.items()
        ]


def page_checks(report: OcrReport) -> Iterator[dg.AssetCheckResult]:
    """Warnings that name the pages which failed and why, and those that are in doubt."""
    failed = [f"{f.document_id} page {f.page}: {f.reason}" for f in report.failures]
    yield _page_check(_EVERY_PAGE_READ, f"of {report.seen} pages cannot be read", failed)
    doubtful = [
        f"{document_id} page {page}: mean confidence {mean:.2f}"
        for document_id, page, mean in report.low_confidence
    ]
    yield _page_check(_PAGES_READ_WELL, f"of {report.seen} pages are in doubt", doubtful)


def _page_check(name: str, what: str, pages: list[str]) -> dg.AssetCheckResult:
    metadata: dict[str, dg.MetadataValue] = {"pages": dg.MetadataValue.int(len(pages))}
    if pages:
        metadata["which"] = dg.MetadataValue.md("\n".join(f"- {page[:300]}" for page in pages[:20]))
    return dg.AssetCheckResult(
        check_name=name,
        asset_key=_PAGES,
        passed=not pages,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{len(pages)} {what}; the first: {pages[0][:300]}" if pages else None,
        metadata=metadata,
    )


@contextmanager
def _partitioned_checks() -> Iterator[None]:
    """Checks with partitions are a preview in Dagster 1.13 and warn at each use. What we need of
    them is covered by our own tests, and the packages are pinned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)
        yield


def _published(
    context: dg.AssetCheckExecutionContext, warehouse: WarehouseResource
) -> dg.AssetCheckResult:
    """`rag.duckdb` shows the rows that were published."""
    files = warehouse.partition(context.partition_key)
    with open_live(files.chunks) as live:
        stored = live.execute("SELECT count(*) FROM chunks").fetchall()[0][0]
    with open_warehouse(warehouse.warehouse.root) as views:
        shown = views.execute(
            "SELECT count(*) FROM chunks WHERE tenant_id = ? AND corpus_id = ?",
            [files.tenant_id, files.corpus_id],
        ).fetchall()[0][0]
    return dg.AssetCheckResult(
        passed=stored == shown,
        severity=dg.AssetCheckSeverity.WARN,
        description=None if stored == shown else f"rag.duckdb shows {shown} of {stored} chunks",
        metadata={"stored": stored, "shown": shown},
    )


with _partitioned_checks():
    published = dg.asset_check(name="published", asset=_CHUNKS, partitions_def=CORPORA)(_published)


def _offending_rows(result: InvariantResult) -> dg.TableMetadataValue:
    return dg.MetadataValue.table(
        [
            dg.TableRecord(
                {
                    "document_id": offender.document_id,
                    "position": "" if offender.position is None else str(offender.position),
                    "chunk_id": offender.chunk_id or "",
                    "what": offender.what[:300],
                }
            )
            for offender in result.offenders
        ]
    )


def _sentence(result: InvariantResult) -> str | None:
    if result.passed:
        return None
    first = result.offenders[0]
    place = first.document_id + ("" if first.position is None else f" #{first.position}")
    more = f" (and {result.offender_count - 1} more)" if result.offender_count > 1 else ""
    return f"{place}: {first.what[:300]}{more}"
