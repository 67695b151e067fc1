"""How does a text object look? Font, size as shown, weight, pitch, colour, looked up once each."""

import ctypes
import math
import re
from typing import NamedTuple

from rag_chunker.layout.lines import Style
from rag_chunker.parsing.pdf.bitmap_fonts import Measured, measured_fonts
from rag_chunker.parsing.pdf.calls import calls

_FIXED_PITCH, _ITALIC, _FORCE_BOLD = 1 << 0, 1 << 6, 1 << 18
"""Font descriptor flags: ISO 32000-1, table 123 (bits 1, 7 and 19, counted from 1)."""

_STROKED = 2
"""Text render mode that fills and strokes: how some producers fake bold."""
_INVISIBLE = 3

_BOLD = re.compile(r"bold|black|heavy|demi|[-,]bd|(?:cm|ec|lm|sf|ss)bx|cmb\d", re.IGNORECASE)
_NOT_BOLD = re.compile(r"semilight|demilight", re.IGNORECASE)
_PLAIN = re.compile(r"[-,](?:roman|regular|book|light|thin)\b", re.IGNORECASE)
_HEAVY = range(600, 1001)
"""Weights of bold fonts. PDFium reckons them from the width of stems, which some producers, HTMLDOC
among them, make up: 2,140 says nothing."""
_SLANTED = re.compile(r"ital|obli|cmti|cmsl|sfti", re.IGNORECASE)
_MONO = re.compile(
    r"mono|cour|consol|menlo|typewriter|fixed|inconsolata|codepro|firacode|lettergothic|"
    r"(?:cm|ec|lm|sf)(?:sl|it)?tt",
    re.IGNORECASE,
)
_SUBSET = re.compile(r"^[A-Z]{6}\+")


ARTIFACT = -2
_ONE_SIZE = 0.04


class Look(NamedTuple):
    """What all characters of one text object share."""

    style: Style
    turns: int
    """Quarter turns clockwise after which the text is upright, 0..3."""
    invisible: bool
    """Drawn in no ink at all, as OCR layers are."""
    tag: int
    """Its marked content's number, -1 for none, `ARTIFACT` for what is no part of the text."""


class _Font(NamedTuple):
    name: str
    bold: bool
    italic: bool
    mono: bool


_NO_FONT = _Font("", False, False, False)
_NOT_MEASURED = Measured(0.0, mono=False)


