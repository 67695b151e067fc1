"""What is a paragraph, by its style? Follows the chain of styles that a style is based on."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from rag_chunker.parsing.docx.names import PPR, RPR, number, switched_on, value, w
from rag_chunker.parsing.fonts import is_monospace
from rag_chunker.parsing.opc import root_of
from rag_chunker.parsing.style_names import Meaning, Role, meaning_of

_BODY = Meaning(Role.body)
_BODY_OUTLINE_LEVEL = 9
MOST_ASKED = 4096
"""Style ids whose meaning is remembered: a sheet is kept, and a document can name any."""
LONGEST_CHAIN = 20
"""Styles that are followed upwards; people's chains have a handful."""


class Numbered(NamedTuple):
    """The list that a style puts its paragraphs in."""

    number_id: str
    level: int | None
    """None: the level that names the style."""


def style_sheet(part: bytes | None) -> "Styles":
    """The style sheet in a styles part (None: there is none). Raises what `root_of` raises.

    The last few are kept: what one template or program makes has the same one, and that of
    python-docx, 350 kB, takes three times as long to parse as a short document takes in all.
    """
    if part is None:
        return Styles(None)
    return _kept(part) if len(part) <= LARGEST_KEPT else Styles(root_of(part))


LARGEST_KEPT = 500_000
"""Bytes of a styles part. Its tree takes about ten times as much memory."""


@lru_cache(maxsize=4)
def _kept(part: bytes) -> "Styles":
    return Styles(root_of(part))


class Styles:
    """The style sheet of a document. `root` is the root of its styles part, None without one."""

    def __init__(self, root: Any | None) -> None:
        found = [] if root is None else root.findall(w("style"))
        self._by_id = {style.get(w("styleId"), ""): style for style in found}
        self._default = next(
            (
                style.get(w("styleId"), "")
                for style in found
                if style.get(w("type")) == "paragraph" and style.get(w("default")) in _ON
            ),
            "",
        )
        self.meaning = lru_cache(MOST_ASKED)(self._meaning)
        self.numbered = lru_cache(MOST_ASKED)(self._numbered)
        self.hidden = lru_cache(MOST_ASKED)(self._hidden)
        self.monospace = lru_cache(MOST_ASKED)(self._monospace)
        self.usual = lru_cache(MOST_ASKED)(self._usual)
        self.body = lru_cache(MOST_ASKED)(self._body)

    def _meaning(self, style_id: str) -> Meaning:
        """What paragraphs of this style are: the first style of the chain that says it, by
        its built-in name or its outline level. An unknown id is read as a name."""
        if style_id and style_id not in self._by_id:
            return meaning_of(style_id) or _BODY
        for style in self._chain(style_id):
            if meaning := meaning_of(value(style, w("name")) or ""):
                return meaning
            if (level := value(style, PPR, w("outlineLvl"))) is not None:
                return outline_meaning(level)
        return _BODY

    def _numbered(self, style_id: str) -> Numbered | None:
        """The list of this style, if it has one."""
        level: int | None = None
        for style in self._chain(style_id):
            properties = style.find(f"{PPR}/{w('numPr')}")
            if properties is None:
                continue
            if level is None and (text := value(properties, w("ilvl"))) is not None:
                level = number(text)
            if (number_id := value(properties, w("numId"))) is not None:
                return Numbered(number_id, level)
        return None

    def _hidden(self, style_id: str) -> bool:
        """Whether the style hides its text."""
        flags = (switched_on(style.find(RPR), w("vanish")) for style in self._chain(style_id))
        return next((flag for flag in flags if flag is not None), False)

    def _monospace(self, style_id: str) -> bool:
        """Whether the style sets a typewriter font. That of ordinary text does not count:
        a document written in nothing else is not code."""
        for style in self._chain(style_id):
            if style.get(w("styleId")) == self._default:
                return False
            fonts = style.find(f"{RPR}/{w('rFonts')}")
            if fonts is not None and (answer := monospace_font(fonts)) is not None:
                return answer
        return False

    def _usual(self, style_id: str) -> bool:
        """Whether the style shows its text, in an ordinary font."""
        return not (self.hidden(style_id) or self.monospace(style_id))

    def _body(self, style_id: str) -> bool:
        """Whether its paragraphs are body text, unless they say something else."""
        return self.meaning(style_id).role is Role.body and self.numbered(style_id) is None

    def _chain(self, style_id: str) -> Iterator[Any]:
        seen: set[str] = set()
        while style_id in self._by_id and style_id not in seen and len(seen) < LONGEST_CHAIN:
            seen.add(style_id)
            style = self._by_id[style_id]
            yield style
            style_id = value(style, w("basedOn")) or ""

    def default_id(self) -> str:
        """Id of the style of paragraphs that name none."""
        return self._default


_ON = ("1", "true", "on")


def outline_meaning(level: str) -> Meaning:
    """What an outline level says: 0..8 is heading 1..9, anything else body text."""
    depth = number(level, _BODY_OUTLINE_LEVEL)
    return Meaning(Role.heading, depth + 1) if 0 <= depth < _BODY_OUTLINE_LEVEL else _BODY


def monospace_font(fonts: Any) -> bool | None:
    """Whether a `w:rFonts` names a typewriter font; None if it names no font for Latin text."""
    name = fonts.get(_ASCII) or fonts.get(_ANSI)
    return None if name is None else _is_monospace(name)


_ASCII, _ANSI = w("ascii"), w("hAnsi")
_is_monospace = lru_cache(maxsize=256)(is_monospace)
