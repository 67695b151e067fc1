"""How is a count written before a list item: 4, d, IV, •?"""

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_PRIVATE_USE = range(0xE000, 0xF900)


def figure(count: int, kind: str) -> str:
    """A count as written in a number format of ISO/IEC 29500-1, 17.18.59 (`lowerRoman`, ...).

    Formats not known here, and numbers that a format cannot write, are written in decimal.
    """
    if kind == "none":
        return ""
    if kind == "decimalZero":
        return f"{count:02d}"
    if kind == "ordinal":
        return f"{count}{_english_ending(count)}"
    text = str(count)
    if kind.endswith("Letter") and 0 < count <= 26 * 30:
        text = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
    elif kind.endswith("Roman") and 0 < count < 4000:
        text = _roman(count)
    return text.upper() if kind.startswith("upper") else text


def _english_ending(count: int) -> str:
    if count % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")


def _roman(count: int) -> str:
    parts = []
    for amount, letters in _ROMAN:
        parts.append(letters * (count // amount))
        count %= amount
    return "".join(parts)


def bullet(glyph: str) -> str:
    """A bullet as ordinary text: those of symbol fonts are written `•`."""
    glyph = glyph.strip()
    return "•" if glyph and ord(glyph[0]) in _PRIVATE_USE else glyph
