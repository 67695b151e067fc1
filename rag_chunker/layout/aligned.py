"""Which rows of a column form a table without a grid? Those whose parts stand below each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag_chunker.layout.geometry import Rule, around
from rag_chunker.layout.grids import Span, Table, cell_text, has_bold_header, merged
from rag_chunker.layout.lines import Line, Word
from rag_chunker.layout.markers import LABEL, list_marker, section_number
from rag_chunker.layout.spacing import usual_pitch

_WIDE = 1.5
"""In em: a gap that parts cells whatever stands above and below."""
_SOFT = 0.75
"""In em: a gap that parts cells if those above and below start at the same place."""
_NARROW = 0.3
"""In em: a gap that parts cells if the header has a wide one at the same place."""
_FLUSH = 2.0
"""Points by which the edges of cells in one column may differ."""
_OTHER_SIZE = 1.5
"""Times the size of a row that the next one's may be: a title above a table is no row of it."""
_TIGHT = 1.12
"""Times the usual distance of lines: rows of text no further apart share a row of the table."""
_FEWEST_ITEMS = 2
"""Bullets behind the first column that make no table."""
_FULL = 0.5
"""Part of the cells of a table without header that hold text; formulas have fewer."""

_NUMBER = re.compile(r"[-+(]?[€$£¥]?\d[\d.,'\u00a0 ]*[%€$£¥)]?")

Part = tuple[Line, list[Word]]
"""Words of one line that belong together."""


@dataclass(eq=False)
class _Row:
    """What stands side by side at one height."""

    lines: list[Line]
    parts: list[Part]

    @property
    def spans(self) -> list[tuple[float, float]]:
        return [(words[0].left, max(word.right for word in words)) for _, words in self.parts]

    @property
    def top(self) -> float:
        return min(line.box.top for line in self.lines)

    @property
    def bottom(self) -> float:
        return max(line.box.bottom for line in self.lines)

    @property
    def middle(self) -> float:
        return median(line.box.middle for line in self.lines)

    @property
    def wide(self) -> bool:
        """Whether a wide gap parts it, rather than only soft ones."""
        em = self.lines[0].size
        spans = self.spans
        return any(b[0] - a[1] > _WIDE * em for a, b in pairwise(spans))


def find_aligned(items: Sequence[Line | Table], across: Sequence[Rule] = ()) -> list[Line | Table]:
    """The items with every run of lines that forms a table replaced by that table.

    Three rows with wide gaps in common make a table; two rows, or narrow gaps, only with a rule
    below the first row or a bold header over plain cells. `across` are horizontal rules.
    """
    pitch = usual_pitch([item for item in items if isinstance(item, Line)])
    across = merged(across)  # browsers draw those of each cell
    found: list[Line | Table] = []
    rows: list[_Row] = []
    column = None
    for item in items:
        if isinstance(item, Table) or item.titled:
            found += [*_with_tables(rows, across, pitch), item]
            rows = []
            continue
        if item.column != column:
            found += _with_tables(rows, across, pitch)
            rows = []
        column = item.column
        if rows and _beside(rows[-1], item):
            rows[-1] = _row([*rows[-1].lines, item])
        else:
            rows.append(_row([item]))
    return found + _with_tables(rows, across, pitch)


def _beside(row: _Row, line: Line) -> bool:
    return row.top < line.box.middle < row.bottom and all(
        line.left >= other.box.right or line.box.right <= other.left for other in row.lines
    )


def _row(lines: list[Line]) -> _Row:
    lines = sorted(lines, key=lambda line: line.left)
    parts: list[Part] = []
    for line in lines:
        start = 0
        for index in range(1, len(line.words)):
            if _parted(line.words[index - 1], line.words[index]):
                parts.append((line, line.words[start:index]))
                start = index
        parts.append((line, line.words[start:]))
    return _Row(lines, parts)


def _parted(before: Word, word: Word) -> bool:
    if word.glued:
        return False
    return word.loose or word.left - before.right > _SOFT * word.style.size


def _with_tables(
    rows: Sequence[_Row], across: Sequence[Rule], pitch: dict[int, float]
) -> list[Line | Table]:
    found: list[Line | Table] = []
    index = 0
    while index < len(rows):
        end, strips = _run(rows, index, pitch)
        run = rows[index:end]
        if _is_table(run, strips, across):
            found.append(_table(run, _with_narrow_gaps(run, strips), across, pitch))
            index = end
        else:
            behind = index + max(1, _rows_with_items(run))
            found += [line for row in rows[index:behind] for line in row.lines]
            index = behind
    return found


