"""How do pages without text get some? By the OCR engine chosen, or one that is there."""

from typing import NamedTuple

import click

from rag_chunker.cli.bundles import bundled
from rag_chunker.cli.document import Chosen, blaming, read_document
from rag_chunker.cli.failures import Failed
from rag_chunker.cli.output import line_width, one_line
from rag_chunker.cli.progress import stage
from rag_chunker.pipeline import parse_document, read_pages
from rag_core.spi import OCREngine
from rag_core.types import ParsedDocument

__all__ = ["Reading", "engine_of", "engine_options", "parsed_file", "print_ocr_notes"]

AUTO, OFF = "auto", "off"
_SHOWN = 5
"""Failed pages that are named."""


class Reading(NamedTuple):
    """How pages without text are to be read."""

    engine: str
    languages: tuple[str, ...]


engine_options = bundled(
    "reading",
    Reading,
    click.option(
        "--ocr",
        "engine",
        default=AUTO,
        show_default=True,
        metavar="ENGINE",
        help="Reads pages without text: rapidocr, tesseract, one by entry point; auto takes "
        "the first that is installed, off none.",
    ),
    click.option(
        "--language",
        "languages",
        multiple=True,
        metavar="CODE",
        help="Language of scanned pages (eng, deu, ...); may be given several times.",
    ),
)
"""`--ocr` and `--language`: the argument `reading`."""


def engine_of(reading: Reading) -> OCREngine | None:
    """The engine of that name; None for `off`, and for `auto` where none is installed.

    Raises `ConfigError` for an unknown name, `Failed` for one that cannot work.
    """
    from rag_chunker.ocr.registry import default_engine, engine_named

    name, languages = reading
    if name == OFF:
        return None
    if name == AUTO:
        return default_engine(languages)
    engine = engine_named(name, languages)
    health = engine.health()
    if not health.ok:
        raise Failed(health.detail)
    return engine


def parsed_file(chosen: Chosen, reading: Reading) -> tuple[ParsedDocument, int]:
    """The document with the text of the pages that need OCR, as far as there is an engine; and its
    size in bytes. Raises `Failed`, naming the file, or `OSError`."""
    source, data = read_document(chosen)
    with blaming(chosen.file), stage("parsing", len(data), counted=False):
        parsed = parse_document(source, data)
        if any(page.needs_ocr for page in parsed.pages):
            engine = engine_of(reading)
            parsed = parsed if engine is None else read_pages(parsed, data, engine)
    return parsed, len(data)


def print_ocr_notes(parsed: ParsedDocument, reading: Reading) -> None:
    """Says on stderr which pages could not be read and why, and which are doubtful."""
    failed = parsed.document.metadata.get("ocr_failed")
    unsure = parsed.document.metadata.get("ocr_unsure_pages")
    if isinstance(failed, dict):
        for page, reason in list(failed.items())[:_SHOWN]:
            _note(f"page {page} could not be read: {reason}")
        if len(failed) > _SHOWN:
            _note(f"{len(failed) - _SHOWN} more pages could not be read")
    elif reading.engine == AUTO and any(page.needs_ocr for page in parsed.pages):
        from rag_chunker.ocr.registry import how_to_get_ocr

        _note(how_to_get_ocr())
    if isinstance(unsure, list):
        pages = ", ".join(str(page) for page in unsure)
        _note(f"read with doubt (mean confidence below 0.8): page {pages}")


def _note(text: str) -> None:
    click.echo(one_line(text, 4 * line_width()), err=True)
