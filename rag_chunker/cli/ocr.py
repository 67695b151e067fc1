"""`ragctl ocr`: what does an OCR engine read on the pages without text?"""

import click
from pydantic import BaseModel

from rag_chunker.cli.document import Chosen, blaming, document_options, read_document
from rag_chunker.cli.failures import Failed
from rag_chunker.cli.output import line_width, one_line, print_json_lines
from rag_chunker.cli.reading import Reading, engine_of, engine_options
from rag_chunker.ocr.registry import how_to_get_ocr
from rag_chunker.pipeline import parse_document, read_page
from rag_chunker.stitching import UNSURE, mean_confidence
from rag_core.errors import RagError
from rag_core.types import OCRRegion, OCRResult

__all__ = ["ocr"]


@click.command(epilog="Example: ragctl ocr scan.png --json | jq .text")
@document_options
@engine_options
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object a line and region: text, confidence, bbox, page, line_height.",
)
def ocr(chosen: Chosen, reading: Reading, as_json: bool) -> None:
    """Read the pages of FILE that need OCR: images, and scanned pages of a PDF.

    FILE is a path, or - for stdin. Prints each page's regions in reading order with their
    confidence; those below 0.8 are marked with a question mark.
    """
    file = chosen.file
    source, data = read_document(chosen)
    with blaming(file):
        parsed = parse_document(source, data)
    numbers = [page.number for page in parsed.pages if page.needs_ocr]
    if not numbers:
        click.echo(f"{file}: no page needs OCR", err=True)
        return
    reader = engine_of(reading)
    if reader is None:
        raise Failed(how_to_get_ocr())
    failures = 0
    for number in numbers:
        try:
            result = read_page(parsed, data, number, reader)
        except RagError as error:
            failures += 1
            click.echo(f"{file}: page {number} cannot be read: {error.message}", err=True)
            continue
        if as_json:
            print_json_lines(_regions(result))
        else:
            _print_page(number, result)
    if failures == len(numbers):
        raise Failed(f"{file}: none of {failures:,} pages could be read")


def _regions(result: OCRResult) -> list[BaseModel]:
    return list(result.regions)


def _print_page(number: int, result: OCRResult) -> None:
    mean = mean_confidence(result)
    found = "no text" if mean is None else f"{len(result.regions):,} regions, confidence {mean:.2f}"
    click.secho(f"page {number}: {found} ({result.engine})", bold=True)
    for region in result.regions:
        click.echo(_line(region))


def _line(region: OCRRegion) -> str:
    mark = "?" if region.confidence < UNSURE else " "
    text = one_line(region.text, max(line_width() - 9, 20))
    return f" {mark} {region.confidence:.2f}  {text}"
