"""`ragctl parse`: what blocks does a file give?"""

import click

from rag_chunker.cli.document import Chosen, blaming, document_options, read_document
from rag_chunker.cli.output import print_json_lines
from rag_chunker.cli.preview import print_emptiness, print_outline, print_summary
from rag_chunker.cli.progress import stage
from rag_chunker.pipeline import parse_document

__all__ = ["parse"]


@click.command(epilog="Example: ragctl parse handbook.md --json | jq .text")
@document_options
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object a line and block: type, level, text, attributes.",
)
def parse(chosen: Chosen, as_json: bool) -> None:
    """Show the blocks of FILE: headings, paragraphs, list items, table rows, code, ...

    FILE is a path, or - for stdin. Prints an outline, one block a line, headings indented by level.
    """
    source, data = read_document(chosen)
    with blaming(chosen.file), stage("parsing", len(data), counted=False):
        parsed = parse_document(source, data)
    if as_json:
        print_json_lines(parsed.blocks)
    else:
        print_summary(parsed, len(data))
        print_outline(parsed)
    if not parsed.spans:
        print_emptiness(parsed)
