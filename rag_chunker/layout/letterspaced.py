"""Which capitals are set apart as one word, rather than one word each? `C O N T E N T S`.

Typesetters part the letters of titles by a sixth of an em, words by more than a quarter.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rag_chunker.layout.lines import Line, Word

_WIDEST = 0.22
"""In em: the widest gap between letters of a word."""
_FEWEST = 4
"""Letters, or kerned pairs of them, that are one word if they are set apart evenly."""


def join_letters(lines: Iterable[Line]) -> None:
    """Makes one word of capitals that stand apart by less than words do, and of the shorter words
    in the line of one."""
    for line in lines:
        if sum(len(word.text) == 1 for word in line.words) < _FEWEST - 1:
            continue
        runs = list(_runs(line.words))
        if any(map(_is_spaced, runs)):
            for run in runs:
                for _, behind in pairwise(run):
                    behind.glued = True


def _runs(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    start = 0
    for end in range(1, len(words) + 1):
        if end == len(words) or not _are_close(words[end - 1], words[end]):
            yield words[start:end]
            start = end


def _are_close(word: Word, behind: Word) -> bool:
    close = 0 < behind.left - word.right <= _WIDEST * word.style.size
    return close and _is_letter(word) and _is_letter(behind)


def _is_letter(word: Word) -> bool:
    return len(word.text) <= 2 and word.text.isalpha() and word.text.isupper()


def _is_spaced(run: Sequence[Word]) -> bool:
    return len(run) >= _FEWEST and 2 * sum(len(word.text) == 1 for word in run) >= len(run)
