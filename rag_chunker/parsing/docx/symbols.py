"""Which character does a symbol of a symbol font stand for?"""

_PRIVATE_USE = range(0xF000, 0xF100)
_SYMBOL = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ",
        strict=True,
    )
) | {
    "\xa3": "≤", "\xa5": "∞", "\xae": "→", "\xac": "←", "\xb0": "°", "\xb1": "±", "\xb3": "≥",
    "\xb4": "×", "\xb7": "•", "\xb8": "÷", "\xb9": "≠", "\xbb": "≈", "\xc5": "⊕", "\xce": "∈",
    "\xd6": "√", "\xde": "⇒", "\xe5": "∑", "\xf2": "∫",
}  # fmt: skip
_WINGDINGS = {
    "\x6c": "●", "\x6e": "■", "\x6f": "□", "\x71": "❑", "\x77": "⬥", "\xa7": "▪", "\xa8": "◻",
    "\xd8": "➢", "\xdf": "←", "\xe0": "→", "\xe8": "➔", "\xf0": "⇨", "\xfb": "✗", "\xfc": "✓",
    "\xfd": "☒", "\xfe": "☑",
}  # fmt: skip
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}


def symbol(font: str, code: str) -> str:
    """The character of a hexadecimal code in a font; `""` where no ordinary character is known."""
    try:
        point = int(code, 16)
    except ValueError:
        return ""
    if point in _PRIVATE_USE:
        point -= _PRIVATE_USE.start
    elif not 0x20 <= point <= 0xFFFF or 0xD800 <= point < 0xE000:
        return ""
    known = _FONTS.get(font.casefold())
    if known is None:
        return chr(point) if font and int(code, 16) not in _PRIVATE_USE else ""
    return known.get(chr(point), chr(point) if known is _SYMBOL and point < 0x7F else "")
