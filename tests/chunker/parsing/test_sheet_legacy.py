"""A far cell in an XLS costs nothing, and nothing that stands on its sheet is lost or moved."""

import pytest
from biff_files import Cells, xls
from hypothesis import given
from hypothesis import strategies as st
from ole_files import ole

from rag_chunker.parsing.sheet_legacy import legacy_brought_near
from rag_chunker.parsing.sheet_legacy_formats import legacy_formats
from rag_chunker.parsing.sheets import SheetsParser
from rag_core.types import CorpusId, DocumentId, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri="a.xls"
)
NEAR: Cells = {(0, 0): "Item", (0, 1): "Qty", (1, 0): "Bolt", (1, 1): 4.0}
FAR = (65_535, 255)


def texts(data: bytes) -> list[str]:
    return [block.text for block in SheetsParser().parse(SOURCE, data).blocks]


def spanned(data: bytes) -> int:
    from io import BytesIO

    from python_calamine import load_workbook

    sheet = load_workbook(BytesIO(data)).get_sheet_by_index(0)
    return sheet.height * sheet.width


@pytest.mark.parametrize("extent", [True, False])
def test_a_far_cell_is_brought_near(extent: bool) -> None:
    near = legacy_brought_near(xls({**NEAR, FAR: "far"}, extent=extent))
    assert spanned(near) <= 12
    assert texts(near) == ["S1", "Item | Qty | ", "Bolt | 4 | ", "far"]


def test_a_workbook_without_gaps_stays_as_it_is() -> None:
    data = xls(NEAR, {(60_000, 200): "one"})
    assert legacy_brought_near(data) is data
    assert texts(data) == ["S1", "Item | Qty", "Bolt | 4", "S2", "one"]


def test_numbers_side_by_side_stay_side_by_side() -> None:
    cells: Cells = {(0, 0): "Year", (0, 100): "Q1", (0, 101): "Q2", (1, 100): [7, 8], FAR: "far"}
    assert texts(xls(cells))[1:3] == ["Year | Q1 | Q2 | ", " | 7 | 8 | "]


def test_merged_cells_name_the_columns_that_they_span() -> None:
    cells: Cells = {
        (9_000, 100): "2024",
        (9_001, 100): "Q1",
        (9_001, 101): "Q2",
        (9_002, 100): 1.0,
        (9_002, 101): 2.0,
        (9_002, 99): "North",
        FAR: "far",
    }
    found = texts(xls(cells, merged=(9_000, 9_000, 100, 101)))
    assert found[1:3] == [" | 2024 Q1 | 2024 Q2 | ", "North | 1 | 2 | "]


@pytest.mark.parametrize("cut", range(0, 2_000, 97))
def test_a_damaged_workbook_is_left_to_the_reader(cut: int) -> None:
    data = xls({**NEAR, FAR: "far"}, extent=False)[:cut]
    assert legacy_brought_near(data) == data
    assert legacy_brought_near(ole({"Other": data})) == ole({"Other": data})


places = st.tuples(st.integers(0, 65_535), st.integers(0, 255))


@given(st.dictionaries(places, st.sampled_from(["a", "b", 1.0, 2.5]), min_size=1, max_size=6))
def test_every_row_keeps_its_cells_in_their_order(cells: Cells) -> None:
    cells = dict(sorted(cells.items()))
    kept: dict[int, list[str]] = {}
    for (row, _), value in cells.items():
        kept.setdefault(row, []).append(f"{value:g}" if isinstance(value, float) else str(value))
    found = [[cell for cell in text.split(" | ") if cell] for text in texts(xls(cells))[1:]]
    assert found == list(kept.values())


FORMATS = ("0.0%", '#,##0.00 "€"', "00000", "0.00")


def test_cells_show_their_numbers_in_their_format() -> None:
    numbers = (0.256, 4.5, 7.0, 3.25)
    cells: Cells = {(0, at): name for at, name in enumerate("abcd")}
    cells |= {(1, at): value for at, value in enumerate(numbers)}
    cells |= {(2, 0): [1, 2, 3, 4], (3, 0): 1.0}
    assert texts(xls(cells, formats=FORMATS))[2:4] == [
        "25.6% | 4.5 € | 00007 | 3.25",
        "100% | 2 € | 00003 | 4",
    ]


def test_formats_follow_the_cells_that_are_brought_near() -> None:
    cells: Cells = {(9_000, 0): "a", (9_001, 0): 0.5, FAR: "far"}
    assert texts(xls(cells, formats=FORMATS))[1:3] == ["a | ", "50% | "]


@pytest.mark.parametrize("cut", range(0, 2_000, 97))
def test_the_formats_of_a_damaged_workbook_are_none(cut: int) -> None:
    data = xls({**NEAR, (9, 0): 0.5}, formats=FORMATS)
    assert legacy_formats(data[:cut]) in ({}, legacy_formats(data))
    flipped = data[:cut] + bytes([data[cut] ^ 255]) + data[cut + 1 :]
    assert isinstance(legacy_formats(flipped), dict)
