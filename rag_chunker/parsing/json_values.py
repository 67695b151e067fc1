"""What is a JSON value in memory, and how does one that is not nested read on one line?"""

from collections.abc import Sequence
from typing import TypeAlias, cast

from rag_chunker.parsing.decoding import clean
from rag_core.text import is_blank

_SHORT_LIST = 300


class Members(list[tuple[str, "Value"]]):
    """A JSON object, its members in order and none lost, even if two have the same name."""


_FEW = 20
_NESTED = frozenset({list, Members})
Scalar: TypeAlias = str | bool | None
Value: TypeAlias = "Scalar | list[Value] | Members"
"""Numbers are text, as they were written."""


def shown(value: Scalar) -> str:
    """A scalar as JSON writes it, text without its quotes; empty for null and blank text."""
    if isinstance(value, str) and value.isprintable():
        return value.strip(" ")  # printable: nothing in it to clean, and it shows something
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = clean(value).strip()
    return "" if is_blank(text) else text


def on_one_line(elements: Sequence[Value] | Members) -> str | None:
    """A short array of scalars, joined; numbers are joined whatever their number.

    An object of nothing but empty objects is the set of its names, which are joined, too.
    """
    if isinstance(elements, Members):
        for _, one in elements:
            if not isinstance(one, Members) or one:
                return None
        return ", ".join([name for name, _ in elements])
    if len(elements) <= _FEW and _NESTED.isdisjoint(map(type, elements)):
        text = ", ".join(filter(None, map(shown, cast("list[Scalar]", elements))))
        if len(text) <= _SHORT_LIST:
            return text
    texts: list[str] = []
    size = 0
    for one in elements:
        if isinstance(one, list):
            if one:
                return None
            continue
        texts.append(shown(one))
        size += len(texts[-1]) if not is_number(texts[-1]) else 0
        if size > _SHORT_LIST:
            return None
    return ", ".join(filter(None, texts))


def is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdigit()
