"""Which characters stand where on a page, and how do they look? Asked of PDFium, run by run."""

import ctypes
import re
from collections.abc import Callable

from rag_chunker.parsing.pdf.accents import with_accents_joined
from rag_chunker.parsing.pdf.bitmap_fonts import with_ligatures
from rag_chunker.parsing.pdf.calls import address, calls
from rag_chunker.parsing.pdf.fonts import Look, Looks
from rag_chunker.parsing.pdf.frame import Frame
from rag_chunker.parsing.pdf.opening import Handle
from rag_chunker.parsing.pdf.text_lines import HYPHENS, Counts, LineBuilder, PageText, Spacing

_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = re.compile(
    "[!-~\xa1-\xac\xae-\u058f\u0900-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u2070-\u2fff\u3001-\ud7ff\uf900-\ufaff\ufe10-\ufe6f\uff01-\uffef]+"
)
"""Characters that need no second look: visible, unambiguous, written from left to right."""
_LINE_BREAKS = frozenset((10, 13))
_SPACES = frozenset((9, 11, 12, 32, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
_IGNORED = frozenset((0, 0xFEFF, 0x200B, 0x2060))


def read_text(text_page: Handle, frame: Frame, looks: Looks, spacing: Spacing) -> PageText:
    """All lines of a text page, in the order of its content, in coordinates as seen upright.

    A line ends where PDFium breaks it, at a gap wider than `COLUMN_GAP`, and where the text
    jumps. Lines outside the crop box are left out.
    """
    page = PageText()
    _read(text_page, LineBuilder(page, frame, spacing), looks, page.counts)
    if not spacing.as_characters:
        for line in page.all_lines():
            for word in line.words:
                word.loose = False
    return page


def _read(text_page: Handle, builder: LineBuilder, looks: Looks, counts: Counts) -> None:
    """Hands all characters to `builder`: runs of plain ones at once, the others one by one."""
    page, is_generated = address(text_page), calls().character_is_generated
    text = with_accents_joined(_text_of(text_page), _place_on(page))
    text = with_ligatures(
        text, lambda index: looks.is_unnamed(calls().character_object(page, index))
    )
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


def _place_on(page: int) -> Callable[[int], tuple[float, float] | None]:
    """How to find the left and right edge of a character, in PDF space."""
    import pypdfium2.raw as pdfium

    rect = pdfium.FS_RECTF()

    def place(index: int) -> tuple[float, float] | None:
        found = calls().character_box(page, index, ctypes.byref(rect))
        return (rect.left, rect.right) if found else None

    return place


class _CharacterReader:
    """Finds place and look of a page's characters.

    That is most of the time that a page takes: a foreign call for each question.
    """

    def __init__(
        self, page: int, text: str, builder: LineBuilder, looks: Looks, counts: Counts
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
                if _is_bad(code) and code not in HYPHENS:
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
