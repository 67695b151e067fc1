"""Which titles does the outline (the bookmarks) name, and which lines are they?"""

import ctypes
import re
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import combining, normalize

from rag_chunker.layout.lines import Line, join_words
from rag_chunker.layout.markers import section_number
from rag_chunker.parsing.pdf.opening import Handle, utf16

MAX_ENTRIES = 20_000
"""Two for each of the most pages that are read; a broken outline may be a cycle."""
MAX_TITLES = 500
"""Of one page, more than fit on one: each is compared with every line."""
LEAST_FOUND = 0.5
"""Part of the entries whose title must stand on its page; else the outline is about other text."""
_MOST_LINES = 4

_NOT_WORD = re.compile(r"[\W_]+")
_RUN_IN = re.compile(r"[.:!?—–]$")


class Entry(NamedTuple):
    """One title of the outline."""

    title: str
    level: int
    """1 for the outermost."""
    page: int | None
    """0-based; None if it leads nowhere in this document."""


def read_outline(document: Handle) -> list[Entry]:
    """The entries in order, at most `MAX_ENTRIES`, each at most once."""
    import pypdfium2.raw as pdfium

    entries: list[Entry] = []
    seen: set[int] = set()
    pending = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    while pending and len(entries) < MAX_ENTRIES:
        mark, level = pending.pop()
        if not mark or ctypes.addressof(mark.contents) in seen:
            continue
        seen.add(ctypes.addressof(mark.contents))
        title = " ".join(utf16(pdfium.FPDFBookmark_GetTitle, mark).split())
        if title:
            entries.append(Entry(title, level, _page_of(document, mark)))
        pending.append((pdfium.FPDFBookmark_GetNextSibling(document, mark), level))
        pending.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), level + 1))
    return entries


def _page_of(document: Handle, mark: Handle) -> int | None:
    import pypdfium2.raw as pdfium

    target = pdfium.FPDFBookmark_GetDest(document, mark)
    if not target:
        action = pdfium.FPDFBookmark_GetAction(mark)
        target = pdfium.FPDFAction_GetDest(document, action) if action else None
    page = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
    return page if page >= 0 else None


def titles_by_page(entries: Sequence[Entry]) -> dict[int, list[str]]:
    """The titles on each page, by its 0-based number; at most `MAX_TITLES` of each."""
    titles: dict[int, list[str]] = {}
    for entry in entries:
        if entry.page is not None:
            on_page = titles.setdefault(entry.page, [])
            if len(on_page) < MAX_TITLES:
                on_page.append(entry.title)
    return titles


def mark_titles(lines: Sequence[Line], titles: Sequence[str]) -> list[Line]:
    """The lines of one page, those that are its titles marked, so that no table takes them.

    A title behind which text runs on in its line, parted by a mark or by its look, becomes a line
    of its own.
    """
    found = list(lines)
    letters = [letters_of(line.text) for line in found] if titles else []
    for title in titles:
        wanted = letters_of(title)
        same = [at for at, text in enumerate(letters) if wanted and text == wanted]
        if same:
            found[max(same, key=lambda at: found[at].size)].titled = True
            continue
        for at, text in enumerate(letters):
            count = _words_of_title(found[at], wanted) if wanted and text.startswith(wanted) else 0
            if count:
                head, rest = found[at].parted(count)
                head.titled = True
                found[at : at + 1] = head, rest
                letters[at : at + 1] = wanted, text.removeprefix(wanted)
                break
    return found


def _words_of_title(line: Line, wanted: str) -> int:
    """With how many words a title begins a line that goes on; 0 if it goes on as one sentence."""
    for count in range(1, len(line.words)):
        text = join_words(line.words[:count])
        if letters_of(text) == wanted:
            before, behind = line.words[count - 1].style, line.words[count].style
            return count if _RUN_IN.search(text) or before is not behind else 0
    return 0


def match_outline(entries: Sequence[Entry], pages: Sequence[Sequence[Line]]) -> bool:
    """Marks the lines that are outline titles with their entry's number.

    A title may run over up to four lines. Entries are looked for on their page, from where the
    entry before was found. Returns whether enough of them were found for the outline to be
    trusted; otherwise no line is marked.
    """
    aimed = [
        (number, entry) for number, entry in enumerate(entries)
        if entry.page is not None and entry.page < len(pages)
    ]  # fmt: skip
    found: list[tuple[int, Sequence[Line]]] = []
    taken: set[int] = set()
    letters: dict[int, list[tuple[str, str]]] = {}
    for number, entry in aimed:
        index = entry.page or 0
        if index not in letters:
            letters[index] = [
                (letters_of(x.text), letters_of(x.text, first=False)) for x in pages[index]
            ]
        lines = _title_lines(entry.title, pages[index], letters[index], taken)
        if lines:
            taken.update(id(line) for line in lines)
            found.append((number, lines))
    if not found or len(found) < LEAST_FOUND * len(aimed):
        return False
    for number, lines in found:
        for line in lines:
            line.entry = number
    return True


def _title_lines(
    title: str, lines: Sequence[Line], letters: Sequence[tuple[str, str]], taken: set[int]
) -> Sequence[Line]:
    """The lines of a page that make a title; the largest where it stands more than once.

    `letters` are the lines' letters without and with a section number in front.
    """
    wanted = letters_of(title)
    best: Sequence[Line] = ()
    if not wanted:
        return best
    for start, (text, _) in enumerate(letters):
        if not text or not wanted.startswith(text) or id(lines[start]) in taken:
            continue
        end = start + 1
        while text != wanted and end < min(len(lines), start + _MOST_LINES):
            text += letters[end][1]
            end += 1
        if text == wanted and (not best or lines[start].size > best[0].size + 0.5):
            best = lines[start:end]
    return best


def letters_of(text: str, *, first: bool = True) -> str:
    """What titles are compared by: letters and digits, without case, accents and the number."""
    number = section_number(text) if first else None
    if number:
        text = text[number.length :]
    if not text.isascii():
        text = "".join(char for char in normalize("NFKD", text) if not combining(char))
    return _NOT_WORD.sub("", text).casefold()
