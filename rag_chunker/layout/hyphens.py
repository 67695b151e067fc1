"""Is a hyphen at a line's end part of the word? Only the rest of the document can tell."""

import re
from collections.abc import Collection, Iterable, Sequence

from rag_chunker.layout.lines import NO_SPACES

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_HEAD = re.compile(r"([^\W\d_]+)[-\u2010\xad]$")
_TAIL = re.compile(r"([^\W\d_]+)((?:[-\u2010][^\W\d_]+)*)")
_LONG = 4
"""Letters: two known words at least this long, joined by a hyphen at a line's end, more likely
are a compound than the halves of an unknown word."""


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The words of a document in lower case, hyphenated ones whole and in parts."""
    found: set[str] = set()
    for text in texts:
        for word in _WORD.findall(text):
            word = word.lower().replace("\u2010", "-")
            found.add(word)
            if "-" in word:
                found.update(word.split("-"))
    return frozenset(found)


def join_lines(pieces: Sequence[tuple[str, bool]], known: Collection[str] = frozenset()) -> str:
    """Lines of one paragraph as one text.

    A piece is a line and whether it ends with a hyphen that may be undone. `known` is the
    document's `vocabulary` without its line ends.
    """
    text = ""
    open_hyphen = False
    for piece, hyphen in pieces:
        if not text:
            text = piece
        elif open_hyphen:
            text = _across(text, piece, known)
        elif NO_SPACES.match(text[-1]) and NO_SPACES.match(piece):
            text += piece
        else:
            text = f"{text} {piece}"
        open_hyphen = hyphen
    return text.replace("\xad", "")


def _across(text: str, piece: str, known: Collection[str]) -> str:
    if text.endswith("\xad"):
        return text[:-1] + piece
    head, tail = _HEAD.search(text), _TAIL.match(piece)
    if head is None or tail is None:
        return text + piece if text[-2:-1].isalnum() else f"{text} {piece}"
    first, second = head[1], tail[1]
    if keeps_hyphen(first, second, known):
        return text + piece
    return text[:-1] + piece


def keeps_hyphen(first: str, second: str, known: Collection[str]) -> bool:
    """Whether `first-second`, broken at its hyphen, is written with it.

    It is if it stands so elsewhere, if the second part is no lower-case word, or if both parts
    are words of the document and the whole is not.
    """
    if not second[0].islower() and second[0].upper() != second[0].lower():
        return True
    a, b = first.lower(), second.lower()
    if f"{a}-{b}" in known:
        return True
    if a + b in known:
        return False
    return len(a) >= _LONG and len(b) >= _LONG and a in known and b in known