Strips = list[tuple[float, float]]


def _run(rows: Sequence[_Row], start: int, pitch: dict[int, float]) -> tuple[int, Strips]:
    """How far the rows from `start` on share at least two columns, and the columns."""
    strips: Strips = list(rows[start].spans)
    if len(strips) < 2:
        return start + 1, strips
    end = start + 1
    for index in range(start + 1, len(rows)):
        row, above = rows[index], rows[index - 1]
        usual = pitch.get(round(row.lines[0].size), 1.25 * row.lines[0].size)
        gap = row.middle - above.middle
        small, large = sorted(each.lines[0].size for each in (above, row))
        if not 0 < gap <= 3.0 * usual or large > _OTHER_SIZE * small:
            break
        if len(row.parts) >= 2:
            merged = _merged(strips, row.spans)
            if len(merged) < 2 or not _fits(rows[start], row):
                break
            strips = merged
            end = index + 1
        elif _continues(row, strips) and (
            gap <= _TIGHT * usual or (index + 1 < len(rows) and _overlap(row, rows[index + 1]))
        ):
            end = index + 1
        else:
            break
    return end, strips


def _are_sums(above: _Row, row: _Row) -> bool:
    """Whether both rows end in numbers with the same right edge, which no cell that goes on does:
    subtotal, tax and total."""
    numbers = [
        _NUMBER.fullmatch("".join(w.text for w in each.parts[-1][1])) for each in (above, row)
    ]
    return all(numbers) and abs(above.spans[-1][1] - row.spans[-1][1]) <= _FLUSH


def _overlap(above: _Row, row: _Row) -> bool:
    """Whether two rows share some height, as the lines of cells centred beside each other do."""
    return row.top < above.bottom - 0.2 * row.lines[0].size


def _merged(strips: Strips, spans: Strips) -> Strips:
    merged: Strips = []
    for left, right in sorted([*strips, *spans]):
        if merged and left < merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _fits(first: _Row, row: _Row) -> bool:
    """Rows with wide gaps fit if columns stay apart; others only if their cells are flush."""
    if first.wide and row.wide:
        return True
    starts = [left for left, _ in first.spans]
    ends = [right for _, right in first.spans]
    flush = [
        any(abs(left - other) <= _FLUSH for other in starts)
        or any(abs(right - other) <= _FLUSH for other in ends)
        for left, right in row.spans[1:]
    ]
    return any(flush)


def _continues(row: _Row, strips: Strips) -> bool:
    """Whether a lone part stands within one column, as the next line of a cell does."""
    left, right = row.spans[0]
    inside = [strip for strip in strips if left < strip[1] and right > strip[0]]
    return len(inside) == 1 and left >= inside[0][0] - _FLUSH


def _is_table(run: Sequence[_Row], strips: Strips, across: Sequence[Rule]) -> bool:
    full = [row for row in run if len(_columns(row, strips)) >= 2]
    if len(full) < 2 or len(strips) < 2:
        return False
    words = [word for row in run for line in row.lines for word in line.words]
    if all(word.style.mono for word in words):
        return False
    if any(line.contents for row in run for line in row.lines):
        return False
    if _is_list(full, strips) or _rows_with_items(run):
        return False
    if _has_header(run, strips, across):
        return True
    wide = [row for row in full if row.wide]
    if len(wide) < 3 or 2 * len(wide) <= len(full) or _is_listing(full):
        return False
    if all(LABEL.fullmatch("".join(w.text for w in row.parts[-1][1])) for row in full):
        return False
    return sum(len(_columns(row, strips)) for row in run) >= _FULL * len(run) * len(strips)


def _with_narrow_gaps(run: Sequence[_Row], strips: Strips) -> Strips:
    """The columns of a table, also those that only the header shows to be two: where one of its
    cells begins, all rows have a gap, as narrow as spreadsheets leave between columns."""
    left = [start for start, _ in run[0].spans]
    cuts = [at for at in left if any(start + 1 < at < end for start, end in strips)]
    cuts = [at for at in cuts if len(run) > 2 and all(_has_gap(row, at) for row in run)]
    if not cuts:
        return strips
    for row in run:
        row.parts = [piece for part in row.parts for piece in _cut(part, cuts)]
    found: Strips = []
    for row in run:
        found = _merged(found, row.spans)
    return found


def _has_gap(row: _Row, at: float) -> bool:
    words = [word for _, part in row.parts for word in part]
    before = max((word.right for word in words if word.left < at - 1), default=0.0)
    behind = min((word.left for word in words if word.left >= at - 1), default=at)
    return behind - before > _NARROW * row.lines[0].size


