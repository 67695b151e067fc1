"""`ragctl status`: how each corpus stands, what its last run did, and what is missing."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag_chunker.cli.output import one_line
from rag_chunker.cli.terminal import console

if TYPE_CHECKING:
    from rag_assets.store.runs import RunRecord
    from rag_assets.summary import CorpusSummary, Missing

_SHOWN = 20
_REASON = 1_000
"""Characters of a reason that are shown."""
_DOCUMENTS = ("added", "changed", "removed", "failed", "unchanged")
_CHUNKS = ("inserted", "updated", "deleted", "unchanged")
_Runs = Mapping[tuple[str, str], "RunRecord"]


@click.command(
    short_help="Show documents, chunks and failures per partition.",
    epilog="Example: ragctl status acme",
)
@click.argument("tenant", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a corpus and line.")
def status(tenant: str | None, as_json: bool) -> None:
    """Show how each corpus of the warehouse stands (of one TENANT, if named), what its last run saw
    and did, which documents are missing and why, and which folders below the sources are not taken.

    What is in the warehouse has passed its checks: a version that fails one is not published, and
    the line `checks` of its last run says which one, and how often.
    """
    from rag_assets.summary import missing_documents, refused_folders, runs_by_corpus, summaries

    root = Path(os.environ.get("RAG_WAREHOUSE", "data/warehouse"))
    rows = [row for row in summaries(root) if tenant in (None, row.tenant_id)]
    missing = [row for row in missing_documents(root) if tenant in (None, row.tenant_id)]
    runs = runs_by_corpus(root)
    if as_json:
        for row in rows:
            click.echo(_as_json(row, missing, runs))
        return
    _show(rows, missing, runs)
    for path, reason in refused_folders(os.environ.get("RAG_SOURCES", "data/sources")):
        click.echo(f"not taken: {one_line(path, _REASON)}: {one_line(reason, _REASON)}")


def _as_json(row: "CorpusSummary", missing: "Sequence[Missing]", runs: _Runs) -> str:
    key = (row.tenant_id, row.corpus_id)
    run = runs.get(key)
    own = [asdict(one) for one in missing if one.corpus == key]
    known = {**asdict(row), "run": None if run is None else asdict(run), "missing": own}
    return json.dumps(known, default=str, ensure_ascii=False)


def _show(rows: "Sequence[CorpusSummary]", missing: "Sequence[Missing]", runs: _Runs) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    screen = console()
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("tenant/corpus", overflow="fold", min_width=16)
    for name in ("docs", "failed", "skipped", "stale", "chunks", "tokens"):
        table.add_column(name, justify="right")
    table.add_column("last run (UTC)", no_wrap=True)
    for row in rows:
        skipped = sum(
            one.corpus == (row.tenant_id, row.corpus_id) and one.status == "skipped"
            for one in missing
        )
        when = row.last_run_at.strftime("%m-%d %H:%M") if row.last_run_at else ""
        figures = (row.documents, row.failed, skipped, row.stale, row.chunks, row.tokens)
        name = Text(one_line(f"{row.tenant_id}/{row.corpus_id}", _REASON))
        table.add_row(name, *(f"{figure:,}" for figure in figures), when)
    screen.print(table)
    for row in rows:
        for line in _details(row, runs.get((row.tenant_id, row.corpus_id))):
            screen.print(line, soft_wrap=True)
    for one in missing[:_SHOWN]:
        kept = " (its last good chunks are kept)" if one.stale else ""
        name, error = one_line(one.document_id, _REASON), one_line(one.error, _REASON)
        screen.print(f"{one.status}: {name}: {error}{kept}", soft_wrap=True)
    if len(missing) > _SHOWN:
        screen.print(f'... {len(missing) - _SHOWN} more: ragctl query "FROM failed_documents"')


def _details(row: "CorpusSummary", run: "RunRecord | None") -> Iterator[str]:
    """What the last run did, and what OCR read, where there is something to tell."""
    name = one_line(f"{row.tenant_id}/{row.corpus_id}", _REASON)
    if run is not None:
        documents = _tally(run, "documents", _DOCUMENTS)
        chunks = _tally(run, "chunks", _CHUNKS)
        if documents:
            yield f"{name}: last run saw {run.documents_seen or 0:,} documents: {documents}"
        if chunks:
            yield f"{name}: its chunks: {chunks}"
        if run.checks_passed is not None:
            yield f"{name}: checks: {_checks(run)}"
    if row.ocr_read or row.ocr_failed:
        yield (
            f"{name}: pages read by OCR: {row.ocr_read:,} ({row.ocr_low_confidence:,} with doubt), "
            f"failed {row.ocr_failed:,}"
        )


def _checks(run: "RunRecord") -> str:
    """How they fared, and what followed; which rows offend is in the UI, and in the run's log."""
    failed = [
        f"{check} failed ({count:,} {'place' if count == 1 else 'places'})"
        for check, count in sorted((run.checks_failed or {}).items())
    ]
    if not failed:
        return f"{run.checks_passed or 0} passed"
    end = "a warning, published" if run.published else "not published, the version before stays"
    return f"{', '.join(failed)}: {end}"


def _tally(run: "RunRecord", what: str, names: Sequence[str]) -> str:
    counts = ((name, getattr(run, f"{what}_{name}")) for name in names)
    return ", ".join(f"{count:,} {name}" for name, count in counts if count)
