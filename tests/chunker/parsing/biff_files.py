"""Excel 97-2003 workbooks, written record by record ([MS-XLS]) as far as a test needs them."""

import struct

from tests.chunker.parsing.ole_files import ole

Cells = dict[tuple[int, int], "str | float | list[float]"]
"""By 0-based row and column; a list is that many numbers side by side in one record."""


def xls(
    *sheets: Cells, merged: tuple[int, int, int, int] | None = None, extent: bool = True
) -> bytes:
    """A workbook with these sheets; `merged` is first and last row, first and last column, and
    `extent` says whether the sheets tell how far their cells reach."""
    bodies = [_sheet(cells, merged, extent) for cells in sheets]
    start = len(_globals([0] * len(bodies)))
    starts = [start + sum(map(len, bodies[:at])) for at in range(len(bodies))]
    return ole({"Workbook": _globals(starts) + b"".join(bodies)})


def _globals(starts: list[int]) -> bytes:
    names = (f"S{number}".encode() for number in range(1, len(starts) + 1))
    sheets = b"".join(
        _record(0x85, struct.pack("<I4B", start, 0, 0, len(name), 0) + name)
        for start, name in zip(starts, names, strict=True)
    )
    return _begin(5) + sheets + _END


def _sheet(cells: Cells, merged: tuple[int, int, int, int] | None, extent: bool) -> bytes:
    body = _begin(0x10)
    if extent:
        rows, columns = [row for row, _ in cells], [column for _, column in cells]
        reach = (min(rows), max(rows) + 1, min(columns), max(columns) + 1, 0)
        body += _record(0x200, struct.pack("<IIHHH", *reach))
    body += b"".join(_cell(*place, value) for place, value in cells.items())
    if merged:
        body += _record(0xE5, struct.pack("<5H", 1, *merged))
    return body + _END


def _cell(row: int, column: int, value: str | float | list[float]) -> bytes:
    place = struct.pack("<HH", row, column)
    if isinstance(value, str):
        text = value.encode("utf-16-le")
        return _record(0x204, place + struct.pack("<HHB", 0, len(value), 1) + text)
    if isinstance(value, list):
        numbers = b"".join(struct.pack("<HI", 0, int(one) << 2 | 2) for one in value)
        last = struct.pack("<H", column + len(value) - 1)
        return _record(0xBD, place + numbers + last)
    return _record(0x203, place + struct.pack("<Hd", 0, value))


def _begin(kind: int) -> bytes:
    return _record(0x809, struct.pack("<HHHHII", 0x600, kind, 0x0DBB, 0x07CC, 0, 6))


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


_END = _record(0x0A, b"")
