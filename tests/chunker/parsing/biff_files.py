"""Excel 97-2003 workbooks, written record by record ([MS-XLS]) as far as a test needs them."""

import struct

from tests.chunker.parsing.ole_files import ole

Cells = dict[tuple[int, int], "str | float | list[float]"]
"""By 0-based row and column; a list is that many numbers side by side in one record."""


def xls(
    *sheets: Cells,
    merged: tuple[int, int, int, int] | None = None,
    extent: bool = True,
    formats: tuple[str, ...] = (),
) -> bytes:
    """A workbook with these sheets; `merged` is first and last row, first and last column, and
    `extent` says whether the sheets tell how far their cells reach. The cells of column n have the
    n-th of the `formats`, if there are any."""
    bodies = [_sheet(cells, merged, extent, len(formats)) for cells in sheets]
    styles = _styles(formats) if formats else b""
    start = len(_globals([0] * len(bodies), styles))
    starts = [start + sum(map(len, bodies[:at])) for at in range(len(bodies))]
    return ole({"Workbook": _globals(starts, styles) + b"".join(bodies)})


def _styles(formats: tuple[str, ...]) -> bytes:
    """The formats, a style in percent that cells may be based on, and then a cell style each."""
    codes = b"".join(
        _record(0x41E, struct.pack("<HHB", 170 + at, len(code), 1) + code.encode("utf-16-le"))
        for at, code in enumerate(formats)
    )
    cells = b"".join(_style(170 + at, 0) for at in range(len(formats)))
    return codes + _style(9, 4) + cells


def _style(number: int, flags: int) -> bytes:
    return _record(0xE0, struct.pack("<HHH14x", 0, number, flags))


def _globals(starts: list[int], styles: bytes) -> bytes:
    names = (f"S{number}".encode() for number in range(1, len(starts) + 1))
    sheets = b"".join(
        _record(0x85, struct.pack("<I4B", start, 0, 0, len(name), 0) + name)
        for start, name in zip(starts, names, strict=True)
    )
    return _begin(5) + styles + sheets + _END


def _sheet(
    cells: Cells, merged: tuple[int, int, int, int] | None, extent: bool, styles: int
) -> bytes:
    body = _begin(0x10)
    if extent:
        rows, columns = [row for row, _ in cells], [column for _, column in cells]
        reach = (min(rows), max(rows) + 1, min(columns), max(columns) + 1, 0)
        body += _record(0x200, struct.pack("<IIHHH", *reach))
    body += b"".join(_cell(*place, value, styles) for place, value in cells.items())
    if merged:
        body += _record(0xE5, struct.pack("<5H", 1, *merged))
    return body + _END


def _cell(row: int, column: int, value: str | float | list[float], styles: int) -> bytes:
    def style(at: int) -> int:
        return at + 1 if at < styles else 0

    place = struct.pack("<HH", row, column)
    if isinstance(value, str):
        text = value.encode("utf-16-le")
        return _record(0x204, place + struct.pack("<HHB", 0, len(value), 1) + text)
    if isinstance(value, list):
        numbers = b"".join(
            struct.pack("<HI", style(at), int(one) << 2 | 2) for at, one in enumerate(value, column)
        )
        last = struct.pack("<H", column + len(value) - 1)
        return _record(0xBD, place + numbers + last)
    return _record(0x203, place + struct.pack("<Hd", style(column), value))


def _begin(kind: int) -> bytes:
    return _record(0x809, struct.pack("<HHHHII", 0x600, kind, 0x0DBB, 0x07CC, 0, 6))


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


_END = _record(0x0A, b"")
