"""`ragctl inspect`: one HTML page that shows a file with its chunks."""

import re
from pathlib import Path

import click

from rag_chunker.cli.budget import budget_options, chunker_of
from rag_chunker.cli.document import blaming, document_options, read_document
from rag_chunker.cli.preview import print_emptiness
from rag_chunker.cli.progress import WatchedCounter, stage
from rag_chunker.cli.reading import engine_options, print_ocr_notes, with_pages_read
from rag_chunker.inspector import Chunking, render
from rag_chunker.pipeline import chunk_now, parse_document
from rag_core.types import Principal, RequestContext

__all__ = ["inspect"]


@click.command(epilog="Example: ragctl inspect handbook.md -o page.html --compare 256/32")
@document_options
@budget_options
@engine_options
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Where the page goes.  [default: FILE's name with .html, in the current folder]",
)
@click.option(
    "--compare",
    metavar="MAX/OVERLAP",
    help="Settings to show beside the first; 'none' for a page without.  [default: half of both]",
)
def inspect(
    file: str,
    name: str | None,
    tenant: str,
    corpus: str,
    max_tokens: int,
    overlap_tokens: int,
    encoding: str,
    engine: str,
    languages: tuple[str, ...],
    output: str | None,
    compare: str | None,
) -> None:
    """Show FILE's chunks as one HTML page.

    FILE is a path, or - for stdin. The page needs no network: it shows the text with its chunks and
    overlaps, the heading tree, the sizes of the chunks against the budget, and a second setting
    beside the first.
    """
    counter = WatchedCounter(encoding)
    settings = [(max_tokens, overlap_tokens), *_compared(compare, max_tokens, overlap_tokens)]
    chunkers = [chunker_of(*pair, counter) for pair in settings]
    source, data = read_document(file, name=name, tenant=tenant, corpus=corpus)
    page = Path(output or f"{Path(name or source.uri).name}.html")
    if page.exists() and file != "-" and page.samefile(file):
        raise click.UsageError(f"--output {page} is the document itself")
    with blaming(file), stage("parsing", len(data), counted=False):
        parsed = parse_document(source, data)
        parsed = with_pages_read(parsed, data, engine, languages)
    ctx = RequestContext(tenant_id=source.tenant_id, principal=Principal(id="ragctl"))
    chunkings = []
    for chunker in chunkers:
        doing = f"chunking {chunker.max_tokens}/{chunker.overlap_tokens}"
        with blaming(file), stage(doing, len(parsed.text), counted=True) as counter.report:
            chunks = chunk_now(ctx, parsed, chunker)
        chunkings.append(Chunking(chunks, chunker.max_tokens, chunker.overlap_tokens, encoding))
    page.write_bytes(render(parsed, chunkings))
    if not chunkings[0].chunks:
        print_emptiness(parsed)
    print_ocr_notes(parsed, engine)
    click.echo(f"{page}: {_counts(chunkings)}")


def _compared(compare: str | None, max_tokens: int, overlap_tokens: int) -> list[tuple[int, int]]:
    if compare == "none" or (compare is None and max_tokens < 2):
        return []
    if compare is None:
        return [(max_tokens // 2, min(overlap_tokens // 2, max_tokens // 2 - 1))]
    given = re.fullmatch(r"(\d+)/(\d+)", compare.strip())
    if given is None:
        raise click.BadParameter(
            f"{compare!r} is not MAX/OVERLAP, as in 256/32, or none", param_hint="--compare"
        )
    return [(int(given[1]), int(given[2]))]


def _counts(chunkings: list[Chunking]) -> str:
    return ", ".join(f"{len(one.chunks):,} chunks under {one.name}" for one in chunkings)
