"""reStructuredText, plain or for Sphinx: docutils reads it, unknown directives keep their words."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.plain_text import paragraphs
from rag_chunker.parsing.rst_blocks import RstBlocks
from rag_core.spi import Parser
from rag_core.types import Block, BlockType, ParsedDocument, Source

LONGEST_LINE = 10_000
"""Characters; docutils' own limit. Its search for inline markup is quadratic in a line."""

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "doctitle_xform": False,  # a lone top section stays a section
    "sectsubtitle_xform": False,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "report_level": 5,
    "halt_level": 5,
    "input_encoding": "unicode",
    "warning_stream": False,
    "line_length_limit": LONGEST_LINE,
    "_disable_config": True,  # a docutils.conf must not change what a document says
}
_ONE_AT_A_TIME = Lock()
"""docutils keeps the roles that a document defines in a dictionary of the module."""


class RstParser(Parser):
    """Sections as headings of their true level, lists, tables, code, quotes, captions.

    Directives and roles that docutils does not know (Sphinx) give their argument and content as
    ordinary text; a table that is broken stays as it was written. Nothing is included and no raw
    markup read. The field list at the top is metadata. What nests too deep for docutils, or
    has a line over `LONGEST_LINE`, becomes plain paragraphs, with the reason in
    `metadata["degraded"]`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text, encoding = decode(data)
        metadata: dict[str, JsonValue] = {"encoding": encoding}
        try:
            writer = RstBlocks(fragment)
            blocks = writer.blocks(tree(text))
            metadata.update(writer.metadata)
        except (RecursionError, _LineTooLong) as error:
            blocks = [Block(type=BlockType.paragraph, text=part) for part in paragraphs(text)]
            reason = "nests too deep" if isinstance(error, RecursionError) else "a line is too long"
            metadata["degraded"] = f"{reason}: read as plain text"
        title = next((block.text for block in blocks if block.level), None)
        document = source.document(
            data, mime_type=source.mime_type or "text/x-rst", title=title, metadata=metadata
        )
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        from docutils import __version__

        return f"rst-2 docutils-{__version__}"


class _LineTooLong(Exception):
    """docutils gives up the whole document for one line over its limit."""


def tree(text: str) -> Any:
    """The docutils document of a text, its errors as nodes in their place. Prints nothing."""
    from docutils.core import publish_doctree

    if max(map(len, text.split("\n"))) > LONGEST_LINE:
        raise _LineTooLong
    with _own_roles():
        return publish_doctree(text, settings_overrides=_SETTINGS)


def fragment(text: str) -> Any:
    """As `tree` for a part of a document: a tenth of the cost, references are not resolved."""
    from docutils.parsers.rst import Parser as DocutilsParser
    from docutils.utils import new_document

    document = new_document("", _default_settings())
    with _own_roles():
        DocutilsParser().parse(text, document)
    return document


@cache
def _default_settings() -> Any:
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser as DocutilsParser

    settings = get_default_settings(DocutilsParser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    return settings


@contextmanager
def _own_roles() -> Iterator[None]:
    from docutils.parsers.rst import roles

    with _ONE_AT_A_TIME:
        known = dict(roles._roles)
        try:
            yield
        finally:
            roles._roles.clear()
            roles._roles.update(known)
