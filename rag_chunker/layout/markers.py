"""Does a line start with a bullet or a number, and what does the number say?"""

import re
from typing import NamedTuple

BULLETS = "•◦▪▫‣⁃●○■□◆◇►▸▶▷▹❖➢➤➔➜✓✔✗∙·\uf0b7\uf0a7\uf0d8\uf076\uf0fc–—―‒-*"
"""Glyphs that start a list item when white space follows; private-use ones are Word's Symbol and
Wingdings."""

_DASHES = "–—―‒-*·"
_BULLET = re.compile(rf"([{re.escape(BULLETS)}])(?:\s+|$)")
_SURE_BULLET = re.compile(rf"([{''.join(set(BULLETS) - set(_DASHES))}])\s*")
_BOX = re.compile(r"[☐☑☒✅❏❑]\s+")
"""Check boxes: they start an item and stay in its text, for they say whether it is done."""
_ORDERED = re.compile(
    r"(\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,5}|[IVXLC]{1,5})[.)]|\[\d{1,3}\]|\(\d{1,3}\))\s+(?=\S)"
)
_SECTION = re.compile(
    r"(?:(?:chapter|part|section|appendix|annex|kapitel|abschnitt|anhang|chapitre|article|"
    r"artikel|§)\s+)?"
    r"((?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3}){0,5})([.:)]?)\s+(?=\S)",
    re.IGNORECASE,
)

LABEL = re.compile(r"\[.*\]|\(\d+[a-z]?\)")
"""What stands alone at the right edge beside a line of text: kinds of functions, numbers of
equations."""


class Marker(NamedTuple):
    """What a list item starts with."""

    text: str
    """As written: `•`, `1.`, `a)`."""
    length: int
    """How many characters of the line it takes, white space after it included."""
    ordered: bool


def list_marker(text: str) -> Marker | None:
    """The marker that `text` starts with, if any."""
    found = _BULLET.match(text) or _SURE_BULLET.match(text)
    if found:
        return Marker(found[1], found.end(), False)
    found = _ORDERED.match(text)
    if found:
        return Marker(found[1], found.end(), True)
    return Marker(text[0], 0, False) if _BOX.match(text) else None


_LONE_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]")


def is_lone_number(text: str) -> bool:
    """Whether a line is nothing but the number or letter of a list item."""
    return _LONE_NUMBER.fullmatch(text) is not None


def is_lone_bullet(text: str) -> bool:
    """Whether a line is nothing but a bullet (or the letter `o` that stands for one)."""
    return len(text) == 1 and (text in BULLETS or text == "o")


class Section(NamedTuple):
    """A section number in front of a heading."""

    depth: int
    """1 for `3` or `IV`, 2 for `3.1`, ..."""
    length: int
    """Characters up to the title."""
    dotted: bool
    """It has more than one part, or a dot behind it: hardly an ordinary word or number."""


def section_number(text: str) -> Section | None:
    """The section number that `text` starts with: `2.1 Scope`, `IV. Results`, `Chapter 3`."""
    found = _SECTION.match(text)
    if found is None:
        return None
    number = found[1]
    if number.isalpha() and not found[2] and found.start(1) == 0:
        return None  # a word of one letter, or "I"
    if number.isalpha() and number != number.upper():
        return None
    depth = number.count(".") + 1
    return Section(depth, found.end(), depth > 1 or bool(found[2]) or found.start(1) > 0)
