"""Which lines make one paragraph, list item or piece of code?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag_chunker.layout.geometry import Box, around
from rag_chunker.layout.grids import Table
from rag_chunker.layout.initials import initials
from rag_chunker.layout.lines import Line, Style
from rag_chunker.layout.markers import LABEL, Marker, list_marker
from rag_chunker.layout.spacing import (
    PARAGRAPH_GAP,
    SLACK,
    Item,
    body_style,
    column_rights,
    gap_between,
    is_code,
    run_rights,
    same_column,
    same_row,
    usual_pitch,
)

_CODE_GAP = 3.2
"""Times the usual distance of lines: more parts two pieces of code; empty lines are common."""
_FAR = 2.0
"""Times the size of the text that two pieces in a row stand apart which are no one text."""
_LARGE = 1.08
"""Times the size of the text from which on a line is larger."""
_ENDS = re.compile(r"[.!?:;。！？：؟।…][\"'”’»)\]]*$")


@dataclass(eq=False)
class Paragraph:
    """Lines that belong together, in order, over column and page breaks."""

    lines: list[Line]
    marker: Marker | None = None
    """The list marker it starts with, taken from its text or drawn before it."""
    marker_left: float = 0.0
    code: bool = False
    broken: list[int] = field(default_factory=list)
    """Indices of lines before which code has a blank line."""

    @property
    def first(self) -> Line:
        return self.lines[0]

    @property
    def last(self) -> Line:
        return self.lines[-1]

    @property
    def style(self) -> Style:
        return max(self.lines, key=lambda line: len(line.text)).style

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def box(self) -> Box:
        """Around its lines on the page where it starts."""
        return around(line.box for line in self.lines if line.page == self.page)


def group_lines(items: Sequence[Item]) -> list[Paragraph | Table]:
    """Paragraphs and tables in the order of `items`; every line lands in exactly one."""
    grouper = _Grouper(items)
    for item in items:
        grouper.add(item)
    paragraphs = [item for item in grouper.found if isinstance(item, Paragraph)]
    for at in initials([paragraph.marker for paragraph in paragraphs]):
        paragraphs[at].marker = None
    return grouper.found


class _Grouper:
    def __init__(self, items: Sequence[Item]) -> None:
        lines = [item for item in items if isinstance(item, Line)]
        self._pitch = usual_pitch(lines)
        self._right = column_rights(lines)
        self._run = run_rights(items, self._pitch)
        self._body = body_style(lines)
        self._open: Paragraph | None = None
        self.found: list[Paragraph | Table] = []

    def add(self, item: Item) -> None:
        if isinstance(item, Table):
            self.found.append(item)
            self._open = None
            return
        home = self._open = self._continued(item)
        if home is None:
            self._open = _opened(item)
            self.found.append(self._open)
            return
        if home.code and gap_between(home.last, item) > 1.6 * self._usual(item):
            home.broken.append(len(home.lines))
        home.lines.append(item)

    def _continued(self, line: Line) -> Paragraph | None:
        """The paragraph that `line` goes on with, None if it starts a new one."""
        last = self._open
        if last is not None and same_column(last.last, line):
            return last if self._goes_on(last, line) else None
        return self._goes_on_over_break(line)

    def _usual(self, line: Line) -> float:
        return self._pitch.get(round(line.size), 1.25 * line.size)

    def _goes_on(self, home: Paragraph, line: Line) -> bool:
        above = home.last
        gap = gap_between(above, line)
        usual = self._usual(line)
        if above.entry is not None or line.entry is not None:
            return above.entry == line.entry
        if above.contents or line.contents:
            return same_row(above, line)
        if home.code:
            if gap > 1.15 * usual and abs(above.share_bold - line.share_bold) > 0.95:
                return False
            return is_code(line) and -0.5 * usual < gap <= _CODE_GAP * usual
        if is_code(line) and (gap > 1.1 * usual or _ENDS.search(above.text) is not None):
            return False
        if gap < 0.3 * usual:
            far = line.left - above.box.right > _FAR * line.size
            labels = LABEL.fullmatch(line.text) or above.text.endswith(":")
            parted = far and _differs(above, line) and not labels
            return same_row(above, line) and not parted
        if gap > PARAGRAPH_GAP * usual + SLACK or _differs(above, line):
            return False
        if above.hyphen and line.text[:1].islower() and len(above.text) > 2:
            return True
        if self._starts_item(home, line):
            return False
        return not self._indents(home, line) and not self._ended_early(above, line)

    def _starts_item(self, home: Paragraph, line: Line) -> bool:
        marker = marker_of(line)
        if marker is None:
            return False
        sure = line.marker is not None or not (marker.ordered or marker.text in "-–—*·")
        above = home.last
        return (
            sure
            or home.marker is not None
            or abs(line.left - above.left) > 0.8 * line.size
            or _ENDS.search(above.text) is not None
            or self._ended_early(above, line)
        )

    def _indents(self, home: Paragraph, line: Line) -> bool:
        """Whether the left edge says that a new paragraph starts."""
        step = line.left - _row_left(home)
        em = line.size
        if home.marker is not None:
            if len(home.lines) == 1:
                return line.left < home.marker_left - 0.5 * em
            return abs(step) > 0.8 * em
        if step > 0.8 * em:
            return (
                not same_row(home.first, home.last)
                or _ENDS.search(home.last.text) is not None
                or _reach(home.last, line) < self._column_right(line)
            )
        return step < -0.8 * em and len(home.lines) > 1

    def _ended_early(self, above: Line, line: Line) -> bool:
        """Whether the first word of `line` would have fitted on the line above."""
        needed = _reach(above, line)
        if needed < self._run[id(above)]:
            return True
        if needed >= self._column_right(above):
            return False
        if _ENDS.search(above.text) is not None:
            return True
        wrapped = self._is_large(above) and line.text[:1].islower()  # in a box of its own
        return self._stands_out(above) and not (wrapped or _centred(above, line))

    def _column_right(self, line: Line) -> float:
        return self._right.get((line.page, line.column), 0.0)

    def _stands_out(self, line: Line) -> bool:
        """Whether a line looks like no running text, so that its neighbours say nothing."""
        style, body = line.style, self._body
        return (
            self._is_large(line)
            or line.share_bold > 0.95 > body.bold
            or (style.italic, style.color) != (body.italic, body.color)
        )

    def _is_large(self, line: Line) -> bool:
        return line.size >= _LARGE * self._body.size

    def _goes_on_over_break(self, line: Line) -> Paragraph | None:
        """The paragraph of the column before that `line` goes on with."""
        home = self._last_before_break(line)
        if home is None or line.marker is not None or home.code != is_code(line):
            return None
        if home.code:
            return home if home.last.page == line.page - 1 else None
        above = home.last
        if _differs(above, line) or above.page < line.page - 1:
            return None
        if above.entry is not None or line.entry is not None:
            return None
        if above.contents or line.contents:
            return None
        marker = marker_of(line)
        if marker is not None and not above.hyphen:
            return None
        if _ENDS.search(above.text) is not None:
            return None
        starts_lower = line.text[:1].islower()
        full = not self._ended_early(above, line)
        if above.hyphen and starts_lower:
            return home
        bold = above.share_bold > 0.95
        if not starts_lower and (bold or self._stands_out(line) != self._stands_out(above)):
            return None
        return home if full or starts_lower else None

    def _last_before_break(self, line: Line) -> Paragraph | None:
        """What stands last before the column of `line`, footnotes aside: they are smaller than
        text, as text is smaller than headings."""
        if self._is_large(line):
            last = self.found[-1] if self.found else None
            return (
                last if isinstance(last, Paragraph) and not same_column(last.last, line) else None
            )
        for item in reversed(self.found[-12:]):
            if isinstance(item, Table):
                continue
            if item.last.page < line.page - 1 or same_column(item.last, line):
                return None
            if item.style.size >= 0.93 * line.size or item.code:
                return item
        return None


def _centred(above: Line, line: Line) -> bool:
    middles = [(box.left + box.right) / 2 for box in (above.box, line.box)]
    return abs(middles[0] - middles[1]) <= 2.0 < abs(above.left - line.left)


def marker_of(line: Line) -> Marker | None:
    """The list marker before or in a line."""
    if line.marker is not None:
        return Marker(line.marker, 0, False)
    return list_marker(line.text)


def _opened(line: Line) -> Paragraph:
    if is_code(line):
        return Paragraph([line], code=True)
    left = line.marker_left if line.marker is not None else line.left
    return Paragraph([line], marker_of(line), left)


def _reach(above: Line, line: Line) -> float:
    """How far right the line above would reach if it had the first word of `line` too."""
    return above.box.right + line.first_width + 0.5 * line.size


def _row_left(home: Paragraph) -> float:
    """The left edge of the last row of a paragraph, which may be in several pieces."""
    left = home.last.left
    for line in reversed(home.lines[:-1]):
        if not (same_column(line, home.last) and same_row(line, home.last)):
            break
        left = min(left, line.left)
    return left


def _differs(above: Line, line: Line) -> bool:
    """Whether size or weight says that two lines are of different kinds."""
    small, large = sorted((above.size, line.size))
    if small < (0.7 if is_code(above) or is_code(line) else 0.92) * large:
        return True
    return abs(above.share_bold - line.share_bold) > 0.95
