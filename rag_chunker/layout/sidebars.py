"""Which lines stand in a bar beside the text that page after page has? A deck's sections, or a
letterhead's addresses."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line

_SMALLER = 0.8
"""Times the text's size up to which a line may be one of a bar."""
_FEWEST_PAGES, _SHARE = 3, 0.5
"""On how many pages, and on which part of them, a line of a bar repeats."""
_FEWEST_OF_SECTION = 2
"""On how many pages what belongs to one section repeats."""
_FEWEST = 2
"""Different lines of a bar."""
_STEADY = 3.0
"""Points by which the left edge of a bar's line may vary."""
_SAME_ROW = 2.0
"""Points by which the middles of a label and of what it names differ at most."""

Page = Sequence[Line | Table]


def sidebar_lines(pages: Sequence[Page], size: float) -> list[Line]:
    """The small lines left or right of the text, which has this size, that many pages repeat, and
    what a few pages repeat between them: the parts of one section. What stands there once stays,
    and so do labels of a form, which are on a row with what they name."""
    least = max(_FEWEST_PAGES, _SHARE * sum(map(bool, pages)))
    repeated = _repeated(pages, least)
    sides: tuple[list[Line], list[Line]] = [], []
    labels = [0, 0]
    for same, items in zip(repeated, pages, strict=True):
        lines = [line for line in same if line.size <= _SMALLER * size]
        if not lines:
            continue
        top, bottom = min(line.box.top for line in lines), max(line.box.bottom for line in lines)
        others = {id(line) for line in same}
        text = [
            item
            for item in items
            if isinstance(item, Line)
            and item.size > _SMALLER * size
            and top <= item.box.middle <= bottom
            and id(item) not in others
        ]
        left = min((item.box.left for item in text), default=0.0)
        right = max((item.box.right for item in text), default=float("inf"))
        for line in lines:
            for side, is_beside in enumerate((line.box.right <= left, line.left >= right)):
                if is_beside:
                    sides[side].append(line)
                    labels[side] += any(
                        abs(item.box.middle - line.box.middle) <= _SAME_ROW for item in text
                    )
    found: list[Line] = []
    for bar, number in zip(sides, labels, strict=True):
        is_bar = len({line.text for line in bar}) >= _FEWEST and 2 * number < len(bar)
        if is_bar and len({line.page for line in bar}) >= least:
            found += _inside(bar, _repeated(pages, _FEWEST_OF_SECTION))
    return found


def _repeated(pages: Sequence[Page], least: float) -> list[list[Line]]:
    """The lines of each page that stand at one left edge on many pages."""
    alike: defaultdict[tuple[str, int], list[tuple[int, Line]]] = defaultdict(list)
    for index, items in enumerate(pages):
        for item in items:
            if isinstance(item, Line):
                alike[item.text, round(item.left / _STEADY)].append((index, item))
    found: list[list[Line]] = [[] for _ in pages]
    for same in alike.values():
        if len({index for index, _ in same}) >= least:
            for index, line in same:
                found[index].append(line)
    return found


def _inside(bar: Sequence[Line], pages: Iterable[Sequence[Line]]) -> list[Line]:
    """The lines of all pages that are nowhere wider than the bar."""
    left, right = min(line.left for line in bar), max(line.box.right for line in bar)
    return [
        line
        for lines in pages
        for line in lines
        if left - _STEADY <= line.left and line.box.right <= right + _STEADY
    ]
