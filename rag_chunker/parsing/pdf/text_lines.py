"""How do characters become words, and words lines? By gaps, jumps and line breaks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from unicodedata import normalize

from rag_chunker.layout.lines import Line, Word
from rag_chunker.parsing.pdf.fonts import Look
from rag_chunker.parsing.pdf.frame import Frame

COLUMN_GAP = 1.6
"""In em: a wider gap inside a line of PDFium's separates columns or cells (72 files by
six producers: between 1.3 and 2.0 no measure moves by more than 0.003)."""

_SUPERSCRIPT = 0.8
"""Times the size of the text: the largest superscript."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PRESENTATION = re.compile("[\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]")
"""Ligatures and shapes of Latin, Hebrew and Arabic letters that fonts encode as characters."""
_FEW_INFERRED = 0.25
HYPHENS = frozenset((2, 0xFFFE))
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


class LineBuilder:
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
        hyphen = code in HYPHENS
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
