"""How large and how wide are the letters of a font that does not tell, and which of them are
ligatures?

Type 3 fonts draw each letter by a program of its own, in whatever unit: TeX's bitmap fonts in
pixels of a printer, so that a font of "size 1" at 600 dots an inch has letters of 0.12 points. They
have no name either, and their codes are TeX's own.
"""

import ctypes
import math
import re
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

from rag_chunker.parsing.pdf.calls import calls

_HEIGHTS = {
    **dict.fromkeys("acemnorsuvwxz", 0.455),
    **dict.fromkeys("ABCDEFGHIKLMNOPRSTUVWXYZ", 0.69),
    **dict.fromkeys("bdfhkl", 0.695),
    **dict.fromkeys("gpqy", 0.645),
    **dict.fromkeys("0123456789", 0.655),
    "i": 0.67,
    "t": 0.615,
}
"""In em, with what round letters overshoot: Computer Modern; Times and Helvetica differ by 0.03."""
_LIGATURES = {
    "\x0b": "\ufb00",
    "\x0c": "\ufb01",
    "\r": "\ufb02",
    "\x0e": "\ufb03",
    "\x0f": "\ufb04",
}
"""TeX's codes (OT1) for ff, fi, fl, ffi and ffl."""
_CODES = re.compile(f"[{''.join(_LIGATURES)}]")
_ENOUGH = 40
"""Letters of a font that are measured."""
_FEWEST = 5
"""Different letters that tell a fixed pitch."""
_SAME = 0.03
"""Part of a letter's width that pixels round off."""


class Measured(NamedTuple):
    """What the letters of a font tell."""

    em: float
    """In units of the font size; 1 for ordinary fonts."""
    mono: bool
    """All letters are of one width."""


def measured_fonts(text_page: int) -> dict[int, Measured]:
    """The fonts of a text page (its address), by their address; without those that no Latin letter
    or digit is set in."""
    import pypdfium2.raw as pdfium

    ask, page = calls(), ctypes.cast(text_page, pdfium.FPDF_TEXTPAGE)
    edges = [ctypes.c_double() for _ in range(4)]
    x, y, next_x, next_y = (ctypes.c_double() for _ in range(4))
    left, right, bottom, top = edges
    turn, size = pdfium.FS_MATRIX(), ctypes.c_float()
    found: defaultdict[int, list[float]] = defaultdict(list)
    steps: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for index in range(max(0, pdfium.FPDFText_CountChars(page))):
        char = chr(pdfium.FPDFText_GetUnicode(page, index))
        share = _HEIGHTS.get(char)
        obj = ask.character_object(text_page, index) if share else None
        font = ask.object_font(obj) if obj else None
        if share is None or not font or len(found[font]) >= _ENOUGH:
            continue
        if pdfium.FPDFText_GetCharBox(page, index, *edges):
            ask.character_matrix(text_page, index, ctypes.byref(turn))
            upright = abs(turn.a) >= abs(turn.b)
            height = top.value - bottom.value if upright else right.value - left.value
            ask.object_font_size(obj, ctypes.byref(size))
            unit = abs(size.value) * math.hypot(turn.c, turn.d)
            if not unit:
                continue
            found[font].append(height / share / unit)
            if ask.character_object(text_page, index + 1) == obj:
                pdfium.FPDFText_GetCharOrigin(page, index, x, y)
                pdfium.FPDFText_GetCharOrigin(page, index + 1, next_x, next_y)
                steps[font][char] = math.hypot(next_x.value - x.value, next_y.value - y.value)
    return {
        font: Measured(median(sizes), _is_mono(list(steps[font].values())))
        for font, sizes in found.items()
    }


def _is_mono(steps: list[float]) -> bool:
    """Whether one letter takes as much room as the other, given how far behind several letters the
    next one stands: a space or two may be between them."""
    if len(steps) < _FEWEST or min(steps) <= 0:
        return False
    widths = [step / min(steps) for step in steps]
    return all(round(width) <= 3 and abs(width - round(width)) <= _SAME for width in widths)


def with_ligatures(text: str, in_bitmap_font: Callable[[int], bool]) -> str:
    """`text` with ligatures for the control characters that are drawn in such a font, which
    `in_bitmap_font` tells by their position."""
    return _CODES.sub(
        lambda code: _LIGATURES[code[0]] if in_bitmap_font(code.start()) else code[0], text
    )
