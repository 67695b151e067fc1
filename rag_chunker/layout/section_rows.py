"""Which first rows name the sections of their pages, and so are none of their text?"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line

_FEWEST, _SHARE = 2, 0.25
"""On how many pages, and on which part of them, a first row stands that names sections."""
_LARGER, _BOLD = 1.05, 0.95
"""Times the size of a line from which on another is larger, and the part of it that is bold."""
_SHORTEST = 8
"""Letters of a title that is looked for in a first row."""
_MOST_TITLES = 200
"""Titles above a page that are looked for."""

Title = tuple[Line, str]
"""What may be a title, and its letters."""


def section_rows(
    rows: Iterable[Sequence[Line]], pages: Sequence[Sequence[Line | Table]]
) -> list[Line]:
    """The lines of `rows`, first rows of pages at one height each, that name sections.

    Most of their words are titles that stand in the text, larger or bolder. Each may be another, so
    that nothing repeats: what LaTeX calls headings.
    """
    least = max(_FEWEST, _SHARE * len(pages))
    found: list[Line] = []
    for row in rows:
        same = [line for line in row if _letters(line.text)]
        if len({line.page for line in same}) < least:
            continue
        titles = _larger_than(same, pages)
        named = sum(_is_named(line, titles) for line in same)
        if 2 * named >= len(same):
            found += same
    return found


def _larger_than(row: Sequence[Line], pages: Sequence[Sequence[Line | Table]]) -> list[Title]:
    """What is larger than a row's smallest line, or bold, in order."""
    above = {id(line) for line in row}
    size = _LARGER * min(line.size for line in row)
    lines = (item for items in pages for item in items if isinstance(item, Line))
    return [
        (line, letters)
        for line in lines
        if (line.size > size or line.share_bold > _BOLD)
        and id(line) not in above
        and len(letters := _letters(line.text)) >= _SHORTEST
    ]


def _is_named(line: Line, titles: Sequence[Title]) -> bool:
    """Whether titles up to its page, larger or bolder than a line, say half of it."""
    left = _letters(line.text)
    least = len(left) / 2
    behind = bisect_right(titles, line.page, key=lambda title: title[0].page)
    for title, letters in titles[max(0, behind - _MOST_TITLES) : behind]:
        if title.size > _LARGER * line.size or title.share_bold > _BOLD > 2 * line.share_bold:
            left = left.replace(letters, "")
    return len(left) <= least


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).casefold()
