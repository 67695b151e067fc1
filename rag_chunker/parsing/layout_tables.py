"""Which rows of a text document's table are data, and which are page layout?

A row is layout if it holds a heading or another table: its cells are then read one after the
other, like the body. But a row of two or more cells that hold headings only names columns.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import JsonValue

from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.tables import CELL_SEPARATOR, LONGEST_HEADER, cell_text, table_blocks
from rag_core.text import is_blank
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


@dataclass
class Part:
    """Rows that follow each other: either one row of layout (`layout`), or data (`rows`), which
    is a table of its own: rows of one table stand together."""

    rows: list[list[Sequence[Any]]] = field(default_factory=list)
    layout: list[Any] | None = None
    """Cells to read one after the other."""
    header: bool = False
    """Whether the first row names the columns."""
    after: "Part | None" = None
    """The part whose header names the columns of this part, too."""
    header_text: str | None = None

    def plain_rows(self) -> list[list[str]]:
        """The texts of `rows` whose columns are pieces of text, as those of `PlainRow`."""
        rows = [["".join(pieces) for pieces in row] for row in self.rows]
        text = "".join(["".join(row) for row in rows])
        return rows if shown(text) is text else [list(map(shown, row)) for row in rows]

    def blocks(self, rows: Sequence[Sequence[str]], table: int) -> Iterator[Block]:
        """`rows` (the texts of `self.rows`) as blocks."""
        attributes: dict[str, JsonValue] = {}
        if self.header:
            first = next((row for row in rows if not is_blank("".join(row))), ())
            text = CELL_SEPARATOR.join(map(cell_text, first))
            self.header_text = text if len(text) <= LONGEST_HEADER else None
        elif self.after is not None and self.after.header_text:
            attributes["table_header"] = self.after.header_text
        return iter(table_blocks(rows, table=table, has_header=self.header, attributes=attributes))


class PlainRow(NamedTuple):
    """A row of a table that is nothing but text in cells."""

    element: Any
    cells: list[Any]
    """The cells' elements."""
    texts: list[Sequence[str]]
    """Of each cell the pieces of its text, a space between two paragraphs."""


def is_shown(piece: str) -> bool:
    """Whether a piece of text shows anything."""
    return bool(piece) and not piece.isspace()


def frame(
    cells: list[Any], texts: Iterable[Sequence[Any]], has_text: Callable[[Any], bool]
) -> list[Any] | None:
    """The cells of a table's only row if it merely frames text: there is one, or one of them holds
    several paragraphs with text. `texts` are the paragraphs of each cell."""
    several = any(sum(map(has_text, paragraphs)) > 1 for paragraphs in texts)
    return cells if several or len(cells) == 1 else None


def parts(
    rows: Iterable[Row], *, has_header: bool, has_text: Callable[[Any], bool]
) -> Iterator[Part]:
    """The rows of one table as parts, in order.

    Rows with one filled cell above the first wider row are titles: they are layout. With
    `has_header` the first row behind them, unless it is layout, names the columns of all parts.
    `has_text` says whether a paragraph shows anything.
    """
    listed = list(rows)
    titles = _titles(listed, has_text)
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
        part.rows.append(row.columns)
    if part.rows:
        yield part


def _titles(rows: Sequence[Row], has_text: Callable[[Any], bool]) -> int:
    for index, row in enumerate(rows[: MOST_TITLES + 1]):
        if row.layout:
            return 0
        if sum(any(map(has_text, column)) for column in row.columns) > 1:
            return index
    return 0


def is_layout(headings: Iterable[Sequence[bool]]) -> bool:
    """Whether a row is layout. `headings` says for each cell which of its non-blank paragraphs
    are headings."""
    filled = [cell for cell in headings if cell]
    if not any(any(cell) for cell in filled):
        return False
    return len(filled) == 1 or not all(all(cell) for cell in filled)
