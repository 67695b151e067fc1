"""Which lines of words stand on a page? PDFium's characters, grouped by gaps and line breaks."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag_chunker.layout.lines import Line, Word
from rag_chunker.parsing.pdf.fonts import Look, Looks
from rag_chunker.parsing.pdf.frame import Frame
from rag_chunker.parsing.pdf.opening import Handle

COLUMN_GAP = 1.6
"""In em: a wider gap inside a line of PDFium's separates columns or cells (measured on 12
documents by six producers: between 1.3 and 2.0 nothing changes)."""

_LINE_BREAKS = frozenset((10, 13))
_SPACES = frozenset((9, 11, 12, 32, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
_IGNORED = frozenset((0, 0xFEFF, 0x200B, 0x2060))
_HYPHENS = frozenset((2, 0xFFFE))
"""How PDFium marks a hyphen at a line's end; it then leaves the line break out."""
_SOFT_HYPHEN = 0xAD


@dataclass
class Counts:
    """What the rule for OCR looks at: numbers of characters that are not white space."""

    visible: int = 0
    letters: int = 0
    bad: int = 0
    """U+FFFD, NUL, control and private-use characters."""
    invisible: int = 0


@dataclass
class PageText:
    """The lines of one page by the quarter turns after which they are upright."""

    lines: dict[int, list[Line]] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)


@dataclass
class Spacing:
    """How a document, as far as it was read, writes spaces: as characters, or as gaps only?"""

    spaces: int = 0
    inferred: int = 0
    """Those that PDFium inferred from gaps."""

    @property
    def as_characters(self) -> bool:
        """Whether an inferred space is rare enough to mean something."""
        return self.inferred <= _FEW_INFERRED * self.spaces


_FEW_INFERRED = 0.25


def read_text(
    text_page: Handle, frame: Frame, looks: Looks, spacing: Spacing, limit: int
) -> PageText:
    """All lines of a text page, in the order of its content, in coordinates as seen upright.

    A line ends where PDFium breaks it, at a gap wider than `COLUMN_GAP`, and where the text
    jumps. At most `limit` characters are read. Characters outside the crop box are left out.
    """
    page = PageText()
    builder = _Builder(page, spacing)
    for text, look, box in _characters(text_page, frame, looks, page.counts, limit):
        builder.add(text, look, box)
    builder.end_line()
    if not spacing.as_characters:
        _forget_loose(page)
    return page


def _forget_loose(page: PageText) -> None:
    for lines in page.lines.values():
        for line in lines:
            for word in line.words:
                word.loose = False


Rect = tuple[float, float, float, float]


def _characters(
    text_page: Handle, frame: Frame, looks: Looks, counts: Counts, limit: int
) -> Iterator[tuple[str, Look | None, Rect | None]]:
    """(text, look, box) of each character; white space has neither look nor box.

    A tab stands for a space that PDFium inferred from a gap.
    """
    import pypdfium2.raw as pdfium

    unicode_of, box_of = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox
    generated = pdfium.FPDFText_IsGenerated
    object_of, address = pdfium.FPDFText_GetTextObject, ctypes.addressof
    rect = pdfium.FS_RECTF()
    reference = ctypes.byref(rect)
    last, look = 0, None
    high = 0
    for index in range(min(limit, pdfium.FPDFText_CountChars(text_page))):
        code = unicode_of(text_page, index)
        if code in _LINE_BREAKS:
            yield "\n", None, None
            continue
        if code in _SPACES:
            yield "\t" if generated(text_page, index) else " ", None, None
            continue
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if high:
            code, high = _joined(high, code), 0
        obj = object_of(text_page, index)
        if obj:
            here = address(obj.contents)
            if here != last:
                last, look = here, looks.of(obj, text_page, index)
        counts.visible += 1
        if look is None or not box_of(text_page, index, reference):
            continue
        if look.invisible:
            counts.invisible += 1
        if code in _HYPHENS:
            yield "\x02", look, _seen(rect, frame, look)
            continue
        if _is_bad(code):
            counts.bad += 1
            if code < 32 or code in _IGNORED or 0xD800 <= code < 0xE000:
                continue
        text = chr(code)
        if text.isalpha():
            counts.letters += 1
        yield text, look, _seen(rect, frame, look)


