"""Which gaps between words hold an underscore that is drawn as a rule? TeX's old fonts have none.

LaTeX's `\\_` is a rule 0.3 em wide on the baseline, with 0.06 em before it: `make_path` arrives as
`make path` and a rule.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import zip_longest
from math import inf

from rag_chunker.layout.geometry import Rule
from rag_chunker.layout.lines import Line, Word

_NARROWEST, _WIDEST = 0.2, 0.65
"""In em."""
_ABOVE, _BELOW = 0.35, 0.2
"""In em: how far from a line's lower edge, descenders included, its baseline may be."""
_CLOSE = 0.15
"""In em: what parts an underscore from the letters of its word."""
MOST = 2_000
_SLACK = 0.05
"""In em: by how much boxes may overlap."""


def write_underscores(lines: Sequence[Line], rules: Sequence[Rule]) -> None:
    """Adds `_` to the words of `lines` beside which a short horizontal rule stands.

    More than `MOST` rules are a drawing, and left alone.
    """
    by_height = sorted(rules) if len(rules) <= MOST else []
    heights = [rule.at for rule in by_height]
    for line in lines if by_height else ():
        bottom, em = line.box.bottom, line.size
        first = bisect_left(heights, bottom - _ABOVE * em)
        last = bisect_left(heights, bottom + _BELOW * em)
        near = sorted(
            (rule.start, rule.end)
            for rule in by_height[first:last]
            if _NARROWEST * em <= rule.end - rule.start <= _WIDEST * em
        )
        if near:
            _write(line.words, near)


def _write(words: Sequence[Word], rules: Sequence[tuple[float, float]]) -> None:
    for word, behind in zip_longest(words, words[1:]):
        em, right = word.style.size, word.right
        room = behind.left if behind else inf
        for start, end in rules[bisect_left(rules, (right - _SLACK * em,)) :]:
            if start - word.right > _CLOSE * em:
                break
            if end <= room + _SLACK * em and start - word.right >= -_SLACK * em:
                word.text += "_"
                word.right = end
        if behind and word.right > right and room - word.right <= _CLOSE * em:
            behind.glued = True
