"""Markdown: CommonMark with tables, strikethrough, footnotes, definition lists, formulas, and what
MkDocs and Pandoc add, as blocks."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, hr
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import clean, decode
from rag_chunker.parsing.front_matter import split_front_matter
from rag_chunker.parsing.html import fragment_blocks
from rag_chunker.parsing.markdown_depth import within_depth
from rag_chunker.parsing.markdown_drawn import DRAWN_TABLE, drawn_table
from rag_chunker.parsing.markdown_fences import division_fence, tagged_code
from rag_chunker.parsing.markdown_hidden import HiddenElement, left_open
from rag_chunker.parsing.markdown_indented import indented_block
from rag_chunker.parsing.markdown_inline import inline_text
from rag_chunker.parsing.markdown_math import math_block, math_inline
from rag_chunker.parsing.markdown_plain import plain_block, plain_inline
from rag_chunker.parsing.markdown_rows import last_cell_with_excess
from rag_chunker.parsing.nesting import Nesting
from rag_chunker.parsing.tables import table_blocks
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source

_MAX_NESTING = 100
"""What markdown-it nests in one go (two Python calls a level). It silently drops what is deeper, so
`_deep_rest` hands it over as text from `_DEEPEST` on, to be parsed as the next piece."""
_DEEPEST = 90
_HEADING_ID = re.compile(r"\s*\{(?:#[\w:.-]+|\.[\w-]+)(?:\s+[#.\w][^{}]*)?\}$")
_ATTRIBUTES = re.compile(r"\s*\{:[ \t]*(?:[#.][\w-]|\w+=|toc\b)[^{}]*\}\s*$")
"""How kramdown and others give an element classes and the like: `{: .note #first}`."""


class MarkdownContent(NamedTuple):
    """What a Markdown text holds."""

    blocks: tuple[Block, ...]
    title: str | None
    """From the front matter, else the first level-1 heading."""
    metadata: dict[str, JsonValue]
    """The keys of the front matter, values as written."""


class MarkdownParser(Parser):
    """Reads Markdown of any nesting depth, in linear time."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        """Raises `CorruptDocument` if the bytes are no text."""
        with blamed_on(source):
            text, encoding = decode(data)
        with paused_collector():
            content = markdown_blocks(text)
        document = source.document(
            data,
            mime_type="text/markdown",
            title=content.title,
            metadata={**content.metadata, "encoding": encoding},
        )
        return ParsedDocument(document=document, blocks=content.blocks)

    def version(self) -> str:
        """Changes whenever the same bytes may give other blocks."""
        from markdown_it import __version__
        from turbohtml import __version__ as html_version

        return f"markdown-3 markdown-it-py-{__version__} turbohtml-{html_version}"


def markdown_blocks(text: str, *, first_table: int = 0) -> MarkdownContent:
    """The blocks of a Markdown text; `first_table` is the number of its first table.

    Headings inside quotes and list items are text of these: a section starts at the top level
    only. HTML blocks give what a reader of the page would see of them.
    """
    text = _seen(clean(text))
    metadata, body = split_front_matter(text)
    writer = _Writer(first_table, text)
    writer.write(within_depth(body))
    title = metadata.get("title")
    if not isinstance(title, str) or is_blank(title):
        title = next((block.text for block in writer.blocks if block.level == 1), None)
    return MarkdownContent(tuple(writer.blocks), title, metadata)


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING, "html": True})
    parser.enable(["table", "strikethrough"]).use(footnote_plugin).use(deflist_plugin)
    parser.core.ruler.disable("footnote_tail")  # moves notes to the end, drops those not called
    parser.inline.ruler.disable("footnote_inline")
    parser.block.ruler.before("table", "deep_rest", _deep_rest)
    parser.block.ruler.before("table", "plain_block", plain_block)
    interrupting: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("table", "further_block", _further_block, interrupting)
    parser.inline.ruler.after("entity", "math_inline", math_inline)
    parser.core.ruler.at("inline", plain_inline)
    parser.block.ruler.at("hr", _thematic_break, interrupting)
    # links are read, not rendered: a refused data: URI would stay in the text
    parser.validateLink = lambda _: True  # type: ignore[method-assign, assignment]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return parser


def _seen(text: str) -> str:
    """Without signs of no width before the `#` of a heading."""
    return _UNSEEN.sub("", text) if any(f"{sign}#" in text for sign in _NO_WIDTH) else text


_NO_WIDTH = "\u200b\u200e\u200f\u2060"
_UNSEEN = re.compile(rf"^[{_NO_WIDTH}]+(?=#{{1,6}}[ \t])", re.MULTILINE)


def _deep_rest(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if silent or state.level < _DEEPEST:
        return False
    line = start
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    token = state.push("deep_rest", "", 0)
    token.content = state.getLines(start, line, state.blkIndent, False)
    state.line = line
    return True


def _further_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The rules that are not CommonMark's, each asked only where the line begins as it must."""
    at = state.bMarks[start] + state.tShift[start]
    rule = _BY_START.get(state.src[at : at + 2])
    if rule is None:
        if silent or start + 1 >= end:
            return False
        at = state.bMarks[start + 1] + state.tShift[start + 1]
        if state.src[at : at + 2] != "--":
            return False
        rule = drawn_table
    return not state.is_code_block(start) and rule(state, start, end, silent)


