"""What does an object say that is embedded: a formula, or a chart with its title and numbers?"""

import posixpath
from collections.abc import Sequence
from typing import Any, NamedTuple

from rag_chunker.parsing.archive import Archive, xml_root
from rag_chunker.parsing.odt.names import TABLE, n

_M = "{http://www.w3.org/1998/Math/MathML}"
_SIGNS = {"mfrac": "/", "msup": "^", "msub": "_"}
"""What stands between the two children of an element."""
_STAR_MATH = "StarMath"


class Embedded(NamedTuple):
    """An object in a document. Others than formulas and charts (sheets) say nothing: there is a
    picture of them."""

    text: str = ""
    """A formula as its author typed it, else as one would type it."""
    boxes: Sequence[Any] = ()
    """Elements with paragraphs or rows: the title of a chart, and the table of its numbers."""


def embedded(archive: Archive, address: str) -> Embedded:
    """What the object at `./Object 1` says."""
    name = posixpath.normpath(posixpath.join(address, "content.xml"))
    if name not in archive:
        return Embedded()
    root = xml_root(archive.read(name))
    if root.tag != f"{_M}math":
        chart = root.find(_CHART)
        return Embedded() if chart is None else Embedded(boxes=list(chart.iterchildren(*_SAID)))
    for annotation in root.iter(f"{_M}annotation"):
        if annotation.get("encoding", "").startswith(_STAR_MATH) and annotation.text:
            return Embedded(str(annotation.text).strip())
    return Embedded(_typed(root))


_CHART = f"{n('office:body')}/{n('office:chart')}/{n('chart:chart')}"
_SAID = (n("chart:title"), TABLE)


def _typed(root: Any) -> str:
    parts: list[str] = []
    stack: list[Any] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif item.tag != f"{_M}annotation":
            parts.append("".join((item.text or "").split()))
            stack.extend(reversed(_children(item)))
    return "".join(parts)


def _children(element: Any) -> list[Any]:
    name = str(element.tag).removeprefix(_M)
    children = list(element)
    if name == "msqrt":
        return ["√", *_bracketed(children)]
    if name in _SIGNS and len(children) == 2:
        over, under = children
        return [*_bracketed([over]), _SIGNS[name], *_bracketed([under])]
    return children


def _bracketed(children: list[Any]) -> list[Any]:
    """The children, in brackets unless they show a single character."""
    size = sum(len("".join(text.split())) for child in children for text in child.itertext("{*}*"))
    return children if size <= 1 else ["(", *children, ")"]
