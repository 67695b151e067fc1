"""What does a formula say that is embedded as an object of its own?"""

import posixpath
from typing import Any

from rag_chunker.parsing.archive import Archive, xml_root

_M = "{http://www.w3.org/1998/Math/MathML}"
_SIGNS = {"mfrac": "/", "msup": "^", "msub": "_"}
"""What stands between the two children of an element."""
_STAR_MATH = "StarMath"


def formula(archive: Archive, address: str) -> str:
    """The formula at `./Object 1` as its author typed it, else as one would type it; `""` for
    other objects (charts, sheets)."""
    name = posixpath.normpath(posixpath.join(address, "content.xml"))
    if name not in archive:
        return ""
    root = xml_root(archive.read(name))
    if root.tag != f"{_M}math":
        return ""
    for annotation in root.iter(f"{_M}annotation"):
        if annotation.get("encoding", "").startswith(_STAR_MATH) and annotation.text:
            return str(annotation.text).strip()
    return _typed(root)


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
