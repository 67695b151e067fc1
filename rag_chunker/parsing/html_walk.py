"""Walks an HTML tree in document order and collects its blocks, without recursion."""

import re
from collections.abc import Callable

from pydantic import JsonValue
from turbohtml import Element, Node, Text

from rag_chunker.parsing.html_lists import ListCounter
from rag_chunker.parsing.html_tables import flat_text, read_table
from rag_chunker.parsing.html_visibility import (
    CONTENT_PARTS,
    HTML,
    MAYBE_CHROME,
    is_chrome,
    is_hidden,
)
from rag_chunker.parsing.nesting import Nesting
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_ENDS_A_HEADING = frozenset(
    "article aside blockquote dd dir dl dt fieldset figure footer form header hr li main menu "  # noqa: SIM905
    "nav ol p section table ul".split()
)
_BLOCKS = _ENDS_A_HEADING | frozenset(
    "address body caption center details dialog div figcaption hgroup html legend optgroup "  # noqa: SIM905
    "search summary tbody td tfoot th thead tr".split()
)
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ITEMS = frozenset({"li", "dt", "dd"})
_OPENING = _LISTS | _ITEMS | CONTENT_PARTS | {"blockquote", "figcaption", "caption"}
"""Blocks that are more than a piece of text."""
_CODE = frozenset({"pre", "textarea", "listing", "xmp", "plaintext"})
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_SPACES = "\t\n\f\r\xa0"
_LINE_SPACES = (
    "".join(char for char in map(chr, range(128)) if char.isspace()).replace(" ", "").encode()
)
_BREAK = "\0"
"""A `<br>` among text whose own line ends mean nothing: no text holds it."""
_EAST_ASIAN = (
    "[\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003ffff]"
)
_EAST_ASIAN_BREAK = re.compile(rf"(?<={_EAST_ASIAN})[ \t]*\n[ \t]*(?={_EAST_ASIAN})")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:)[-\s]?([\w+#.-]+)"
)
_SAFE_TARGET = re.compile(r"(?:https?:|mailto:|ftp:|[^:]*(?:[/?#]|$))", re.IGNORECASE)


def without_east_asian_breaks(text: str) -> str:
    """`text` without the line breaks between Han, kana and full-width signs.

    These scripts put no space between words, so that a break in the source stands for nothing
    (CSS Text 3, segment break transformation).
    """
    return _EAST_ASIAN_BREAK.sub("", text) if "\n" in text and not text.isascii() else text


def code_language(classes: str) -> str | None:
    """The language that a `class` attribute names: `language-python`, `lang-js`, ..."""
    found = _LANGUAGE.search(classes)
    return found[1] if found else None


def link_target(href: str | None) -> str | None:
    """The target of a link if it is one to keep: no `data:`, no script."""
    target = (href or "").strip()
    return target if target and _SAFE_TARGET.match(target) else None


class BlockCollector:
    """Turns visible elements into blocks. `keep_chrome` keeps menus, page headers and the like."""

    def __init__(self, *, first_table: int, keep_chrome: bool, keep_header: bool) -> None:
        self.blocks: list[Block] = []
        self._next_table = first_table
        self._keep_chrome = keep_chrome
        self._keep_header = keep_header
        self._nesting = Nesting()
        self._lists: list[ListCounter] = []
        self._stack: list[Node | Callable[[], None]] = []
        self._text: list[str] = []
        self._target: str | None = None
        self._shared_target: str | None = None  # of all of the text
        self._level: int | None = None
        self._content_parts = 0
        self._has_heading = False

    def collect(self, root: Node, *, in_content: bool) -> None:
        """Add the blocks of the tree below `root`."""
        self._content_parts = int(in_content)
        self._stack.append(root)
        while self._stack:
            node = self._stack.pop()
            if isinstance(node, Text):
                self._add(node.data)
            elif isinstance(node, Element):
                self._enter(node)
            elif isinstance(node, Node):
                self._stack += node.children[::-1]
            else:
                node()
        self._flush()

    def _enter(self, element: Element) -> None:
        if is_hidden(element):
            return
        tag, attributes = element.tag, element.attrs
        if element.namespace is not HTML:
            self._add(" ")
            self._inside(element, None)
        elif (tag in MAYBE_CHROME or "role" in attributes) and self._is_dropped(element, tag):
            self._flush()
        elif tag in _INLINE_RULES:
            _INLINE_RULES[tag](self, element)
        elif tag in _LEVELS or ("role" in attributes and element.attr("role") == "heading"):
            self._enter_heading(element)
        elif tag in _CODE:
            self._code(element)
        elif tag in _BLOCKS:
            self._enter_block(element, tag)
        else:
            self._stack += element.children[::-1]

    def _inside(self, element: Element, leave: Callable[[], None] | None) -> None:
        """Go on with the children of `element`, then call `leave`."""
        if leave is not None:
            self._stack.append(leave)
        self._stack += element.children[::-1]

    def _is_dropped(self, element: Element, tag: str) -> bool:
        if self._keep_chrome:
            return False
        if tag == "header" and (self._keep_header or self._has_heading):
            return False  # behind a heading it is the head of a part, such as a card
        return is_chrome(element, in_content=self._content_parts > 0)

    # inline

    def _add(self, text: str) -> None:
        if not text.isspace():
            if not self._text:
                self._shared_target = self._target
            elif self._shared_target != self._target:
                self._shared_target = None
            self._text.append(without_east_asian_breaks(text) if "\n" in text else text)
        elif self._text:
            self._text.append(" ")

    def _line_break(self, _: Element) -> None:
        if self._text:
            self._text.append(_BREAK)

    def _image(self, element: Element) -> None:
        alternative = element.attr("alt")
        if alternative and not alternative.isspace():
            self._add(f" {alternative} ")

    def _link(self, element: Element) -> None:
        if self._level is not None and _is_permalink(element):
            return
        before = self._target
        self._target = link_target(element.attr("href")) or before

        def leave() -> None:
            self._target = before

        self._inside(element, leave)

    def _reading(self, element: Element) -> None:
        self._add("(")
        self._inside(element, lambda: self._add(")"))

    def _apart(self, element: Element) -> None:
        self._add(" ")
        self._inside(element, lambda: self._add(" "))

    def _skip(self, _: Element) -> None:
        """Ruby parentheses: `_reading` writes its own."""

    # blocks

    def _enter_heading(self, element: Element) -> None:
        self._flush()
        if self._nesting.in_quote:
            self._inside(element, self._flush)
            return
        level = _LEVELS.get(element.tag, 2)
        stated = element.attr("aria-level") or ""
        if element.attr("role") == "heading" and re.fullmatch(r"\s*[1-9]\s*", stated):
            level = min(int(stated), 6)
        self._level = level
        self._inside(element, self._leave_heading)

    def _leave_heading(self) -> None:
        self._flush()
        self._level = None

    def _enter_block(self, element: Element, tag: str) -> None:
        if self._level is not None and tag not in _ENDS_A_HEADING:
            self._apart(element)
            return
        self._flush()
        if tag == "table":
            self._table(element)
            return
        self._inside(element, self._open(element, tag) if tag in _OPENING else self._flush)

    def _open(self, element: Element, tag: str) -> Callable[[], None]:
        """Open what `element` stands for; gives what closes it."""
        if tag in _LISTS:
            self._nesting.open_list()
            self._lists.append(ListCounter(element))
            return self._leave_list
        leave = self._flush
        if tag in _ITEMS:
            self._nesting.open_item(self._lists[-1].marker(element) if self._lists else None)
            leave = self._leave_scope
        elif tag == "blockquote":
            self._nesting.open_quote()
            leave = self._leave_scope
        elif tag in ("figcaption", "caption"):
            self._nesting.open_caption()
            leave = self._leave_scope
        if tag not in CONTENT_PARTS:
            return leave
        self._content_parts += 1

        def leave_content() -> None:
            self._content_parts -= 1
            leave()

        return leave_content

    def _leave_list(self) -> None:
        self._flush()
        self._lists.pop()
        self._nesting.close_list()

    def _leave_scope(self) -> None:
        self._flush()
        self._nesting.close()

    def _table(self, element: Element) -> None:
        table = read_table(element)
        if table is None:
            self._inside(element, self._flush)
            return
        for text in table.captions:
            if not is_blank(text):
                self.blocks.append(Block(type=BlockType.caption, text=text))
        rows = list(table_blocks(table.rows, table=self._next_table, has_header=table.has_header))
        self.blocks.extend(rows)
        self._next_table += bool(rows)

    def _code(self, element: Element) -> None:
        self._flush()
        text = _exact_text(element).strip("\n")
        if is_blank(text):
            return
        language = _language_of(element)
        attributes: dict[str, JsonValue] = {} if language is None else {"language": language}
        self.blocks.append(Block(type=BlockType.code, text=text, attributes=attributes))

    def _flush(self) -> None:
        """End the current run of text: it becomes a block, if anything in it is visible."""
        if not self._text:
            return
        text, target, level = "".join(self._text), self._shared_target, self._level
        self._text = []
        if is_blank(text):
            return
        self._level = None
        text = _spaced(text)
        attributes: dict[str, JsonValue] = {} if target is None else {"href": target}
        if level is not None:
            line = " ".join(text.split())
            heading = Block(type=BlockType.heading, text=line, level=level, attributes=attributes)
            self.blocks.append(heading)
            self._has_heading = True
            return
        if "\n" not in text:
            self.blocks.append(self._nesting.prose(text, attributes))
            return
        for piece in _GAP.split(text):
            if not is_blank(piece):
                self.blocks.append(self._nesting.prose(piece, attributes))


_INLINE_RULES: dict[str, Callable[[BlockCollector, Element], None]] = {
    "a": BlockCollector._link,
    "br": BlockCollector._line_break,
    "button": BlockCollector._apart,
    "img": BlockCollector._image,
    "rp": BlockCollector._skip,
    "rt": BlockCollector._reading,
}


_GAP = re.compile("\n\n+")


def _spaced(text: str) -> str:
    """Runs of white space as one space, lines where the breaks are, edges trimmed."""
    if _BREAK in text:
        return "\n".join(map(_on_one_line, text.split(_BREAK))).strip("\n")
    return _on_one_line(text)


def _on_one_line(text: str) -> str:
    if text.isascii():
        # A line of single spaces needs no splitting into words, which takes five times as long.
        loose = "  " in text or len(text.encode().translate(None, _LINE_SPACES)) < len(text)
        return " ".join(text.split()) if loose else text.strip(" ")
    text = text.replace("\xad", "")
    for space in _SPACES:
        text = text.replace(space, " ")
    while "  " in text:  # halves the longest run
        text = text.replace("  ", " ")
    return text.strip(" ")


def _is_permalink(element: Element) -> bool:
    """True for the `¶` or `#` behind a heading that links to the heading itself."""
    if not (element.attr("href") or "").startswith("#"):
        return False
    text = flat_text(element)
    return len(text) <= 2 and not any(char.isalnum() for char in text)


def _exact_text(root: Element) -> str:
    """The text with its white space; block tags inside start a new line."""
    parts: list[str] = []
    stack: list[Node | None] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            parts.append(node.data)
        elif node is None:
            if parts and not parts[-1].endswith("\n"):
                parts.append("\n")
        elif isinstance(node, Element) and (node is root or not is_hidden(node)):
            if node.tag == "br":
                parts.append("\n")
            elif node.tag == "img":
                parts.append(node.attr("alt") or "")
            is_line = node is not root and node.tag in _BLOCKS
            if is_line and parts and not parts[-1].endswith("\n"):
                parts.append("\n")
            if is_line:
                stack.append(None)
            stack.extend(reversed(node.children))
    return "".join(parts)


def _language_of(element: Element) -> str | None:
    """Named by the class of the block, of the <code> inside it or of the <div> around it."""
    near = [element, element.find("code"), element.parent]
    named = (code_language(each.attr("class") or "") for each in near if isinstance(each, Element))
    return next((language for language in named if language), None)
