"""The element and attribute names of OpenDocument text that the walkers of this package meet."""

from functools import cache
from typing import Any

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMESPACES = {
    "office": _URN + "office:1.0",
    "text": _URN + "text:1.0",
    "table": _URN + "table:1.0",
    "chart": _URN + "chart:1.0",
    "draw": _URN + "drawing:1.0",
    "presentation": _URN + "presentation:1.0",
    "style": _URN + "style:1.0",
    "fo": _URN + "xsl-fo-compatible:1.0",
    "svg": _URN + "svg-compatible:1.0",
    "meta": _URN + "meta:1.0",
    "manifest": _URN + "manifest:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xlink": "http://www.w3.org/1999/xlink",
}


@cache
def n(prefixed: str) -> str:
    """The full name of an element or attribute that is written with its usual prefix."""
    prefix, _, name = prefixed.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{name}"


def declares(tag: bytes, *prefixes: str) -> bool:
    """Whether a start tag declares these prefixes as names are usually written with."""
    return all(f' xmlns:{one}="{_NAMESPACES[one]}"'.encode() in tag for one in prefixes)


P, H = n("text:p"), n("text:h")
LIST, LIST_ITEM, LIST_HEADER = n("text:list"), n("text:list-item"), n("text:list-header")
TABLE, ROW, CELL = n("table:table"), n("table:table-row"), n("table:table-cell")
COVERED_CELL, COLUMN = n("table:covered-table-cell"), n("table:table-column")
HEADER_ROWS = n("table:table-header-rows")
NOTE, NOTE_BODY, ANNOTATION = n("text:note"), n("text:note-body"), n("office:annotation")
FRAME, TEXT_BOX = n("draw:frame"), n("draw:text-box")
STYLE_NAME, SPAN = n("text:style-name"), n("text:span")

DROPPED = frozenset(
    n(f"text:{name}")
    for name in (
        "tracked-changes",  # holds what was deleted
        "table-of-content",
        "illustration-index",
        "table-index",
        "object-index",
        "user-index",
        "alphabetical-index",
        "sequence-decls",
    )
) | {n("office:forms"), n("table:shapes"), n("office:binary-data")}
"""Containers without text of the document's own."""


def number(element: Any, name: str, default: int) -> int:
    """A whole number attribute; `default` if it is absent or no number of at most 9 digits."""
    text = element.get(n(name))
    try:
        return int(text) if text is not None and len(text) < 10 else default
    except ValueError:
        return default
