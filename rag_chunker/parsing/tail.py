"""Formats that few people have (AsciiDoc, Org, LaTeX, Typst, FictionBook, Word 97, ...), by xberg.

xberg (MIT, one 160 MB wheel, the extra `tail`) turns them into Markdown, which is then read as all
Markdown is. It needs no network, runs no macro and follows no include.
"""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.markdown import MarkdownParser, markdown_blocks
from rag_chunker.parsing.media_type import DOC, PPT, media_type_of
from rag_chunker.parsing.plain_text import PlainTextParser
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import ParsedDocument, Source

TAIL = {
    "text/asciidoc": "text/asciidoc",
    "text/org": "text/org",
    "text/x-tex": "application/x-latex",
    "text/x-typst": "text/vnd.typst",
    "text/x-djot": "text/x-djot",
    "application/x-fictionbook+xml": "application/x-fictionbook+xml",
    "application/docbook+xml": "application/docbook+xml",
    "text/x-opml": "application/xml+opml",
    DOC: DOC,
    PPT: PPT,
}
"""Media type to the name that xberg has for it."""
READABLE = frozenset({"text/asciidoc", "text/org", "text/x-tex", "text/x-typst", "text/x-djot"})
"""Markup that makes sense as plain text, too."""
_LEAST_KEPT = 0.8
_WORD = re.compile(r"(?<![\\#@:\w])[^\W\d_]{4,}")
_MARKUP = re.compile(
    r"\\(?:begin|end|usepackage|documentclass|label|ref|cite\w*|input|include)\b[^{}\n]*\{[^{}]*\}"
    r"|^[ \t]*(?:\[[^\]\n]*\]|:[\w-]+:.*|//.*|%.*|#\+.*|#(?:set|import|show)\b.*)$",
    re.MULTILINE,
)
_ADMONITION = re.compile(r"^> \[!(\w+)\]\n> ", re.MULTILINE)
_STATED = re.compile(r"\*\*(\w+)\*\*: (.*)\n+")


class TailParser(Parser):
    """The blocks of the Markdown that xberg makes of a document.

    Readable markup of which it loses more than a fifth of the words (LaTeX with macros of its own,
    for one) is read as plain text instead. `metadata` has what the document says of itself.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            mime_type = source.mime_type or media_type_of(source.uri, data)
            title, markup = _as_markdown(mime_type, data)
            if mime_type in READABLE and not _keeps_words(decode(data)[0], markup):
                return PlainTextParser().parse(source, data)
            if is_blank(markup) and data.strip():
                raise CorruptDocument(f"nothing readable in it: is it really {mime_type}?")
        metadata, body = _parted(markup)
        content = markdown_blocks(body)
        stated = metadata.pop("title", None)
        document = source.document(
            data,
            mime_type=mime_type,
            title=title or (str(stated) if stated else content.title),
            metadata=metadata,
        )
        return ParsedDocument(document=document, blocks=content.blocks)

    def version(self) -> str:
        return f"tail-1 xberg-{version('xberg')} {MarkdownParser().version()}"


def _as_markdown(mime_type: str, data: bytes) -> tuple[str | None, str]:
    import xberg

    config = xberg.ExtractionConfig(use_cache=False, disable_ocr=True, output_format="markdown")
    given = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=TAIL[mime_type])
    with ThreadPoolExecutor(1) as thread:  # the caller's may have an event loop of its own
        found: Any = thread.submit(asyncio.run, _extracted(xberg, given, config)).result()
    if found.errors or not found.results:
        raise CorruptDocument(f"not readable as {mime_type}: {found.errors or 'nothing in it'}")
    first = found.results[0]
    return first.metadata.title or None, _ADMONITION.sub(r"> \1: ", first.content)


async def _extracted(library: Any, given: Any, config: Any) -> Any:
    return await library.extract(given, config)


def _parted(markup: str) -> tuple[dict[str, JsonValue], str]:
    """What the document says of itself (`**author**: Ann` lines at the top), and the rest."""
    metadata: dict[str, JsonValue] = {}
    at = 0
    while found := _STATED.match(markup, at):
        metadata[found[1].lower()] = found[2]
        at = found.end()
    return metadata, markup[at:]


def _keeps_words(text: str, markup: str) -> bool:
    words = set(_WORD.findall(_MARKUP.sub(" ", text)))
    kept = words & set(re.findall(r"[^\W\d_]{4,}", markup))
    return not is_blank(markup) and len(kept) >= _LEAST_KEPT * len(words)
