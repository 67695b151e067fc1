"""How large a rectangle do the cells of an XLSB sheet span? See `sheet_extent` for why it matters.

[MS-XLSB] 2.1.4: a record is its number and its size, both in 7-bit pieces, then its bytes.
"""

from collections.abc import Iterator

_ROW, _DIMENSION = 0, 148
_FILLED = range(2, 12)
"""Cells with a value: numbers, errors, truths, texts, formulas."""


def binary_extent(sheet: bytes, *, enough: int) -> int:
    """Cells in the rectangle around those that are filled; 0 for a sheet without any.

    What the sheet says of itself is believed up to `enough`; if it says more, its cells are looked
    at, because empty ones with a format count there and take no memory.
    """
    row = 0
    rows: list[int] = []
    first, last = 1 << 30, -1
    for number, start, size in _records(sheet):
        if number == _DIMENSION and size >= 16:
            top, bottom, left, right = (_number(sheet, start + at) for at in (0, 4, 8, 12))
            stated = max(bottom - top + 1, 0) * max(right - left + 1, 0)
            if stated <= enough:
                return stated
        elif number == _ROW and size >= 4:
            row = _number(sheet, start)
        elif number in _FILLED and size >= 4:
            column = _number(sheet, start)
            first, last = min(first, column), max(last, column)
            rows = [min(rows[0], row), max(rows[1], row)] if rows else [row, row]
    return (rows[1] - rows[0] + 1) * (last - first + 1) if rows else 0


def _records(sheet: bytes) -> Iterator[tuple[int, int, int]]:
    """Number, start and size of each record, up to the first that is cut off."""
    at, end = 0, len(sheet)
    while at + 1 < end:
        number = sheet[at]
        at += 1
        if number & 0x80:
            number = (number & 0x7F) | sheet[at] << 7
            at += 1
        size = shift = 0
        while at < end and shift < 28:
            piece = sheet[at]
            at += 1
            size |= (piece & 0x7F) << shift
            shift += 7
            if not piece & 0x80:
                break
        if at + size > end:
            return
        yield number, at, size
        at += size


def _number(sheet: bytes, at: int) -> int:
    return int.from_bytes(sheet[at : at + 4], "little")
