"""The invariants as asset checks, so that the UI shows what was verified before publishing."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import dagster as dg

from rag_assets.listing import listing
from rag_assets.metadata import failure_listing
from rag_assets.partitions import CORPORA
from rag_assets.quality import InvariantResult, invariants
from rag_assets.resources import WarehouseResource
from rag_assets.stages.report import OcrReport, ParseReport
from rag_assets.store.catalog import open_warehouse
from rag_assets.store.layout import StoreFile
from rag_assets.store.reading import open_live

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
                description=_told(invariant.description, invariant.next_step),
                blocking=invariant.severity == "error",
                partitions_def=CORPORA,
            )
            for invariant in invariants()
        ]


def chunk_checks(
    results: Iterable[InvariantResult], documents: StoreFile
) -> Iterator[dg.AssetCheckResult]:
    """How the invariants fared, with the first offending rows, and the file of the very first.

    `documents` is the partition's documents file.
    """
    next_steps = {invariant.name: invariant.next_step for invariant in invariants()}
    for result in results:
        metadata: dict[str, dg.MetadataValue] = {}
        if result.offenders:
            metadata["offending_rows"] = _offending_rows(result)
            metadata["what_to_do"] = dg.MetadataValue.text(_capitalised(next_steps[result.name]))
            metadata |= _file_of(result.offenders[0].document_id, documents)
        metadata["checked_chunks"] = dg.MetadataValue.int(result.checked)
        metadata["offenders"] = dg.MetadataValue.int(result.offender_count)
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
                description=_told(
                    "Every document of the corpus could be read and parsed.",
                    "the others are up to date all the same. The reason says what to do with the "
                    "file; it is tried again by every run.",
                ),
                partitions_def=CORPORA,
            )
        ]


def parse_check(report: ParseReport) -> dg.AssetCheckResult:
    """A warning that names the documents which failed, and why."""
    failures = [f for f in report.failures if f.kind != "UnsupportedMediaType"]
    metadata: dict[str, dg.MetadataValue] = {}
    if failures:
        metadata["failed_documents"] = failure_listing(failures)
    metadata["failed"] = dg.MetadataValue.int(len(failures))
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
        _EVERY_PAGE_READ: _told(
            "Every page that needs OCR could be read.",
            "the document's other pages are chunked all the same. The reason says what is missing; "
            "the page is tried again by every run.",
        ),
        _PAGES_READ_WELL: _told(
            "No page's mean confidence is so low that somebody should look at it.",
            "compare the page with what was read, in `ocr_regions`. A better scan, or the right "
            "`languages` in corpus.toml, helps most.",
        ),
    }
    with _partitioned_checks():
        return [
            dg.AssetCheckSpec(name, asset=_PAGES, description=promise, partitions_def=CORPORA)
            for name, promise in promises.items()
        ]


def page_checks(report: OcrReport) -> Iterator[dg.AssetCheckResult]:
    """Warnings that name the pages which failed and why, and those that are in doubt."""
    failed = [(f.document_id, f.page, f.reason) for f in report.failures]
    doubtful = [
        (document_id, page, f"mean confidence {mean:.2f}")
        for document_id, page, mean in report.low_confidence
    ]
    yield _page_check(_EVERY_PAGE_READ, f"of {report.seen} pages cannot be read", failed)
    yield _page_check(_PAGES_READ_WELL, f"of {report.seen} pages are in doubt", doubtful)


def _page_check(name: str, what: str, pages: list[tuple[str, int, str]]) -> dg.AssetCheckResult:
    metadata: dict[str, dg.MetadataValue] = {}
    description = None
    if pages:
        document_id, page, reason = pages[0]
        metadata["offending_pages"] = listing(("document_id", "page", "what"), pages)
        description = f"{len(pages)} {what}; the first: {document_id} page {page}: {reason[:300]}"
    metadata["pages"] = dg.MetadataValue.int(len(pages))
    return dg.AssetCheckResult(
        check_name=name,
        asset_key=_PAGES,
        passed=not pages,
        severity=dg.AssetCheckSeverity.WARN,
        description=description,
        metadata=metadata,
    )


def _told(meaning: str, next_step: str) -> str:
    return f"{meaning}\n\n**If not:** {next_step}"


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
    published = dg.asset_check(
        name="published",
        asset=_CHUNKS,
        partitions_def=CORPORA,
        description=_told(
            "`rag.duckdb` shows the rows that were published.",
            "another program replaced `rag.duckdb`, or a run writes right now. Materialize any "
            "partition again: every run makes its views anew.",
        ),
    )(_published)


def _offending_rows(result: InvariantResult) -> dg.TableMetadataValue:
    return listing(
        ("document_id", "position", "what", "content"),
        [(one.document_id, one.position, one.what, one.content) for one in result.offenders],
        total=result.offender_count,
    )


def _file_of(document_id: str, documents: StoreFile) -> dict[str, dg.MetadataValue]:
    """Where the document came from; nothing for one that is not stored."""
    with open_live(documents) as live:
        found = live.execute(
            "SELECT source_uri FROM documents WHERE document_id = ?", [document_id]
        ).fetchall()
    return {"first_file": dg.MetadataValue.path(found[0][0])} if found else {}


def _sentence(result: InvariantResult) -> str | None:
    if result.passed:
        return None if result.checked else "no chunk is new; those there were checked before"
    first = result.offenders[0]
    place = first.document_id + ("" if first.position is None else f" #{first.position}")
    more = f" (and {result.offender_count - 1} more)" if result.offender_count > 1 else ""
    return f"{place}: {first.what[:300]}{more}"


def _capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
