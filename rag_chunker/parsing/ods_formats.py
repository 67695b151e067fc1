"""May any number of an OpenDocument sheet show more than its digits, by the formats that it uses?

A cell has a style, which has or inherits a data style: a format. Both stand in the content or
among the common styles (OpenDocument 1.3, part 3: 16.29 and 19.498).
"""

import re
from collections.abc import Iterator

from rag_chunker.parsing.archive import Part

_DATA_STYLE = re.compile(rb"<number:(?P<kind>[a-z]+)-style\s(?P<tag>[^>]*)>")
_ALWAYS_TELLING = frozenset({b"currency", b"percentage", b"boolean", b"time"})
_TELLING = re.compile(rb"<number:text>|number:min-integer-digits=\"(?!\d?[01]\")")
"""Formats that change what a number says: those that change only how it looks are not asked for."""
_CELL_STYLE = re.compile(rb"<style:style\s([^>]*style:family=\"table-cell\"[^>]*)>")
_NAME, _PARENT, _FORMAT = (
    re.compile(rb'style:%b="([^"]*)"' % name)
    for name in (b"name", b"parent-style-name", b"data-style-name")
)
_BODY = b"<office:body"


def may_say_more(content: Part, styles: bytes) -> bool:
    """Whether cells may be written in a format that says more than digits: a unit, a percentage, a
    duration, leading zeros. `styles` are the common styles; empty if there are none."""
    body = max(content.find(_BODY), 0)
    own, common = content[:body], styles
    if next(_telling_formats(own), None) is not None:  # which programs write if it is used
        return True
    telling = set(_telling_formats(common))
    if not telling:
        return False
    cells = {name: tag for part in (common, own) for name, tag in _cell_styles(part)}
    used = (name for name in cells if _format_of(name, cells) in telling)
    return any(content.find(b'-name="%b"' % name, body) >= 0 for name in used)


def _telling_formats(part: Part) -> Iterator[bytes]:
    for style in _DATA_STYLE.finditer(part):
        end = part.find(b"</number:%b-style>" % style["kind"], style.end())
        name = _NAME.search(style["tag"])
        is_number = style["kind"] == b"number" and _TELLING.search(part, style.end(), max(end, 0))
        if name and (is_number or style["kind"] in _ALWAYS_TELLING):
            yield name[1]


def _cell_styles(part: Part) -> Iterator[tuple[bytes, bytes]]:
    """Name and start tag of each."""
    for style in _CELL_STYLE.finditer(part):
        if name := _NAME.search(style[1]):
            yield name[1], style[1]


def _format_of(name: bytes, styles: dict[bytes, bytes]) -> bytes | None:
    """The format that a style has, or the first one above it."""
    seen: set[bytes] = set()
    while name in styles and name not in seen:
        seen.add(name)
        if stated := _FORMAT.search(styles[name]):
            return stated[1]
        parent = _PARENT.search(styles[name])
        name = parent[1] if parent else b""
    return None
