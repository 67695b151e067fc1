"""Which lines repeat on page after page? Running headers, footers and page numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line
from rag_chunker.layout.section_rows import section_rows
from rag_chunker.layout.sidebars import sidebar_lines

_BAND = 0.12
"""Part of the page's height at its top and at its bottom where running lines stand."""
_WIDE_BAND = 0.2
"""The same for lines that carry the number of their page: margins may be large."""
_SHARE = 0.2
"""Part of the pages on which a line must repeat; odd and even pages may differ, and chapters."""
_LARGE = 1.1
"""Times the size of the text from which on a slide's line is a title."""
_TITLE_SHARE = 0.75
"""Part of the slides up to which one title stands on them: it does while its slide fills up."""
_STEADY = 3.0
"""Points that a running line's height may vary by."""
_OUTERMOST = 3
"""A running line is one of the first or last so many rows of its page."""

_SAME_ROW = 4.0
"""Points by which the middles of lines on one row may differ."""

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"^[ivxlc]+$", re.IGNORECASE)
_PAGE_WORDS = re.compile(
    r"(?:page|seite|p\.|s\.|pag\.|página|pagina|стр\.)?\s*[-–—|/]*\s*(\d+)\s*"
    r"(?:(?:of|von|de|sur|di|/|\|)\s*\d+)?\s*[-–—|]*",
    re.IGNORECASE,
)

_FIRST = re.compile(r"(\d{1,4})\s+\S")
_LAST = re.compile(r"\S\s+(\d{1,4})$")
_FEWEST_COUNTING = 3

_NEIGHBOURS = (-2, -1, 1, 2)
"""Steps to pages near by; odd and even ones may differ."""

Spot = tuple[int, Line]
"""Index of a page and one of its lines."""


def running_lines(
    pages: Sequence[Sequence[Line | Table]], heights: Sequence[float], *, slides: bool = False
) -> set[int]:
    """The `id`s of all lines that are running headers, footers or page numbers.

    None at all if most pages would be left empty: then the text itself repeats. On `slides`, lines
    larger than the text are titles.
    """
    size = _usual_size(pages)
    spots = _spots(pages, heights, rows=_OUTERMOST)
    found = _repeated(spots, len(pages), size) + _chapter_titles(spots, len(pages))
    outermost = _spots(pages, heights, rows=1, band=_WIDE_BAND)
    found += _counting(outermost, size) + sidebar_lines(pages, size)
    found += section_rows(_upper_rows(outermost, heights), pages)
    titles = _titles(pages, _LARGE * size) if slides else set()
    gone = {id(line) for line in found} - titles
    rest = [[item for item in items if id(item) not in gone] for items in pages]
    outermost = _spots(rest, heights, rows=1, band=_WIDE_BAND)
    found = _numbered(outermost, len(pages))
    gone |= {id(line) for line in found + _beside(outermost, found)} - titles
    filled = [items for items in pages if items]
    emptied = sum(all(id(item) in gone for item in items) for items in filled)
    return set() if 2 * emptied > len(filled) else gone


def _titles(pages: Sequence[Sequence[Line | Table]], size: float) -> set[int]:
    """The `id`s of the lines with words from this size on, those aside that nearly all pages
    have."""
    lines = [item for items in pages for item in items if isinstance(item, Line)]
    large = [line for line in lines if line.size >= size and any(map(str.isalpha, line.text))]
    pages_of: defaultdict[str, set[int]] = defaultdict(set)
    for line in large:
        pages_of[line.text].add(line.page)
    most = _TITLE_SHARE * len(pages)
    return {id(line) for line in large if len(pages_of[line.text]) <= most}


def _spots(
    pages: Sequence[Sequence[Line | Table]],
    heights: Sequence[float],
    *,
    rows: int,
    band: float = _BAND,
) -> list[Spot]:
    """The lines of all pages that stand in the first or last `rows` rows and near the edge."""
    return [
        (index, line)
        for index, (items, height) in enumerate(zip(pages, heights, strict=True))
        for line in _outer_lines(items, height, rows, band)
    ]


def _outer_lines(
    items: Sequence[Line | Table], height: float, most: int, band: float
) -> list[Line]:
    rows = _apart(sorted(item.box.middle for item in items))
    upper = rows[most - 1] if len(rows) >= most else height
    lower = rows[-most] if len(rows) >= most else 0.0
    return [
        item
        for item in items
        if isinstance(item, Line)
        and (
            item.box.middle <= min(band * height, upper + _SAME_ROW)
            or item.box.middle >= max((1 - band) * height, lower - _SAME_ROW)
        )
    ]


def _apart(heights: Sequence[float]) -> list[float]:
    """One height for each row of text."""
    rows: list[float] = []
    for height in heights:
        if not rows or height - rows[-1] > _SAME_ROW:
            rows.append(height)
    return rows


