"""What is a paragraph of an OpenDocument text, by its style and the styles above it?"""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import proxy

from rag_chunker.parsing.archive import xml_root
from rag_chunker.parsing.fonts import is_monospace
from rag_chunker.parsing.odt.names import n, number
from rag_chunker.parsing.style_names import Meaning, Role, meaning_of

HEADINGS = (Role.heading, Role.title)
_BODY = Meaning(Role.body)
_DEFAULT = "Standard"
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
_PARENT, _DISPLAY_NAME = n("style:parent-style-name"), n("style:display-name")
_TEXT_PROPERTIES, _DISPLAY = n("style:text-properties"), n("text:display")
_FONT_NAME, _FONT_FAMILY = n("style:font-name"), n("fo:font-family")
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
        self._known: dict[tuple[str, str], _Effect] = {}
        own = proxy(self)  # bound methods would make a cycle, which keeps the trees
        self.meaning = lru_cache(maxsize=None)(partial(Styles._meaning, own))
        self.usual = lru_cache(maxsize=None)(partial(Styles._usual, own))
        self.usual_span = lru_cache(maxsize=None)(partial(Styles._usual_span, own))
        self.body = lru_cache(maxsize=None)(partial(Styles._body, own))

    def hidden(self, family: str, name: str) -> bool:
        """Whether the style hides its text."""
        return self._effect(family, name).hidden

    def is_plain(self, name: str) -> bool:
        """Whether no style with this name, of paragraphs or of text, hides it or makes headings."""
        hidden = any(self.hidden(family, name) for family in _FAMILIES)
        return not hidden and self.meaning(name).role not in HEADINGS

    def monospace(self, family: str, name: str) -> bool | None:
        """Whether the style sets a typewriter font, None if it sets none. That of the default
        style does not count: a document written in nothing else is not code."""
        return self._effect(family, name).monospace

    def _meaning(self, name: str) -> Meaning:
        """What paragraphs of this style are: the first style of the chain that says it."""
        if ("paragraph", name) not in self._styles:
            return meaning_of(decoded(name)) or _BODY
        return self._effect("paragraph", name).meaning

    def _usual(self, name: str) -> bool:
        """Whether paragraphs of this style are shown, in an ordinary font."""
        return self._effect("paragraph", name).is_usual

    def _usual_span(self, name: str) -> bool:
        """Whether spans of this style are shown, in an ordinary font where the paragraph's is."""
        return self._effect("text", name).is_usual

    def _body(self, name: str) -> bool:
        """Whether paragraphs of this style are usual, and body text."""
        return self.usual(name) and self.meaning(name).role is Role.body

    def _effect(self, family: str, name: str) -> "_Effect":
        """What a style and those above it come to. Each is looked at once."""
        key = family, name
        chain: dict[tuple[str, str], Any] = {}
        while key in self._styles and key not in self._known and key not in chain:
            chain[key] = self._styles[key]
            key = family, chain[key].get(_PARENT, "")
        effect = self._known.get(key, _NOTHING)
        for key, style in reversed(chain.items()):
            effect = self._known[key] = _with(style, family, effect)
        return effect


class _Effect(NamedTuple):
    """What a style does to its text."""

    meaning: Meaning
    hidden: bool
    monospace: bool | None

    @property
    def is_usual(self) -> bool:
        return not (self.hidden or self.monospace)


_NOTHING = _Effect(_BODY, hidden=False, monospace=None)


def _with(style: Any, family: str, above: _Effect) -> _Effect:
    """What a style does whose parent does what is `above`."""
    meaning, hidden, monospace = above
    name = style.get(_NAME, "")
    if family == "paragraph":
        named = meaning_of(style.get(_DISPLAY_NAME) or decoded(name))
        level = 0 if named else number(style, "style:default-outline-level", 0)
        meaning = named or (Meaning(Role.heading, level) if level else meaning)
    properties = style.find(_TEXT_PROPERTIES)
    if properties is not None:
        hidden = properties.get(_DISPLAY) == "none" if properties.get(_DISPLAY) else hidden
        font = properties.get(_FONT_NAME) or properties.get(_FONT_FAMILY)
        monospace = monospace if font is None else is_monospace(font)
    if family == "paragraph" and name == _DEFAULT:
        monospace = None
    return _Effect(meaning, hidden, monospace)


def decoded(name: str) -> str:
    """A style name as users see it: `Heading_20_1` is "Heading 1"."""
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), name)
