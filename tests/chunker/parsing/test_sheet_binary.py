"""One far cell of an XLSB sheet is seen before anything is loaded."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import parsed, zipped
from xlsb_files import xlsb

from rag_chunker.parsing.sheet_binary import binary_extent
from rag_chunker.parsing.sheets import SheetsParser
from rag_core.errors import DocumentTooLarge

ROW, BLANK, NUMBER, DIMENSION = 0, 1, 5, 148


def record(number: int, body: bytes) -> bytes:
    kind = bytes([number]) if number < 128 else bytes([number & 0x7F | 0x80, number >> 7])
    return kind + bytes([len(body)]) + body


def dimension(bottom: int, right: int) -> bytes:
    return record(DIMENSION, struct.pack("<4I", 0, bottom, 0, right))


def cell(row: int, column: int, kind: int = NUMBER) -> bytes:
    return record(ROW, struct.pack("<I", row) + bytes(13)) + record(
        kind, struct.pack("<2I", column, 0) + bytes(8)
    )


def test_a_stated_rectangle_is_believed_where_it_is_small() -> None:
    assert binary_extent(dimension(9, 4) + cell(0, 0), enough=100) == 50


def test_formats_of_empty_cells_count_for_nothing() -> None:
    sheet = dimension(1_048_575, 99) + cell(0, 0) + cell(3, 2) + cell(900_000, 90, BLANK)
    assert binary_extent(sheet, enough=100) == 12


def test_a_far_cell_is_refused_before_the_workbook_is_loaded() -> None:
    sheet = dimension(1_048_575, 16_383) + cell(0, 0) + cell(1_048_575, 16_383)
    assert binary_extent(sheet, enough=100) == 1_048_576 * 16_384
    with pytest.raises(DocumentTooLarge, match=r"save it as \.xlsx"):
        parsed(SheetsParser(), zipped({"xl/worksheets/sheet1.bin": sheet}), "far.xlsb")


@given(st.binary(max_size=60))
def test_any_bytes_give_a_number(data: bytes) -> None:
    assert binary_extent(data, enough=10) >= 0


def test_a_binary_workbook_reads_as_any_other() -> None:
    data = xlsb({"Stock": [["Part", "Pieces"], ["seal", 12.0], [None, 3.5]], "Notes": [["none"]]})
    blocks = parsed(SheetsParser(), data, "stock.xlsb").blocks
    assert [block.text for block in blocks] == [
        "Stock", "Part | Pieces", "seal | 12", " | 3.5", "Notes", "none",
    ]  # fmt: skip
