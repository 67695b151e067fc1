"""The element and attribute names of WordprocessingML that the walkers of this package meet."""

from functools import cache
from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"


@cache
def w(name: str) -> str:
    """The full name of a WordprocessingML element or attribute."""
    return _W + name


VAL = w("val")
P, PPR, RPR, TBL, TR, TC = w("p"), w("pPr"), w("rPr"), w("tbl"), w("tr"), w("tc")
TEXT = w("t")
CHOICE, FALLBACK = _MC + "Choice", _MC + "Fallback"
ALTERNATE = _MC + "AlternateContent"
DRAWING_PROPERTIES = _WP + "docPr"
TEXT_BOX = w("txbxContent")
IMPORTED = w("altChunk")
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"

REMOVED = frozenset({w("del"), w("moveFrom")})
"""What a tracked change took away (or moved away: `moveTo` has it)."""


def first(parent: Any, name: str) -> Any | None:
    """The first child of that name, None without one. A fifth of the time of lxml's `find`, which
    takes the name for a path, and a third of `iterchildren(name)`, for the few children here."""
    for child in parent:
        if child.tag == name:
            return child
    return None


def by_name(properties: Any) -> dict[str, Any]:
    """The properties by name, of two with one name the first: looked at once for all of them."""
    return {each.tag: each for each in properties[::-1]}


def leading(parent: Any, name: str) -> Any | None:
    """The properties of a paragraph, run or cell, which the schema wants before all else."""
    if not len(parent):
        return None
    head = parent[0]
    if head.tag == name:
        return head
    return None if isinstance(head.tag, str) else first(parent, name)  # behind a remark


def value(parent: Any, *path: str) -> str | None:
    """`w:val` of the element at the end of a path of child names, None where that leads nowhere."""
    for name in path:
        parent = first(parent, name) if parent is not None else None
    found: str | None = None if parent is None else parent.get(VAL)
    return found


def number(text: str | None, default: int = 0) -> int:
    """A decimal attribute; `default` if it is absent or no number, at most 9 digits believed."""
    try:
        return int(text) if text is not None and len(text) < 10 else default
    except ValueError:
        return default


def switched_on(parent: Any, name: str) -> bool | None:
    """An on/off property: True, False, or None if `parent` does not have it."""
    found = first(parent, name) if parent is not None else None
    return None if found is None else is_on(found)


def is_on(found: Any) -> bool:
    """Whether the element of an on/off property says yes."""
    return found.get(VAL, "1") not in ("0", "false", "off", "none")