def _cut(part: Part, cuts: Sequence[float]) -> list[Part]:
    line, words = part
    pieces: list[Part] = []
    for word in words:
        column = sum(at - 1 <= word.left for at in cuts)
        if pieces and column == sum(at - 1 <= pieces[-1][1][0].left for at in cuts):
            pieces[-1][1].append(word)
        else:
            pieces.append((line, [word]))
    return pieces


def _is_listing(rows: Sequence[_Row]) -> bool:
    """Whether the first column counts the rows, as the numbers beside a program do."""
    firsts = ["".join(word.text for word in row.parts[0][1]) for row in rows]
    if not all(text.isdecimal() for text in firsts):
        return False
    numbers = [int(text) for text in firsts]
    return all(after - before == 1 for before, after in pairwise(numbers))


def _columns(row: _Row, strips: Strips) -> set[int]:
    return {_column(span, strips) for span in row.spans}


def _column(span: tuple[float, float], strips: Strips) -> int:
    """The first column that a part reaches into."""
    for index, (_, right) in enumerate(strips):
        if span[0] < right:
            return index
    return len(strips) - 1


def _is_list(rows: Sequence[_Row], strips: Strips) -> bool:
    """Whether the first of two columns holds nothing but bullets or numbers."""
    if len(strips) != 2:
        return False
    firsts = ["".join(word.text for word in row.parts[0][1]) for row in rows]
    return all(list_marker(f"{text} x") or section_number(f"{text} x") for text in firsts)


def _rows_with_items(rows: Sequence[_Row]) -> int:
    """How many rows it takes to the end of a list with bullets that stands beside something else;
    0 without one."""
    items = [
        number
        for number, row in enumerate(rows, start=1)
        if any(line.marker is not None for line in row.lines[1:])
    ]
    return items[-1] if len(items) >= _FEWEST_ITEMS else 0


def _has_header(run: Sequence[_Row], strips: Strips, across: Sequence[Rule]) -> bool:
    """Whether a rule under the first row, or its weight, tells it from the rows below."""
    first = run[0]
    below = next((row for row in run[1:] if row.middle - first.middle > 0), None)
    if below is None:
        return False
    left, right = strips[0][0], strips[-1][1]
    for rule in across:
        between = first.middle < rule.at < run[-1].middle
        if between and rule.start <= left + 4 and rule.end >= right - 4:
            return True
    bold = all(line.share_bold > 0.95 for line in first.lines)
    plain = [row for row in run if any(line.share_bold < 0.5 for line in row.lines)]
    return bold and len(plain) >= 1 and run[-1] in plain


def _table(
    run: Sequence[_Row], strips: Strips, across: Sequence[Rule], pitch: dict[int, float]
) -> Table:
    box = around(line.box for row in run for line in row.lines)
    cuts = [
        rule.at
        for rule in across
        if rule.start <= box.left + 4 and rule.end >= box.right - 0.3 * box.width
    ]
    cells: list[list[str]] = []
    table = Table(cells, box)
    for group in _grouped(run, strips, cuts, pitch):
        columns: list[list[tuple[Line, Word]]] = [[] for _ in strips]
        for row in group:
            for (line, words), span in zip(row.parts, row.spans, strict=True):
                first = _column(span, strips)
                columns[first] += [(line, word) for word in words]
                behind = max(first + 1, sum(left < span[1] for left, _ in strips))
                if behind - first > 1:
                    table.spans.append(Span(len(cells), first, behind))
        cells.append([cell_text(column) for column in columns])
    first_line = run[0].lines[0]
    table.column, table.order = first_line.column, first_line.order
    table.bold_header = has_bold_header(
        [[word for line in row.lines for word in line.words] for row in run]
    )
    return table


def _grouped(
    run: Sequence[_Row], strips: Strips, cuts: Sequence[float], pitch: dict[int, float]
) -> list[list[_Row]]:
    """Rows of text that share a row of the table, because a cell has several lines."""
    usual = pitch.get(round(run[0].lines[0].size), 1.25 * run[0].lines[0].size)
    gaps = [below.middle - above.middle for above, below in pairwise(run)]
    loose = any(gap > _TIGHT * usual for gap in gaps)
    groups: list[list[_Row]] = [[run[0]]]
    for above, row, gap in zip(run, run[1:], gaps, strict=False):
        cut = any(above.middle < at < row.middle for at in cuts)
        tight = gap <= _TIGHT * usual if loose else 0 not in _columns(row, strips)
        if (tight or _overlap(above, row)) and not (cut or _are_sums(above, row)):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups
