"""Which lines of words stand on a page? PDFium's characters, grouped by gaps and line breaks."""

import ctypes
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from unicodedata import normalize

from rag_chunker.layout.lines import Line, Word
from rag_chunker.parsing.pdf.calls import address, calls
from rag_chunker.parsing.pdf.fonts import Look, Looks
from rag_chunker.parsing.pdf.frame import Frame
from rag_chunker.parsing.pdf.opening import Handle

COLUMN_GAP = 1.6
"""In em: a wider gap inside a line of PDFium's separates columns or cells (72 files by
six producers: between 1.3 and 2.0 no measure moves by more than 0.003)."""

_SUPERSCRIPT = 0.8
"""Times the size of the text: the largest superscript."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PRESENTATION = re.compile("[\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]")
"""Ligatures and shapes of Latin, Hebrew and Arabic letters that fonts encode as characters."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = re.compile(
    "[!-~\xa1-\xac\xae-\u058f\u0900-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u2070-\u2fff\u3001-\ud7ff\uf900-\ufaff\ufe10-\ufe6f\uff01-\uffef]+"
)
"""Characters that need no second look: visible, unambiguous, written from left to right."""
_FEW_INFERRED = 0.25
_LINE_BREAKS = frozenset((10, 13))
_SPACES = frozenset((9, 11, 12, 32, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
_IGNORED = frozenset((0, 0xFEFF, 0x200B, 0x2060))
_HYPHENS = frozenset((2, 0xFFFE))
"""How PDFium marks a hyphen at a line's end; it then leaves the line break out."""


@dataclass
class Counts:
    """What the rule for OCR looks at: numbers of characters that are not white space."""

    visible: int = 0
    bad: int = 0
    """U+FFFD, NUL, control and private-use characters."""
    invisible: int = 0
    """Those without ink."""


@dataclass
class PageText:
    """The lines of one page by the quarter turns after which they are upright."""

    lines: dict[int, list[Line]] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)

    def all_lines(self) -> Iterable[Line]:
        """The lines of every direction."""
        return (line for lines in self.lines.values() for line in lines)


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


def read_text(text_page: Handle, frame: Frame, looks: Looks, spacing: Spacing) -> PageText:
    """All lines of a text page, in the order of its content, in coordinates as seen upright.

    A line ends where PDFium breaks it, at a gap wider than `COLUMN_GAP`, and where the text
    jumps. Lines outside the crop box are left out.
    """
    page = PageText()
    _read(text_page, _Builder(page, frame, spacing), looks, page.counts)
    if not spacing.as_characters:
        for line in page.all_lines():
            for word in line.words:
                word.loose = False
    return page


def _read(text_page: Handle, builder: "_Builder", looks: Looks, counts: Counts) -> None:
    """Hands all characters to `builder`: runs of plain ones at once, the others one by one."""
    text = _text_of(text_page)
    page, is_generated = address(text_page), calls().character_is_generated
    reader = _CharacterReader(page, text, builder, looks, counts)
    index, end = 0, len(text)
    while index < end:
        run = _PLAIN.match(text, index)
        if run is not None:
            behind = run.end()
            reader.take_run(index, behind)
            index = behind
            continue
        code = ord(text[index])
        if code in _SPACES:
            builder.space(inferred=bool(is_generated(page, index)))
            reader.forget_place()
        elif code in _LINE_BREAKS:
            builder.end_line()
            reader.forget_place()
        else:
            reader.take_each(index, index + 1)
        index += 1
    builder.end_line()


def _text_of(text_page: Handle) -> str:
    """The page's characters, one for each of PDFium's numbers for them.

    PDFium gives them in one call, except those without a code, and splits those beyond U+FFFF in
    two. Where that would shift the numbers, they are asked for one by one.
    """
    import pypdfium2.raw as pdfium

    count = max(0, pdfium.FPDFText_CountChars(text_page))
    buffer = (ctypes.c_ushort * (count + 1))()
    if pdfium.FPDFText_GetText(text_page, 0, count, buffer) == count + 1:
        text = bytes(buffer)[:-2].decode("utf-16-le", "surrogatepass")
        if len(text) == count and not _SURROGATE.search(text):
            return text
    code_of = pdfium.FPDFText_GetUnicode
    return "".join(chr(code_of(text_page, index)) for index in range(count))


class _CharacterReader:
    """Finds place and look of a page's characters.

    That is most of the time that a page takes: a foreign call for each question.
    """

    def __init__(
        self, page: int, text: str, builder: "_Builder", looks: Looks, counts: Counts
    ) -> None:
        import pypdfium2.raw as pdfium

        self._page = page
        """The text page's address."""
        self._text = text
        self._builder = builder
        self._looks = looks
        self._counts = counts
        self._look: Look | None = None
        self._object: int | None = None
        self._high = 0
        self._above = self._below = self._end = self._reach = 0.0
        self._fresh = True
        self._box_of = calls().character_box
        self._object_of = calls().character_object
        self._rect = pdfium.FS_RECTF()
        self._reference = ctypes.byref(self._rect)

    def forget_place(self) -> None:
        """What comes next need not go on where the last character ended."""
        self._fresh = True

    def take_run(self, start: int, end: int) -> None:
        """Take plain characters, those of each text object at once where that is safe.

        Some producers write each letter as an object of its own: then one by one is quicker.
        """
        last = self._object_of(self._page, end - 1)
        while start < end:
            obj = self._object_of(self._page, start)
            stop = end if obj == last else self._end_of_object(obj, start, end)
            if stop == start + 1:
                self.take_each(start, end)
                return
            if not obj or not self._take_at_once(obj, start, stop):
                self.take_each(start, stop)
            start = stop

    def _end_of_object(self, obj: int | None, start: int, end: int) -> int:
        """Behind the last character from `start` that `obj` writes; the one before `end` is
        another's."""
        object_of, page = self._object_of, self._page
        own, other = start, start + 1
        if object_of(page, other) == obj:
            own, other = other, end - 1
        while other - own > 1:
            middle = (own + other) // 2
            if object_of(page, middle) == obj:
                own = middle
            else:
                other = middle
        return other

    def _take_at_once(self, obj: int, start: int, end: int) -> bool:
        """Take characters that one text object writes on a straight line.

        The first and the last then tell the place of all. False, and nothing is taken, if they
        do not.
        """
        page, rect = self._page, self._rect
        if obj == self._object and self._look is not None:
            look = self._look
        else:
            look = self._looks.of(obj, page, start)
        if not self._box_of(page, start, self._reference):
            return False
        left, top, right, bottom = rect.left, -rect.top, rect.right, -rect.bottom
        if end > start + 1:
            if not self._box_of(page, end - 1, self._reference):
                return False
            if rect.left < left or abs(rect.top + top) > 0.15 * look.style.size:
                return False
            right = rect.right
            top, bottom = min(top, -rect.top), max(bottom, -rect.bottom)
        self._look, self._object = look, obj
        self._fresh, self._reach = False, 0.15 * look.style.size
        self._above, self._below, self._end = top, bottom, right
        self._high = 0
        self._counts.visible += end - start
        if look.invisible:
            self._counts.invisible += end - start
        self._builder.put(self._text[start:end], look, left, top, right, bottom)
        return True

    def take_each(self, start: int, end: int) -> None:
        """Take characters one by one.

        The text object is asked for only where something else changes than the place along the
        line.
        """
        page, text, rect, counts = self._page, self._text, self._rect, self._counts
        for index in range(start, end):
            code = ord(text[index])
            counts.visible += 1
            if not 32 < code < 127:
                if 0xD800 <= code < 0xDC00:
                    self._high = code
                    continue
                if self._high:
                    code, self._high = _joined(self._high, code), 0
                if _is_bad(code) and code not in _HYPHENS:
                    counts.bad += 1
                    if code < 0xA0 or 0xD800 <= code < 0xE000:
                        continue
                if code in _IGNORED:
                    continue
            if not self._box_of(page, index, self._reference):
                continue
            left, top, right, bottom = rect.left, -rect.top, rect.right, -rect.bottom
            if (
                self._fresh
                or top != self._above
                or bottom != self._below
                or abs(left - self._end) > self._reach
            ):
                self._look_at(index)
                self._fresh = False
            look = self._look
            if look is None:
                continue
            self._above, self._below, self._end = top, bottom, right
            if look.invisible:
                counts.invisible += 1
            self._builder.put_one(code, look, left, top, right, bottom)

    def _look_at(self, index: int) -> None:
        obj = self._object_of(self._page, index)
        if obj and obj != self._object:
            self._object = obj
            self._look = self._looks.of(obj, self._page, index)
            self._reach = 0.15 * self._look.style.size


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


class _Builder:
    """Collects characters into words and words into lines."""

    def __init__(self, page: PageText, frame: Frame, spacing: Spacing) -> None:
        self._page = page
        self._frame = frame
        self._spacing = spacing
        self._words: list[Word] = []
        self._look: Look | None = None
        self._letters: list[str] = []
        self._left = self._top = self._right = self._bottom = 0.0
        self._spaced = False
        self._inferred = False
        self._hyphen = False

    def space(self, *, inferred: bool) -> None:
        """White space; `inferred` by PDFium from a gap."""
        self._end_word()
        self._spaced = True
        self._spacing.spaces += 1
        if inferred:
            self._spacing.inferred += 1
            self._inferred = True

    def put_one(
        self, code: int, look: Look, left: float, top: float, right: float, bottom: float
    ) -> None:
        """A visible character and its box, as in `put`; PDFium's mark for a hyphen, too."""
        hyphen = code in _HYPHENS
        letter = "-" if hyphen else chr(code)
        if code >= 0xFB00 and _PRESENTATION.match(letter):
            letter = normalize("NFKC", letter)
        self.put(letter, look, left, top, right, bottom)
        if hyphen:
            self._hyphen = True

    def put(
        self, text: str, look: Look, left: float, top: float, right: float, bottom: float
    ) -> None:
        """Visible characters and their box: y grows downwards, from PDF space's origin."""
        if look.turns:
            turned = self._frame.turned_to(look.turns)
            left, top, right, bottom = turned.box(left, -bottom, right, -top)
        before = self._look
        if self._hyphen:
            self.end_line()
        elif before is not None:
            if self._jumps(look, before, left, top, right, bottom):
                self.end_line()
            elif self._letters and look is not before:
                if self._drawn_twice(text, left, right):
                    return
                if look.style is not before.style or look.tag != before.tag:
                    self._end_word()
        self._look = look
        if not self._letters:
            self._letters = [text]
            self._left, self._top, self._right, self._bottom = left, top, right, bottom
            return
        self._letters.append(text)
        if left < self._left:
            self._left = left
        if right > self._right:
            self._right = right
        if top < self._top:
            self._top = top
        if bottom > self._bottom:
            self._bottom = bottom

    def _jumps(
        self, look: Look, before: Look, left: float, top: float, right: float, bottom: float
    ) -> bool:
        """Whether a character cannot be the next one of its line."""
        size = look.style.size
        if look is not before:
            if look.turns != before.turns:
                return True
            size = max(size, before.style.size)
        if left - self._right > COLUMN_GAP * size:
            return True
        if top - self._bottom >= -0.1 * size or self._top - bottom >= -0.1 * size:
            return True
        return right < self._left - 2.0 * size and not _right_to_left(self._letters)

    def _drawn_twice(self, letter: str, left: float, right: float) -> bool:
        """Whether another object put this character here already: how some fake bold.

        The letters of a ligature share a place too, but come from one object.
        """
        return self._letters[-1] == letter and abs(right - self._right) < 0.2 * (right - left)

    def _end_word(self) -> None:
        look = self._look
        if not self._letters or look is None:
            return
        left, top, right, bottom = self._left, self._top, self._right, self._bottom
        if not look.turns:
            frame = self._frame
            left, right = left - frame.left, right - frame.left
            top, bottom = top + frame.top, bottom + frame.top
        glued = bool(self._words) and not self._spaced
        loose = self._inferred and not glued and bool(self._words)
        text = "".join(self._letters)
        if text.isdigit() and self._words and not self._spaced:
            text = self._as_superscript(text, look)
        word = Word(text, left, top, right, bottom, look.style, glued, loose, look.tag)
        self._words.append(word)
        self._letters = []
        self._spaced = self._inferred = False

    def _as_superscript(self, text: str, look: Look) -> str:
        """Raised small digits, so that a footnote's number does not grow into the word's end."""
        before = self._words[-1]
        raised = before.style.size > look.style.size / _SUPERSCRIPT and not look.turns
        if raised and self._bottom + self._frame.top < before.bottom - 0.15 * before.style.size:
            return text.translate(_SUPERSCRIPTS)
        return text

    def end_line(self) -> None:
        """A line break, or the end of the page."""
        self._end_word()
        if self._words and self._look is not None:
            hyphen = self._hyphen or self._words[-1].text.endswith(("-", "\xad", "\u2010"))
            line = Line(self._words, hyphen=hyphen)
            seen, box = self._frame, line.box
            if self._look.turns != seen.turns:
                seen = seen.turned_to(self._look.turns)
            if box.right > 0 and box.left < seen.width and box.bottom > 0 and box.top < seen.height:
                self._page.lines.setdefault(self._look.turns, []).append(line)
        self._words = []
        self._look = None
        self._spaced = self._inferred = self._hyphen = False


def _right_to_left(letters: list[str]) -> bool:
    return bool(letters) and "\u0590" <= letters[-1][-1] < "\u08ff"
