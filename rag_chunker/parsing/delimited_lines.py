"""Where does each row and field of a delimited text end? Quotes decide; without them, its signs."""

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import chain

from rag_chunker.parsing.tables import PARTED, Lines, as_lines

_PIECE = 1 << 14
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
        else:
            lines, rest = _quoted(piece, delimiter)
            if lines:
                yield lines
            # An open row is read again with more of what is behind it, each time twice as much.
            start, size = end - len(rest), max(2 * len(rest), piece_size)
            has_quotes = not (rest and end == len(text))


def _quoted(piece: str, delimiter: str) -> tuple[Lines, str]:
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
