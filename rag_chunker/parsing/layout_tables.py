"""Which rows of a text document's table are data, and which are page layout?

A row is layout if it holds a heading or another table: its cells are then read one after the
other, like the body. But a row of two or more cells that hold headings only names columns.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.headers import DEEPEST_HEADER, is_labelled
from rag_chunker.parsing.merged_headers import Ranges, with_levels_joined
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.tables import PARTED, as_lines, line_blocks, table_blocks
from rag_core.types import Block

MOST_COLUMNS = 64
"""Word allows 63; a larger span or repetition of cells is believed no further."""

MOST_TITLES = 3
"""Rows with one filled cell that can stand as titles above the header."""


@dataclass
class Row:
    """One row of a table."""

    cells: list[Any]
    """The cells' elements."""
    columns: list[Sequence[Any]]
    """The paragraphs of each column; none where a merged cell goes on."""
    layout: bool
    wide: Ranges = ()
    """The columns that its wide cells span."""
    header: bool = False
    """Whether the document says that it names columns, which it may do without saying so."""


@dataclass
class Part:
    """Rows that follow each other: either one row of layout (`layout`), or data (`rows`), which
    is a table of its own: rows of one table stand together."""

    rows: list[list[Sequence[Any]]] = field(default_factory=list)
    layout: list[Any] | None = None
    """Cells to read one after the other."""
    header: bool = False
    """Whether the first row names the columns."""
    stated: int = 0
    """How many rows from the first one on are said to name columns."""
    wide: list[Ranges] = field(default_factory=list)
    """The columns that wide cells of each row span."""
    after: "Part | None" = None
    """The part whose header names the columns of this part, too."""
    header_text: str | None = None

    def blocks(
        self, rows: Sequence[Sequence[str]], table: int, shared: dict[str, JsonValue]
    ) -> list[Block]:
        """`rows` (the texts of `self.rows`) as blocks, all with the `shared` attributes."""
        attributes = dict(shared)
        if self.header and is_labelled(rows[:DEEPEST_HEADER]):
            self.header = False
        if self.after is not None and self.after.header_text:
            attributes["table_header"] = self.after.header_text
        if self.header and rows:
            rows = with_levels_joined(rows, self.wide, stated=self.stated)
        found = list(table_blocks(rows, table=table, has_header=self.header, attributes=attributes))
        if self.header and found:
            header = found[0].attributes.get("table_header")
            self.header_text = None if header is None else str(header)
        return found


@dataclass
class PlainTable:
    """A table that is nothing but text in cells."""

    rows: Sequence[Iterable[Any]]
    """The cells' elements of each row, at least of those that are titles."""
    lines: list[str]
    """Each row as a line, its cells parted."""
    titles: int
    """How many rows at the top are titles, and so layout."""

    def blocks(
        self, table: int, shared: dict[str, JsonValue], *, has_header: bool
    ) -> Iterator[Block]:
        """The rows behind the titles as blocks, all with the `shared` attributes."""
        head = self.lines[self.titles : self.titles + DEEPEST_HEADER]
        if ":" in "".join(head[:1]) and is_labelled([line.split(PARTED) for line in head]):
            has_header = False
        starts = range(self.titles, len(self.lines), _BATCH)
        some = (as_lines(self.lines[start : start + _BATCH]) for start in starts)
        return line_blocks(some, table=table, has_header=has_header, attributes=shared)


_BATCH = 256


def plain_of(rows: Sequence[Iterable[Any]], widths: Sequence[int], texts: list[str]) -> PlainTable:
    """The table with these `texts`, row after row, as many in each as `widths` says."""
    each = iter(texts)
    head = (list(islice(each, width)) for width in widths[: MOST_TITLES + 1])
    titles = _titles(head, _is_shown)
    text = "".join(texts)
    each = iter(texts if shown(text) is text else map(shown, texts))
    return PlainTable(rows, [PARTED.join(islice(each, width)) for width in widths], titles)


def _is_shown(text: str) -> bool:
    return bool(text) and not text.isspace()


def frame(
    cells: list[Any], texts: Iterable[Sequence[Any]], has_text: Callable[[Any], bool]
) -> list[Any] | None:
    """The cells of a table's only row if it merely frames text: there is one, or one of them holds
    several paragraphs with text. `texts` are the paragraphs of each cell."""
    several = any(sum(map(has_text, paragraphs)) > 1 for paragraphs in texts)
    return cells if several or len(cells) == 1 else None


def parts(
    rows: Iterable[Row], *, has_header: bool, is_filled: Callable[[Any], bool]
) -> Iterator[Part]:
    """The rows of one table as parts, in order.

    Rows with one filled cell above the first wider row are titles: they are layout. With
    `has_header` the first row behind them, unless it is layout, names the columns of all parts.
    `is_filled` says whether a column shows anything.
    """
    listed = list(rows)
    head = takewhile(lambda row: not row.layout, listed[: MOST_TITLES + 1])
    titles = _titles((row.columns for row in head), is_filled)
    part, first = Part(), None
    for index, row in enumerate(listed):
        if row.layout or index < titles:
            if part.rows:
                yield part
            yield Part(layout=row.cells)
            part = Part(after=first)
            continue
        if has_header and index == titles:
            part.header, first = True, part
        if row.header and part.header and part.stated == len(part.rows):
            part.stated += 1
        part.rows.append(row.columns)
        part.wide.append(row.wide)
    if part.rows:
        yield part


def _titles(rows: Iterable[Sequence[Any]], is_filled: Callable[[Any], bool]) -> int:
    """How many of the first `rows`, up to one of layout, are titles."""
    above: list[int] = []
    for index, columns in enumerate(rows):
        filled = [at for at, column in enumerate(columns) if is_filled(column)]
        if len(filled) > 1:
            # One that begins behind an empty corner names the only column beside the first.
            return index - (filled == [0, 1] and above == [1])
        above = filled
    return 0


def is_layout(headings: Iterable[Sequence[bool]]) -> bool:
    """Whether a row is layout. `headings` says for each cell which of its non-blank paragraphs
    are headings."""
    filled = [cell for cell in headings if cell]
    if not any(any(cell) for cell in filled):
        return False
    return len(filled) == 1 or not all(all(cell) for cell in filled)