_BY_START = {
    "$$": math_block,
    "::": division_fence,
    **dict.fromkeys(("{%", "{{"), tagged_code),
    **dict.fromkeys(("!!", "??", "=="), indented_block),
    **dict.fromkeys(("+-", "+=", "+:", "--"), drawn_table),
}


def _thematic_break(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's own rule, asked only about lines of one sign: it looks at every character in
    Python, and once for each of the thousands of `- ` that a line can begin with."""
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    if line[:1] not in ("*", "-", "_") or line.strip(f"{line[:1]} \t"):
        return False
    return hr(state, start, end, silent)


class _Writer:
    """Turns tokens into blocks, in document order."""

    def __init__(self, first_table: int, text: str) -> None:
        self.blocks: list[Block] = []
        self._next_table = first_table
        self._invented = _INVENTED if "\ufffd" not in text else _NEVER_WRITTEN
        self._may_invent = "&" in text
        self._nesting = Nesting()
        self._level: int | None = None
        self._note: str | None = None
        self._rows: list[list[str]] | None = None
        self._lines: list[list[str]] = []
        self._line: int | None = None
        self._html: list[str] = []
        self._hidden: HiddenElement | None = None
        self._references: dict[str, object] = {}

    def write(self, text: str) -> None:
        """Add the blocks of `text`; what nests too deep for one go is parsed in its turn."""
        readers = [self._reader(text)]
        while readers:
            for token in readers[-1]:
                if self._html and token.type != "html_block":
                    self._flush_html()
                if token.type == "deep_rest":
                    readers.append(self._reader(token.content))
                    break
                if rule := _RULES.get(token.type):
                    rule(self, token)
            else:
                self._flush_html()
                readers.pop()
                self._lines.pop()

    def _reader(self, text: str) -> Iterator[Token]:
        self._lines.append(text.split("\n"))
        return iter(_markdown().parse(text, self._references))

    # containers

    def _open_list(self, _: Token) -> None:
        self._nesting.open_list()

    def _close_list(self, _: Token) -> None:
        self._nesting.close_list()

    def _open_item(self, token: Token) -> None:
        self._nesting.open_item(f"{token.info}{token.markup}" or None)

    def _open_quote(self, _: Token) -> None:
        self._nesting.open_quote()

    def _close(self, _: Token) -> None:
        self._nesting.close()

    def _open_note(self, token: Token) -> None:
        self._note = str(token.meta.get("label", ""))

    def _close_note(self, _: Token) -> None:
        self._note = None

    # text

    def _open_heading(self, token: Token) -> None:
        self._level = int(token.tag[1])

    def _close_heading(self, _: Token) -> None:
        self._level = None

    def _inline(self, token: Token) -> None:
        is_heading = self._level is not None
        text, target = inline_text(token, permalinks=not is_heading)
        if text.endswith("}") and (found := _ATTRIBUTES.search(token.content)):
            text = text.removesuffix(found[0].strip()).rstrip()
        if self._may_invent and not text.isascii():
            text = self._written(text).strip()
        if self._rows is not None:
            self._rows[-1].append(text)
            return
        if is_heading:
            text = " ".join(text.split())
            if text.endswith("}"):
                text = _HEADING_ID.sub("", text)
        if is_blank(text):
            return
        if self._note is not None:
            text, self._note = f"[{self._note}] {text}", None
        attributes: dict[str, JsonValue] = {} if target is None else {"href": target}
        self._add(text, attributes)

    def _add(self, text: str, attributes: dict[str, JsonValue]) -> None:
        if self._level is None or not self._nesting.is_top:
            self.blocks.append(self._nesting.prose(text, attributes))
            return
        self.blocks.append(Block.trusted_heading(text, self._level, attributes))

    def _code(self, token: Token) -> None:
        text = self._written(token.content).rstrip("\n")
        if is_blank(text):
            return
        language = _language(token.info)
        attributes: dict[str, JsonValue] = {} if language is None else {"language": language}
        self.blocks.append(Block.trusted(BlockType.code, text, attributes))

    # tables and HTML

    def _open_table(self, _: Token) -> None:
        self._rows = []

    def _open_row(self, token: Token) -> None:
        self._line = token.map[0] if token.map else None
        if self._rows is not None:
            self._rows.append([])

    def _close_row(self, _: Token) -> None:
        if not self._rows or self._line is None:
            return
        columns = len(self._rows[0])
        excess = last_cell_with_excess(self._lines[-1][self._line], columns)
        if excess is not None:
            self._rows[-1].pop()
            self._inline(_markdown().parseInline(excess, self._references)[0])

    def _close_table(self, _: Token, *, has_header: bool = True) -> None:
        rows = list(table_blocks(self._rows or [], table=self._next_table, has_header=has_header))
        self._rows = None
        self.blocks.extend(rows)
        self._next_table += bool(rows)

    def _drawn_table(self, token: Token) -> None:
        self._rows = []
        for row in token.meta["rows"]:
            self._rows.append([])
            for cell in row:
                self._inline(_markdown().parseInline(cell, self._references)[0])
        self._close_table(token, has_header=token.meta["header"])
        caption, _ = inline_text(_markdown().parseInline(token.content, self._references)[0])
        if not is_blank(caption):
            self.blocks.append(Block.trusted(BlockType.caption, caption, {}))

    def _html_block(self, token: Token) -> None:
        self._html.append(token.content)

    def _flush_html(self) -> None:
        """HTML blocks in a row are one: a blank line inside a <table> starts another."""
        if not self._html:
            return
        markup = self._shown("\n".join(self._html))
        self._html = []
        for block in fragment_blocks(markup, first_table=self._next_table):
            text = self._written(block.text)
            if block.type in (BlockType.heading, BlockType.paragraph):
                self._level = block.level
                self._add(text, dict(block.attributes))
                self._level = None
            else:
                self.blocks.append(block.model_copy(update={"text": text}))
            table = block.attributes.get("table")
            if isinstance(table, int):
                self._next_table = table + 1
        if self._hidden is None:
            self._hidden = left_open(markup, len(self.blocks))

    def _written(self, text: str) -> str:
        """Without what the parsers have made of references to no character (`&#0;`)."""
        return self._invented.sub("", text) if self._may_invent else text

    def _shown(self, markup: str) -> str:
        """Without the end of a hidden element, whose blocks since its start go as well.

        One that is never closed hides nothing: a missing tag must not cost the document's text.
        """
        if self._hidden is not None:
            end = self._hidden.end_in(markup)
            if end is None:
                return ""
            del self.blocks[self._hidden.since :]
            self._hidden = None
            markup = markup[end:]
        return markup


_NEVER_WRITTEN = re.compile("[\0\ud800-\udfff\ufeff]")
"""A clean text has none of these."""
_INVENTED = re.compile("[\0\ud800-\udfff\ufeff\ufffd]")
"""U+FFFD is what CommonMark makes of `&#0;`: it goes, unless the author wrote it."""


def _language(info: str) -> str | None:
    """`python` of ```` ```python title="x" ````, ```` ```{.python} ```` and ```` ```{r} ````."""
    found = re.match(r"[\s{.]*([^\s{},:]+)", info)
    return found[1] if found else None


_RULES: dict[str, Callable[[_Writer, Token], None]] = {
    **dict.fromkeys(("bullet_list_open", "ordered_list_open", "dl_open"), _Writer._open_list),
    **dict.fromkeys(("bullet_list_close", "ordered_list_close", "dl_close"), _Writer._close_list),
    **dict.fromkeys(("list_item_open", "dt_open", "dd_open"), _Writer._open_item),
    **dict.fromkeys(
        ("list_item_close", "dt_close", "dd_close", "blockquote_close"), _Writer._close
    ),
    "blockquote_open": _Writer._open_quote,
    "footnote_reference_open": _Writer._open_note,
    "footnote_reference_close": _Writer._close_note,
    "heading_open": _Writer._open_heading,
    "heading_close": _Writer._close_heading,
    "inline": _Writer._inline,
    "fence": _Writer._code,
    "code_block": _Writer._code,
    "table_open": _Writer._open_table,
    "table_close": _Writer._close_table,
    "tr_open": _Writer._open_row,
    "tr_close": _Writer._close_row,
    DRAWN_TABLE: _Writer._drawn_table,
    "html_block": _Writer._html_block,
}
