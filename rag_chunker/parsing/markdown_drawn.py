"""Which Markdown tables are drawn with `+---+` or with rows of dashes? Pandoc writes these."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

from markdown_it.rules_block import StateBlock

DRAWN_TABLE = "drawn_table"
"""The type of its token: `meta["rows"]` are the cells in Markdown, the first row names the columns
if `meta["header"]`; `content` is the caption."""

_GRID_LINE = re.compile(r"\+(?:[-=:]+\+)+[ ]*")
_RULE = re.compile(r"[ ]*-{3,}[ ]*")
_COLUMNS = re.compile(r"[ ]*-{2,}(?:[ ]+-{2,})+[ ]*")
_DASHES = re.compile(r"[ ]*-{2,}(?:[ ]+-{2,})*[ ]*")
_PAD = "\0"
_CAPTION = re.compile(r"[ ]*(?:Table)?:[ ]+(?=\S)")
_MOST_HEADER_LINES = 8
_MOST_GRID_LINES = 2_000
"""Reading a longer grid would take seconds."""

Rows = list[list[str]]


def drawn_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: a grid table, a simple table or a multiline table, with its caption below."""
    if silent:
        return False
    lines = _Lines(state, end)
    if lines[start].lstrip().startswith("+"):
        last, rows, header = _grid(lines, start)
    else:
        last, rows, header = _dashed(lines, start)
    if not rows:
        return False
    token = state.push(DRAWN_TABLE, "", 0)
    token.meta = {"rows": rows, "header": header}
    token.map = [start, last]
    after = last
    while after < end and lines.is_blank(after):
        after += 1
    if found := _CAPTION.match(lines[after]):
        last = after
        while not lines.is_blank(last):
            last += 1
        token.content = " ".join([lines[after][found.end() :], *lines.between(after + 1, last)])
    state.line = last
    return True


class _Lines:
    """The lines of a block, blank from its end on."""

    def __init__(self, state: StateBlock, end: int) -> None:
        self._state = state
        self.end = end

    def __getitem__(self, line: int) -> str:
        if line >= self.end:
            return ""
        return self._state.src[self._state.bMarks[line] : self._state.eMarks[line]]

    def is_blank(self, line: int) -> bool:
        return not self[line].strip()

    def between(self, first: int, behind: int) -> list[str]:
        return [self[line] for line in range(first, behind)]


_NONE: tuple[int, Rows, bool] = (0, [], False)


def _grid(lines: _Lines, start: int) -> tuple[int, Rows, bool]:
    """Behind its last line, its rows and whether the first is a header."""
    from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError

    if not _GRID_LINE.fullmatch(lines[start].strip()):
        return _NONE
    last = start
    while lines[last].lstrip().startswith(("+", "|")) and last - start < _MOST_GRID_LINES:
        last += 1
    grid = _padded([_aligned_left(line.strip()) for line in lines.between(start, last)])
    if len(set(map(len, grid))) > 1 or not _GRID_LINE.fullmatch(grid[-1]):
        return _NONE
    try:
        _, head, body = GridTableParser().parse(grid)
    except TableMarkupError:
        return _NONE
    names, rows = list(map(_cells, head)), list(map(_cells, body))
    header = [" ".join(filter(None, column)) for column in zip(*names, strict=True)]
    return last, [header, *rows] if names else rows, bool(names)


def _padded(lines: Sequence[str]) -> Any:
    """The lines with a sign more behind each that is as wide as two."""
    from docutils.statemachine import StringList

    padded = StringList(list(lines), "")
    padded.pad_double_width(_PAD)
    return padded


def _aligned_left(line: str) -> str:
    """Without the colons by which Pandoc says how a column is aligned."""
    return line.replace(":", "=" if "=" in line else "-") if _GRID_LINE.fullmatch(line) else line


def _cells(row: Iterable[tuple[int, int, int, Sequence[str]] | None]) -> list[str]:
    return ["" if cell is None else "\n".join(cell[3]).strip() for cell in row]


def _dashed(lines: _Lines, start: int) -> tuple[int, Rows, bool]:
    """As `_grid`, of a table whose columns are where the dashes of a line are."""
    ruled = _RULE.fullmatch(lines[start]) is not None
    head = columns = start + ruled
    while columns < head + (_MOST_HEADER_LINES if ruled else 1) and lines[columns].strip(" -"):
        columns += 1
    if not _COLUMNS.fullmatch(lines[columns]):
        return _NONE
    names, last = lines.between(head, columns), columns + 1
    is_closed = ruled or not names
    while not _DASHES.fullmatch(lines[last]) and (is_closed or not lines.is_blank(last)):
        if last >= lines.end:
            return _NONE
        last += 1
    body = lines.between(columns + 1, last)
    starts = [found.start() for found in re.finditer("-+", lines[columns])]
    in_paragraphs = ruled or (is_closed and not all(map(str.strip, body)))
    groups = [
        list(group) for filled, group in groupby(body, lambda line: bool(line.strip())) if filled
    ]
    if not in_paragraphs:
        groups = [[line] for group in groups for line in group]
    if not groups:
        return _NONE
    rows = [_sliced(group, [0, *starts[1:]]) for group in ([names] if names else []) + groups]
    return last + bool(_DASHES.fullmatch(lines[last])), rows, bool(names)


def _sliced(lines: Sequence[str], edges: Sequence[int]) -> list[str]:
    """What the lines of one row say in each column."""
    padded = _padded(lines)
    return [
        "\n".join(line[left:right] for line in padded).replace(_PAD, "").strip()
        for left, right in pairwise([*edges, None])
    ]
