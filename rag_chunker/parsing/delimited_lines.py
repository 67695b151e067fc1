"""Where does each row and field of a delimited text end? Quotes decide; without them, its signs."""

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import chain
from operator import itemgetter

from rag_chunker.parsing.tables import PARTED, Lines, as_lines

_PIECE = 1 << 15
"""Characters looked at in one go, and then up to the end of the line."""
_LONGEST_FIELD = 2**31 - 1
_END = "\0end\0"
"""Stands behind a piece's last line while it is read. Decoded text never holds a NUL, so that a
last row which is not this alone has an open quote and swallowed what came behind it."""


def delimited_lines(text: str, delimiter: str, *, piece_size: int = _PIECE) -> Iterator[Lines]:
    """The fields of each row, parted by `PARTED`; streaming, in pieces of about `piece_size`
    characters. Lines of the text end with `\\n`.

    Fields may stand in double quotes, with line breaks and doubled quotes inside. From a quote
    that is never closed on, lines are read as if they had no quotes at all.
    """
    if text and not text.endswith("\n"):
        text += "\n"
    start, size, has_quotes = 0, piece_size, True
    while start < len(text):
        end = text.find("\n", min(start + size, len(text) - 1)) + 1
        piece = text[start:end]
        if not has_quotes or ('"' not in piece and delimiter not in ' "'):
            yield piece[:-1].replace(delimiter, PARTED)
            start = end
            continue
        found = _regular(piece, delimiter) if delimiter not in ' "' else None
        # The last row of a text may have a quote that is never closed, or none that opens a field.
        if found is None or (found[1] and end == len(text)):
            found = _any(piece, delimiter)
        lines, rest = found
        if lines:
            yield lines
        # An open row is read again with more of what is behind it, each time twice as much.
        start, size = end - len(rest), max(2 * len(rest), piece_size)
        has_quotes = not (rest and end == len(text))


_ROW_ENDS, _QUOTE, _NO_END = "\1", "\2", "\3"
"""Stand for what is yet to be written: the end of a row, a quote, a delimiter inside of quotes."""
_MOST_STEPS_BACK = 8
_FAR_APART = 20
"""Characters from one quote to the next, from where on it is faster to look at each."""


def _regular(piece: str, delimiter: str) -> tuple[Lines, str] | None:
    """As `_any`, in half the time or less. None if any quote does something else than to open or
    to close a field, or to stand for one when doubled inside of it.

    What is inside of quotes is every other part between them; each quote has to have an end of
    a field or row at its outer side.
    """
    quotes = piece.count('"')
    end = _closed(piece) if quotes % 2 else len(piece)
    if not end or any(map(piece.__contains__, (_ROW_ENDS, _QUOTE, _NO_END))):
        return None
    rows = piece[: end - 1]
    are_dense = quotes * _FAR_APART > len(piece)
    if are_dense:
        rows = rows.replace(f'"{delimiter}"', PARTED).replace('"\n"', _ROW_ENDS)
    parts = rows.split('"')
    are_doubled = not all(parts[2:-1:2])
    if are_doubled:
        parts = _with_quotes_named(rows, delimiter).split('"')
    outside = parts[::2]
    if not _parts_fields(outside, delimiter):
        return None
    if are_dense or are_doubled:
        beside = '"'.join(outside)
        if PARTED in beside or _ROW_ENDS in beside or not _is_alone(_QUOTE, beside, delimiter):
            return None
        parts[::2] = beside.replace(_QUOTE, "").split('"')
    if len(parts) > 1:
        inside = '"'.join(parts[1::2]).replace("\n", " ").replace(_ROW_ENDS, "\n")
        parts[1::2] = inside.replace(delimiter, _NO_END).split('"')
    lines = "".join(parts).replace(delimiter, PARTED)
    return lines.replace(_NO_END, delimiter).replace(_QUOTE, '"'), piece[end:]


def _closed(piece: str) -> int:
    """Where the last row ends that has no open quote, in a piece with an odd number of them, which
    open and close by turns. 0 if it is not soon found: few fields of a row have line breaks."""
    end = len(piece)
    for _ in range(_MOST_STEPS_BACK):
        end = piece.rfind("\n", 0, piece.rfind('"', 0, end)) + 1
        if piece.count('"', 0, end) % 2 == 0:
            return end
    return 0


def _with_quotes_named(rows: str, delimiter: str) -> str:
    if '"""' in rows:
        for before in (delimiter, "\n"):
            rows = rows.replace(f'{before}"""', f'{before}"{_QUOTE}')
    return rows.replace('""', _QUOTE)


def _parts_fields(outside: list[str], delimiter: str) -> bool:
    """Whether all that stands between quoted fields begins and ends as fields or rows do."""
    if len(outside) == 1:
        return True
    first, *between, last = outside
    ends = {first[-1:], last[:1], *map(itemgetter(0), between), *map(itemgetter(-1), between)}
    return ends <= {delimiter, "\n", ""}


def _is_alone(sign: str, rows: str, delimiter: str) -> bool:
    """Whether each `sign` is all that there is of its field."""
    often = rows.count(sign)
    lines = f"\n{rows}\n" if often else ""
    before = lines.count(f"{delimiter}{sign}") + lines.count(f"\n{sign}")
    behind = lines.count(f"{sign}{delimiter}") + lines.count(f"{sign}\n")
    return before == behind == often


def _any(piece: str, delimiter: str) -> tuple[Lines, str]:
    """The rows, and the end of the piece from where a row begins whose quote is not closed."""
    _allow_long_fields()
    lines = chain(StringIO(piece, newline="\n"), [_END])
    *rows, last = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    start = len(piece)
    if last != [_END]:
        for _ in range(sum(field.count("\n") for field in last)):
            start = piece.rfind("\n", 0, start - 1) + 1
    return as_lines(list(map(PARTED.join, rows))), piece[start:]


def _allow_long_fields() -> None:
    # The limit (131,072) is one per process. It is only ever raised, and always to the same
    # value, so that readers in other threads never see it fall below what they need.
    csv.field_size_limit(_LONGEST_FIELD)
