"""How are lines set? Their usual distance, and how far right their neighbours reach."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line, Style

PARAGRAPH_GAP = 1.28
"""Times the usual distance of lines: more white space than this parts two paragraphs."""
SLACK = 0.6
"""Points added to that, for rounding."""

Item = Line | Table


def is_code(line: Line) -> bool:
    """Whether all of a line is in a fixed-pitch font."""
    return line.share_mono > 0.97


def same_column(above: Line, line: Line) -> bool:
    """Whether two lines stand in one column of one page."""
    return above.page == line.page and above.column == line.column


def gap_between(above: Line, line: Line) -> float:
    """The distance of their middles, in points; negative if `line` is the upper one."""
    return line.box.middle - above.box.middle


def same_row(above: Line, line: Line) -> bool:
    """Beside each other, as the parts of a line that was justified with wide gaps."""
    overlap = min(above.box.bottom, line.box.bottom) - max(above.box.top, line.box.top)
    return overlap > 0.5 * min(above.box.height, line.box.height)


def body_style(lines: Sequence[Line]) -> Style:
    """The style of most text that is no code."""
    weight: Counter[Style] = Counter()
    for line in [line for line in lines if not is_code(line)] or lines:
        weight[line.style] += len(line.text)
    return weight.most_common(1)[0][0] if weight else Style(10.0)


def usual_pitch(lines: Sequence[Line]) -> dict[int, float]:
    """The most common distance of neighbouring lines in a column, by size in whole points."""
    seen: dict[int, Counter[float]] = {}
    for above, line in pairwise(lines):
        gap = gap_between(above, line)
        size = round(line.size)
        close = 0.8 * size <= gap <= 2.2 * size
        if size and same_column(above, line) and round(above.size) == size and close:
            seen.setdefault(size, Counter())[round(gap * 2) / 2] += 1
    return {size: _tightest_common(gaps) for size, gaps in seen.items()}


def _tightest_common(gaps: Counter[float]) -> float:
    """The smallest gap that is at least a third as common as the most common one."""
    most = max(gaps.values())
    return min(gap for gap, count in gaps.items() if 3 * count >= most)


def column_rights(lines: Iterable[Line]) -> dict[tuple[int, int], float]:
    """The right edge of each column, by page and column."""
    rights: dict[tuple[int, int], float] = {}
    for line in lines:
        if is_code(line):  # code may run over the margin
            continue
        key = (line.page, line.column)
        rights[key] = max(rights.get(key, 0.0), line.box.right)
    return rights


def run_rights(items: Sequence[Item], pitch: dict[int, float]) -> dict[int, float]:
    """For each line (by id) the right edge that its closely set neighbours reach."""
    reach: dict[int, float] = {}
    run: list[Line] = []
    for item in (*items, None):
        if run and not (isinstance(item, Line) and _runs_on(run[-1], item, pitch)):
            right = max(line.box.right for line in run)
            reach.update((id(line), right) for line in run)
            run = []
        if isinstance(item, Line):
            run.append(item)
    return reach


def _runs_on(above: Line, line: Line, pitch: dict[int, float]) -> bool:
    usual = pitch.get(round(line.size), 1.25 * line.size)
    return (
        same_column(above, line)
        and abs(line.left - above.left) <= 2.5 * line.size
        and gap_between(above, line) <= PARAGRAPH_GAP * usual + SLACK
        and round(above.size) == round(line.size)
    )
