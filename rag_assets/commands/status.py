"""`ragctl status`: how each corpus stands, and what is missing."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rag_assets.summary import CorpusSummary, Missing

_SHOWN = 20


@click.command(
    short_help="Show documents, chunks and failures per partition.",
    epilog="Example: ragctl status acme",
)
@click.argument("tenant", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a corpus and line.")
def status(tenant: str | None, as_json: bool) -> None:
    """Show how each corpus of the warehouse stands (of one TENANT, if named), which documents are
    missing and why, and which folders below the sources are not taken."""
    from rag_assets.summary import missing_documents, refused_folders, summaries

    root = Path(os.environ.get("RAG_WAREHOUSE", "data/warehouse"))
    rows = [row for row in summaries(root) if tenant in (None, row.tenant_id)]
    missing = [row for row in missing_documents(root) if tenant in (None, row.tenant_id)]
    if as_json:
        for row in rows:
            own = [asdict(one) for one in missing if one.corpus == (row.tenant_id, row.corpus_id)]
            click.echo(json.dumps({**asdict(row), "missing": own}, default=str, ensure_ascii=False))
        return
    _show(rows, missing)
    for path, reason in refused_folders(os.environ.get("RAG_SOURCES", "data/sources")):
        click.echo(f"not taken: {path}: {reason}")


def _show(rows: "Sequence[CorpusSummary]", missing: "Sequence[Missing]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("tenant/corpus", overflow="fold", min_width=16)
    for name in ("docs", "failed", "skipped", "stale", "chunks", "tokens"):
        table.add_column(name, justify="right")
    table.add_column("last run (UTC)", no_wrap=True)
    for row in rows:
        skipped = sum(one.corpus == (row.tenant_id, row.corpus_id) for one in missing) - row.failed
        when = row.last_run_at.strftime("%m-%d %H:%M") if row.last_run_at else ""
        figures = (row.documents, row.failed, skipped, row.stale, row.chunks)
        name = escape(f"{row.tenant_id}/{row.corpus_id}")
        table.add_row(name, *map(str, figures), f"{row.tokens:,}", when)
    console.print(table)
    for one in missing[:_SHOWN]:
        stale = " (its last good chunks are kept)" if one.stale else ""
        console.print(
            f"{one.status}: {one.document_id}: {one.error}{stale}", markup=False, soft_wrap=True
        )
    if len(missing) > _SHOWN:
        console.print(
            f'... {len(missing) - _SHOWN} more: ragctl query "FROM failed_documents"', markup=False
        )
