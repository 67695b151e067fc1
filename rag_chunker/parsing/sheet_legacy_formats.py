"""Which cells of an XLS workbook show a number in another way? As in XLSX, see `sheet_formats`.

[MS-XLS] 2.4: a record is its number and size, two bytes each, then its bytes.
"""

import re
import struct
from collections.abc import Iterator
from io import BytesIO

from rag_chunker.parsing.sheet_cells import Format, as_percentage
from rag_chunker.parsing.sheet_formats import BUILT_IN_PERCENT, Formats, shows_by_code

_BEGIN, _END, _LOCKED = 0x809, 0x00A, 0x02F
_FORMAT, _STYLE, _SHEET = 0x41E, 0x0E0, 0x085
_NUMBERS, _NUMBER_CELLS = 0x0BD, frozenset({0x006, 0x203, 0x27E})
_EDGES = frozenset({_BEGIN, _END})
_SINGLE, _PAIR, _TRIPLE = map(struct.Struct, ("<H", "<HH", "<HHH"))
_SHEET_BEGINS = b"\x09\x08\x10\x00\x00\x06\x10\x00"
_INHERITED = 0x04
"""Of a style that others are based on, which no cell has."""
_TELLING = re.compile(
    rb"\xe0\x00\x14\x00..[^\x00-\x04\x0b-\x24][\x00-\x07][%b]"
    % re.escape(bytes(flags for flags in range(256) if not flags & _INHERITED)),
    re.DOTALL,
)
"""A cell style with a format that is neither general nor a number, fraction or date built in."""


def legacy_formats(data: bytes) -> dict[str, Formats]:
    """By sheet name, the cells whose format changes what their number says; none of a damaged
    workbook."""
    if not _TELLING.search(data, 0, max(data.find(_SHEET_BEGINS), 0)):
        return {}
    from olefile import OleFileIO

    try:
        with OleFileIO(BytesIO(data)) as ole:
            stream = ole.openstream("Workbook").read()
        styles, sheets = _globals(stream)
        starts = {start for _, start in sheets if styles}  # hostile sheets may share one
        formats = {start: _formats(stream, start, styles) for start in starts}
        return {name: formats[start] for name, start in sheets if start in formats}
    except (OSError, ValueError, IndexError, struct.error):
        return {}  # loading it tells how


def _records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each record up to the end of the part that begins here; what is inside
    of it, such as charts, is left out."""
    depth = 0
    while at + 4 <= len(stream):
        kind, size = _PAIR.unpack_from(stream, at)
        depth += (kind == _BEGIN) - (kind == _END)
        if depth == 1:
            yield kind, stream[at + 4 : at + 4 + size]
        elif depth < 1:
            return
        at += 4 + size


def _globals(stream: bytes) -> tuple[dict[int, Format], list[tuple[str, int]]]:
    """How each cell style that matters shows a value, by its number; name and start of each sheet.
    Nothing if a password protects the workbook."""
    shows: dict[int | None, Format] = {int(number): as_percentage for number in BUILT_IN_PERCENT}
    styles: list[int | None] = []
    sheets: list[tuple[str, int]] = []
    for kind, content in _records(stream, 0):
        if kind == _LOCKED:
            return {}, []
        if kind == _STYLE:
            own = not content[4] & _INHERITED
            styles.append(int.from_bytes(content[2:4], "little") if own else None)
        elif kind == _FORMAT:
            number, length = _PAIR.unpack_from(content)
            if (how := shows_by_code(_text(content[4:], length))) is not None:
                shows[number] = how
        elif kind == _SHEET:
            sheets.append((_text(content[7:], content[6]), int.from_bytes(content[:4], "little")))
    return {at: shows[number] for at, number in enumerate(styles) if number in shows}, sheets


def _text(content: bytes, length: int) -> str:
    """A text of `length` characters behind the byte that says how wide they are."""
    if content[0] & 1:
        return content[1 : 1 + 2 * length].decode("utf-16-le", errors="replace")
    return content[1 : 1 + length].decode("latin-1")


def _formats(stream: bytes, start: int, styles: dict[int, Format]) -> Formats:
    """Of a sheet, which may have a million cells: looks at them where they are."""
    found: Formats = {}
    at, depth, last = start, 0, len(stream) - 4
    while at <= last:
        kind, size = _PAIR.unpack_from(stream, at)
        if kind in _NUMBER_CELLS:
            row, column, style = _TRIPLE.unpack_from(stream, at + 4)
            if style in styles and depth == 1:
                found.setdefault(column, {})[row] = styles[style]
        elif kind == _NUMBERS and depth == 1:
            row, column = _PAIR.unpack_from(stream, at + 4)
            for number, place in enumerate(range(at + 8, at + size - 2, 6)):
                (style,) = _SINGLE.unpack_from(stream, place)
                if style in styles:
                    found.setdefault(column + number, {})[row] = styles[style]
        elif kind in _EDGES:
            depth += 1 if kind == _BEGIN else -1
        if depth < 1:
            break
        at += 4 + size
    return found
