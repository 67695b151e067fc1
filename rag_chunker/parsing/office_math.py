"""How would one type a formula of an Office document? `(a+b)/2`, `x^2`, `√x`, `∑_(i=1)^n i`."""

from typing import Any

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MATH_TEXT = _M + "t"
ANY_MATH = _M + "*"
"""For lxml: any element of a formula."""
_SIGNS = {_M + "den": "/", _M + "sup": "^", _M + "sub": "_"}
_BRACKETED = frozenset({_M + "num", *_SIGNS})
_DELIMITED, _LARGE, _ROOT, _NAME = _M + "d", _M + "nary", _M + "rad", _M + "fName"
_ROWS, _ROW, _EQUATIONS, _LIMIT = _M + "m", _M + "mr", _M + "eqArr", _M + "lim"
_ARGUMENT, _DEGREE = _M + "e", _M + "deg"
MATH_GROUPS = _BRACKETED | {
    *(_DELIMITED, _LARGE, _ROOT, _NAME),
    *(_ROWS, _ROW, _EQUATIONS, _LIMIT),
}
"""Parts of a formula that `typed` puts signs around."""


def typed(part: Any) -> list[Any]:
    """The signs and child elements that a part of a formula consists of, in order: what is set
    above, below or under a root in brackets, unless it is a single character."""
    if not _size(part):
        return []
    tag = part.tag
    if tag == _DELIMITED:
        parted = _parted(_named(part, _ARGUMENT), _said(part, "sepChr", "|"))
        return [_said(part, "begChr", "("), *parted, _said(part, "endChr", ")")]
    if tag == _LARGE:
        spaced = ([" ", one] if one.tag == _ARGUMENT else [one] for one in part)
        return [_said(part, "chr", "∫"), *(item for items in spaced for item in items)]
    if tag == _ROOT:
        degrees = [one for one in _named(part, _DEGREE) if _size(one)]
        degree = ["^(1/", *degrees, ")"] if degrees else []
        argument = _bracketed(_named(part, _ARGUMENT))
        return [*argument, *degree] if degrees else ["√", *argument]
    if tag == _NAME:
        return [*part, " "]
    if tag == _ROW:
        return _parted(_named(part, _ARGUMENT), ", ")
    if tag in (_ROWS, _EQUATIONS):
        return _parted(_named(part, _ROW if tag == _ROWS else _ARGUMENT), "; ")
    if tag == _LIMIT:
        above = part.getparent().tag == _M + "limUpp"
        return ["^" if above else "_", *_bracketed([*part])]
    return [_SIGNS.get(tag, ""), *_bracketed([*part])]


def _bracketed(items: list[Any]) -> list[Any]:
    return items if sum(map(_size, items)) == 1 else ["(", *items, ")"]


def _size(part: Any) -> int:
    return sum(len(text.text or "") for text in part.iter(MATH_TEXT))


def _named(part: Any, name: str) -> list[Any]:
    return list(part.iterchildren(name))


def _parted(items: list[Any], sign: str) -> list[Any]:
    parted = [item for one in items for item in (sign, one)]
    return parted[1:]


def _said(part: Any, name: str, default: str) -> str:
    """A sign that the properties of a part name."""
    found = part.find(f"{part.tag}Pr/{_M}{name}")
    sign: str = default if found is None else found.get(_M + "val", "")
    return sign
