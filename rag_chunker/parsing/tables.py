"""How does a table become blocks? One `table_row` block a row, its header known in every row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest

from pydantic import JsonValue

from rag_core.text import is_blank
from rag_core.types import Block, BlockType

CELL_SEPARATOR = " | "
LONGEST_HEADER = 480
"""Characters. A longer header row could not be repeated in a 512-token chunk (it may take a third
of the budget, and a token is about three characters of header text), so that each cell carries
its column's name instead."""


def table_blocks(
    rows: Iterable[Sequence[str]],
    *,
    table: int,
    has_header: bool = True,
    attributes: dict[str, JsonValue] | None = None,
) -> Iterable[Block]:
    """The rows of one table as blocks, in order, streaming; rows without any text are dropped.

    `table` is the 0-based number of the table in its document. With `has_header` the first row
    that is not blank is the header: it comes as the first block, and its text is in each row's
    `table_header`. A header over `LONGEST_HEADER` characters is not emitted: every cell of the
    following rows is then written as `column: value`, empty cells left out.
    """
    shared: dict[str, JsonValue] = {**(attributes or {}), "table": table}
    lines = _lines(rows)
    if not has_header:
        yield from (_row(_shown(line), shared) for line in lines)
        return
    header = next(lines, None)
    if header is None:
        return
    header_text = _shown(header)
    if len(header_text) <= LONGEST_HEADER:
        shared["table_header"] = header_text
        yield _row(header_text, shared)
        yield from (_row(_shown(line), shared) for line in lines)
        return
    first = next(lines, None)
    if first is None:
        yield _row(header_text, shared)
        return
    names = header.split(_PARTED)
    yield _row(_record(names, first), shared)
    yield from (_row(_record(names, line), shared) for line in lines)


def cell_text(cell: str) -> str:
    """A cell on one line: runs of white space become one space, the edges go."""
    return " ".join(cell.split())


_PARTED = "\0"
"""Between the cells of a line: no text holds it, and no text is less visible."""


_BATCH = 256
"""Rows whose white space is looked at in one go, which is three times as fast as one by one."""
_LOOSE = ("  ", f" {_PARTED}", f"{_PARTED} ", " \n", "\n ")


def _lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows that are not blank, all cells as `cell_text` gives them."""
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        lines = [_PARTED.join(row) for row in batch]
        if _are_tidy(lines):
            yield from [line for line in lines if line.strip(_PARTED)]
        else:
            yield from [line for line in map(_tidied, lines) if not is_blank(line)]


def _are_tidy(lines: Sequence[str]) -> bool:
    """Whether all is as `_tidied` would leave it, and holds no invisible characters either."""
    text = "\n".join(lines)
    loose = any(sign in text for sign in _LOOSE) or text[:1] == " " or text[-1:] == " "
    if loose or text.count("\n") >= len(lines):
        return False
    return text.replace(_PARTED, "").replace("\n", "").isprintable()


def _tidied(line: str) -> str:
    words = " ".join(line.split())
    return words.replace(f" {_PARTED}", _PARTED).replace(f"{_PARTED} ", _PARTED)


def _shown(line: str) -> str:
    return line.replace(_PARTED, CELL_SEPARATOR)


def _record(names: Sequence[str], line: str) -> str:
    named = zip_longest(names, line.split(_PARTED), fillvalue="")
    return CELL_SEPARATOR.join(
        f"{name}: {value}" if name else value for name, value in named if not is_blank(value)
    )


def _row(text: str, attributes: dict[str, JsonValue]) -> Block:
    return Block.trusted(BlockType.table_row, text, attributes)
