"""A tiny PDF writer for tests: text, rules, images, outlines and whatever bytes a test needs.

Coordinates are points from the page's top left corner, as in the parser's boxes.
"""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

FONTS = {
    "F": "Helvetica",
    "B": "Helvetica-Bold",
    "I": "Helvetica-Oblique",
    "M": "Courier",
    "N": "Courier-Bold",
    "T": "Times-Roman",
}


_GRADIENT = (
    "<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]/Extend[true true]"
    "/Function<</FunctionType 2/Domain[0 1]/C0[0]/C1[0.5]/N 1>>>>"
)


@dataclass
class PdfPage:
    """One page; its methods append to its content and return it, so that calls chain."""

    width: float = 595.0
    height: float = 842.0
    rotate: int = 0
    crop: tuple[float, float, float, float] | None = None
    content: list[bytes] = field(default_factory=list)
    images: list[tuple[int, int, bytes]] = field(default_factory=list)
    annotations: list[str] = field(default_factory=list)
    parent: str = ""

    def text(
        self,
        x: float,
        y: float,
        text: str | bytes,
        size: float = 10,
        font: str = "F",
        mode: int = 0,
    ) -> "PdfPage":
        """`text` with its baseline at `y`; bytes go to the font's codes as they are."""
        return self.raw(
            f"BT /{font} {size} Tf {mode} Tr 1 0 0 1 {x} {self.height - y} Tm ".encode()
            + _string(text)
            + b" Tj ET"
        )

    def bitmap_text(self, x: float, y: float, text: str, size: float = 10) -> "PdfPage":
        """`text` in the bitmap font (see `Pdf.bitmap_font`), each letter placed by itself."""
        for char in text:
            if char != " ":
                self.raw(
                    f"BT /P 1 Tf {size / 100} 0 0 {size / 100} {x} {self.height - y} Tm "
                    f"<{ord(char):02x}> Tj ET".encode()
                )
            x += size * (0.5 if char != " " else 0.4)
        return self

    def lines(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        size: float = 10,
        leading: float = 12,
        font: str = "F",
    ) -> "PdfPage":
        """Lines below each other."""
        for index, line in enumerate(lines):
            self.text(x, y + index * leading, line, size, font)
        return self

    def turned(self, x: float, y: float, text: str, size: float = 10) -> "PdfPage":
        """Text that runs from the bottom to the top of the page, as seen unrotated."""
        return self.raw(
            f"BT /F {size} Tf 0 1 -1 0 {x} {self.height - y} Tm ".encode()
            + _string(text)
            + b" Tj ET"
        )

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> "PdfPage":
        """A straight line."""
        h = self.height
        return self.raw(f"{width} w {x0} {h - y0} m {x1} {h - y1} l S".encode())

    def square(self, x: float, y: float, side: float) -> "PdfPage":
        """A filled square with its top left corner at (x, y)."""
        return self.raw(f"{x} {self.height - y - side} {side} {side} re f".encode())

    def box(
        self, x: float, y: float, width: float, height: float, color: str = "0.2 0.2 0.7"
    ) -> "PdfPage":
        """A filled rectangle with its top left corner at (x, y); what follows is black again."""
        bottom = self.height - y - height
        return self.raw(f"{color} rg {x} {bottom} {width} {height} re f 0 g".encode())

    def ball(self, x: float, y: float, side: float) -> "PdfPage":
        """A square filled with a gradient, as typesetters draw a shaded bullet."""
        bottom = self.height - y - side
        return self.raw(f"q {x} {bottom} {side} {side} re W n /S sh Q".encode())

    def image(self, x: float, y: float, width: float, height: float) -> "PdfPage":
        """A grey picture."""
        self.images.append((2, 2, b"\x80\x90\xa0\xb0"))
        name = f"X{len(self.images) - 1}"
        bottom = self.height - y - height
        return self.raw(f"q {width} 0 0 {height} {x} {bottom} cm /{name} Do Q".encode())

    def raw(self, operators: bytes) -> "PdfPage":
        """Operators of the content stream."""
        self.content.append(operators)
        return self


def _string(text: str | bytes) -> bytes:
    data = text.encode("cp1252") if isinstance(text, str) else text
    return b"<" + data.hex().encode() + b">"


