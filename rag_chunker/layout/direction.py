"""Does a page run from right to left? If so, mirrored it can be laid out like any other."""

from collections.abc import Iterable, Sequence

from rag_chunker.layout.geometry import Box, Rule
from rag_chunker.layout.lines import Line


def runs_leftward(lines: Iterable[Line]) -> bool:
    """Whether most letters are of right-to-left scripts: Hebrew, Arabic, Syriac, ..."""
    letters = leftward = 0
    for line in lines:
        for word in line.words:
            count = len(word.text)
            letters += count
            if "\u0590" <= word.text[0] <= "\u08ff":
                leftward += count
    return 2 * leftward > letters


def mirror_lines(lines: Iterable[Line], width: float) -> list[Line]:
    """The lines of a page `width` wide as seen in a mirror: logical order becomes left to right."""
    mirrored: list[Line] = []
    for line in lines:
        for word in line.words:
            word.left, word.right = width - word.right, width - word.left
        mirrored.append(Line(line.words, line.hyphen, order=line.order, page=line.page))
    return mirrored


def mirror_box(box: Box, width: float) -> Box:
    """A box in the mirror, or back."""
    return Box(width - box.right, box.top, width - box.left, box.bottom)


def mirror_across(rules: Sequence[Rule], width: float) -> list[Rule]:
    """Horizontal rules in the mirror."""
    return [Rule(rule.at, width - rule.end, width - rule.start) for rule in rules]


def mirror_down(rules: Sequence[Rule], width: float) -> list[Rule]:
    """Vertical rules in the mirror."""
    return [Rule(width - rule.at, rule.start, rule.end) for rule in rules]
