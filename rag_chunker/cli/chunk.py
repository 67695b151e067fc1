"""`ragctl chunk`: what chunks does a file give?"""

import click

from rag_chunker.cli.budget import Budget, budget_options, chunker_of
from rag_chunker.cli.document import Chosen, blaming, document_options
from rag_chunker.cli.output import print_json_lines
from rag_chunker.cli.preview import print_chunks, print_emptiness, print_summary
from rag_chunker.cli.progress import WatchedCounter, stage
from rag_chunker.cli.reading import Reading, engine_options, parsed_file, print_ocr_notes
from rag_chunker.pipeline import chunk_now
from rag_core.types import Principal, RequestContext, TenantId

__all__ = ["chunk"]


@click.command(
    epilog="Example: ragctl chunk handbook.md --max-tokens 256 --overlap-tokens 32 -n 10"
)
@document_options
@budget_options
@engine_options
@click.option(
    "--acl",
    "acl_labels",
    multiple=True,
    metavar="LABEL",
    help="Label that the chunks carry; may be given several times.",
)
@click.option(
    "-n",
    "first",
    type=click.IntRange(min=0),
    default=None,
    metavar="N",
    help="Show the first N chunks.  [default: 5; with --json: all]",
)
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line and chunk, all fields."
)
def chunk(
    chosen: Chosen,
    budget: Budget,
    reading: Reading,
    acl_labels: tuple[str, ...],
    first: int | None,
    as_json: bool,
) -> None:
    """Chunk FILE along its headings and preview the chunks.

    FILE is a path, or - for stdin. Prints block and chunk counts, how many there are of each kind,
    and the first chunks with arrows to the headings that they stand under. Scanned pages and images
    are read by OCR.
    """
    max_tokens, overlap_tokens, encoding = budget
    counter = WatchedCounter(encoding)
    chunker = chunker_of(max_tokens, overlap_tokens, counter)
    parsed, n_bytes = parsed_file(chosen, reading)
    principal = Principal(id="ragctl", acl_labels=acl_labels)
    ctx = RequestContext(tenant_id=TenantId(chosen.tenant), principal=principal)
    with blaming(chosen.file), stage("chunking", len(parsed.text), counted=True) as report:
        counter.report = report
        chunks = chunk_now(ctx, parsed, chunker)
    if as_json:
        print_json_lines(chunks if first is None else chunks[:first])
    else:
        settings = f"max {max_tokens}, overlap {overlap_tokens}, {encoding}"
        print_summary(parsed, n_bytes)
        print_chunks(chunks, 5 if first is None else first, settings)
    if not chunks:
        print_emptiness(parsed)
    print_ocr_notes(parsed, reading)
