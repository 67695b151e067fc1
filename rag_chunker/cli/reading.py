"""How do pages without text get some? By the OCR engine chosen, or one that is there."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rag_chunker.cli.failures import Failed
from rag_chunker.cli.output import line_width, one_line
from rag_chunker.pipeline import read_pages
from rag_core.spi import OCREngine
from rag_core.types import ParsedDocument

__all__ = ["AUTO", "OFF", "engine_of", "engine_options", "print_ocr_notes", "with_pages_read"]

AUTO, OFF = "auto", "off"
_SHOWN = 5
"""Failed pages that are named."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def engine_options(command: _Command) -> _Command:
    """`--ocr` and `--language`: the arguments of `engine_of`."""
    for decorate in (
        click.option(
            "--language",
            "languages",
            multiple=True,
            metavar="CODE",
            help="Language of scanned pages (eng, deu, ...); may be given several times.",
        ),
        click.option(
            "--ocr",
            "engine",
            default=AUTO,
            show_default=True,
            metavar="ENGINE",
            help="Reads pages without text: rapidocr, tesseract, one by entry point; auto takes "
            "the first that is installed, off none.",
        ),
    ):
        command = decorate(command)
    return command


def engine_of(name: str, languages: tuple[str, ...]) -> OCREngine | None:
    """The engine called `name`; None for `off`, and for `auto` where none is installed.

    Raises `ConfigError` for an unknown name, `Failed` for one that cannot work.
    """
    from rag_chunker.ocr.registry import default_engine, engine_named

    if name == OFF:
        return None
    if name == AUTO:
        return default_engine(languages)
    engine = engine_named(name, languages)
    health = engine.health()
    if not health.ok:
        raise Failed(health.detail)
    return engine


def with_pages_read(
    parsed: ParsedDocument, data: bytes, name: str, languages: tuple[str, ...]
) -> ParsedDocument:
    """The document with the text of the pages that need OCR, as far as there is an engine."""
    if not any(page.needs_ocr for page in parsed.pages):
        return parsed
    engine = engine_of(name, languages)
    return parsed if engine is None else read_pages(parsed, data, engine)


def print_ocr_notes(parsed: ParsedDocument, name: str) -> None:
    """Says on stderr which pages could not be read and why, and which are doubtful."""
    failed = parsed.document.metadata.get("ocr_failed")
    unsure = parsed.document.metadata.get("ocr_unsure_pages")
    if isinstance(failed, dict):
        for page, reason in list(failed.items())[:_SHOWN]:
            _note(f"page {page} could not be read: {reason}")
        if len(failed) > _SHOWN:
            _note(f"{len(failed) - _SHOWN} more pages could not be read")
    elif name == AUTO and any(page.needs_ocr for page in parsed.pages):
        from rag_chunker.ocr.registry import how_to_get_ocr

        _note(how_to_get_ocr())
    if isinstance(unsure, list):
        pages = ", ".join(str(page) for page in unsure)
        _note(f"read with doubt (mean confidence below 0.8): page {pages}")


def _note(text: str) -> None:
    click.echo(one_line(text, 4 * line_width()), err=True)