@dataclass
class Pdf:
    """A document; `data()` gives its bytes."""

    pages: list[PdfPage] = field(default_factory=list)
    info: dict[str, str] = field(default_factory=dict)
    outline: list[tuple[int, str, int]] = field(default_factory=list)
    """(level, title, index of page), in order."""
    passwords: tuple[str, str] | None = None
    """(user's, owner's); an empty user's password opens the file without asking."""
    unicode_font: dict[int, int] | None = None
    """Code to Unicode of the font `U`; an empty one has no mapping at all."""
    bitmap_font: bool = False
    """Whether there is a font `P` as TeX's printer drivers make them: Type 3, letters in pixels of
    which 100 are an em, no name, codes instead of names of letters."""

    def page(self, width: float = 595.0, height: float = 842.0, **more: object) -> PdfPage:
        """A new page at the end."""
        self.pages.append(PdfPage(width, height, **more))  # type: ignore[arg-type]
        return self.pages[-1]

    def data(self) -> bytes:
        """The file."""
        objects: list[bytes] = [b"", b""]  # catalog and page tree come last but stand first
        fonts = self._fonts(objects)
        kids = [self._page(objects, page, fonts) for page in self.pages]
        catalog = "<</Type/Catalog/Pages 2 0 R"
        if self.outline:
            catalog += f"/Outlines {self._outlines(objects, kids)} 0 R"
        objects[0] = f"{catalog}>>".encode()
        refs = " ".join(f"{kid} 0 R" for kid in kids)
        objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{refs}]>>".encode()
        info = "".join(f"/{key}<{_utf16(value)}>" for key, value in self.info.items())
        objects.append(f"<<{info}>>".encode())
        return _file(objects, self.passwords)

    def _fonts(self, objects: list[bytes]) -> str:
        refs = []
        for name, base in FONTS.items():
            font = f"<</Type/Font/Subtype/Type1/BaseFont/{base}/Encoding/WinAnsiEncoding>>"
            objects.append(font.encode())
            refs.append(f"/{name} {len(objects)} 0 R")
        if self.unicode_font is not None:
            refs.append(f"/U {self._unicode(objects, self.unicode_font)} 0 R")
        if self.bitmap_font:
            refs.append(f"/P {self._bitmaps(objects)} 0 R")
        return "".join(refs)

    def _bitmaps(self, objects: list[bytes]) -> int:
        letters = []
        for code in range(11, 127):
            char = chr(code)
            tall = 45 if char in "acemnorsuvwxzgpqy" else 69
            low = -20 if char in "gpqy" else 0
            objects.append(
                _stream(f"50 0 2 {low} 45 {tall} d1 2 {low} 43 {tall - low} re f".encode())
            )
            letters.append(f"/a{code} {len(objects)} 0 R")
        names = "".join(f"/a{code}" for code in range(11, 127))
        objects.append(
            f"<</Type/Font/Subtype/Type3/FontBBox[0 -20 50 70]/FontMatrix[1 0 0 1 0 0]"
            f"/FirstChar 11/LastChar 126/Widths[{'50 ' * 116}]"
            f"/Encoding<</Type/Encoding/Differences[11{names}]>>"
            f"/CharProcs<<{''.join(letters)}>>/Resources<<>>>>".encode()
        )
        return len(objects)

    def _unicode(self, objects: list[bytes], codes: dict[int, int]) -> int:
        mapping = "".join(f"<{code:02x}> <{char:04x}>\n" for code, char in codes.items())
        cmap = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
            "1 begincodespacerange <00> <ff> endcodespacerange\n"
            f"{len(codes)} beginbfchar\n{mapping}endbfchar endcmap end end"
        )
        objects.append(_stream(cmap.encode()))
        to_unicode = f"/ToUnicode {len(objects)} 0 R" if codes else ""
        objects.append(f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica{to_unicode}>>".encode())
        return len(objects)

    def _page(self, objects: list[bytes], page: PdfPage, fonts: str) -> int:
        xobjects = ""
        for index, (width, height, pixels) in enumerate(page.images):
            objects.append(
                _stream(
                    pixels,
                    f"/Type/XObject/Subtype/Image/Width {width}/Height {height}"
                    "/ColorSpace/DeviceGray/BitsPerComponent 8",
                )
            )
            xobjects += f"/X{index} {len(objects)} 0 R"
        objects.append(_stream(b"\n".join(page.content)))
        content = len(objects)
        crop = ""
        if page.crop is not None:
            left, top, right, bottom = page.crop
            crop = f"/CropBox[{left} {page.height - bottom} {right} {page.height - top}]"
        notes = ""
        if page.annotations:
            refs = []
            for note in page.annotations:
                objects.append(note.encode())
                refs.append(f"{len(objects)} 0 R")
            notes = f"/Annots[{' '.join(refs)}]"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {page.width} {page.height}]{crop}{notes}"
            f"/Rotate {page.rotate}/Contents {content} 0 R"
            f"/Resources<</Font<<{fonts}>>/XObject<<{xobjects}>>"
            f"/Shading<</S {_GRADIENT}>>>>>>".encode()
        )
        return len(objects)

    def _outlines(self, objects: list[bytes], kids: Sequence[int]) -> int:
        root = len(objects) + 1
        first = root + 1
        objects.append(f"<</Type/Outlines{_ends(self.outline, -1, first)}>>".encode())
        for index, (level, title, page) in enumerate(self.outline):
            parent = next(
                (at for at in range(index - 1, -1, -1) if self.outline[at][0] < level), None
            )
            up = root if parent is None else first + parent
            after = _next_sibling(self.outline, index)
            follows = f"/Next {first + after} 0 R" if after is not None else ""
            objects.append(
                f"<</Title<{_utf16(title)}>/Parent {up} 0 R{follows}"
                f"/Dest[{kids[page]} 0 R/Fit]{_ends(self.outline, index, first)}>>".encode()
            )
        return root


