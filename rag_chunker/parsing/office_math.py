"""How would one type a formula of an Office document? `(a+b)/2`, `x^2`, `√x`."""

from typing import Any

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MATH_TEXT = _M + "t"
ANY_MATH = _M + "*"
"""For lxml: any element of a formula."""
_SIGNS = {_M + "den": "/", _M + "sup": "^", _M + "sub": "_", _M + "rad": "√"}
MATH_GROUPS = frozenset({_M + "num", *_SIGNS})
"""Parts of a formula that `typed` puts signs around."""


def typed(part: Any) -> list[Any]:
    """The signs and child elements that a part of a formula consists of, in order; brackets
    unless it is a single character."""
    size = sum(len(text.text or "") for text in part.iter(MATH_TEXT))
    if not size:
        return []
    sign = _SIGNS.get(part.tag, "")
    return [sign, *part] if size == 1 else [f"{sign}(", *part, ")"]
