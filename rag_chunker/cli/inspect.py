"""`ragctl inspect`: one HTML page that shows a document with its chunks."""

import re
from collections.abc import Iterable
from pathlib import Path

import click
from click.core import ParameterSource

from rag_chunker.cli.budget import Budget, budget_options, chunker_of
from rag_chunker.cli.bundles import bundled
from rag_chunker.cli.document import FILE, Chosen, blaming, naming_options
from rag_chunker.cli.preview import print_emptiness
from rag_chunker.cli.progress import WatchedCounter, stage
from rag_chunker.cli.reading import Reading, engine_options, parsed_file, print_ocr_notes
from rag_chunker.cli.stored import stored_document
from rag_chunker.inspector import Chunking, render
from rag_chunker.pipeline import chunk_now
from rag_core.types import ParsedDocument, Principal, RequestContext

__all__ = ["inspect"]


def _perhaps(file: str | None, name: str | None, tenant: str, corpus: str) -> Chosen | None:
    return None if file is None else Chosen(file, name, tenant, corpus)


@click.command(
    epilog="Example: ragctl inspect handbook.md -o page.html --compare 256/32\n\n"
    "Example: ragctl inspect --document acme/handbook/welcome.md"
)
@bundled("chosen", _perhaps, click.argument("file", type=FILE, required=False), *naming_options)
@click.option(
    "--document",
    "document_id",
    metavar="ID",
    help="A document of the warehouse, instead of FILE: its stored chunks are shown.",
)
@budget_options
@engine_options
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Where the page goes.  [default: the document's name with .html, in the current folder]",
)
@click.option(
    "--compare",
    metavar="MAX/OVERLAP",
    help="Settings to show beside the first; 'none' for a page without.  [default: half of both]",
)
@click.pass_context
def inspect(
    context: click.Context,
    chosen: Chosen | None,
    document_id: str | None,
    budget: Budget,
    reading: Reading,
    output: str | None,
    compare: str | None,
) -> None:
    """Show the chunks of FILE, or of a document of the warehouse, as one HTML page.

    FILE is a path, or - for stdin. The page needs no network: it shows the text with its chunks and
    overlaps, the heading tree, the sizes of the chunks against the budget, and a second setting
    beside the first.
    """
    if document_id is not None:
        _refuse_options_of_files(context)
        _inspect_stored(document_id, output, compare)
    elif chosen is not None:
        _inspect_file(chosen, budget, reading, output, compare)
    else:
        raise click.UsageError("name a FILE, or a document of the warehouse with --document ID")


def _inspect_file(
    chosen: Chosen, budget: Budget, reading: Reading, output: str | None, compare: str | None
) -> None:
    settings = [budget, *_compared(compare, budget)]
    counter = WatchedCounter(budget.encoding)
    for one in settings:
        chunker_of(one.max_tokens, one.overlap_tokens, counter)  # what is wrong shows at once
    page = _page(output, chosen.name or ("stdin" if chosen.file == "-" else chosen.file))
    if page.exists() and chosen.file != "-" and page.samefile(chosen.file):
        raise click.UsageError(f"--output {page} is the document itself")
    parsed, _ = parsed_file(chosen, reading)
    with blaming(chosen.file):
        chunkings = [_chunked(parsed, one) for one in settings]
    _write(page, parsed, chunkings)
    print_ocr_notes(parsed, reading)


def _inspect_stored(document_id: str, output: str | None, compare: str | None) -> None:
    stored = stored_document(document_id)
    own = stored.chunking
    budget = Budget(own.max_tokens, own.overlap_tokens, own.tokenizer)
    others = [_chunked(stored.parsed, one) for one in _compared(compare, budget)]
    _write(_page(output, document_id), stored.parsed, [own, *others])
    if stored.remark:
        click.echo(f"{document_id}: {stored.remark}", err=True)


def _refuse_options_of_files(context: click.Context) -> None:
    own = {"document_id", "output", "compare"}
    for param in context.command.params:
        name = param.name or ""
        if name not in own and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{param.opts[0] if name != 'file' else 'FILE'} does not go with --document: what "
                "is stored is shown as it was made; --compare shows another setting beside it"
            )


def _page(output: str | None, name: str) -> Path:
    return Path(output or f"{Path(name).name}.html")


def _chunked(parsed: ParsedDocument, budget: Budget) -> Chunking:
    max_tokens, overlap_tokens, encoding = budget
    counter = WatchedCounter(encoding)
    chunker = chunker_of(max_tokens, overlap_tokens, counter)
    ctx = RequestContext(tenant_id=parsed.document.tenant_id, principal=Principal(id="ragctl"))
    doing = f"chunking {max_tokens}/{overlap_tokens}"
    with stage(doing, len(parsed.text), counted=True) as counter.report:
        chunks = chunk_now(ctx, parsed, chunker)
    return Chunking(chunks, max_tokens, overlap_tokens, encoding)


def _compared(compare: str | None, budget: Budget) -> list[Budget]:
    max_tokens, overlap_tokens, encoding = budget
    if compare == "none" or (compare is None and max_tokens < 2):
        return []
    if compare is None:
        half = max_tokens // 2
        return [Budget(half, min(overlap_tokens // 2, half - 1), encoding)]
    given = re.fullmatch(r"(\d+)/(\d+)", compare.strip())
    if given is None:
        raise click.BadParameter(
            f"{compare!r} is not MAX/OVERLAP, as in 256/32, or none", param_hint="--compare"
        )
    return [Budget(int(given[1]), int(given[2]), encoding)]


def _write(page: Path, parsed: ParsedDocument, chunkings: list[Chunking]) -> None:
    page.write_bytes(render(parsed, chunkings))
    if not chunkings[0].chunks:
        print_emptiness(parsed)
    click.echo(f"{page}: {_counts(chunkings)}")


def _counts(chunkings: Iterable[Chunking]) -> str:
    return ", ".join(f"{len(one.chunks):,} chunks under {one.name}" for one in chunkings)
