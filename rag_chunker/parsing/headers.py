"""Which row of a table names its columns, and which rows above it are titles?"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pydantic import JsonValue

from rag_chunker.parsing.tables import (
    CELL_SEPARATOR,
    PARTED,
    Lines,
    cell_text,
    line_blocks,
    lined,
)
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

SAMPLE = 50
"""Rows that are looked at to find the header: enough to see what is below it."""
DEEPEST_HEADER = 10
"""A header stands in one of the first ten rows, or there is none."""
Row = Sequence[str]


def titled_table(
    rows: Iterable[Row],
    *,
    table: int,
    has_header: bool | None = None,
    attributes: dict[str, JsonValue] | None = None,
) -> Iterator[Block]:
    """One table whose header row is not known, as blocks, in order and streaming.

    Rows with one filled cell above the first wider row are titles or notes: they become
    paragraphs, and so do rows between them and the header. `has_header` says that the first row
    behind the titles is the header (True) or that there is none (False); with None the rows
    themselves decide, see `header_index`.
    """
    return titled_lines(lined(rows), table=table, has_header=has_header, attributes=attributes)


def titled_lines(
    lines: Iterable[Lines],
    *,
    table: int,
    has_header: bool | None = None,
    above: int | None = None,
    attributes: dict[str, JsonValue] | None = None,
) -> Iterator[Block]:
    """As `titled_table`, of rows that are lines already. `above` is how many rows, none of them
    blank, stand above one that is known to be the header."""
    rest = iter(lines)
    head = _filled_head(rest)
    sample = [line.split(PARTED) for line in head[:SAMPLE]]
    is_headed = True
    if above is None:
        titles = _titles(sample)
        body = sample[titles:]
        header = (0 if has_header else None) if has_header is not None else header_index(body)
        above, is_headed = titles + (header or 0), header is not None
    return chain(
        map(_paragraph, sample[:above]),
        line_blocks(
            chain(["\n".join(head[above:])], rest),  # which drops blank rows by itself
            table=table,
            has_header=is_headed,
            attributes=attributes,
        ),
    )


def _filled_head(lines: Iterator[Lines]) -> list[str]:
    """The first `SAMPLE` rows or more that hold anything; fewer only if there are no more."""
    head: list[str] = []
    for some in lines:
        head += [line for line in some.split("\n") if any(map(str.strip, line.split(PARTED)))]
        if len(head) >= SAMPLE:
            break
    return head


def header_index(rows: Sequence[Row]) -> int | None:
    """Index of the row that names the columns, None if no row does.

    It is the first row, among the first ten, that fills at least 60 % of the columns that the
    fullest row fills (in two columns one, behind an empty corner), if it holds names only (no
    number, date or truth value; years may be names, and so may dates and times that stand above
    something else) and has a row below it. There is none where the rows are a form (`Name: | Ann`,
    or two columns whose second mixes kinds and is not called something like `Value`), nor in a
    single column that is all words.
    """
    if len(rows) < 2:
        return None
    width = max(_filled(row) for row in rows)
    for index, row in enumerate(rows[: min(DEEPEST_HEADER, len(rows) - 1)]):
        corner = width == 2 and is_blank(row[0])
        if _filled(row) + corner >= max(1, 0.6 * width):
            below = rows[index + 1 : index + 1 + DEEPEST_HEADER]
            named = names_only(row) or _names_periods(row, below)
            return index if named and not _is_form(rows[index:], width) else None
    return None


def names_only(row: Row, *, years: bool = False) -> bool:
    """Whether a row's cells may all be names: words, or years where they stand beside a word,
    each once (`country | 2023 | 2024`). With `years` any year may be a name."""
    kinds = [kind_of(cell) for cell in row]
    values = [cell.strip() for cell, kind in zip(row, kinds, strict=True) if kind not in _NAMING]
    if not all(_YEAR.fullmatch(value) for value in values):
        return False
    return years or not values or ("word" in kinds and len(set(values)) == len(values) > 1)


def _names_periods(row: Row, below: Sequence[Row]) -> bool:
    """Whether all cells are names but for several dates or years, each once, that stand above
    something else: `Item | 2024-01-31 | 2024-02-29`."""
    periods = [at for at, cell in enumerate(row) if kind_of(cell) not in _NAMING]
    values = [row[at].strip() for at in periods]
    if not all(map(_is_period, values)) or not len(row) > len(set(values)) == len(values) > 1:
        return False
    cells = [cell for each in below for at in periods if (cell := _cell(each, at).strip())]
    return 2 * sum(map(_is_period, cells)) < len(cells)


def _is_period(cell: str) -> bool:
    return kind_of(cell) == "date" or _YEAR.fullmatch(cell) is not None


def kind_of(cell: str) -> str:
    """`blank`, `number`, `date`, `truth` or `word`."""
    text = cell.strip()
    if not text:
        return "blank"
    if text.lower() in {"true", "false"}:
        return "truth"
    if not any(map(str.isdigit, text)) or len(text) > 40:
        return "word"
    if _DATE.fullmatch(text):
        return "date"
    return "number" if _NUMBER.fullmatch(text) else "word"


_NUMBER = re.compile(r"[(+\-]?\s?[$€£¥]?\s?[+\-]?\d[\d.,'\s]*(?:[eE][+\-]?\d+)?\s?[%€$£¥]?\)?")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T]\d{1,2}:\d\d.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?: \d{1,2}:\d\d.*)?|\d{1,2}:\d\d(?::\d\d)?"
)
_NAMING = frozenset({"blank", "word"})
_YEAR = re.compile(r"(?:19|20)\d\d")


def _titles(rows: Sequence[Row]) -> int:
    """How many leading rows are titles: one filled cell each, above a wider row. In a table of two
    columns, one that fills the second is a header without a name for the first."""
    wide = next((index for index, row in enumerate(rows) if _filled(row) > 1), None)
    if wide is None:
        return 1 if len(rows) == 1 else 0
    # A first column that goes on below its own wider rows is a table with gaps, not a title.
    if not wide or sum(not row[0].startswith("#") for row in rows[:wide]) > 3:
        return 0
    behind_corner = is_blank(rows[wide - 1][0]) and not is_blank(rows[wide][0])
    return wide - (behind_corner and max(map(_filled, rows)) == 2)


def _filled(row: Row) -> int:
    return sum(not is_blank(cell) for cell in row)


def _is_form(rows: Sequence[Row], width: int) -> bool:
    columns = [index for index in range(len(rows[0])) if any(_cell(row, index) for row in rows)]
    if width > 2 or not columns:
        return False
    below = {kind_of(_cell(row, columns[-1])) for row in rows[1:]} - {"blank"}
    if len(columns) == 1:
        return "word" in below
    is_mixed = "word" in below and len(below) > 1
    named = _ANY_VALUE.fullmatch(_cell(rows[0], columns[-1]).strip().casefold())
    return is_labelled(rows, columns[0]) or (is_mixed and not named)


def is_labelled(rows: Sequence[Row], column: int = 0) -> bool:
    """Whether the first and most other rows begin with a label: `Name: | Alice`."""
    labelled = [_cell(row, column).rstrip().endswith(":") for row in rows]
    return labelled[:1] == [True] and 2 * sum(labelled) > len(labelled)


_ANY_VALUE = re.compile(
    r"values?|answers?|contents?|description|result|wert|antwort|inhalt|beschreibung|ergebnis|valeur|"
    r"réponse|résultat|valor|respuesta|valore|risposta|waarde|wartość|hodnota|värde|значение|ответ|"
    r"值|答案|値|回答|값"
)
"""Names of a column that holds values of any kind."""


def _cell(row: Row, index: int) -> str:
    return row[index] if index < len(row) else ""


def _paragraph(row: Row) -> Block:
    return Block(
        type=BlockType.paragraph, text=CELL_SEPARATOR.join(filter(None, map(cell_text, row)))
    )
