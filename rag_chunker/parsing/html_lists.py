"""Which marker does a browser show before this list item?"""

import re

from turbohtml import Element

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_NUMBER = re.compile(r"\s*([+-]?\d{1,9})")


class ListCounter:
    """Counts the items of one <ol>, <ul> or <dl> by the rules of the HTML standard."""

    def __init__(self, element: Element) -> None:
        self._tag = element.tag
        if self._tag != "ol":
            return
        self._style = (element.attr("type") or "1").strip()
        self._step = -1 if element.attr("reversed") is not None else 1
        start = _integer(element.attr("start"))
        if start is None:
            start = 1 if self._step == 1 else _count_items(element)
        self._next = start

    def marker(self, item: Element) -> str | None:
        """`-` in an unordered list, `3.`, `c.` or `iii.` in an ordered one, None in a <dl>."""
        if item.tag != "li" or self._tag == "dl":
            return None
        if self._tag != "ol":
            return "-"
        stated = _integer(item.attr("value"))
        number = self._next if stated is None else stated
        self._next = number + self._step
        return f"{_written(number, self._style)}."


def _integer(value: str | None) -> int | None:
    found = _NUMBER.match(value) if value else None
    return int(found[1]) if found else None


def _count_items(element: Element) -> int:
    return sum(isinstance(child, Element) and child.tag == "li" for child in element.children)


def _written(number: int, style: str) -> str:
    if style in ("a", "A") and number > 0:
        letters = _alphabetic(number)
    elif style in ("i", "I") and 0 < number < 4000:
        letters = _roman(number)
    else:
        return str(number)
    return letters.upper() if style.isupper() else letters


def _alphabetic(number: int) -> str:
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        written += letters * times
    return written
