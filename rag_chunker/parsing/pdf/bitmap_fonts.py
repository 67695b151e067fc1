"""How large are the letters of a font that does not tell, and which of them are ligatures?

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


def ems_by_font(text_page: int) -> dict[int, float]:
    """An em in units of the font size, for the fonts of a text page (its address), by their
    address; without those that no Latin letter or digit is set in. 1 for ordinary fonts."""
    import pypdfium2.raw as pdfium

    ask, page = calls(), ctypes.cast(text_page, pdfium.FPDF_TEXTPAGE)
    edges = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = edges
    turn, size = pdfium.FS_MATRIX(), ctypes.c_float()
    found: defaultdict[int, list[float]] = defaultdict(list)
    for index in range(max(0, pdfium.FPDFText_CountChars(page))):
        share = _HEIGHTS.get(chr(pdfium.FPDFText_GetUnicode(page, index)))
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
            if unit:
                found[font].append(height / share / unit)
    return {font: median(sizes) for font, sizes in found.items() if sizes}


def with_ligatures(text: str, in_bitmap_font: Callable[[int], bool]) -> str:
    """`text` with ligatures for the control characters that are drawn in such a font, which
    `in_bitmap_font` tells by their position."""
    return _CODES.sub(
        lambda code: _LIGATURES[code[0]] if in_bitmap_font(code.start()) else code[0], text
    )
