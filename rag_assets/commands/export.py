"""`ragctl export DIR`: the chunks as Parquet, for engines other than DuckDB."""

import os
from pathlib import Path

import click

from rag_assets.export import VIEWS


@click.command(
    short_help="Write chunks as Parquet for other engines.",
    epilog="Example: ragctl export out --tenant acme\n\n"
    "Example: ragctl export out --view chunk_changes --since 2026-12-01T00:00",
)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--view",
    "views",
    multiple=True,
    type=click.Choice(VIEWS),
    default=("chunk_context",),
    metavar="VIEW",
    help=f"What to write: {', '.join(VIEWS)}; may be given several times.  [default: "
    "chunk_context]",
)
@click.option("--tenant", help="Only this tenant's corpora.")
@click.option("--corpus", help="Only corpora of this name.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]),
    metavar="TIME",
    help="Only changes, or rows of documents chunked, since this time in UTC, such as "
    "2026-12-01T08:30.",
)
def export(
    folder: Path,
    views: tuple[str, ...],
    tenant: str | None,
    corpus: str | None,
    since: object | None,
) -> None:
    """Write the warehouse below DIR, one file per corpus and view, in hive layout:
    DIR/tenant_id=acme/corpus_id=handbook/chunk_context.parquet.

    A file is replaced whole, so that whoever reads it sees the old or the new one; files of corpora
    that are gone are removed. Prints each file with its rows.
    """
    from rag_assets import export as exporting
    from rag_assets.store.catalog import open_warehouse
    from rag_assets.store.trouble import querying

    later = None if since is None else str(since)
    root = Path(os.environ.get("RAG_WAREHOUSE", "data/warehouse"))
    with open_warehouse(root) as warehouse, querying(warehouse):
        for view in dict.fromkeys(views):
            for done in exporting.export(
                warehouse, folder, view, tenant=tenant, corpus=corpus, since=later
            ):
                told = "removed, its corpus is gone" if done.rows < 0 else f"{done.rows:,} rows"
                click.echo(f"{done.path}: {told}")