def _next_sibling(outline: Sequence[tuple[int, str, int]], index: int) -> int | None:
    for at in range(index + 1, len(outline)):
        if outline[at][0] <= outline[index][0]:
            return at if outline[at][0] == outline[index][0] else None
    return None


def _ends(outline: Sequence[tuple[int, str, int]], index: int, first: int) -> str:
    """First and last child of an entry, or of the root (index -1)."""
    level = outline[index][0] if index >= 0 else 0
    children = []
    for at in range(index + 1, len(outline)):
        if outline[at][0] <= level:
            break
        if outline[at][0] == level + 1:
            children.append(at)
    if not children:
        return ""
    return f"/First {first + children[0]} 0 R/Last {first + children[-1]} 0 R"


def _utf16(text: str) -> str:
    return ("\ufeff" + text).encode("utf-16-be").hex()


def _stream(data: bytes, entries: str = "") -> bytes:
    packed = zlib.compress(data)
    head = f"<<{entries}/Filter/FlateDecode/Length {len(packed)}>>stream\n".encode()
    return head + packed + b"\nendstream"


def _file(objects: list[bytes], passwords: tuple[str, str] | None) -> bytes:
    security = ""
    if passwords is not None:
        security = _encrypt(objects, *passwords)
    data = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    data += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    info = "" if security else f"/Info {len(objects)} 0 R"
    trailer = f"<</Size {len(objects) + 1}/Root 1 0 R{info}{security}>>"
    return data + f"trailer\n{trailer}\nstartxref\n{start}\n%%EOF".encode()


_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_ID = bytes(range(16))
_PERMISSIONS = -4


def _encrypt(objects: list[bytes], user: str, owner: str) -> str:
    """Encrypts streams (RC4, 40 bits: ISO 32000-1, 7.6.3); gives the trailer's entries."""
    padded = [(word.encode() + _PAD)[:32] for word in (user, owner or user)]
    o = _rc4(_md5(padded[1])[:5], padded[0])
    key = _md5(padded[0] + o + _PERMISSIONS.to_bytes(4, "little", signed=True) + _ID)[:5]
    for index, body in enumerate(objects):
        head, mark, rest = body.partition(b"stream\n")
        if mark:
            own = _md5(key + (index + 1).to_bytes(3, "little") + b"\0\0")[:10]
            packed = rest.removesuffix(b"\nendstream")
            objects[index] = head + mark + _rc4(own, packed) + b"\nendstream"
    u = _rc4(key, _PAD)
    return (
        f"/ID[<{_ID.hex()}><{_ID.hex()}>]/Encrypt<</Filter/Standard/V 1/R 2"
        f"/O<{o.hex()}>/U<{u.hex()}>/P {_PERMISSIONS}>>"
    )


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data).digest()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
