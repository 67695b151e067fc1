"""What is a paragraph of an OpenDocument text, by its style and the styles above it?"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import proxy

from rag_chunker.parsing.archive import xml_root
from rag_chunker.parsing.fonts import is_monospace
from rag_chunker.parsing.odt.names import n, number
from rag_chunker.parsing.style_names import Meaning, Role, meaning_of

_BODY = Meaning(Role.body)
_DEFAULT = "Standard"
LONGEST_CHAIN = 20
"""Styles that are followed upwards; people's chains have a handful."""
_ENCODED = re.compile(r"_([0-9a-fA-F]{2,4})_")


class Sheet(NamedTuple):
    """The styles that one part defines."""

    styles: dict[tuple[str, str], Any]
    """By family and name."""
    lists: dict[str, Any]
    """List styles by name."""


def sheet(root: Any) -> Sheet:
    """The styles below an element."""
    found = Sheet({}, {})
    for style in root.iterfind(f"{{*}}*/{_STYLE}"):
        if not _FAMILIES.isdisjoint(style.values()):  # faster than one attribute by its name
            found.styles[style.get(_FAMILY, ""), style.get(_NAME, "")] = style
    for style in root.iterfind(f"{{*}}*/{_LIST_STYLE}"):
        found.lists[style.get(_NAME, "")] = style
    return found


def common_sheet(part: bytes) -> Sheet:
    """The styles in a styles part. Raises what `xml_root` raises.

    The last few are kept: what one template or program makes has the same ones, which take longer
    to parse than a short document.
    """
    return _kept(part) if len(part) <= LARGEST_KEPT else sheet(xml_root(part))


LARGEST_KEPT = 500_000
"""Bytes of a styles part. Its tree takes about ten times as much memory."""
_STYLE, _LIST_STYLE = n("style:style"), n("text:list-style")
_NAME, _FAMILY = n("style:name"), n("style:family")
_FAMILIES = frozenset({"paragraph", "text"})
"""Those of cells, columns, tables and pictures, most of a document's styles, hide no text."""


@lru_cache(maxsize=4)
def _kept(part: bytes) -> Sheet:
    return sheet(xml_root(part))


class Styles:
    """The styles of a document: common ones first, then those of the content (automatic)."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        self._styles = {key: style for one in sheets for key, style in one.styles.items()}
        self.lists = {name: style for one in sheets for name, style in one.lists.items()}
        """List styles by name."""
        own = proxy(self)  # bound methods would make a cycle, which keeps the trees
        self.meaning = lru_cache(maxsize=None)(partial(Styles._meaning, own))
        self.hidden = lru_cache(maxsize=None)(partial(Styles._hidden, own))
        self.monospace = lru_cache(maxsize=None)(partial(Styles._monospace, own))
        self.usual = lru_cache(maxsize=None)(partial(Styles._usual, own))
        self.usual_span = lru_cache(maxsize=None)(partial(Styles._usual_span, own))
        self.body = lru_cache(maxsize=None)(partial(Styles._body, own))

    def _meaning(self, name: str) -> Meaning:
        """What paragraphs of this style are: the first style of the chain that says it."""
        for style in self._chain("paragraph", name):
            own = style.get(n("style:display-name")) or decoded(style.get(n("style:name"), ""))
            if meaning := meaning_of(own):
                return meaning
            if level := number(style, "style:default-outline-level", 0):
                return Meaning(Role.heading, level)
        if ("paragraph", name) not in self._styles:
            return meaning_of(decoded(name)) or _BODY
        return _BODY

    def _hidden(self, family: str, name: str) -> bool:
        """Whether the style hides its text."""
        for style in self._chain(family, name):
            properties = style.find(n("style:text-properties"))
            if properties is not None and (shown := properties.get(n("text:display"))):
                return bool(shown == "none")
        return False

    def _monospace(self, family: str, name: str) -> bool | None:
        """Whether the style sets a typewriter font, None if it sets none. That of the default
        style does not count: a document written in nothing else is not code."""
        for style in self._chain(family, name):
            if family == "paragraph" and style.get(n("style:name")) == _DEFAULT:
                return None
            properties = style.find(n("style:text-properties"))
            if properties is None:
                continue
            font = properties.get(n("style:font-name")) or properties.get(n("fo:font-family"))
            if font is not None:
                return is_monospace(font)
        return None

    def _usual(self, name: str) -> bool:
        """Whether paragraphs of this style are shown, in an ordinary font."""
        return not (self.hidden("paragraph", name) or self.monospace("paragraph", name))

    def _usual_span(self, name: str) -> bool:
        """Whether spans of this style are shown, in an ordinary font where the paragraph's is."""
        return not (self.hidden("text", name) or self.monospace("text", name))

    def _body(self, name: str) -> bool:
        """Whether paragraphs of this style are usual, and body text."""
        return self.usual(name) and self.meaning(name).role is Role.body

    def _chain(self, family: str, name: str) -> Iterator[Any]:
        seen: set[str] = set()
        while (family, name) in self._styles and name not in seen and len(seen) < LONGEST_CHAIN:
            seen.add(name)
            style = self._styles[family, name]
            yield style
            name = style.get(n("style:parent-style-name"), "")


def decoded(name: str) -> str:
    """A style name as users see it: `Heading_20_1` is "Heading 1"."""
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), name)
