"""Writes XLSB workbooks (MS-XLSB), which no library at hand writes: text and numbers in cells."""

import io
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence

Cell = str | float | None

_ROW, _NUMBER, _TEXT = 0, 5, 6
_BEGIN_SHEET, _END_SHEET, _BEGIN_DATA, _END_DATA, _DIMENSION = 129, 130, 145, 146, 148
_BEGIN_BOOK, _END_BOOK, _BEGIN_SHEETS, _END_SHEETS, _SHEET = 131, 132, 143, 144, 156

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_BINARY = "application/vnd.ms-excel"
_WHEN = (2026, 5, 4, 8, 0, 0)


def xlsb(sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> bytes:
    """A workbook of sheets by name, each its rows of cells; None is an empty cell."""
    parts = {
        "[Content_Types].xml": _content_types(len(sheets)),
        "_rels/.rels": _relations({"rId1": ("officeDocument", "xl/workbook.bin")}),
        "xl/workbook.bin": _workbook(sheets),
        "xl/_rels/workbook.bin.rels": _relations(
            {f"rId{n}": ("worksheet", f"worksheets/sheet{n}.bin") for n in _numbers(sheets)}
        ),
    }
    for number, rows in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{number}.bin"] = _worksheet(rows)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(zipfile.ZipInfo(name, _WHEN), data)
    return target.getvalue()


def record(kind: int, data: bytes = b"") -> bytes:
    """One record: its number and length in seven bits a byte, the lowest first."""
    return _compact(kind) + _compact(len(data)) + data


def _compact(number: int) -> bytes:
    found = bytearray()
    while True:
        number, low = number >> 7, number & 127
        found.append(low | 128 if number else low)
        if not number:
            return bytes(found)


def _workbook(sheets: Mapping[str, object]) -> bytes:
    listed = b"".join(
        record(_SHEET, struct.pack("<II", 0, n) + _wide(f"rId{n}") + _wide(name))
        for n, name in enumerate(sheets, start=1)
    )
    inside = record(_BEGIN_SHEETS) + listed + record(_END_SHEETS)
    return record(_BEGIN_BOOK) + inside + record(_END_BOOK)


def _worksheet(rows: Sequence[Sequence[Cell]]) -> bytes:
    last = max(map(len, rows)) - 1
    size = record(_DIMENSION, struct.pack("<IIII", 0, len(rows) - 1, 0, last))
    data = record(_BEGIN_DATA) + b"".join(_rows(rows)) + record(_END_DATA)
    return record(_BEGIN_SHEET) + size + data + record(_END_SHEET)


def _rows(rows: Sequence[Sequence[Cell]]) -> Iterator[bytes]:
    for number, row in enumerate(rows):
        yield record(_ROW, struct.pack("<IIHHBI", number, 0, 300, 0, 0, 0))
        for column, cell in enumerate(row):
            place = struct.pack("<II", column, 0)
            if isinstance(cell, str):
                yield record(_TEXT, place + _wide(cell))
            elif cell is not None:
                yield record(_NUMBER, place + struct.pack("<d", cell))


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _numbers(sheets: Mapping[str, object]) -> range:
    return range(1, len(sheets) + 1)


def _content_types(sheets: int) -> bytes:
    parts = {"workbook": "sheet.binary.macroEnabled.main"}
    parts |= {f"worksheets/sheet{n}": "worksheet" for n in range(1, sheets + 1)}
    overrides = "".join(
        f'<Override PartName="/xl/{part}.bin" ContentType="{_BINARY}.{kind}"/>'
        for part, kind in parts.items()
    )
    rels = f'<Default Extension="rels" ContentType="{_PACKAGE_TYPE}"/>'
    return f'<Types xmlns="{_PACKAGE}/content-types">{rels}{overrides}</Types>'.encode()


_PACKAGE_TYPE = "application/vnd.openxmlformats-package.relationships+xml"


def _relations(targets: Mapping[str, tuple[str, str]]) -> bytes:
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'.encode()
