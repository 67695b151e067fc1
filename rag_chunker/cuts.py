"""Where may a text be cut? Levels from coarse to fine, and the finest cut that fits a budget."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rag_chunker.sentence import sentence_spans

__all__ = [
    "Cut",
    "Level",
    "cells",
    "first_fitting",
    "grapheme_starts",
    "lines",
    "longest_prefix",
    "sentences",
    "word_starts",
]

Level = Callable[[str, int, int], Sequence[tuple[int, int]]]
"""`(text, start, end)` to the spans of `text[start:end]`, in order: nothing visible lies between
two of them, and none has white space at its edges."""


def lines(text: str, start: int, end: int) -> Sequence[tuple[int, int]]:
    """Lines, for code and rows."""
    return _between(text, start, end, _LINE_END)


def cells(text: str, start: int, end: int) -> Sequence[tuple[int, int]]:
    """Cells of a table row; the separator stays with the cell on its left."""
    return _between(text, start, end, _CELL_END)


def sentences(text: str, start: int, end: int) -> Sequence[tuple[int, int]]:
    """Sentences, see `rag_chunker.sentence`."""
    return sentence_spans(text, start, end)


_LINE_END = re.compile(r"[\r\n]+")
_CELL_END = re.compile(r"(?<= \|) ")


def _between(
    text: str, start: int, end: int, boundary: re.Pattern[str]
) -> Sequence[tuple[int, int]]:
    spans = []
    edges = [start]
    for found in boundary.finditer(text, start, end):
        edges += found.span()
    edges.append(end)
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        piece = text[first:last]
        visible = piece.strip()
        if visible:
            begin = first + len(piece) - len(piece.lstrip())
            spans.append((begin, begin + len(visible)))
    return spans


def word_starts(text: str, start: int, end: int) -> list[int]:
    """Offsets in `text[start:end]` at which white space ends."""
    return [found.end() for found in _WHITE_SPACE.finditer(text, start, end) if found.end() < end]


_WHITE_SPACE = re.compile(r"\s+")


def grapheme_starts(text: str, start: int, end: int) -> list[int]:
    """Offsets of the extended grapheme clusters (UAX 29) of `text[start:end]`."""
    import regex

    return [found.start() for found in regex.finditer(r"\X", text, pos=start, endpos=end)]


def first_fitting(
    offsets: Sequence[int], fits: Callable[[int], bool], guess: int | None = None
) -> int | None:
    """The first of the `offsets` that fits, or None; what stands behind one that fits, fits too.

    Gallops away from the index `guess` (the last one by default) and then bisects, so that nothing
    much longer than what fits is ever looked at.
    """
    if not offsets:
        return None
    probe = len(offsets) - 1 if guess is None else min(max(guess, 0), len(offsets) - 1)
    bad, good = -1, len(offsets)
    step = 1
    while good - bad > 1:
        if fits(offsets[probe]):
            good = probe
        else:
            bad = probe
        if bad < 0:
            probe, step = max(good - step, 0), step * 2
        elif good == len(offsets):
            probe, step = min(bad + step, len(offsets) - 1), step * 2
        else:
            probe = (good + bad) // 2
    return offsets[good] if good < len(offsets) else None


class Cut(NamedTuple):
    """Where a text is cut, and what is in front of it."""

    at: int
    tokens: int


def longest_prefix(
    text: str,
    start: int,
    end: int,
    *,
    count_to: Callable[[int], int],
    room: int,
    keep: int,
    guess: int,
    tear: bool = True,
) -> Cut | None:
    """Where to cut `text[start:end]` so that `count_to(cut) <= room`; None if nothing fits.

    Cuts at white space where that leaves a count of at least `keep`, else between grapheme
    clusters, else (not even one cluster fits) between code points if `tear`. Fills at least fifteen
    sixteenths of the room where the text allows it. `guess` is the offset to try first.
    """
    best = _search(text, start, end, count_to, room, guess)
    if best is None or best.at == end or _is_word_end(text, best.at):
        return best
    for at, least in _better_cuts(text, start, best.at, keep):
        cut = best if at == best.at else Cut(at, count_to(at))
        if least <= cut.tokens <= room:
            return cut
    return best if tear else None


def _search(
    text: str, start: int, end: int, count_to: Callable[[int], int], room: int, guess: int
) -> Cut | None:
    """About the last offset that fits: it fills fifteen sixteenths of the room, or one more code
    point does not fit.

    Secant steps on the characters that a token takes, then bisection. Prefers the end of a word
    close by, so that mostly one count will do.
    """
    best: Cut | None = None
    fit, limit = start, end + 1
    while limit - fit > 1:
        probe = min(max(guess, fit + 1), limit - 1)
        if probe < end:
            probe = _word_end_before(text, probe, max(fit, probe - _CLOSE_BY)) or probe
        tokens = count_to(probe)
        if tokens > room:
            limit = probe
        else:
            fit, best = probe, Cut(probe, tokens)
            if 16 * tokens >= 15 * room:
                break
        secant = start + (probe - start) * room // max(tokens, 1)
        guess = secant if fit < secant < limit else (fit + limit) // 2
    return best


_CLOSE_BY = 48
"""Characters to go back for the end of a word."""


def _better_cuts(text: str, start: int, at: int, keep: int) -> Iterator[tuple[int, int]]:
    """Places to cut before `at`, best first, each with the least count that makes it worth it."""
    word_end = _word_end_before(text, at, start)
    if word_end is not None:
        yield word_end, keep
    cluster = _cluster_edge(text, start, at)
    while cluster > start:
        yield cluster, 0
        cluster = _cluster_edge(text, start, cluster - 1)


def _word_end_before(text: str, offset: int, least: int) -> int | None:
    """The last end of a word in `text[least + 1:offset + 1]`."""
    space = max(text.rfind(white, least, offset + 1) for white in _WORD_SEPARATORS)
    if space < 0:
        return None
    end = least + len(text[least:space].rstrip())
    return end if end > least else None


_WORD_SEPARATORS = (" ", "\n", "\t", "\u3000")


def _is_word_end(text: str, offset: int) -> bool:
    return text[offset].isspace() and not text[offset - 1].isspace()


def _cluster_edge(text: str, start: int, offset: int) -> int:
    """The last edge between two grapheme clusters in `text[start:offset + 1]`."""
    if offset <= start or (_is_plain(text[offset - 1]) and _is_plain(text[offset])):
        return max(offset, start)
    back = offset
    while back > start and not (_is_plain(text[back - 1]) and _is_plain(text[back])):
        back -= 1
    edges = grapheme_starts(text, back, min(offset + _AHEAD, len(text)))
    return edges[bisect_right(edges, offset) - 1]


_AHEAD = 8
"""Code points behind an offset that show whether it lies inside a cluster: the one that follows
decides (UAX 29 looks no further ahead)."""


def _is_plain(char: str) -> bool:
    """True for what never shares a cluster with another such character (UAX 29)."""
    return " " <= char <= "~"
