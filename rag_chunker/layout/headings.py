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
SMALLER = 0.78
"""Times the body's size down to which bold headings go: the sixth level of browsers has 0.85, and
some are set in less."""
TOO_MUCH = 0.30
"""A style that holds a larger part of the text is no heading's."""

_SENTENCE = re.compile(r"[.;,:!]$")
CAPTION = re.compile(
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


class Heading(NamedTuple):
    """What decides the level of one heading."""

    kind: Kind
    depth: int | None
    """Of its section number; None without one."""
    page: int


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


def heading_of(paragraph: Paragraph, text: str) -> Heading:
    """What decides the level of a paragraph that is a heading with this text."""
    number = section_number(text)
    return Heading(kind_of(paragraph, text), number.depth if number else None, paragraph.page)


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
    if kind.size < SMALLER * body.size or (
        _SENTENCE.search(text) and not (number and number.dotted)
    ):
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
        and not CAPTION.match(text)
        and any(map(str.isalpha, text))
    )


def _rare(paragraph: Paragraph, body: Body) -> bool:
    return body.share.get(paragraph.first.style, 0.0) < 0.07


def levels_of(headings: Sequence[Heading]) -> list[int]:
    """A level, 1..6, for each heading of a document, in its order.

    Kinds rank by size, weight, caps; those of one size and weight by which comes first below a
    higher one. Section numbers overrule ranks: a number's depth counts from the level of the
    highest kind that is numbered. All kinds that only the first page has, once each and above
    the others, are the title's and share level 1.
    """
    ranked = _ranked(headings)
    level_of: dict[Kind, int] = {}
    base: int | None = None
    level = 0
    titles = _title_kinds(headings, ranked)
    for group in ranked:
        depths = [h.depth for h in headings if h.kind in group and h.depth is not None]
        size = sum(h.kind in group for h in headings)
        if depths and 2 * len(depths) >= size:
            if base is None:
                base = level + 1 - min(depths)
            level = max(level, base + min(depths))
            level_of.update((kind, base + min(depths)) for kind in group)
            level = max(level, base + max(depths))
            continue
        level += not (level and group <= titles)
        level_of.update((kind, level) for kind in group)
    return [_clamped(h, level_of, base) for h in headings]


def _clamped(heading: Heading, level_of: dict[Kind, int], base: int | None) -> int:
    level = level_of[heading.kind]
    if base is not None and heading.depth is not None:
        level = base + heading.depth
    return max(1, min(6, level))


def _title_kinds(headings: Sequence[Heading], ranked: Sequence[set[Kind]]) -> set[Kind]:
    """The highest kinds as long as they occur once, on the first page, without a number."""
    counts = Counter(heading.kind for heading in headings)
    first = {h.kind for h in headings if h.page == headings[0].page and h.depth is None}
    titles: set[Kind] = set()
    for group in ranked:
        if any(counts[kind] > 1 or kind not in first for kind in group):
            break
        titles |= group
    return titles


def _ranked(headings: Sequence[Heading]) -> list[set[Kind]]:
    """Groups of kinds that are one level, the highest first."""
    kinds = sorted({heading.kind for heading in headings}, key=_rank)
    groups: list[set[Kind]] = []
    start = 0
    for end in range(1, len(kinds) + 1):
        if end < len(kinds) and _rank(kinds[end])[:2] == _rank(kinds[start])[:2]:
            continue
        groups += _by_nesting(headings, kinds[start:end])
        start = end
    return groups


def _by_nesting(headings: Sequence[Heading], tied: Sequence[Kind]) -> list[set[Kind]]:
    """Kinds of one size and weight: those that open sections of higher kinds come first."""
    looks = sorted({(kind.italic, kind.caps) for kind in tied})
    if len(looks) == 1:
        return [set(tied)]
    opens: Counter[tuple[bool, bool]] = Counter()
    inside = {(kind, (kind.italic, kind.caps)) for kind in tied}
    names = dict(inside)
    before: Kind | None = None
    for heading in headings:
        if heading.kind in names and (before is None or before not in names):
            opens[names[heading.kind]] += 1
        before = heading.kind
    totals = Counter(names[h.kind] for h in headings if h.kind in names)
    looks.sort(key=lambda look: (-opens[look] / totals[look], look[0], not look[1]))
    return [{kind for kind in tied if names[kind] == look} for look in looks]


def _rank(kind: Kind) -> tuple[float, bool, bool, bool, int, str]:
    size = -round(kind.size * 2) / 2
    return (size, not kind.bold, kind.italic, not kind.caps, kind.color, kind.font)
