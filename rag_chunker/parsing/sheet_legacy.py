"""Does one far cell make an XLS sheet large to load, and how is it brought near?

As in XLSX (see `sheet_extent`): a cell in IV65536 asks for 17 million of them, which is a gigabyte
and three seconds. Records of an XLS have a fixed size, so that cells move by new numbers in place.

[MS-XLS] 2.4: a record is its number and size, two bytes each, then its bytes.
"""

import math
import struct
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

from rag_chunker.parsing.byte_search import Sign
from rag_chunker.parsing.sheet_gaps import LARGE, Closed, is_mostly_gaps

_BEGIN, _END, _LOCKED, _MERGED, _NUMBERS = 0x809, 0x00A, 0x02F, 0x0E5, 0x0BD
_CELLS = frozenset({0x006, 0x0D6, 0x0FD, 0x203, 0x204, 0x205, 0x27E, _NUMBERS})
"""What has a value: formulas, texts, numbers, truths. Empty cells with a format take no memory."""
_OTHERS = (_BEGIN, _END, _LOCKED, _MERGED)
_EXTENT = b"\x00\x02\x0e\x00"
_RECTANGLE = struct.Struct("<IIHH")
_SHEET = b"\x09\x08\x10\x00\x00\x06\x10\x00"
_SHEET_SIGN = Sign(_SHEET)
_HEAD = 1 << 16
_PAIR = struct.Struct("<HH")


class _Record(NamedTuple):
    kind: int
    start: int
    size: int


def legacy_brought_near(data: bytes) -> bytes:
    """`data` itself, or the same workbook with the gaps of its large, sparse sheets closed.

    A gap between rows becomes one blank row, a gap between columns goes. What sheets say of their
    extent is believed if it is small: looking at each record takes as long as loading it.
    """
    if not _may_be_large(data):
        return data
    from olefile import OleFileIO

    file = BytesIO(data)
    try:
        with OleFileIO(file, write_mode=True) as ole:
            stream = bytearray(ole.openstream("Workbook").read())
            for sheet in list(_sheets(stream)):
                _bring_near(stream, sheet)
            ole.write_stream("Workbook", bytes(stream))
            return file.getvalue()
    except (OSError, ValueError, IndexError, struct.error):
        return data  # damaged: loading it tells how


def _may_be_large(data: bytes) -> bool:
    # A cell with a value takes six bytes at the very least.
    least = max(LARGE, len(data))
    # Where sheets begin, as good as always.
    return any(_stated_area(data, at) > least for at in _SHEET_SIGN.starts(data))


def _stated_area(data: bytes, start: int) -> float:
    """How many cells the sheet that begins here has by its own words; endless if it says nothing.

    What it says stands in front of its cells, and only the index of its rows in front of that.
    """
    found = data.find(_EXTENT, start, start + _HEAD)
    if found < 0 or _SHEET in data[start + 1 : found] or found + 18 > len(data):
        return math.inf
    top, bottom, left, right = _RECTANGLE.unpack_from(data, found + len(_EXTENT))
    return float(max(bottom - top, 0) * max(right - left, 0))


def _sheets(stream: bytes | bytearray) -> Iterator[list[_Record]]:
    """The filled cells and merged ranges of each sheet; none if a password protects them."""
    depth = 0
    found: list[_Record] = []
    for record in _records(stream):
        if record.kind == _LOCKED:
            return
        depth += (record.kind == _BEGIN) - (record.kind == _END)
        if depth == 1 and (record.kind in _CELLS or record.kind == _MERGED):
            found.append(record)
        elif depth == 0:  # charts in a sheet are one deeper
            yield found
            found = []


def _records(stream: bytes | bytearray) -> Iterator[_Record]:
    at, end = 0, len(stream)
    while at + 4 <= end:
        kind, size = _PAIR.unpack_from(stream, at)
        if at + 4 + size > end:
            return
        if (kind in _CELLS and size >= 6) or kind in _OTHERS:
            yield _Record(kind, at + 4, size)
        at += 4 + size


def _bring_near(stream: bytearray, sheet: list[_Record]) -> None:
    """New numbers for its cells, if they need it."""
    cells = [record for record in sheet if record.kind != _MERGED]
    used_rows: set[int] = set()
    used_columns: set[int] = set()
    for cell in cells:
        row, column = _PAIR.unpack_from(stream, cell.start)
        used_rows.add(row)
        used_columns.update(range(column, _last_column(stream, cell) + 1))
    if is_mostly_gaps(_spanned(used_rows) * _spanned(used_columns), filled=len(cells)):
        rows, columns = Closed(used_rows, kept=1, first=0), Closed(used_columns, kept=0, first=0)
        for record in sheet:
            _move(stream, record, rows, columns)


def _spanned(used: set[int]) -> int:
    return max(used) - min(used) + 1 if used else 0


def _last_column(stream: bytearray, cell: _Record) -> int:
    """Several numbers side by side may be one record, which ends in its last column."""
    at = cell.start + (cell.size - 2 if cell.kind == _NUMBERS else 2)
    return int.from_bytes(stream[at : at + 2], "little")


def _move(stream: bytearray, record: _Record, rows: Closed, columns: Closed) -> None:
    if record.kind == _MERGED:
        for at in range(record.start + 2, record.start + record.size - 7, 8):
            top, bottom, left, right = struct.unpack_from("<HHHH", stream, at)
            moved = rows[top], rows[bottom], columns[left], columns[right]
            struct.pack_into("<HHHH", stream, at, *moved)
    else:
        if record.kind == _NUMBERS:
            last = columns[_last_column(stream, record)]
            struct.pack_into("<H", stream, record.start + record.size - 2, last)
        row, column = _PAIR.unpack_from(stream, record.start)
        _PAIR.pack_into(stream, record.start, rows[row], columns[column])