def _joined(high: int, low: int) -> int:
    if 0xDC00 <= low < 0xE000:
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
    return low


def _is_bad(code: int) -> bool:
    return (
        code < 32
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xF900
        or code == 0xFFFD
        or code >= 0xF0000
    )


def _seen(rect: "ctypes.Structure", frame: Frame, look: Look) -> Rect:
    if look.turns == 0:
        return (rect.left - frame.left, frame.top - rect.top, rect.right - frame.left,
                frame.top - rect.bottom)  # fmt: skip
    turned = frame.turned_to(look.turns)
    return turned.box(rect.left, rect.bottom, rect.right, rect.top)


class _Builder:
    """Collects characters into words and words into lines."""

    def __init__(self, page: PageText, spacing: Spacing) -> None:
        self._page = page
        self._spacing = spacing
        self._words: list[Word] = []
        self._look: Look | None = None
        self._letters: list[str] = []
        self._box = [0.0, 0.0, 0.0, 0.0]
        self._spaced = False
        self._inferred = False
        self._hyphen = False

    def add(self, text: str, look: Look | None, box: Rect | None) -> None:
        if look is None or box is None:
            if text == "\n":
                self.end_line()
            else:
                self._end_word()
                self._spaced = True
                self._inferred = self._inferred or text == "\t"
                self._spacing.inferred += text == "\t"
                self._spacing.spaces += 1
            return
        if self._hyphen:
            self.end_line()
        if self._look is not None:
            self._before(look, box)
        if self._drawn_twice(text, look, box):
            return
        if self._letters and self._look is not None and _other(look, self._look):
            self._end_word()
        self._put(text, look, box)

    def _before(self, look: Look, box: Rect) -> None:
        """Ends the line if this character cannot be its next."""
        left, top, right, bottom = self._box
        assert self._look is not None
        em = max(look.style.size, self._look.style.size)
        jumps = (
            look.turns != self._look.turns
            or box[0] - right > COLUMN_GAP * em
            or min(bottom, box[3]) - max(top, box[1]) <= -0.1 * em
            or (box[2] < left - 2.0 * em and not _right_to_left(self._letters))
        )
        if jumps:
            self.end_line()

    def _drawn_twice(self, text: str, look: Look, box: Rect) -> bool:
        """Whether another object put this character here already: how some fake bold.

        The letters of a ligature share a place too, but come from one object.
        """
        if not self._letters or self._letters[-1] != text or look is self._look:
            return False
        width = box[2] - box[0]
        return abs(box[2] - self._box[2]) < 0.2 * width and width > 0

    def _put(self, text: str, look: Look, box: Rect) -> None:
        if text == "\x02":
            text, self._hyphen = "-", True
        here = self._box
        if self._letters:
            here[0] = min(here[0], box[0])
            here[1] = min(here[1], box[1])
            here[2] = max(here[2], box[2])
            here[3] = max(here[3], box[3])
            self._letters.append(text)
        else:
            self._box = list(box)
            self._letters = [text]
        self._look = look

    def _end_word(self) -> None:
        if not self._letters or self._look is None:
            return
        glued = bool(self._words) and not self._spaced
        style, tag = self._look.style, self._look.tag
        loose = self._inferred and not glued and bool(self._words)
        self._words.append(Word("".join(self._letters), *self._box, style, glued, loose, tag))
        self._letters = []
        self._spaced = False
        self._inferred = False

    def end_line(self) -> None:
        self._end_word()
        if self._words and self._look is not None:
            text = self._words[-1].text
            hyphen = self._hyphen or text.endswith(("-", "\xad", "\u2010"))
            line = Line(self._words, hyphen=hyphen)
            self._page.lines.setdefault(self._look.turns, []).append(line)
        self._words = []
        self._look = None
        self._spaced = False
        self._inferred = False
        self._hyphen = False


def _other(look: Look, before: Look) -> bool:
    return look.style is not before.style or look.tag != before.tag


def _right_to_left(letters: list[str]) -> bool:
    return bool(letters) and "\u0590" <= letters[-1] < "\u08ff"
