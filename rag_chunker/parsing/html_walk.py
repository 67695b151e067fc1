"""Walks an HTML tree in document order and collects its blocks, without recursion."""

import re
from collections.abc import Callable, Iterator
from itertools import chain

from pydantic import JsonValue
from turbohtml import Element, Node, Text

from rag_chunker.parsing.html_lists import ListCounter
from rag_chunker.parsing.html_tables import flat_text, is_flat, read_table
from rag_chunker.parsing.html_visibility import (
    CONTENT_PARTS,
    FOREIGN,
    HTML,
    MAYBE_CHROME,
    NEVER_SHOWN,
    displayed_inline,
    is_chrome,
    is_hidden,
    marked_in,
)
from rag_chunker.parsing.nesting import Nesting
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_ENDS_A_HEADING = frozenset(
    # Words in one text: a list of them is formatted to a line each.
    "article aside blockquote dd dir dl dt fieldset figure footer form header hr li main menu "  # noqa: SIM905
    "nav ol p section table ul".split()
)
_BLOCKS = _ENDS_A_HEADING | frozenset(
    "address body caption center details dialog div figcaption hgroup html legend optgroup "  # noqa: SIM905
    "search summary tbody td tfoot th thead tr".split()
)
_CODE_TAGS = ("pre", "textarea", "listing", "xmp", "plaintext")
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
_BEFORE_EAST_ASIAN = re.compile(rf"\n[ \t]*{_EAST_ASIAN}")
"""Found in a tenth of the time: it begins with a sign and not with a set."""
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:)[-\s]?([\w+#.-]+)"
)
_CODE, _CAPTION = BlockType.code, BlockType.caption
_SAFE_TARGET = re.compile(r"(?:https?:|mailto:|ftp:|[^:]*(?:[/?#]|$))", re.IGNORECASE)


Leave = Callable[[], None]
"""What is to be done behind an element."""


def _skip() -> None:
    """Stands in place of it where the element's content is not to be looked at."""


def without_east_asian_breaks(text: str) -> str:
    """`text` without the line breaks between Han, kana and full-width signs.

    These scripts put no space between words, so that a break in the source stands for nothing
    (CSS Text 3, segment break transformation).
    """
    if text.isascii() or not _BEFORE_EAST_ASIAN.search(text):
        return text
    return _EAST_ASIAN_BREAK.sub("", text)


def code_language(classes: str) -> str | None:
    """The language that a `class` attribute names: `language-python`, `lang-js`, ..."""
    found = _LANGUAGE.search(classes)
    return found[1] if found else None


def is_sign(text: str) -> bool:
    """True for the `¶` or `#` behind a heading that links to the heading itself."""
    return len(text.strip()) <= 2 and not any(char.isalnum() for char in text)


def link_target(href: str | None) -> str | None:
    """The target of a link if it is one to keep: no `data:`, no script."""
    target = (href or "").strip()
    if ":" in target and not _SAFE_TARGET.match(target):
        return None
    return target or None


class BlockCollector:
    """Turns visible elements into blocks. `keep_chrome` keeps menus, page headers and the like."""

    def __init__(self, *, first_table: int, keep_chrome: bool, keep_header: bool) -> None:
        self.blocks: list[Block] = []
        self._next_table = first_table
        self._keep_chrome = keep_chrome
        self._keep_header = keep_header
        self._nesting = Nesting()
        self._lists: list[ListCounter] = []
        self._text: list[str] = []
        self._target: str | None = None
        self._shared_target: str | None = None  # of all of the text
        self._level: int | None = None
        self._content_parts = 0
        self._foreign = 0
        self._has_heading = False

    def collect(self, root: Node, *, in_content: bool) -> None:
        """Add the blocks of the tree below `root`.

        Nodes come in document order from an iterator of the library, which takes a tenth of the
        time that asking each node for its children takes. An element that has to be left again is
        left when the node behind it comes.
        """
        self._content_parts = int(in_content)
        marked, text = marked_in(root), self._text
        scopes: list[tuple[Leave, Node | None]] = [(self._flush, None)]
        end = next(root.following, None)
        rest: Iterator[Node] | None = chain((root,), root.descendants)
        while rest is not None:
            nodes, rest = rest, None
            for node in nodes:
                if node == end:
                    while node == end:
                        leave, end = scopes.pop()
                        leave()
                    if not scopes:
                        return
                if isinstance(node, Text):
                    data = node.data
                    if text or not data.isspace():
                        self._add(data)
                    continue
                if not isinstance(node, Element):
                    continue
                if self._foreign or node in marked:
                    entered = self._enter_unusual(node)
                elif (rule := _RULES.get(node.tag)) is None:
                    continue
                else:
                    entered = rule(self, node)
                if entered is _skip:
                    rest = node.following
                    break
                if entered is not None:
                    scopes.append((entered, end))
                    end = next(node.following, None)
        for leave, _ in reversed(scopes):
            leave()

    def _enter_unusual(self, element: Element) -> "Leave | None":
        """An element whose attributes or surroundings may say that its tag does not matter."""
        if element.namespace is not HTML:
            return self._enter_foreign(element)
        if is_hidden(element):
            return _skip
        tag = element.tag
        role = element.attr("role")
        if role is not None and self._is_dropped(element, tag):
            self._flush()
            return _skip
        if role == "heading" and tag not in _INLINE_RULES:
            stated = re.fullmatch(r"\s*([1-9])\s*", element.attr("aria-level") or "")
            return self._heading_of(int(stated[1]) if stated else _LEVELS.get(tag, 2))
        rule = _RULES.get(tag) or _ROLES.get(role or "")
        if rule in _AS_DISPLAYED and (inline := displayed_inline(element)) is not None:
            return self._enter_displayed(element, rule, inline=inline)
        return None if rule is None else rule(self, element)

    def _enter_displayed(
        self, element: Element, rule: "_Rule | None", *, inline: bool
    ) -> "Leave | None":
        """An element whose style says more than its tag about where lines end."""
        if rule is BlockCollector._block:
            return None if inline else rule(self, element)
        inside = None if rule is None else rule(self, element)
        if inline or inside is _skip:
            return inside
        end = self._block(element)

        def leave() -> None:
            end()
            if inside is not None:
                inside()

        return leave

    def _enter_foreign(self, element: Element) -> "Leave | None":
        if is_hidden(element):
            return _skip
        self._add(" ")
        if element.tag not in FOREIGN:
            return None
        self._foreign += 1
        return self._leave_foreign

    def _leave_foreign(self) -> None:
        self._foreign -= 1

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

    def _link(self, element: Element) -> Leave:
        href = element.attr("href") or ""
        if self._level is not None and href.startswith("#") and is_sign(flat_text(element)):
            return _skip
        before = self._target
        self._target = link_target(href) or before

        def leave() -> None:
            self._target = before

        return leave

    def _reading(self, _: Element) -> Leave:
        self._add("(")
        return lambda: self._add(")")

    def _apart(self, _: Element) -> Leave:
        self._add(" ")
        return lambda: self._add(" ")

    def _left_out(self, _: Element) -> Leave:
        """Also ruby parentheses: `_reading` writes its own."""
        return _skip

    # blocks

    def _heading(self, element: Element) -> Leave:
        return self._heading_of(_LEVELS[element.tag])

    def _heading_of(self, level: int) -> Leave:
        self._flush()
        if self._nesting.in_quote:
            return self._flush
        self._level = min(level, 6)
        return self._leave_heading

    def _leave_heading(self) -> None:
        self._flush()
        self._level = None

    def _maybe_chrome(self, element: Element) -> Leave:
        if self._is_dropped(element, element.tag):
            self._flush()
            return _skip
        return self._block(element)

    def _dialog(self, element: Element) -> Leave:
        return self._block(element) if "open" in element.attrs else _skip

    def _block(self, element: Element) -> Leave:
        if self._stays_in_heading(element):
            return self._apart(element)
        self._flush()
        return self._flush

    def _stays_in_heading(self, element: Element) -> bool:
        return self._level is not None and element.tag not in _ENDS_A_HEADING

    def _content(self, element: Element) -> Leave:
        if self._stays_in_heading(element):
            return self._apart(element)
        self._flush()
        self._content_parts += 1
        return self._leave_content

    def _leave_content(self) -> None:
        self._flush()
        self._content_parts -= 1

    def _list(self, element: Element) -> Leave:
        self._flush()
        self._nesting.open_list()
        self._lists.append(ListCounter(element))
        return self._leave_list

    def _leave_list(self) -> None:
        self._flush()
        self._lists.pop()
        self._nesting.close_list()

    def _list_item(self, element: Element) -> Leave:
        self._item(element)
        self._content_parts += 1
        return self._leave_content_scope

    def _item(self, element: Element) -> Leave:
        self._flush()
        self._nesting.open_item(self._lists[-1].marker(element) if self._lists else None)
        return self._leave_scope

    def _quote(self, _: Element) -> Leave:
        self._flush()
        self._nesting.open_quote()
        self._content_parts += 1
        return self._leave_content_scope

    def _caption(self, element: Element) -> Leave:
        if self._stays_in_heading(element):
            return self._apart(element)
        self._flush()
        self._nesting.open_caption()
        return self._leave_scope

    def _leave_content_scope(self) -> None:
        self._content_parts -= 1
        self._leave_scope()

    def _leave_scope(self) -> None:
        self._flush()
        self._nesting.close()

    def _table(self, element: Element) -> Leave:
        self._flush()
        table = read_table(element)
        if table is None:
            return self._flush
        for text in table.captions:
            if not is_blank(text):
                self.blocks.append(Block.trusted(_CAPTION, text, {}))
        rows = list(table_blocks(table.rows, table=self._next_table, has_header=table.has_header))
        self.blocks.extend(rows)
        self._next_table += bool(rows)
        return _skip

    def _code(self, element: Element) -> Leave:
        self._flush()
        text = _exact_text(element).strip("\n")
        if not is_blank(text) and not _is_gutter(element, text):
            language = _language_of(element)
            attributes: dict[str, JsonValue] = {} if language is None else {"language": language}
            self.blocks.append(Block.trusted(_CODE, text, attributes))
        return _skip

    def _flush(self) -> None:
        """End the current run of text: it becomes a block, if anything in it is visible."""
        if not self._text:
            return
        text = self._text[0] if len(self._text) == 1 else "".join(self._text)
        self._text.clear()
        if is_blank(text):
            return
        level, self._level = self._level, None
        text = _spaced(text)
        target = self._shared_target
        attributes: dict[str, JsonValue] = {} if target is None else {"href": target}
        if level is not None:
            line = " ".join(text.split())
            self.blocks.append(Block.trusted_heading(line, level, attributes))
            self._has_heading = True
            return
        if "\n" not in text:
            self.blocks.append(self._nesting.prose(text, attributes))
            return
        for piece in _GAP.split(text):
            if not is_blank(piece):
                self.blocks.append(self._nesting.prose(piece, attributes))


_Rule = Callable[[BlockCollector, Element], Leave | None]

_INLINE_RULES: dict[str, _Rule] = {
    "a": BlockCollector._link,
    "br": BlockCollector._line_break,
    "button": BlockCollector._apart,
    "img": BlockCollector._image,
    "rp": BlockCollector._left_out,
    "rt": BlockCollector._reading,
}
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(_BLOCKS, BlockCollector._block),
    **dict.fromkeys(CONTENT_PARTS, BlockCollector._content),
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), BlockCollector._list),
    **dict.fromkeys(("dt", "dd"), BlockCollector._item),
    **dict.fromkeys(("figcaption", "caption"), BlockCollector._caption),
    "li": BlockCollector._list_item,
    "blockquote": BlockCollector._quote,
    "table": BlockCollector._table,
    **dict.fromkeys(_CODE_TAGS, BlockCollector._code),
    **dict.fromkeys(_LEVELS, BlockCollector._heading),
    **_INLINE_RULES,
    **dict.fromkeys(MAYBE_CHROME, BlockCollector._maybe_chrome),
    **dict.fromkeys(NEVER_SHOWN, BlockCollector._left_out),
    "dialog": BlockCollector._dialog,
    **dict.fromkeys(FOREIGN, BlockCollector._enter_foreign),
}
"""What an HTML element of this tag does; what is not here is the same as the text in it."""


