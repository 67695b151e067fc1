"""HTML: what a reader of the page sees, as blocks, without the page's menus and other chrome."""

import re
from typing import NamedTuple

from pydantic import JsonValue
from turbohtml import Document, Element, Namespace, parse

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import clean, decode
from rag_chunker.parsing.html_depth import is_deep, within_depth
from rag_chunker.parsing.html_tables import flat_text
from rag_chunker.parsing.html_visibility import content_roots, keeps_title_in_header
from rag_chunker.parsing.html_walk import BlockCollector
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, ParsedDocument, Source

_DECLARED = re.compile(
    rb"""<meta\b[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_PRESCAN = 4096
_META_NAMES = frozenset({"author", "date", "description", "keywords"})
_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,32})|([0-9]{1,32}))(?![0-9a-fA-F]);?")
_VOID = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_SELF_CLOSED = re.compile(rf"<(?!(?:{_VOID})\b)([a-zA-Z][\w-]*)(\s[^<>]*?)?/>", re.IGNORECASE)


class HtmlContent(NamedTuple):
    """What an HTML page holds."""

    blocks: tuple[Block, ...]
    title: str | None
    metadata: dict[str, JsonValue]
    """`language`, `author`, `date`, `description`, `keywords`, `encoding`: each if stated."""


class HtmlParser(Parser):
    """Reads HTML and XHTML of any nesting depth, in linear time."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        """Raises `CorruptDocument` if the bytes are no text."""
        with blamed_on(source), paused_collector():
            content = html_blocks(data)
        document = source.document(
            data, mime_type="text/html", title=content.title, metadata=content.metadata
        )
        return ParsedDocument(document=document, blocks=content.blocks)

    def version(self) -> str:
        """Changes whenever the same bytes may give other blocks."""
        from turbohtml import __version__

        return f"html-5 turbohtml-{__version__}"


def html_blocks(
    markup: str | bytes, *, declared_encoding: str | None = None, first_table: int = 0
) -> HtmlContent:
    """The blocks of a page, a fragment or a mail body.

    `declared_encoding` is what a mail or web server says about bytes; the page's own <meta> or XML
    declaration comes second, and a byte order mark or valid UTF-8 overrules both. `first_table` is
    the number of the first data table. Only the <main> part is read if there is one; a page whose
    visible text is all in its chrome gives that. Raises `CorruptDocument` for binary bytes.
    """
    text, encoding = _text_of(markup, declared_encoding)
    page = _tree(text)
    metadata = _metadata(page)
    if encoding is not None:
        metadata["encoding"] = encoding
    return HtmlContent(tuple(_blocks(page, first_table)), _title(page), metadata)


def fragment_blocks(markup: str, *, first_table: int = 0) -> list[Block]:
    """The blocks of a piece of HTML that stands inside other content: only menus are chrome."""
    collector = BlockCollector(first_table=first_table, keep_chrome=False, keep_header=True)
    collector.collect(_tree(clean(markup)), in_content=True)
    return collector.blocks


def _tree(text: str) -> Document:
    """Parsed as a browser with scripting would, which shows no <noscript>."""
    markup = _repaired(text)
    page = _parsed(markup)
    return _parsed(within_depth(markup)) if is_deep(page, markup) else page


def _parsed(markup: str) -> Document:
    return parse(markup, positions=False, scripting=True, allow_declarative_shadow_roots=False)


def _blocks(page: Document, first_table: int) -> list[Block]:
    roots = content_roots(page)
    keep_header = keeps_title_in_header(page)
    if roots:
        collector = BlockCollector(first_table=first_table, keep_chrome=False, keep_header=False)
        for root in roots:
            collector.collect(root, in_content=True)
        if collector.blocks:
            return collector.blocks
    for keep_chrome in (False, True):
        collector = BlockCollector(
            first_table=first_table, keep_chrome=keep_chrome, keep_header=keep_header
        )
        collector.collect(page, in_content=False)
        if collector.blocks:
            break
    return collector.blocks


def _text_of(markup: str | bytes, declared: str | None) -> tuple[str, str | None]:
    if isinstance(markup, str):
        return clean(markup), None
    found = _DECLARED.search(markup[:_PRESCAN])
    stated = (found[1] or found[2]).decode("ascii", "replace") if found else None
    return decode(markup, declared=declared or stated)


def _repaired(text: str) -> str:
    """With XHTML's empty elements closed, and no reference to a character that is none."""
    if "&#" in text:
        text = _REFERENCE.sub(_valid_reference, text)
    if text.lstrip()[:5].lower() == "<?xml" or "www.w3.org/1999/xhtml" in text[:_PRESCAN]:
        text = _closed(text)
    return text


def _closed(text: str) -> str:
    """With an end tag for each empty element. Looks back from each `/>`, of which there are few."""
    parts: list[str] = []
    at = looked = 0
    end = text.find("/>")
    while end >= 0:
        start = text.rfind("<", looked, end)
        looked = end + 2
        if start >= 0 and (found := _SELF_CLOSED.match(text, start)) is not None:
            parts += [text[at:start], f"<{found[1]}{found[2] or ''}></{found[1]}>"]
            at = looked
        end = text.find("/>", looked)
    return "".join([*parts, text[at:]])


def _valid_reference(found: re.Match[str]) -> str:
    number = int(found[1], 16) if found[1] else int(found[2])
    if number == 0x0D:
        return "\n"
    wrong = number in (0, 0xFEFF, 0xFFFD) or 0xD800 <= number < 0xE000 or number > 0x10FFFF
    return "" if wrong else found[0]


def _title(page: Document) -> str | None:
    for title in page.find_all("title", limit=5):
        text = flat_text(title)
        if title.namespace is Namespace.HTML and not is_blank(text):
            return text
    return None


def _metadata(page: Document) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    root = page.find("html")
    language = root.attr("lang") if isinstance(root, Element) else None
    if language and not is_blank(language):
        found["language"] = language.strip()
    for meta in page.find_all("meta"):
        name, content = (meta.attr("name") or "").lower(), meta.attr("content")
        if name in _META_NAMES and content and not is_blank(content):
            found.setdefault(name, " ".join(content.split()))
    return found
