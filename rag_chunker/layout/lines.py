"""What is a line of text? Words on one baseline without a wide gap, with their typography."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rag_chunker.layout.geometry import Box


class Style(NamedTuple):
    """How characters look. OCR knows only the size; everything else then keeps its default."""

    size: float
    """Height of an em in points, as shown (font size times matrix)."""
    font: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    color: int = 0
    """0xRRGGBB."""


PLAIN = Style(10.0)

NO_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef]"
)
"""A character of a script that puts no spaces between words: Thai, Lao, Burmese, Khmer, Chinese,
Japanese."""


@dataclass(slots=True)
class Word:
    """Characters without white space between them, in one style and one marked content."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: Style = PLAIN
    glued: bool = False
    """No white space before it: it goes on where the word before it ends."""
    loose: bool = False
    """Set apart from the word before by position only, in a text whose spaces are characters."""
    tag: int = -1
    """Number of the marked content it belongs to on its page; -1 for none."""

    @property
    def box(self) -> Box:
        return Box(self.left, self.top, self.right, self.bottom)


@dataclass(eq=False)
class Line:
    """Words from left to right (right to left in right-to-left scripts)."""

    words: list[Word]
    hyphen: bool = False
    """Its last character is a hyphen that stands where the line was broken."""
    marker: str | None = None
    """The bullet drawn before it, if it is not part of its text."""
    marker_left: float = 0.0
    column: int = 0
    """Number of the column of its page, in reading order; -1 for text of another direction."""
    page: int = 0
    """1-based."""
    entry: int | None = None
    """Number of the outline's entry whose title it is, or part of."""
    titled: bool = False
    """It reads as one of the outline's titles for its page."""
    contents: bool = False
    """It is one line of a table of contents."""
    order: int = 0
    """Position in the content of its page, which is not always the reading order."""

    @cached_property
    def text(self) -> str:
        return join_words(self.words)

    @cached_property
    def box(self) -> Box:
        words = self.words
        return Box(
            min(word.left for word in words),
            min(word.top for word in words),
            max(word.right for word in words),
            max(word.bottom for word in words),
        )

    @cached_property
    def style(self) -> Style:
        """The style of most of its characters, fixed-pitch ones only if there are no others."""
        prose = [word for word in self.words if not word.style.mono]
        return dominant(prose or self.words)

    @cached_property
    def first_width(self) -> float:
        """Width of what could have stood on the line before: the first run without white space,
        one character in scripts without spaces."""
        if NO_SPACES.match(self.words[0].text):
            return self.words[0].style.size
        right = self.words[0].right
        for word in self.words[1:]:
            if not word.glued:
                break
            right = max(right, word.right)
        return right - self.words[0].left

    def with_words(self, words: list[Word]) -> "Line":
        """The same line with only some of its words."""
        hyphen = self.hyphen and words[-1] is self.words[-1]
        return Line(words, hyphen, column=self.column, page=self.page, order=self.order)

    def parted(self, count: int) -> "tuple[Line, Line]":
        """The first `count` words with the line's marker, and the others."""
        head, rest = Line(self.words[:count]), self.with_words(self.words[count:])
        head.marker, head.marker_left = self.marker, self.marker_left
        head.column, head.page, head.order = self.column, self.page, self.order
        return head, rest

    @property
    def left(self) -> float:
        return self.box.left

    @property
    def size(self) -> float:
        return self.style.size

    def compact(self) -> "Line":
        """The same line without its words' boxes, for keeping while other pages are read."""
        _ = self.text, self.box, self.style, self.first_width, self.share_bold, self.share_mono
        self.words = []
        return self

    @cached_property
    def share_bold(self) -> float:
        """Part of its visible characters that are bold, 0..1; fixed-pitch ones count only if
        there are no others."""
        prose = [word for word in self.words if not word.style.mono] or self.words
        return _share(prose, [word.style.bold for word in prose])

    @cached_property
    def share_mono(self) -> float:
        """Part of its visible characters that are of a fixed-pitch font, 0..1."""
        return _share(self.words, [word.style.mono for word in self.words])


def join_words(words: Iterable[Word]) -> str:
    """Their text with one space wherever a word is not glued to the one before."""
    parts: list[str] = []
    for word in words:
        if parts and not word.glued:
            parts.append(" ")
        parts.append(word.text)
    return "".join(parts)


def dominant(words: Sequence[Word]) -> Style:
    """The style of most characters of `words` (at least one)."""
    first = words[0].style
    if all(word.style is first for word in words):
        return first
    weight: Counter[Style] = Counter()
    for word in words:
        weight[word.style] += len(word.text)
    return weight.most_common(1)[0][0]


def _share(words: Sequence[Word], flags: Sequence[bool]) -> float:
    total = sum(len(word.text) for word in words)
    return sum(len(word.text) for word, flag in zip(words, flags, strict=True) if flag) / total