class Looks:
    """The styles of one document; equal styles are one object, so that `is` compares them."""

    def __init__(self, *, tagged: bool = False) -> None:
        import pypdfium2.raw as pdfium

        self._tagged = tagged
        self._by_address: dict[int, _Font] = {}
        self._measured: dict[int, Measured] | None = None
        self._sizes: list[float] = []
        """Those measured so far."""
        self._fonts: dict[tuple[str, int], _Font] = {}
        self._styles: dict[tuple[object, ...], Style] = {}
        self._size = ctypes.c_float()
        self._size_at = ctypes.byref(self._size)
        self._turn = pdfium.FS_MATRIX()
        self._turn_at = ctypes.byref(self._turn)
        self._rgba = [ctypes.c_uint() for _ in range(4)]
        self._rgba_at = [ctypes.byref(part) for part in self._rgba]
        self._calls = calls()

    def new_page(self) -> None:
        """Forgets addresses: PDFium may free a page's fonts with the page."""
        self._by_address.clear()
        self._measured = None

    def of(self, obj: int, text_page: int, index: int) -> Look:
        """The look of the text object `obj`, whose character number `index` is at hand.

        Both are addresses.
        """
        ask, turn = self._calls, self._turn
        ask.object_font_size(obj, self._size_at)
        ask.character_matrix(text_page, index, self._turn_at)
        # the plain font size is 1, or off by the page's scale, in many producers' files
        unit = abs(self._size.value) * math.hypot(turn.c, turn.d)
        size = round(unit, 1) or 1.0
        mode = ask.object_mode(obj)
        at = ask.object_font(obj)
        font = self._font(at)
        if not font.name:
            measured = self._measure(at, text_page)
            size = self._known_size(unit * measured.em) or size
            font = font._replace(mono=font.mono or measured.mono)
        key = (size, font, mode == _STROKED, self._color(obj))
        style = self._styles.get(key)
        if style is None:
            bold = font.bold or mode == _STROKED
            style = Style(size, font.name, bold, font.italic, font.mono, key[3])
            self._styles[key] = style
        tag = ask.object_content(obj)
        if tag < 0 and self._tagged and _is_artifact(obj):
            tag = ARTIFACT
        return Look(style, _upright_after(turn), mode == _INVISIBLE, tag)

    def is_unnamed(self, obj: int | None) -> bool:
        """Whether a text object (its address; none for what PDFium adds) has a font without a
        name: see `bitmap_fonts`."""
        return bool(obj) and not self._font(self._calls.object_font(obj)).name

    def _measure(self, font: int | None, text_page: int) -> Measured:
        if self._measured is None:
            self._measured = measured_fonts(text_page)
        return self._measured.get(font or 0, _NOT_MEASURED)

    def _known_size(self, size: float) -> float | None:
        """A size by the height of letters; None if they do not tell.

        The same font measures a little different on each page: sizes that come close are one.
        """
        if not size:
            return None
        for known in self._sizes:
            if abs(known - size) <= _ONE_SIZE * known:
                return known
        self._sizes.append(round(size, 1))
        return self._sizes[-1]

    def _font(self, address: int | None) -> _Font:
        if not address:
            return _NO_FONT
        known = self._by_address.get(address)
        if known is None:
            known = self._by_address[address] = self._read(address)
        return known

    def _read(self, address: int) -> _Font:
        import pypdfium2.raw as pdfium

        font = ctypes.cast(address, pdfium.FPDF_FONT)
        buffer = ctypes.create_string_buffer(128)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
        flags = max(0, pdfium.FPDFFont_GetFlags(font))
        key = (buffer.value.decode("latin-1"), flags)
        if key not in self._fonts:
            heavy = pdfium.FPDFFont_GetWeight(font) in _HEAVY
            self._fonts[key] = _font(_SUBSET.sub("", key[0]), flags, heavy)
        return self._fonts[key]

    def _color(self, obj: int) -> int:
        red, green, blue, _ = self._rgba
        if not self._calls.object_fill(obj, *self._rgba_at):
            return 0
        return red.value << 16 | green.value << 8 | blue.value


def _is_artifact(address: int) -> bool:
    import pypdfium2.raw as pdfium

    obj = ctypes.cast(address, pdfium.FPDF_PAGEOBJECT)
    buffer = (ctypes.c_ushort * 16)()
    length = ctypes.c_ulong()
    for index in range(min(16, max(0, pdfium.FPDFPageObj_CountMarks(obj)))):
        mark = pdfium.FPDFPageObj_GetMark(obj, index)
        if pdfium.FPDFPageObjMark_GetName(mark, buffer, ctypes.sizeof(buffer), length):
            name = bytes(buffer)[: length.value].decode("utf-16-le", "ignore").rstrip("\x00")
            if name == "Artifact":
                return True
    return False


def _font(name: str, flags: int, heavy: bool) -> _Font:
    named_bold = bool(_BOLD.search(name)) and not _NOT_BOLD.search(name)
    return _Font(
        name,
        named_bold or (heavy and not _PLAIN.search(name)) or bool(flags & _FORCE_BOLD),
        bool(_SLANTED.search(name)) or bool(flags & _ITALIC),
        bool(_MONO.search(name)) or bool(flags & _FIXED_PITCH),
    )


def _upright_after(turn: "ctypes.Structure") -> int:
    if abs(turn.a) >= abs(turn.b):
        return 0 if turn.a >= 0 or turn.d > 0 else 2
    return 1 if turn.b > 0 else 3
