"""The assets: files, documents parsed from them, pages read, chunks. Key, borrow, call, tell.

No `from __future__ import annotations` here: Dagster needs the contexts' real types.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from rag_assets.checks import (
    chunk_check_specs,
    chunk_checks,
    page_check_specs,
    page_checks,
    parse_check,
    parse_check_specs,
)
from rag_assets.columns import FILE_COLUMNS
from rag_assets.metadata import chunk_metadata, data_version, parse_metadata
from rag_assets.page_metadata import page_metadata, pages_version
from rag_assets.partitions import CORPORA
from rag_assets.resources import SourcesResource, WarehouseResource, WorkersResource
from rag_assets.stages.chunk import staged_chunks
from rag_assets.stages.keys import CHUNK_STAGE, OCR_STAGE, PARSE_STAGE
from rag_assets.stages.ocr import read_corpus_pages
from rag_assets.stages.parse import parse_corpus
from rag_assets.store.catalog import refresh_catalog
from rag_core.errors import RagError

__all__ = ["RunOptions", "chunks", "ocr_pages", "parsed_documents", "source_files"]

OWNERS = ["team:rag"]


class RunOptions(dg.Config):
    """What a run may be told. Everything else is a setting: corpus.toml, environment."""

    force: bool = False
    """Redo every document, changed or not."""


source_files = dg.AssetSpec(
    "source_files",
    group_name="ingest",
    kinds={"file"},
    owners=OWNERS,
    partitions_def=CORPORA,
    description="The documents as they arrive: `TENANT/CORPUS/**` below `RAG_SOURCES`. "
    "Add a folder and it becomes a partition.\n\nNobody materializes these files: whoever puts "
    "them there owns them, and the sensor `follow_sources` looks for what changed.",
    metadata={"dagster/column_schema": FILE_COLUMNS},
)


@dg.asset(
    deps=[source_files],
    partitions_def=CORPORA,
    group_name="ingest",
    kinds={"python", "duckdb"},
    owners=OWNERS,
    code_version=str(PARSE_STAGE),
    check_specs=parse_check_specs(),
)
def parsed_documents(
    context: dg.AssetExecutionContext,
    config: RunOptions,
    sources: SourcesResource,
    warehouse: WarehouseResource,
    workers: WorkersResource,
) -> dg.MaterializeResult:
    """One tenant's corpus as documents and blocks: headings, paragraphs, list items, table rows,
    code. Only files whose content changed are parsed again; one that cannot be parsed is listed
    with its reason and stops no other.

    `SELECT * FROM documents WHERE status <> 'ok'` in `rag.duckdb` shows what is missing.
    """
    files = warehouse.partition(context.partition_key)
    with _told(), workers.pool() as pool:
        folder, settings = sources.corpus(context.partition_key)
        report = parse_corpus(
            folder,
            settings,
            files,
            pool,
            run_id=context.run.run_id,
            wait=warehouse.wait_seconds,
            force=config.force,
            log=context.log.info,
        )
        refresh_catalog(warehouse.warehouse, run_id=context.run.run_id)
    return dg.MaterializeResult(
        data_version=data_version(files.documents, "documents"),
        metadata=parse_metadata(report, files.documents),
        check_results=[parse_check(report)],
    )


@dg.asset(
    deps=[parsed_documents],
    partitions_def=CORPORA,
    group_name="ingest",
    kinds={"python", "duckdb"},
    owners=OWNERS,
    code_version=str(OCR_STAGE),
    check_specs=page_check_specs(),
)
def ocr_pages(
    context: dg.AssetExecutionContext,
    config: RunOptions,
    sources: SourcesResource,
    warehouse: WarehouseResource,
    workers: WorkersResource,
) -> dg.MaterializeResult:
    """The words on one tenant's scans and pictures, read by OCR: images, and pages of PDFs that
    have no text of their own. A page is read once; one that cannot be read is listed with its
    reason and stops no other.

    `SELECT * FROM ocr_regions WHERE low_confidence` in `rag.duckdb` shows what is in doubt.
    """
    files = warehouse.partition(context.partition_key)
    with _told(), workers.page_pool() as pool:
        folder, settings = sources.corpus(context.partition_key)
        report = read_corpus_pages(
            folder,
            settings,
            files,
            pool,
            run_id=context.run.run_id,
            wait=warehouse.wait_seconds,
            force=config.force,
            log=context.log.info,
        )
        refresh_catalog(warehouse.warehouse, run_id=context.run.run_id)
    return dg.MaterializeResult(
        data_version=pages_version(files.ocr_pages),
        metadata=page_metadata(report, files.ocr_pages),
        check_results=list(page_checks(report)),
    )


@dg.asset(
    deps=[parsed_documents, ocr_pages],
    partitions_def=CORPORA,
    group_name="chunks",
    kinds={"python", "duckdb"},
    owners=OWNERS,
    code_version=str(CHUNK_STAGE),
    check_specs=chunk_check_specs(),
    output_required=False,
)
def chunks(
    context: dg.AssetExecutionContext,
    config: RunOptions,
    sources: SourcesResource,
    warehouse: WarehouseResource,
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult]:
    """One tenant's corpus as chunks, ready for an embedder: cut along headings, within an exact
    token budget, each a slice of its document. They are checked before they are published; if a
    check fails, the version that was published before stays.

    `SELECT heading_path, content FROM chunk_context LIMIT 10` in `rag.duckdb` shows some.
    """
    files = warehouse.partition(context.partition_key)
    with _told():
        _, settings = sources.corpus(context.partition_key)
        prefix = len(context.partition_key) + 1
        with staged_chunks(
            settings,
            files,
            lambda document_id: document_id[prefix:],
            run_id=context.run.run_id,
            wait=warehouse.wait_seconds,
            force=config.force,
            keep_changes_days=warehouse.keep_changes_days,
            log=context.log.info,
        ) as staged:
            results = list(chunk_checks(staged.results, files.documents))
            if staged.passed:
                staged.publish()
            else:
                staged.discard()
        if not staged.passed:
            yield from results
            raise dg.Failure(
                "not published, the version before stays: "
                + "; ".join(
                    f"{result.check_name}: {result.description}"
                    for result in results
                    if not result.passed and result.severity == dg.AssetCheckSeverity.ERROR
                ),
                allow_retries=False,
            )
        refresh_catalog(warehouse.warehouse, run_id=context.run.run_id)
    yield dg.MaterializeResult(
        data_version=data_version(files.chunks, "chunked_documents"),
        metadata=chunk_metadata(staged.report, files.chunks),
        check_results=results,
    )


@contextmanager
def _told() -> Iterator[None]:
    """Turns our errors into failed steps that say what to do, without a traceback to read."""
    try:
        yield
    except RagError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