def _repeated(spots: Iterable[Spot], pages: int, size: float) -> list[Line]:
    """Lines with the same words at the same height on enough pages.

    A number in them may count with the pages (`Page 3 of 9`), unless they are larger than the
    text, of this size: `Exercise 3` on the third page is a title.
    """
    by_text: defaultdict[str, list[Spot]] = defaultdict(list)
    for index, line in spots:
        text = line.text
        if not any(map(str.isalpha, text)):
            continue
        by_text[text].append((index, line))
        for number in _DIGITS.finditer(text) if line.size <= size else ():
            offset = int(number[0][-9:]) - index
            same = f"{text[: number.start()]}\0{offset}{text[number.end() :]}"
            by_text[same].append((index, line))
    return _on_pages(by_text.values(), max(2, _SHARE * pages))


def _on_pages(groups: Iterable[list[Spot]], least: float) -> list[Line]:
    """The lines of each group that stand at one height on that many pages."""
    found: list[Line] = []
    for same in groups:
        same.sort(key=lambda spot: spot[1].box.middle)
        start = 0
        for end in range(1, len(same) + 1):
            if end < len(same) and _near(same[end - 1], same[end]):
                continue
            group = same[start:end]
            start = end
            if len({index for index, _ in group}) >= least:
                found += [line for _, line in group]
    return found


def _near(one: Spot, other: Spot) -> bool:
    return other[1].box.middle - one[1].box.middle <= _STEADY


def _numbered(spots: Iterable[Spot], pages: int) -> list[Line]:
    """Lone page numbers, roman ones too: those that count with the pages, or stand on most."""
    numbers: defaultdict[int, list[Line]] = defaultdict(list)
    romans: list[Line] = []
    for index, line in spots:
        text = line.text.strip()
        match = _PAGE_WORDS.fullmatch(text)
        if match:
            numbers[int(match[1][:9]) - index].append(line)
        elif _ROMAN.match(text):
            romans.append(line)
    found = [line for lines in numbers.values() if len(lines) >= min(2, pages) for line in lines]
    if found and pages > 1:
        found += romans
    return found


def _beside(spots: Iterable[Spot], numbers: Sequence[Line]) -> list[Line]:
    """Lines on the row of a page number: a chapter's title at the other edge."""
    heights = {line.page: line.box.middle for line in numbers}
    return [
        line
        for _, line in spots
        if line.page in heights and abs(line.box.middle - heights[line.page]) <= _SAME_ROW
    ]


def _counting(spots: Iterable[Spot], size: float) -> list[Line]:
    """Lines with words and a number that counts with the pages, at one height: `7 Debugging 9`.

    Those larger than the text are titles: a deck may have one section a slide.
    """
    alike: defaultdict[tuple[int, int], list[Spot]] = defaultdict(list)
    for index, line in spots:
        if line.size <= size:
            for end, match in enumerate((_FIRST.match(line.text), _LAST.search(line.text))):
                if match:
                    alike[end, int(match[1]) - index].append((index, line))
    return _on_pages(alike.values(), _FEWEST_COUNTING)


def _usual_size(pages: Sequence[Sequence[Line | Table]]) -> float:
    """The size of most text, lines that repeat counted once."""
    lines = {(item.text, item.size) for items in pages for item in items if isinstance(item, Line)}
    weight: Counter[float] = Counter()
    for text, size in lines:
        weight[size] += len(text)
    return max(weight, key=weight.__getitem__, default=0.0)


def _upper_rows(spots: Iterable[Spot], heights: Sequence[float]) -> list[list[Line]]:
    """The lines of first rows, those at one height together."""
    rows: defaultdict[int, list[Line]] = defaultdict(list)
    for index, line in spots:
        if line.box.middle < heights[index] / 2:
            rows[round(line.box.middle / _STEADY)].append(line)
    return list(rows.values())


def _chapter_titles(spots: Sequence[Spot], pages: int) -> list[Line]:
    """Lines at a height that many pages share, whose text a few pages repeat in turn.

    Titles of chapters run over their pages only. Where half of all lines at one height, of one
    size, repeat a neighbour's, the rest there runs too. (`Chapter` above each chapter's title
    repeats as well.)
    """
    slots: defaultdict[tuple[int, int], list[Spot]] = defaultdict(list)
    for spot in spots:
        slots[round(spot[1].box.middle / _STEADY), round(spot[1].size)].append(spot)
    found: list[Line] = []
    for same in slots.values():
        if len({index for index, _ in same}) < max(4, _SHARE * pages):
            continue
        texts = {(index, line.text) for index, line in same}
        repeating = sum(
            any((index + step, text) in texts for step in _NEIGHBOURS) for index, text in texts
        )
        if 2 * repeating >= len(same):
            found += [line for _, line in same]
    return found