_ROLES = {
    "row": BlockCollector._block,
    **dict.fromkeys(
        ("cell", "columnheader", "gridcell", "rowheader"),
        BlockCollector._apart,
    ),
}
"""What an element without a rule of its own does by its role."""

_AS_DISPLAYED = (None, BlockCollector._link, BlockCollector._block)
"""What an element does that may just as well be part of a line as lines of its own."""

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


def _exact_text(root: Element) -> str:
    """The text with its white space; block tags inside start a new line."""
    numbers = set(root.select(_BESIDE_CODE))
    if not numbers and is_flat(root):
        return root.text
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
            if node in numbers and node is not root and _are_numbers(node.text):
                continue
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


def _is_gutter(element: Element, text: str) -> bool:
    """Whether this is the column of line numbers beside a listing."""
    return _are_numbers(text) and element.closest(_GUTTER) is not None


def _are_numbers(text: str) -> bool:
    return all(map(str.isdigit, text.split()))


_NUMBERS = [f"[class*={name} i]" for name in ("lineno", "line-n", "line_n", "gutter")]
_BESIDE_CODE = ",".join(_NUMBERS)
_GUTTER = ",".join(f"td{each}" for each in _NUMBERS)


def _language_of(element: Element) -> str | None:
    """Named by the class of the block, of the <code> inside it or of the <div> around it."""
    near = [element, element.find("code"), element.parent]
    named = (code_language(each.attr("class") or "") for each in near if isinstance(each, Element))
    return next((language for language in named if language), None)
