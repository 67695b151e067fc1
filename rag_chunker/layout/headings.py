"""Which paragraphs are headings, and of which level? Styles ranked, numbers and outline heeded."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_chunker.layout.lines import Style
from rag_chunker.layout.markers import section_number
from rag_chunker.layout.paragraphs import Paragraph

LONGEST = 200
"""Characters of a heading; titles of papers and laws come near it."""
MOST_LINES = 4
LARGER = 1.10
"""Times the body's size from which on size alone makes a heading."""
TOO_MUCH = 0.30
"""A style that holds a larger part of the text is no heading's."""

_SENTENCE = re.compile(r"[.;,:!]$")
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|abbildung|abb\.|tabelle|tableau|listing|algorithm|figura|"
    r"tabla|exhibit|equation|scheme)\s*[\dIVX]+",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){4,}|\s\d{1,4}$")


class Kind(NamedTuple):
    """A look that headings of one level share."""

    size: float
    bold: bool
    caps: bool
    italic: bool
    color: int
    font: str


@dataclass(frozen=True, slots=True)
class Body:
    """How the running text looks."""

    size: float
    bold: bool
    italic: bool
    color: int
    font: str
    share: dict[Style, float]
    """Part of the document's characters in each style, 0..1."""


def body_of(paragraphs: Sequence[Paragraph]) -> Body:
    """The style of most of the text that is no code."""
    weight: Counter[Style] = Counter()
    for paragraph in paragraphs:
        if not paragraph.code:
            for line in paragraph.lines:
                weight[line.style] += len(line.text)
    total = sum(weight.values()) or 1
    style = weight.most_common(1)[0][0] if weight else Style(10.0)
    share = {style: count / total for style, count in weight.items()}
    return Body(style.size, style.bold, style.italic, style.color, style.font, share)


def kind_of(paragraph: Paragraph, text: str) -> Kind:
    """The look of a paragraph, by which headings are grouped into levels."""
    style = paragraph.first.style
    bold = all(line.share_bold > 0.7 for line in paragraph.lines)
    return Kind(style.size, bold, _all_caps(text), style.italic, style.color, style.font)


def _all_caps(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= 3 and all(char == char.upper() != char.lower() for char in letters)


def looks_like_heading(paragraph: Paragraph, text: str, body: Body) -> bool:
    """Whether typography, numbering or isolation make this paragraph a heading."""
    if not _may_be_heading(paragraph, text):
        return False
    kind = kind_of(paragraph, text)
    number = section_number(text)
    if kind.size >= LARGER * body.size:
        return not (len(text) > 80 and _SENTENCE.search(text)) and any(map(str.isalpha, text))
    if paragraph.marker is not None and number is None:
        return False
    if kind.size < 0.85 * body.size or (_SENTENCE.search(text) and not (number and number.dotted)):
        return False
    if kind.bold and not body.bold:
        return True
    numbered = number is not None and number.dotted
    if kind.caps and (numbered or (len(text) > 4 and kind.size >= body.size)):
        return True
    if kind.italic and not body.italic and len(text) < 90:
        return numbered or _rare(paragraph, body)
    return kind.color != body.color and (numbered or _rare(paragraph, body)) and len(text) < 90


def _may_be_heading(paragraph: Paragraph, text: str) -> bool:
    return (
        not paragraph.code
        and len(text) <= LONGEST
        and len(paragraph.lines) <= MOST_LINES
        and (paragraph.marker is None or paragraph.marker.ordered)
        and not _CAPTION.match(text)
        and any(map(str.isalpha, text))
    )


def _rare(paragraph: Paragraph, body: Body) -> bool:
    return body.share.get(paragraph.first.style, 0.0) < 0.07


def levels_of(kinds: Sequence[Kind], depths: Sequence[int | None]) -> list[int]:
    """A level, 1..6, for each heading: by the rank of its kind, and its number's depth.

    `depths` is the depth of each heading's section number, None without one. Kinds whose
    numbers all have one depth are set to it; the rest keep their order around them.
    """
    ranks = sorted(set(kinds), key=_rank)
    merged: dict[Kind, int] = {}
    level = 0
    before: Kind | None = None
    for kind in ranks:
        if before is None or _rank(kind)[:3] != _rank(before)[:3]:
            level += 1
        merged[kind] = level
        before = kind
    return [max(1, min(6, merged[kind])) for kind in kinds]


def _rank(kind: Kind) -> tuple[float, bool, bool, bool, int, str]:
    return (
        -round(kind.size * 2) / 2,
        not kind.bold,
        kind.italic,
        not kind.caps,
        kind.color,
        kind.font,
    )
