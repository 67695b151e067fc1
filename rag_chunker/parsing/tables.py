"""How does a table become blocks? One `table_row` block a row, its header known in every row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from pydantic import JsonValue

from rag_chunker.parsing.byte_search import Sign
from rag_core.text import is_blank
from rag_core.types import Block

CELL_SEPARATOR = " | "
LONGEST_HEADER = 480
"""Characters. A longer header row could not be repeated in a 512-token chunk (it may take a third
of the budget, and a token is about three characters of header text), so that each cell carries
its column's name instead."""
PARTED = "\0"
"""Between the cells of a line: no text holds it, and no text is less visible."""
Lines = str
"""Some rows as one text, a line each, their cells parted by `PARTED`. What is done to hundreds of
rows at once takes a fraction of the time of one by one, and a table may have millions."""


def table_blocks(
    rows: Iterable[Sequence[str]],
    *,
    table: int,
    has_header: bool = True,
    attributes: dict[str, JsonValue] | None = None,
) -> Iterator[Block]:
    """The rows of one table as blocks, in order, streaming; rows without any text are dropped.

    `table` is the 0-based number of the table in its document. With `has_header` the first row
    that is not blank is the header: it comes as the first block, and its text is in each row's
    `table_header`. A header over `LONGEST_HEADER` characters is not emitted: every cell of the
    following rows is then written as `column: value`, empty cells left out.
    """
    return line_blocks(lined(rows), table=table, has_header=has_header, attributes=attributes)


def line_blocks(
    lines: Iterable[Lines],
    *,
    table: int,
    has_header: bool,
    attributes: dict[str, JsonValue] | None = None,
) -> Iterator[Block]:
    """As `table_blocks`, of rows that are lines already."""
    shared: dict[str, JsonValue] = {**(attributes or {}), "table": table}
    filled = filter(None, map(_tidy, lines))
    texts = _with_header(filled, shared) if has_header else map(_shown, filled)
    return chain.from_iterable(Block.trusted_rows(some, shared) for some in texts)


def lined(rows: Iterable[Sequence[str]]) -> Iterator[Lines]:
    """The same rows as lines, in batches."""
    rest = map(PARTED.join, rows)
    while batch := list(islice(rest, _BATCH)):
        yield as_lines(batch)


def as_lines(rows: Sequence[str]) -> Lines:
    """Rows whose cells are parted already, each on one line: a line break in a cell is a space."""
    text = "\n".join(rows)
    if text.count("\n") < len(rows):
        return text
    return "\n".join([row.replace("\n", " ") for row in rows])


def cell_text(cell: str) -> str:
    """A cell on one line: runs of white space become one space, the edges go."""
    return " ".join(cell.split())


def is_tidy(text: str) -> bool:
    """Whether all cells of these lines are as `cell_text` gives them, and nothing is invisible.

    Looks at bytes, because `str.isprintable` takes ten times as long as translating them.
    """
    return _is_close(text) or _is_tidy(text)


_BATCH = 256
_CONTROL = 1


def _kinds(part: str) -> bytes:
    """A translation: what parts cells or lines becomes this, other control characters one kind."""
    return bytes(
        ord(part) if code in b"\0\n" else _CONTROL if code < 32 or code == 127 else code
        for code in range(256)
    )


_PARTS_AS_SPACES = _kinds(" ")
_PARTS_AS_LINE_ENDS = _kinds("\n")
_GAP = Sign(b"  ")
_LOOSE = (_GAP, Sign(b" \n"), Sign(b"\n "))
_ASCII = bytes(range(128))


def _is_close(text: str) -> bool:
    """Whether the lines are tidy and no cell is empty: the usual case, for half of the time."""
    plain = text.encode(errors="surrogatepass").translate(_PARTS_AS_SPACES)
    at_edges = b" " in (plain[:1], plain[-1:])
    return not (_CONTROL in plain or at_edges or _GAP.is_in(plain)) and _is_visible(text)


def _is_tidy(text: str) -> bool:
    plain = text.encode(errors="surrogatepass").translate(_PARTS_AS_LINE_ENDS)
    loose = _CONTROL in plain or b" " in (plain[:1], plain[-1:])
    return not (loose or any(sign.is_in(plain) for sign in _LOOSE)) and _is_visible(text)


def _is_visible(text: str) -> bool:
    if text.isascii():
        return True
    plain = text.encode(errors="surrogatepass").translate(None, _ASCII)
    return plain.decode(errors="surrogatepass").isprintable()


def _tidy(lines: Lines) -> Lines:
    """The rows that are not blank, all cells as `cell_text` gives them."""
    if _is_close(lines):
        return lines
    if not _is_tidy(lines):
        return "\n".join([row for row in map(_tidied, lines.split("\n")) if not is_blank(row)])
    edged = f"\n{lines}\n"
    if "\n\n" not in edged and f"\n{PARTED}" not in edged:
        return lines  # each row begins with a filled cell
    return "\n".join([row for row in lines.split("\n") if row.strip(PARTED)])


def _tidied(row: str) -> str:
    words = " ".join(row.split())
    return words.replace(f" {PARTED}", PARTED).replace(f"{PARTED} ", PARTED)


def _with_header(filled: Iterator[Lines], shared: dict[str, JsonValue]) -> Iterator[list[str]]:
    """The texts of header and rows. The header joins what they share, or is written into each."""
    first = next(filled, None)
    if first is None:
        return
    header, _, below = first.partition("\n")
    header_text = header.replace(PARTED, CELL_SEPARATOR)
    if len(header_text) <= LONGEST_HEADER:
        shared["table_header"] = header_text
        yield [header_text, *_shown(below)] if below else [header_text]
        yield from map(_shown, filled)
        return
    names = header.split(PARTED)
    nothing = True
    for some in chain([below] if below else [], filled):
        nothing = False
        yield [_record(names, line) for line in some.split("\n")]
    if nothing:
        yield [header_text]


def _shown(lines: Lines) -> list[str]:
    return lines.replace(PARTED, CELL_SEPARATOR).split("\n")


def _record(names: Sequence[str], line: str) -> str:
    named = zip_longest(names, line.split(PARTED), fillvalue="")
    return CELL_SEPARATOR.join(
        f"{name}: {value}" if name else value for name, value in named if not is_blank(value)
    )
