"""Which paragraphs read by OCR are headings, and of which level? Those in larger letters."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from rag_chunker.layout.headings import (
    body_of,
    headings_of,
    looks_like_heading,
    without_bylines,
)
from rag_chunker.layout.levels import levels_of
from rag_chunker.layout.lines import Line, Style, Word
from rag_chunker.layout.markers import list_marker, section_number
from rag_chunker.layout.paragraphs import Paragraph
from rag_chunker.ocr.doubt import UNSURE
from rag_core.types import Block, BlockType, OCRRegion

__all__ = ["heading_levels"]

CLEARLY_LARGER = 1.2
"""Times the size of running text from which on letters stand out. On 22 pages of one size, in four
fonts, with noise, skew and low resolution, no paragraph comes to more than 1.12, single lines to
1.19; titles set 1.25 times as large come to 1.22 and more."""
_ONE_LEVEL = 1.12
"""Times the smallest of a group of sizes that are one."""
_MOST_TEXT = 0.3
"""Part of the text in one larger size, used more than once, up to which it is not running text."""
_BODY = 10.0
"""Points: what sizes are told in."""


class _Region(NamedTuple):
    """A paragraph with what its look says."""

    place: int
    """In the sequence of all."""
    paragraph: Paragraph
    text: str


def heading_levels(
    regions: Sequence[OCRRegion], pages: Sequence[int], native: Iterable[Block] = ()
) -> list[int | None]:
    """For each region, read in this order on these pages, its level (1..6) if it is a heading.

    Sizes must be comparable. What is larger than running text is judged, and ranked, by the code
    that does so for PDF. Doubtful text (below `UNSURE`) is no heading, nor is what stands on most
    pages, as letterheads do, nor a size in which much of the text is set. A region of unknown size
    is no heading either.

    Beside `native` headings, those of pages with text of their own, there is one scheme of levels:
    a section number has the level that native numbers of its depth have. Others start on the
    highest native level, or below it if one heading alone has it and stands before: the title.
    """
    levels: list[int | None] = [None] * len(regions)
    found = _paragraphs(regions, pages)
    heads = _heads(found, [regions[one.place] for one in found])
    if not heads:
        return levels
    chosen = {id(one.paragraph) for one in heads}
    bare = [
        above is not None and id(above.paragraph) in chosen
        for above, one in pairwise([None, *found])
        if one is not None and id(one.paragraph) in chosen
    ]
    ranked = headings_of([one.paragraph for one in heads], [one.text for one in heads], bare)
    scheme = _Scheme(native, heads[0].paragraph.page)
    for one, level in zip(heads, levels_of(ranked), strict=True):
        levels[one.place] = scheme.level(one.text, level)
    return levels


def _paragraphs(regions: Sequence[OCRRegion], pages: Sequence[int]) -> list[_Region]:
    """The regions of known size, as the typography of PDF wants them."""
    sized = [
        (place, region, region.line_height)
        for place, region in enumerate(regions)
        if region.line_height is not None and region.text.strip()
    ]
    if not sized:
        return []
    usual = median(height for _, region, height in sized for _ in region.text)
    sizes = _sizes([(height / usual, len(region.text)) for _, region, height in sized])
    return [
        _Region(place, _paragraph(region.text.strip(), pages[place], size), region.text.strip())
        for (place, region, _), size in zip(sized, sizes, strict=True)
    ]


def _sizes(measured: Sequence[tuple[float, int]]) -> list[float]:
    """What each is set in, in points, of what it measures (times the body's size) and how many
    characters it has: sizes that are hardly apart are one, and what is not clearly larger is the
    body's."""
    larger = sorted({size for size, _ in measured if size >= CLEARLY_LARGER})
    group_of: dict[float, float] = {}
    for size in larger:
        smallest = next(reversed(group_of.values()), 0.0)
        group_of[size] = smallest if size <= _ONE_LEVEL * smallest else size
    uses = Counter(group_of[size] for size, _ in measured if size in group_of)
    letters: Counter[float] = Counter()
    for size, count in measured:
        letters[group_of.get(size, 1.0)] += count
    most = _MOST_TEXT * letters.total()
    common = {group for group, times in uses.items() if times > 1 and letters[group] > most}
    groups = [group_of.get(size, 1.0) for size, _ in measured]
    return [_BODY * (1.0 if group in common else group) for group in groups]


def _paragraph(text: str, page: int, size: float) -> Paragraph:
    line = Line([Word(text, 0.0, 0.0, 1.0, 1.0, Style(size))], page=page)
    return Paragraph([line], list_marker(text))


def _heads(found: Sequence[_Region], regions: Sequence[OCRRegion]) -> list[_Region]:
    paragraphs = [one.paragraph for one in found]
    body = body_of(paragraphs)
    letterheads = _on_most_pages(found)
    larger = [
        one.paragraph
        for one, region in zip(found, regions, strict=True)
        if one.paragraph.first.size > body.size
        and region.confidence >= UNSURE
        and one.text not in letterheads
        and looks_like_heading(one.paragraph, one.text, body, alone=True)
    ]
    chosen = {id(paragraph) for paragraph in without_bylines(paragraphs, larger)}
    return [one for one in found if id(one.paragraph) in chosen]


def _on_most_pages(found: Sequence[_Region]) -> set[str]:
    """Texts that stand on more than one page and on more than half of them."""
    pages: defaultdict[str, set[int]] = defaultdict(set)
    for one in found:
        pages[one.text].add(one.paragraph.page)
    least = max(1.0, len({one.paragraph.page for one in found}) / 2)
    return {text for text, on in pages.items() if len(on) > least}


class _Scheme:
    """The levels of a document's native headings, and where those of OCR come among them."""

    def __init__(self, native: Iterable[Block], first: int) -> None:
        """`first` is the page of the first heading read by OCR."""
        headings = [block for block in native if block.type is BlockType.heading and block.level]
        self._above = _levels_above(headings, first)
        self._of_depth = _level_of_depth(headings)

    def level(self, text: str, rank: int) -> int:
        """Of a heading that has this level among those of OCR."""
        number = section_number(text)
        if self._of_depth is not None and number is not None and number.dotted:
            return max(1, min(6, self._of_depth + number.depth))
        return max(1, min(6, self._above + rank))


def _levels_above(headings: Sequence[Block], first: int) -> int:
    if not headings:
        return 0
    top = min(block.level or 1 for block in headings)
    highest = [block for block in headings if block.level == top]
    is_title = len(highest) == 1 and _page_of(highest[0]) <= first
    return top if is_title else top - 1


def _level_of_depth(headings: Sequence[Block]) -> int | None:
    """What is to be added to a section number's depth for its level; None without numbers."""
    votes: Counter[int] = Counter()
    for block in headings:
        number = section_number(block.text)
        if number is not None and number.dotted:
            votes[(block.level or 1) - number.depth] += 1
    return votes.most_common(1)[0][0] if votes else None


def _page_of(block: Block) -> int:
    page = block.attributes.get("page")
    return page if isinstance(page, int) else 0
