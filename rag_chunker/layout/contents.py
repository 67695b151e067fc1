"""Which lines are entries of a table of contents, rather than headings, text or a table?"""

import re
from collections.abc import Iterable, Sequence

from rag_chunker.layout.lines import Line

_LEADERS = re.compile(r"(?:[.…·]\s?){4,}\s*[\divxlcIVXLC–-]{0,9}$")
_NUMBER = re.compile(r"(?:^|\s)(\d{1,4}|[ivxlc]{1,6})$")
_TITLE = re.compile(
    r"(?:table\s+of\s+)?contents|inhalt(?:sverzeichnis)?|sommaire|table\s+des\s+mati[èe]res|"
    r"[íi]ndice(?:\s+general)?|indice|spis\s+tre[śs]ci|inhoud(?:sopgave)?|目\s*[录錄次]",
    re.IGNORECASE,
)
_FEWEST = 3
"""Entries under a title of contents; leader dots need no company."""
_FLUSH = 1.3
"""In em: by how much the right edges of page numbers may differ; they may be flush left."""


def mark_contents(lines: Sequence[Line]) -> None:
    """Sets `contents` on the lines of one page that are entries of a table of contents.

    Those with leader dots, and below a title like "Contents" those that end with a page number
    at the right edge, with all that stands on their row.
    """
    rows = _rows(lines)
    _mark(row for row in rows if any(_LEADERS.search(line.text) for line in row))
    title = next((i for i, row in enumerate(rows) if _is_title(row)), None)
    if title is not None:
        _mark(_numbered(rows[title + 1 :]))


def mark_continued_contents(pages: Iterable[Sequence[Line]]) -> None:
    """Goes on where a page ends in a table of contents: the next one begins with entries.

    `pages` are the lines of consecutive pages, without running headers and footers.
    """
    goes_on = False
    for lines in pages:
        rows = _rows(lines)
        if goes_on:
            entries = _numbered(rows)
            if rows and rows[0] in entries:
                _mark(entries)
        goes_on = any(row[-1].contents for row in rows[-2:])  # below may be the page's number


def _numbered(rows: Sequence[list[Line]]) -> list[list[Line]]:
    """The rows that end with a page number at the right edge; none if they are few."""
    found = [row for row in rows if _NUMBER.search(row[-1].text)]
    right = max((row[-1].box.right for row in found), default=0.0)
    flush = [row for row in found if right - row[-1].box.right <= _FLUSH * row[-1].size]
    return flush if len(flush) >= _FEWEST else []


def _mark(rows: Iterable[Sequence[Line]]) -> None:
    for row in rows:
        for line in row:
            line.contents = True


def _is_title(row: Sequence[Line]) -> bool:
    return len(row) == 1 and _TITLE.fullmatch(row[0].text.strip(" :")) is not None


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of a page by height, each row from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box.middle):
        if rows and line.box.middle - rows[-1][0].box.middle <= 0.4 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]
