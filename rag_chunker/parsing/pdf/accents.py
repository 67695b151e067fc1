"""Which accents stand on their own, above or below a letter? Old TeX fonts have no letter with one.

Such a page shows `ö` and holds two characters, the accent and an `o`, at the same place.
"""

import re
import unicodedata
from collections.abc import Callable

__all__ = ["ABSENT", "with_accents_joined"]

ABSENT = "\u200b"
"""Stands where the accent was, so that characters keep their numbers."""
_COMBINING = {
    "\u00a8": "\u0308",
    "\u00af": "\u0304",
    "\u00b4": "\u0301",
    "\u00b8": "\u0327",
    "\u02c6": "\u0302",
    "\u02c7": "\u030c",
    "\u02d8": "\u0306",
    "\u02d9": "\u0307",
    "\u02da": "\u030a",
    "\u02db": "\u0328",
    "\u02dc": "\u0303",
    "\u02dd": "\u030b",
    "`": "\u0300",
}
_BEFORE_LETTER = re.compile(f"([{''.join(_COMBINING)}])([A-Za-z\u0131\u0237])")
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
"""What TeX puts an accent on in place of an i or a j."""


def with_accents_joined(text: str, place_of: Callable[[int], tuple[float, float] | None]) -> str:
    """`text` with one letter for each accent that is drawn over, or under, the letter behind it.

    `place_of` gives left and right edge of a character as drawn, None if it has none. The length
    stays: see `ABSENT`.
    """
    found = [
        (match.start(), joined)
        for match in _BEFORE_LETTER.finditer(text)
        if (joined := _joined(match[1], match[2]))
        and _is_over(place_of(match.start()), place_of(match.start() + 1))
    ]
    if not found:
        return text
    characters = [*text]
    for index, letter in found:
        characters[index : index + 2] = ABSENT, letter
    return "".join(characters)


def _joined(accent: str, letter: str) -> str | None:
    """The one character that both are, if there is one."""
    letter = _DOTLESS.get(letter, letter)
    whole = unicodedata.normalize("NFC", letter + _COMBINING[accent])
    return whole if len(whole) == 1 else None


def _is_over(accent: tuple[float, float] | None, letter: tuple[float, float] | None) -> bool:
    """Whether the middle of the accent falls on the letter: else it stands before it."""
    if accent is None or letter is None:
        return False
    return letter[0] < (accent[0] + accent[1]) / 2 < letter[1]
