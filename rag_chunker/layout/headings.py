"""Which paragraphs are headings? By size, weight, capitals, numbers, colour and isolation."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from rag_chunker.layout.initials import CAPITAL
from rag_chunker.layout.levels import Heading, Kind
from rag_chunker.layout.lines import Style
from rag_chunker.layout.markers import section_number
from rag_chunker.layout.paragraphs import Paragraph
from rag_chunker.layout.spacing import same_row

LONGEST = 200
"""Characters of a heading; titles of papers and laws come near it."""
MOST_LINES = 4
LONG = 80
"""Characters from which on a sentence is none."""
_LONG_PLAIN = 30
"""The same for text that is larger than most, and that is all."""
LARGER = 1.10
"""Times the body's size from which on size alone makes a heading."""
SMALLER = 0.78
"""Times the body's size down to which other looks than size make a heading."""
SMALLEST = 0.64
"""The same for bold lines with white space above them: browsers set the sixth level in 0.67."""
RARE_LOOK = 0.15
RARE_FONT = 0.07
"""Part of the text up to which a slant or colour, or merely another font, tells headings."""

_SENTENCE = re.compile(r"[.;,:!]$")
CAPTION = re.compile(
    r"(?:fig(?:ure?|\.)?|tab(?:le|ell|\.)|abbildung|abb\.|tabelle|tableau|listing|algorithm|figura|"
    r"tabla|tabela|tabella|exhibit|equation|scheme|rysunek|рис(?:унок|\.)|таблица|图|表|図)"
    r"(?:\s*[\dIVX]+|: \S)",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^:]{1,30}: \S")
