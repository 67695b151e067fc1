"""`ragctl demo`: the sample corpus through the real assets, and what to do next."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console


@click.command(
    short_help="Materialize the sample corpus and show what came out.",
    epilog="Example: ragctl demo",
)
def demo() -> None:
    """Copy the sample corpus (two tenants, three corpora) to the sources folder, materialize every
    corpus through Dagster, and show what came out.

    Uses RAG_SOURCES (data/sources) and RAG_WAREHOUSE (data/warehouse); what is there already stays.
    """
    from rag_assets.home import prepare_home
    from rag_chunker.cli.terminal import console

    prepare_home(os.environ)
    failed = _run(console())
    if failed:
        click.echo(f"failed: {', '.join(failed)}", err=True)
        sys.exit(1)


def _run(console: "Console") -> list[str]:
    import dagster as dg
    from rich.text import Text

    from rag_assets.definitions import build_defs, resources_from
    from rag_assets.partitions import register_corpora
    from rag_assets.sample_corpus import copy_sample

    resources = resources_from(os.environ)
    sources, warehouse = resources["sources"], resources["warehouse"]
    copied = copy_sample(Path(sources.root))
    if copied:
        console.print(f"copied {len(copied)} sample files to {sources.root}")
    job = build_defs(resources).resolve_job_def("ingest")
    failed: list[str] = []
    checks: dict[str, str] = {}
    for refused in sources.sources.corpora().skipped:
        console.print(f"not taken: {refused.path}: {refused.reason}", soft_wrap=True)
    with dg.DagsterInstance.get() as instance:
        for key in register_corpora(instance, sources.sources):
            started = time.monotonic()
            with console.status(f"materializing {key} ..."):
                result = job.execute_in_process(
                    partition_key=key,
                    instance=instance,
                    raise_on_error=False,
                    run_config=_QUIET,
                )
            mark, color = ("ok", "green") if result.success else ("failed", "red")
            took = f" {key} in {time.monotonic() - started:.1f} s"
            console.print(Text(mark, color).append(took, ""))
            evaluations = result.get_asset_check_evaluations()
            checks[key] = f"{sum(e.passed for e in evaluations)}/{len(evaluations)}"
            if not result.success:
                failed.append(key)
    _show(console, checks, Path(warehouse.root))
    return failed


_QUIET = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}


def _show(console: "Console", checks: dict[str, str], root: Path) -> None:
    from rich.table import Table

    from rag_assets.partition_key import encode
    from rag_assets.summary import summaries

    table = Table(title="What the warehouse holds")
    for name in ("tenant", "corpus"):
        table.add_column(name)
    for name in ("documents", "failed", "chunks", "tokens", "checks passed"):
        table.add_column(name, justify="right")
    for row in summaries(root):
        table.add_row(
            row.tenant_id,
            row.corpus_id,
            str(row.documents),
            str(row.failed),
            str(row.chunks),
            f"{row.tokens:,}",
            checks.get(encode(row.tenant_id, row.corpus_id), ""),
        )
    console.print(table)
    console.print(
        _NEXT.format(ragctl=_as_typed(), catalog=root / "rag.duckdb"),
        soft_wrap=True,
    )


def _as_typed() -> str:
    """The command as it works in this folder, also where it is not on the PATH."""
    called = Path(sys.argv[0]).absolute()
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else called.name


_NEXT = """
Query it:
  {ragctl} query "SELECT document_id, heading_path, token_count FROM chunk_context LIMIT 5"
  or open {catalog} in the DuckDB CLI, a notebook, any SQL tool
Look at it:
  make ui            then open http://127.0.0.1:3000
Add your own:
  put files into TENANT/CORPUS/ below the sources folder; with `make ui` running they are
  picked up by themselves"""
