"""The element names of PresentationML and DrawingML that the walkers of this package meet."""

from functools import cache

_NAMESPACES = {
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
}


@cache
def n(prefixed: str) -> str:
    """The full name of an element or attribute that is written with its usual prefix."""
    prefix, _, name = prefixed.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{name}"