_IMPRINT = re.compile(r"(?:copyright )?(?:©|\(c\)) ?\d|copyright \d|is[bs]n\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"_|^\S*[/\\]\S*$")
_DECLARATION = re.compile(r"(?=.*[_*])\w ?\((?=[^()]*[*,]|void\b)[^()]*\)(?:\s*\[[^\]]+\])?$")
"""Of a function in C and the like, which manuals set in bold: an identifier, or a pointer, and a
list of arguments at the end."""
_COMMAND = re.compile(r"[$#%>]+ ")
"""Behind the prompt of a shell."""
_ADDRESS = re.compile(r"://|www\.|\S@\S")
_FORMULA = re.compile("[=≈≠≤≥±∑∫∈]")
_WORD = re.compile(r"[^\W\d_]{2}|[\u3040-\u9fff\uac00-\ud7af]")
_LONG_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Body:
    """How the running text looks."""

    size: float
    bold: bool
    italic: bool
    color: int
    font: str
    code_bold: bool
    """Most code is bold too."""
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
    code = [line for p in paragraphs if p.code and len(p.lines) > 1 for line in p.lines]
    code_bold = 2 * sum(line.style.bold for line in code) > len(code)
    return Body(style.size, style.bold, style.italic, style.color, style.font, code_bold, share)


def kind_of(paragraph: Paragraph, text: str) -> Kind:
    """The look of a paragraph, by which headings are grouped into levels."""
    style = max(paragraph.lines, key=lambda line: line.size).style
    return Kind(
        style.size, _bold(paragraph), _all_caps(text), style.italic, style.color, style.font
    )


def headings_of(
    paragraphs: Sequence[Paragraph], texts: Sequence[str], bare: Sequence[bool]
) -> list[Heading]:
    """What decides the levels of paragraphs that are headings with these texts.

    `bare` says which directly follow another heading. A heading all in a fixed-pitch font, which
    browsers and others set smaller, has the kind of the next larger ones in other fonts.
    """
    kinds = [kind_of(paragraph, text) for paragraph, text in zip(paragraphs, texts, strict=True)]
    usual = {kind for kind, p in zip(kinds, paragraphs, strict=True) if not p.first.style.mono}
    found: list[Heading] = []
    for paragraph, text, kind, lone in zip(paragraphs, texts, kinds, bare, strict=True):
        number = section_number(text)
        if paragraph.first.style.mono:
            larger = [k for k in usual if 0 <= k.size - kind.size <= 0.25 * k.size]
            kind = min((k for k in larger if k.bold == kind.bold), default=kind)
        depth = number.depth if number else None
        found.append(Heading(kind, depth, paragraph.page, lone))
    return found


def _all_caps(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= 3 and all(char == char.upper() != char.lower() for char in letters)


def looks_like_heading(paragraph: Paragraph, text: str, body: Body, *, alone: bool) -> bool:
    """Whether typography, numbering or isolation make this paragraph a heading.

    `alone` says that more white space than between lines parts it from what stands above.
    """
    if not _may_be_heading(paragraph, text, body):
        return False
    kind = kind_of(paragraph, text)
    number = section_number(text)
    if number is not None and paragraph.marker is None and CAPITAL.match(text):
        number = None  # of somebody's name
    numbered = number is not None and number.dotted
    larger = kind.size >= LARGER * body.size
    if not (larger and kind.bold) and number is None and _DECLARATION.search(text):
        return False
    if larger:
        long = LONG if kind.bold else _LONG_PLAIN
        return not (len(text) > long and _SENTENCE.search(text))
    if paragraph.marker is not None and number is None:
        return False
    least = SMALLEST if kind.bold and alone and _LONG_WORD.search(text) else SMALLER
    if kind.size < least * body.size:
        return False
    if _SENTENCE.search(text) and not (numbered and len(text) <= LONG):
        return False
    if kind.bold and not body.bold:
        return True
    if kind.caps and kind.size >= 0.95 * body.size and not _IDENTIFIER.search(text):
        letters = sum(map(str.isalpha, text))
        if numbered:
            return alone or letters > 5
        return len(text) > 4 and 2 * sum(map(str.isdigit, text)) < letters  # no account number
    if not _starts_like_title(text):
        return False
    if (kind.italic and not body.italic) or kind.color != body.color:
        return numbered or (alone and _share(paragraph, body) < RARE_LOOK)
    return alone and kind.font != body.font and _share(paragraph, body) < RARE_FONT


def _may_be_heading(paragraph: Paragraph, text: str, body: Body) -> bool:
    if paragraph.code and (
        len(paragraph.lines) > 1
        or body.code_bold
        or not _bold(paragraph)
        or paragraph.first.marker is not None
        or _COMMAND.match(text)
    ):
        return False
    return (
        len(text) <= LONGEST
        and len(paragraph.lines) <= MOST_LINES
        and (paragraph.marker is None or paragraph.marker.ordered)
        and not paragraph.first.contents
        and paragraph.first.column >= 0
        and not CAPTION.match(text)
        and not _is_labelled(paragraph)
        and not _IMPRINT.match(text)
        and text[0] not in ":;,.)"
        and _WORD.search(text) is not None
        and all(text.count(a) == text.count(b) for a, b in ("()", "[]"))
    )


def _is_labelled(paragraph: Paragraph) -> bool:
    """Whether it is a label with what it names beside it: `Date: 4 March`, one of them bold."""
    first, *others = paragraph.lines
    if _LABELLED.match(first.text) and 0.05 < first.share_bold < 0.95:
        return True
    return first.text.endswith(":") and bool(others) and same_row(first, others[0])


def without_bylines(
    items: Sequence[Paragraph | object], heads: Sequence[Paragraph]
) -> list[Paragraph]:
    """The headings without authors, dates and the like on a title page.

    On the first page of several, above its first text, a heading of a look that no later page
    has, smaller than the largest, and without text of its own below it, introduces nothing.
    """
    if not heads:
        return []
    first = heads[0].page
    later = {_look(head) for head in heads if head.page != first}
    if not later:
        return list(heads)
    largest = max(head.style.size for head in heads if head.page == first)
    chosen = {id(head) for head in heads}
    follows = {id(item): after for item, after in pairwise([*items, None])}
    front = {id(item) for item in takewhile(lambda item: not _is_text(item, chosen), items)}
    return [
        head
        for head in heads
        if head.page != first
        or id(head) not in front
        or _look(head) in later
        or head.style.size == largest
        or head.first.entry is not None
        or _introduces(follows[id(head)], chosen)
    ]


def _introduces(after: object, chosen: Collection[int]) -> bool:
    """Whether what follows a heading is text enough to be its section's."""
    return _is_text(after, chosen) if isinstance(after, Paragraph) else after is not None


def _is_text(item: object, chosen: Collection[int]) -> bool:
    """Whether it is a paragraph of some length, and no heading."""
    return (
        isinstance(item, Paragraph)
        and id(item) not in chosen
        and sum(len(line.text) for line in item.lines) >= 100
    )


def _look(paragraph: Paragraph) -> tuple[float, bool, bool]:
    style = paragraph.first.style
    return (round(style.size * 2) / 2, style.bold, style.italic)


def _starts_like_title(text: str) -> bool:
    return (
        not text[0].islower()
        and _LONG_WORD.search(text) is not None
        and _ADDRESS.search(text) is None
        and _FORMULA.search(text) is None
    )


def _bold(paragraph: Paragraph) -> bool:
    return all(line.share_bold > 0.7 for line in paragraph.lines)


def _share(paragraph: Paragraph, body: Body) -> float:
    return body.share.get(paragraph.first.style, 0.0)
