"""Spreadsheets: what a reader of the sheet sees is what the blocks say."""

import contextlib
import zipfile
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from io import BytesIO
from xml.sax.saxutils import escape

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st
from ole_files import ole
from python_calamine import load_workbook
from workbook_files import cell, ods, rows, xlsx

from rag_chunker.parsing.archive import open_archive
from rag_chunker.parsing.ods_gaps import without_gaps
from rag_chunker.parsing.sheet_cells import (
    Value,
    all_shown,
    as_percentage,
    formatted,
    shown,
    with_unit,
)
from rag_chunker.parsing.sheet_extent import brought_near
from rag_chunker.parsing.sheet_formats import shows_by_code
from rag_chunker.parsing.sheets import SheetsParser
from rag_core.errors import CorruptDocument, DocumentTooLarge, EncryptedDocument, ParseError
from rag_core.types import (
    Block,
    BlockType,
    CorpusId,
    DocumentId,
    ParsedDocument,
    Source,
    TenantId,
)

SOURCE = Source(
    document_id=DocumentId("d1"),
    tenant_id=TenantId("t1"),
    corpus_id=CorpusId("c1"),
    uri="books/stock.xlsx",
)


def parse(data: bytes) -> ParsedDocument:
    return SheetsParser().parse(SOURCE, data)


def texts(data: bytes) -> list[str]:
    return [block.text for block in parse(data).blocks]


def table_rows(data: bytes) -> list[Block]:
    return [block for block in parse(data).blocks if block.type is BlockType.table_row]


def test_each_sheet_is_a_heading_with_its_table() -> None:
    parsed = parse(
        xlsx(rows("Item | Qty", "Bolt | 4"), rows("Who", "7", "8"), names=("Stock", "Staff"))
    )
    assert [(b.type.value, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 1, "Stock"),
        ("table_row", None, "Item | Qty"),
        ("table_row", None, "Bolt | 4"),
        ("heading", 1, "Staff"),
        ("table_row", None, "Who"),
        ("table_row", None, "7"),
        ("table_row", None, "8"),
    ]
    assert [b.attributes["table"] for b in parsed.blocks if "table" in b.attributes] == [
        0, 0, 1, 1, 1,
    ]  # fmt: skip


def test_an_empty_sheet_leaves_nothing_behind() -> None:
    assert texts(xlsx("", rows("only"), "", names=("A", "B", "C"))) == ["B", "only"]
    assert texts(xlsx("")) == []


def test_a_title_above_the_header_is_not_the_header() -> None:
    for gap in ((), ("",)):
        blocks = parse(
            xlsx(rows("Work log", *gap, "Job | Lead | State", "Paint | Mila | 3"))
        ).blocks
        assert [(b.type.value, b.text) for b in blocks[1:3]] == [
            ("paragraph", "Work log"),
            ("table_row", "Job | Lead | State"),
        ]
        assert blocks[3].attributes["table_header"] == "Job | Lead | State"


def test_blank_rows_part_two_tables_with_headers_of_their_own() -> None:
    found = table_rows(xlsx(rows("Item | Qty", "Bolt | 4", "", "", "Name | Age", "Ann | 30")))
    assert [(b.attributes["table"], b.attributes["table_header"]) for b in found] == [
        (0, "Item | Qty"),
        (0, "Item | Qty"),
        (1, "Name | Age"),
        (1, "Name | Age"),
    ]


def test_tables_side_by_side_are_read_one_after_the_other() -> None:
    longer = rows(
        "Costs | | | Cities",
        "Item | Qty | | Name | Size",
        "Bolt | 4 | | Rome | 3",
        "Nut | 5",
        "Pin | 6",
    )
    lower = rows("Item | Qty", "Bolt | 4", "Nut | 5 | | Name | Size", "Pin | 6 | | Rome | 3")
    for data, titles in ((longer, ["Costs", "Cities"]), (lower, [])):
        blocks = parse(xlsx(data)).blocks[1:]
        assert [b.text for b in blocks if b.type is BlockType.paragraph] == titles
        assert [(b.attributes["table"], b.text) for b in blocks if "table" in b.attributes] == [
            (0, "Item | Qty"), (0, "Bolt | 4"), (0, "Nut | 5"), (0, "Pin | 6"),
            (1, "Name | Size"), (1, "Rome | 3"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Name | Phone | | Street | Town",
            "Ann | 1 | | Elm | Rome",
            "Bob | 2 | | Oak | Oslo",
            "All | 2",
        ),
        (
            "Item | 2023 | | 2024 | Change",
            "Bolt | 4 | | 5 | 1",
            "Nut | 5 | | 5 | 0",
            "a | 1",
            "b | 1",
        ),
        ("Item | Qty | | a note", "Bolt | 4", "Nut | 5", "Pin | 6"),
    ],
)
def test_a_blank_column_inside_of_a_table_parts_nothing(lines: tuple[str, ...]) -> None:
    assert {b.attributes["table"] for b in table_rows(xlsx(rows(*lines)))} == {0}


def test_a_table_goes_on_behind_a_blank_row() -> None:
    found = table_rows(xlsx(rows("Item | Qty", "Bolt | 4", "", "Nut | 5", "", "Pin | many")))
    assert [(b.text, b.attributes["table"]) for b in found] == [
        ("Item | Qty", 0),
        ("Bolt | 4", 0),
        ("Nut | 5", 0),
        ("Pin | many", 1),
    ]
    assert found[2].attributes["table_header"] == "Item | Qty"


@pytest.mark.parametrize("number", range(254, 260))
def test_it_does_not_matter_where_in_a_long_sheet_a_blank_row_is(number: int) -> None:
    lines = ["Item | Qty", *(f"Bolt {row} | {row}" for row in range(2, 600))]
    whole = [b.text for b in table_rows(xlsx(rows(*lines)))]
    lines[number] = ""
    found = table_rows(xlsx(rows(*lines)))
    assert [b.text for b in found] == whole[:number] + whole[number + 1 :]
    assert {b.attributes["table"] for b in found} == {0}
    lines[number + 1] = "Name | Job"
    found = table_rows(xlsx(rows(*lines)))
    assert next(b.text for b in found if b.attributes["table"] == 1) == "Name | Job"


def test_a_row_of_words_below_data_is_no_header() -> None:
    found = table_rows(xlsx(rows("Bolt | 4 | x", "Nut | many | y", "Pin | 5 | z")))
    assert [b for b in found if "table_header" in b.attributes] == []
    assert len(found) == 3


def test_rows_of_numbers_have_no_header() -> None:
    found = table_rows(xlsx(rows("1 | 2", "3 | 4")))
    assert [b for b in found if "table_header" in b.attributes] == []


@pytest.mark.parametrize(
    "header", ["Item | 2024-01-31 | 2024-02-29", "Room | 08:00 | 09:30", "Land | 2019 | 2020"]
)
def test_dates_and_times_name_columns(header: str) -> None:
    for below in ("4", "open"):
        found = table_rows(xlsx(rows(header, f"A | {below} | {below}", f"B | {below} |")))
        assert found[-1].attributes["table_header"] == header


def test_dates_above_dates_name_nothing() -> None:
    data = xlsx(rows("Ann | 2024-01-31 | 2024-02-29", "Bob | 2024-03-31 | 2024-04-30"))
    assert "table_header" not in table_rows(data)[-1].attributes


def test_a_header_of_dates_behind_a_blank_row_begins_a_table() -> None:
    months = ("Item | 2024-01-31 | 2024-02-29", "Bolt | 4 | 5", "Nut | 6 | 7")
    found = table_rows(xlsx(rows(*months, "", *months)))
    assert [b.attributes["table"] for b in found] == [0, 0, 0, 1, 1, 1]


def test_two_columns_of_mixed_values_have_a_header_if_it_says_so() -> None:
    settings = ("Host | db.local", "Port | 5432", "User | app")
    found = table_rows(xlsx(rows("Setting | Value", *settings)))
    assert found[-1].attributes["table_header"] == "Setting | Value"
    assert "table_header" not in table_rows(xlsx(rows(*settings)))[-1].attributes


def test_the_header_of_a_defined_table_is_known() -> None:
    target = BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("Data")
        sheet.write("A1", "Of the last years")
        for first in (1, 5):
            columns = [{"header": "2019"}, {"header": "12"}]
            data = [[4, "a"], [6, "b"]] if first == 1 else [[8, "c"]]
            sheet.add_table(first, 0, first + len(data), 1, {"columns": columns, "data": data})
    found = parse(target.getvalue()).blocks
    assert [b.text for b in found[1:]] == [
        "Of the last years", "2019 | 12", "4 | a", "6 | b", "2019 | 12", "8 | c",
    ]  # fmt: skip
    assert [b.attributes.get("table_header") for b in found[2:]] == ["2019 | 12"] * 5
    assert [b.attributes.get("table") for b in found[2:]] == [0, 0, 0, 1, 1]


def test_a_merged_title_counts_once_and_empty_columns_go() -> None:
    merged = '<!--rest--><mergeCells><mergeCell ref="A1:D1"/></mergeCells>'
    data = xlsx(rows("Log May", "", "Job | | Lead | State", "Sand | | | Late") + merged)
    assert texts(data)[1:] == ["Log May", "Job | Lead | State", "Sand |  | Late"]


def test_a_merged_header_names_every_column_below_it() -> None:
    merged = (
        '<!--rest--><mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/>'
        '<mergeCell ref="A1:A2"/></mergeCells>'
    )
    lines = ("Region | 2023 | | 2024", " | Q1 | Q2 | Q1 | Q2", "North | 1 | 2 | 3 | 4")
    assert texts(xlsx(rows(*lines) + merged))[1:] == [
        "Region | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2",
        "North | 1 | 2 | 3 | 4",
    ]


@pytest.mark.parametrize(
    ("lines", "ranges"),
    [
        (("Day | AM | PM", "Mon | Math | ", "Tue | Art | Gym", "Wed | Bio | Lab"), ["B2:C2"]),
        (("Day | AM | PM", "Mon | Math | ", "Tue | Art | ", "Wed | Bio | "), ["B2:C2", "B3:C3"]),
        (("Day | Lessons | ", "Mon | Math | Art", "Tue | Gym | Bio"), ["B1:C1"]),
        (("Day | Lessons | ", "Mon | Math | ", "Tue | Gym | "), ["B1:C1", "B2:C2", "B3:C3"]),
    ],
)
def test_merged_cells_among_the_data_name_nothing(
    lines: tuple[str, ...], ranges: list[str]
) -> None:
    merged = "".join(f'<mergeCell ref="{one}"/>' for one in ranges)
    read = texts(xlsx(rows(*lines) + f"<!--rest--><mergeCells>{merged}</mergeCells>"))[1:]
    assert [line.rstrip(" |") for line in read[1:]] == [line.rstrip(" |") for line in lines[1:]]


def test_pairs_above_a_merged_header_are_not_the_header() -> None:
    lines = ("Author | Ann", "Item | 2020 | | Sum", " | Q1 | Q2 | ", "a | 1 | 2 | 3")
    merged = '<!--rest--><mergeCells><mergeCell ref="B2:C2"/></mergeCells>'
    found = parse(xlsx(rows(*lines) + merged)).blocks[1:]
    assert (found[0].type.value, found[0].text) == ("paragraph", "Author | Ann")
    assert found[2].attributes["table_header"] == "Item | 2020 Q1 | 2020 Q2 | Sum"


def test_a_header_of_units_below_wide_cells_belongs_to_it() -> None:
    lines = ("Weight | | Price", "net | gross | EUR", "1 | 2 | 3")
    merged = '<!--rest--><mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    assert texts(xlsx(rows(*lines) + merged))[1] == "Weight net | Weight gross | Price EUR"


def test_values_read_as_shown() -> None:
    assert shown(4.0) == "4"
    assert shown(0.1 + 0.2) == "0.3"
    assert shown(12345678901234567.0) == "12345678901234568"
    assert shown(True) == "TRUE"
    assert shown(date(2026, 7, 2)) == "2026-07-02"
    assert shown(datetime(2026, 7, 2)) == "2026-07-02"
    assert shown(datetime(2026, 7, 2, 14, 29, 59, 999_997)) == "2026-07-02 14:30"
    assert shown(time(9, 5)) == "09:05"
    assert shown(timedelta(hours=26, minutes=5)) == "26:05:00"
    assert as_percentage([0.125, 0.07, 1, -0.5]) == ["12.5%", "7%", "100%", "-50%"]


@given(st.lists(st.floats() | st.integers(-(10**18), 10**18).map(float), min_size=1))
def test_many_numbers_read_as_each_of_them_does(values: list[float]) -> None:
    assert all_shown(values) == [shown(value) for value in values]


_MOMENTS = st.datetimes(max_value=datetime(9000, 1, 1))
_WHOLE_SECONDS = _MOMENTS.map(partial(datetime.replace, microsecond=0))
_WHOLE_DAYS = _WHOLE_SECONDS.map(partial(datetime.replace, hour=0, minute=0, second=0))


@given(st.lists(_WHOLE_DAYS | _WHOLE_SECONDS, min_size=1) | st.lists(_MOMENTS, min_size=1))
def test_many_moments_read_as_each_of_them_does(values: list[datetime]) -> None:
    assert all_shown(values) == [shown(value) for value in values]


@given(
    st.lists(
        st.sampled_from([1, 2.5, "", "a", "b\nc", True, date(2026, 7, 2), time(9, 5)]), min_size=1
    )
    | st.lists(st.integers(-(10**18), 10**18) | st.floats(), min_size=1)
)
def test_a_column_of_several_kinds_reads_cell_by_cell(column: list[Value]) -> None:
    assert all_shown(column) == [shown(value).replace("\n", " ") for value in column]


def test_formats_decide_dates_and_percentages() -> None:
    styles = (
        '<numFmts count="1"><numFmt numFmtId="170" formatCode="0.0%"/></numFmts>'
        '<cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/>'
        '<xf numFmtId="170"/></cellXfs>'
    )
    data = (
        rows("What | When | Share | Rest")
        + f'<row r="2">{cell("A2", "Launch")}{cell("B2", "46205", style=1)}'
        f"{cell('C2', '0.25', style=2)}{cell('D2', '0.125', style=3)}</row>"
    )
    assert texts(xlsx(data, styles=styles))[-1] == "Launch | 2026-07-02 | 25% | 12.5%"


def test_formats_are_found_in_whatever_order_a_cell_has_its_attributes() -> None:
    styles = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="9"/></cellXfs>'
    cells = (
        '<c r="A1" s="1"><v>0.1</v></c>',
        '<c r="A1" t="n" s="1"><v>0.1</v></c>',
        '<c s="1" r="A1"><v>0.1</v></c>',
        "<c r='A1' s='1'><v>0.1</v></c>",
    )
    found = [texts(xlsx(f'<row r="1">{one}</row>', styles=styles))[-1] for one in cells]
    assert found == ["10%"] * len(cells)


def test_numbers_keep_the_leading_zeros_that_their_format_gives() -> None:
    styles = (
        '<numFmts count="2"><numFmt numFmtId="170" formatCode="00000"/>'
        '<numFmt numFmtId="171" formatCode="[$-409]000;@"/></numFmts>'
        '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>'
    )
    data = (
        rows("Town | Postcode | Part")
        + f'<row r="2">{cell("A2", "Moss")}{cell("B2", "1234", style=1)}'
        f"{cell('C2', '7', style=2)}</row>"
        + f'<row r="3">{cell("A3", "Oslo")}{cell("B3", "n/a", style=1)}'
        f"{cell('C3', '-7.5', style=2)}</row>"
    )
    assert texts(xlsx(data, styles=styles))[2:] == ["Moss | 01234 | 007", "Oslo | n/a | -7.5"]


def test_numbers_keep_the_units_that_their_format_writes() -> None:
    codes = (
        *('#,##0.00 "€"', '_("$"* #,##0_)', "0.0\\ [$CHF-807]", '0.0,"k"', '"Lot "0'),
        *("$#,##0.00", '"Q"0', '0"%"', "# ?/?", "0_)", '"a" "b"  0" "'),
    )
    listed = "".join(
        f'<numFmt numFmtId="{170 + at}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for at, code in enumerate(codes)
    )
    formats = "".join(f'<xf numFmtId="{170 + at}"/>' for at in range(len(codes)))
    styles = f'<numFmts>{listed}</numFmts><cellXfs><xf numFmtId="0"/>{formats}</cellXfs>'
    places = [f"{letter}2" for letter in "ABCDEFGHIJK"]
    cells = "".join(cell(place, "4.5", style=at) for at, place in enumerate(places, 1))
    data = rows(" | ".join("abcdefghijk")) + f'<row r="2">{cells}</row>'
    assert texts(xlsx(data, styles=styles))[-1].split(" | ") == [
        *("4.5 €", "$ 4.5", "4.5 CHF", "4.5", "Lot 4.5"),
        *("$4.5", "Q4.5", "4.5%", "4.5", "4.5", "a b 4.5"),
    ]


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ('[>=1000]#,##0,"K";0', 2500.0, "2500"),
        ('[>9]0" boxes";0" box"', 1.0, "1"),
        ('[Color10]0.0,"k"', 2500.0, "2500"),
        ('[Red]0" kg"', 4.5, "4.5 kg"),
        ('0" Cr";0" Dr"', -5.0, "-5"),
        ("$0.0;[Red]($0.0)", -5.0, "-$5"),
        ('0" kg";;', 5.0, "5 kg"),
    ],
)
def test_a_unit_that_depends_on_the_number_is_left_out(code: str, value: float, text: str) -> None:
    assert formatted([value], [shows_by_code(code)]) == [text]


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        (r"000\-00\-0000", 12345678.0, "012-34-5678"),
        ("00000-0000", 123456789.0, "12345-6789"),
        (r"[<=9999999]###\-####;\(###\)\ ###\-####", 5555678900.0, "(555) 567-8900"),
        (r"[<=9999999]###\-####;\(###\)\ ###\-####", 5678900.0, "5678900"),
        ('###"-"####', 5678900, "567-8900"),
        ("000-000", 12345678.0, "12345678"),
        ("000-000", -123456.0, "-123456"),
        ("000-000", 1234.5, "1234.5"),
        ("000-000", "none", "none"),
        ("# ##0", 1234.0, "1234"),
        ("0_);(0)", 12.0, "12"),
    ],
)
def test_signs_between_the_digits_of_a_number_are_shown(
    code: str, value: float | str, text: str
) -> None:
    assert formatted([value], [shows_by_code(code)]) == [text]


def test_a_minus_stands_before_the_unit() -> None:
    assert with_unit([-4.5, 4], before="$", behind="") == ["-$4.5", "$4"]
    assert with_unit([-4.0], before="", behind=" kg") == ["-4 kg"]


@given(st.lists(st.decimals(-(10**6), 10**6, places=4).map(float), min_size=1))
def test_percentages_are_a_hundred_times_what_is_stored(values: list[float]) -> None:
    assert as_percentage(values) == [
        f"{shown(float(Decimal(repr(value)) * 100))}%" for value in values
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([1, 0.5, -2.0, "", "n/a", True, date(2026, 7, 2)]),
            st.sampled_from(["0%", '0" kg"', "000", None]),
        ),
        min_size=1,
    )
)
def test_cells_of_several_formats_read_one_by_one(cells: list[tuple[Value, str | None]]) -> None:
    formats = [shows_by_code(code) if code else None for _, code in cells]
    values = [value for value, _ in cells]
    alone = [formatted([value], [how])[0] for value, how in zip(values, formats, strict=True)]
    assert formatted(values, formats) == alone


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6364"
    "f8cf500f0003860180"
) + bytes.fromhex("5a347d6b0000000049454e44ae426082")


def test_comments_text_boxes_and_chart_titles_follow_the_cells() -> None:
    target = BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("Data")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
        sheet.write_comment("B2", "Checked twice", {"author": "Ann"})
        sheet.insert_textbox("D1", "In a box")
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Data!$A$2:$B$2"})
        chart.set_title({"name": "Depth"})
        sheet.insert_chart("F1", chart)
        for text in ("A red pump", "pump.png"):
            sheet.insert_image("H1", "p.png", {"image_data": BytesIO(PIXEL), "description": text})
        book.add_worksheet("Only a box").insert_textbox("A1", "Alone")
    found = [(block.type.value, block.text) for block in parse(target.getvalue()).blocks]
    assert found == [
        ("heading", "Data"),
        ("table_row", "a | b"),
        ("table_row", "1 | 2"),
        ("other", "B2: Checked twice"),
        ("paragraph", "In a box"),
        ("caption", "Depth"),
        ("other", "A red pump"),
        ("heading", "Only a box"),
        ("paragraph", "Alone"),
    ]


def test_a_thread_of_comments_is_read_without_the_notice_for_older_programs() -> None:
    target = BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("Data")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_comment("A1", "[Threaded comment] Your version of Excel ... Why?")
        sheet.write_comment("B1", "Alone")
    said = "".join(
        f'<threadedComment ref="A1" id="{at}"><text>{text}</text></threadedComment>'
        for at, text in enumerate(("Why?", "Because."))
    )
    rels = "xl/worksheets/_rels/sheet1.xml.rels"
    with zipfile.ZipFile(target, "a") as file:
        with_thread = file.read(rels).replace(
            b"</Relationships>",
            b'<Relationship Id="t" Type="http://schemas.microsoft.com/office/2017/10/relationships/'
            b'threadedComment" Target="../thread.xml"/></Relationships>',
        )
        file.writestr("xl/thread.xml", f'<ThreadedComments xmlns="urn:t">{said}</ThreadedComments>')
    entries = BytesIO()
    with zipfile.ZipFile(target) as old, zipfile.ZipFile(entries, "w") as new:
        for name in old.namelist():
            new.writestr(name, with_thread if name == rels else old.read(name))
    notes = [b.text for b in parse(entries.getvalue()).blocks if b.type is BlockType.other]
    assert notes == ["B1: Alone", "A1: Why?\nBecause."]


XML_2003 = (
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'
    '<s:Workbook xmlns:s="urn:schemas-microsoft-com:office:spreadsheet">'
    '<s:Worksheet s:Name="Stock"><s:Table><s:Row>'
    '<s:Cell><s:Data s:Type="String">Item</s:Data></s:Cell>'
    '<s:Cell s:Index="3"><s:Data s:Type="String">Since</s:Data></s:Cell></s:Row><s:Row>'
    '<s:Cell s:MergeAcross="1"><s:Data s:Type="Number">4</s:Data></s:Cell>'
    '<s:Cell><s:Data s:Type="DateTime">2024-05-06T00:00:00.000</s:Data></s:Cell></s:Row>'
    '</s:Table></s:Worksheet><s:Worksheet s:Name="Empty"/></s:Workbook>'
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\n<html><table><tr><th>a<th>b<tr><td>1<td>2</table>", ["a | b", "1 | 2"]),
        ("a\tb\n1\t2\n".encode("utf-16"), ["a | b", "1 | 2"]),
        (b"a;b\n1;2\n", ["a | b", "1 | 2"]),
        (XML_2003.encode(), ["Stock", "Item |  | Since", "4 |  | 2024-05-06"]),
    ],
)
def test_text_under_the_name_of_a_workbook_is_read_as_what_it_is(
    data: bytes, expected: list[str]
) -> None:
    assert texts(data) == expected


def test_text_keeps_its_leading_zeros_and_formulas_give_their_saved_result() -> None:
    data = (
        rows("Code | Total")
        + '<row r="2"><c r="A2" t="inlineStr"><is><t>007</t></is></c>'
        + '<c r="B2"><f>SUM(1,2)</f><v>3</v></c></row>'
        + '<row r="3"><c r="A3" t="str"><f>"x"</f><v>x-1</v></c>'
        + '<c r="B3" t="e"><v>#REF!</v></c></row>'
    )
    assert texts(xlsx(data))[2:] == ["007 | 3", "x-1 | "]


def test_a_hidden_sheet_is_read_and_named() -> None:
    parsed = parse(
        xlsx(rows("a | b"), rows("c | d"), names=("Open", "Shut"), states=("visible", "hidden"))
    )
    assert parsed.document.metadata == {"hidden_sheets": ["Shut"]}
    assert "c | d" in [b.text for b in parsed.blocks]


@pytest.mark.parametrize("far", ["A99999999", "XFD999999", "XFD1048576", "A9999999999"])
def test_a_cell_that_claims_another_row_than_its_own_is_brought_near(far: str) -> None:
    data = xlsx(rows("Item | Qty", "Bolt | 4", "Nut | 5").replace('r="A3"', f'r="{far}"'))
    assert " ".join(texts(data)).count("Nut") == 1


def test_a_far_stray_cell_costs_nothing() -> None:
    for far in ("XFD1048576", "A1048576", "XFD1", "AMJ900000"):
        number = far.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        first = cell("A1", "first") + cell("B1", "second")
        data = (
            f'<row r="1">{first}{cell(far, "far")}</row>'
            if number == "1"
            else f'<row r="1">{first}</row><row r="{number}">{cell(far, "far")}</row>'
        )
        found = texts(xlsx(data))
        assert len(found) <= 4
        assert "first" in " ".join(found)
        assert " ".join(found).count("far") == 1


def test_a_far_column_is_brought_near_also_where_there_are_few_rows() -> None:
    far = f'<row r="300">{cell("XFD300", "far")}</row>'
    data = xlsx(rows(*[f"Bolt {number} | 4" for number in range(299)]) + far)
    with open_archive(data) as archive:
        near = load_workbook(BytesIO(brought_near(data, archive))).get_sheet_by_index(0)
    assert (near.height, near.width) == (300, 3)
    assert texts(data)[-2:] == ["Bolt 298 | 4 | ", " |  | far"]


def test_merged_cells_and_percentages_follow_when_gaps_are_closed() -> None:
    styles = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="10"/></cellXfs>'
    lines = rows("Region | 2023 |", "| Q1 | Q2", first=900_001)
    body = f'<row r="900003">{cell("A900003", "North")}{cell("B900003", "0.5", style=1)}'
    body += f"{cell('C900003', '4')}{cell('XFD900003', 'far')}</row>"
    merged = '<!--rest--><mergeCells><mergeCell ref="B900001:C900001"/></mergeCells>'
    data = xlsx(f'<row r="1">{cell("A1", "first")}</row>{lines}{body}{merged}', styles=styles)
    assert texts(data)[-2:] == ["Region | 2023 Q1 | 2023 Q2 | ", "North | 50% | 4 | far"]


def test_a_sheet_that_is_truly_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_chunker.parsing.sheet_extent.MAX_CELLS", 10)
    with pytest.raises(DocumentTooLarge, match="more than 10 cells"):
        parse(xlsx(rows(*["1 | 2 | 3"] * 20)))


def test_open_document_sheets_are_read() -> None:
    def row(*values: str) -> str:
        cells = "".join(
            f'<table:table-cell office:value-type="string"><text:p>{value}</text:p>'
            "</table:table-cell>"
            for value in values
        )
        return f"<table:table-row>{cells}</table:table-row>"

    filler = (
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell'
        ' table:number-columns-repeated="16384"/></table:table-row>'
    )
    assert texts(ods(("Blatt", row("Name", "Ort", "Amt") + row("Eva", "Ulm", "Rat") + filler))) == [
        "Blatt",
        "Name | Ort | Amt",
        "Eva | Ulm | Rat",
    ]


def test_open_document_cells_read_as_shown() -> None:
    def cell_of(kind: str, value: str, text: str) -> str:
        typed = f'office:value-type="{kind}" office:{value}'
        return f"<table:table-cell {typed}><text:p>{text}</text:p></table:table-cell>"

    cells = (
        ("percentage", 'value="0.256"', "25.60%"),
        ("time", 'time-value="PT36H00M00S"', "36:00"),
        ("currency", 'value="1234.5"', "1.234,50 €"),
        ("float", 'value="123"', "00123"),
        ("float", 'value="5"', "5 pcs"),
        ("float", 'value="1"', "TRUE"),
        ("float", 'value="3.14159"', "3.14"),
        ("float", 'value="1e21"', "1E+21"),
        ("date", 'date-value="2024-05-06"', "06.05.24"),
    )
    row = "".join(cell_of(*each) for each in cells)
    plain = ods(("S", f"<table:table-row>{row}</table:table-row>"))
    style = '<number:percentage-style style:name="N1"/>'
    space = 'xmlns:number="urn:number" xmlns:style="urn:style" '
    assert texts(open_document(plain, space, style))[1:] == [
        "25.60% | 36:00 | 1.234,50 € | 00123 | 5 pcs | TRUE | 3.14159 | 1e+21 | 2024-05-06"
    ]


@pytest.mark.parametrize("usual", [True, False])
def test_formats_among_the_common_styles_are_shown_where_they_are_used(*, usual: bool) -> None:
    def cell_of(style: str, kind: str, value: str, text: str) -> str:
        parts = [f'office:value-type="{kind}"', f'office:value="{value}"']
        typed = " ".join(parts if usual else parts[::-1])
        named = f'table:style-name="{style}"' if style else ""
        return f"<table:table-cell {named} {typed}><text:p>{text}</text:p></table:table-cell>"

    def style(name: str, more: str) -> str:
        return f'<style:style style:name="{name}" style:family="table-cell" {more}/>'

    common = (
        '<number:percentage-style style:name="N10"><number:number/></number:percentage-style>'
        '<number:number-style style:name="N20"><number:number/></number:number-style>'
        '<number:number-style style:name="N30"><number:text> kg</number:text></number:number-style>'
    ) + style("Weight", 'style:data-style-name="N30"')
    own = style("ce1", 'style:data-style-name="N10"') + style(
        "ce2", 'style:parent-style-name="Weight"'
    )
    space = 'xmlns:number="urn:number" xmlns:style="urn:style" '

    def read(*cells: str) -> list[str]:
        data = ods(("S", f"<table:table-row>{''.join(cells)}</table:table-row>"))
        return texts(open_document(data, space, own, common))[1:]

    share = cell_of("ce1", "percentage", "0.5", "50%")
    weight = cell_of("ce2", "float", "4.5", "4.5 kg")
    price = cell_of("", "currency", "3", "€3")
    assert read(share) == ["50%"]
    assert read(weight) == ["4.5 kg"]
    assert read(price, share) == ["€3 | 50%"]
    assert read(price) == ["3"]


def open_document(data: bytes, spaces: str, styles: str, common: str = "") -> bytes:
    """The workbook with these styles, and common ones."""
    with zipfile.ZipFile(BytesIO(data)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    content = parts["content.xml"].decode()
    content = content.replace("<office:document-content ", f"<office:document-content {spaces}")
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>"
    parts["content.xml"] = content.replace("<office:body>", automatic, 1).encode()
    if common:
        parts["styles.xml"] = f"<office:document-styles>{common}</office:document-styles>".encode()
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return target.getvalue()


def test_merged_headers_and_comments_of_open_document_sheets_are_read() -> None:
    def row(*cells: str, more: str = "") -> str:
        return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"

    def word(text: str, more: str = "", note: str = "") -> str:
        said = f"<office:annotation><text:p>{note}</text:p></office:annotation>" if note else ""
        typed = f'office:value-type="string"{more}'
        return f"<table:table-cell {typed}>{said}<text:p>{text}</text:p></table:table-cell>"

    wide, covered = ' table:number-columns-spanned="2"', "<table:covered-table-cell/>"
    empty = '<table:table-cell table:number-columns-repeated="2"/>'
    top = row(empty, more=' table:number-rows-repeated="2"')
    head = row(empty, word("Item"), word("2024", wide), covered)
    names = row(empty, covered, word("Q1"), word("Q2"))
    data = row(empty, word("Nut"), word("a"), word("b", note="Who &lt;says&gt; so?"))
    data2 = row(empty, word("Bolt"), word("c"), word("4"))
    found = parse(ods(("A &amp; B", top + head + names + data + data2))).blocks
    assert [block.text for block in found] == [
        "A & B",
        "Item | 2024 Q1 | 2024 Q2",
        "Nut | a | b",
        "Bolt | c | 4",
        "E5: Who <says> so?",
    ]
    assert found[-1].attributes == {"note": "comment"}


def test_text_boxes_of_open_document_sheets_follow_their_cells() -> None:
    shape = (
        "<draw:custom-shape><text:p><text:span>Sold &amp; gone</text:span></text:p>"
        "<text:p>in May</text:p></draw:custom-shape>"
    )
    frame = "<draw:frame><draw:text-box><text:p>Below</text:p></draw:text-box></draw:frame>"
    row = '<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>'
    data = ods(
        (
            "A",
            f"<table:table-row>{row}<table:table-cell>{shape}{frame}<draw:line/>"
            "</table:table-cell></table:table-row>",
        ),
        ("B", f"<table:table-row>{row}</table:table-row>"),
    )
    found = parse(open_document(data, 'xmlns:draw="urn:draw" ', "")).blocks
    assert [block.text for block in found] == ["A", "a", "Sold & gone\nin May", "Below", "B", "a"]


def test_an_unfinished_comment_is_left_to_the_reader() -> None:
    with contextlib.suppress(ParseError):
        parse(ods(("A", "<table:table-row><table:table-cell><office:annotation></x>")))


def test_repeated_cells_that_would_fill_the_memory_are_refused() -> None:
    inner = (
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell'
        ' table:number-columns-repeated="16384" office:value-type="float" office:value="1"/>'
        "</table:table-row>"
    )
    with pytest.raises(DocumentTooLarge, match="delete what lies far out"):
        parse(ods(("T", inner)))


def test_far_cells_of_open_document_sheets_are_brought_near() -> None:
    def word(text: str) -> str:
        said = f"<text:p>{text}</text:p></table:table-cell>"
        return f'<table:table-cell office:value-type="string">{said}'

    def empty(columns: int) -> str:
        return f'<table:table-cell table:number-columns-repeated="{columns}"/>'

    rows = (
        f"<table:table-row>{word('first')}{empty(16_382)}{word('edge')}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="1048574">{empty(16_384)}</table:table-row>'
        f"<table:table-row>{word('last')}{empty(16_383)}</table:table-row>"
    )
    assert texts(ods(("Sparse", rows))) == ["Sparse", "first | edge", "last"]


_ODS_CELLS = st.builds(
    lambda repeats, text: (
        f'<table:table-cell table:number-columns-repeated="{repeats}"'
        + (
            f' office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
            if text
            else "/>"
        )
    ),
    st.integers(1, 3),
    st.sampled_from(["", "", "", "a", "b"]),
)
_ODS_ROWS = st.builds(
    lambda repeats, cells: (
        f'<table:table-row table:number-rows-repeated="{repeats}">'
        + "".join([*cells, "</table:table-row>"])
    ),
    st.integers(1, 3),
    st.lists(_ODS_CELLS, min_size=1, max_size=4),
)


@given(st.lists(_ODS_ROWS, min_size=1, max_size=5))
def test_open_document_sheets_read_the_same_without_their_gaps(rows: list[str]) -> None:
    whole = f"<table:table >{''.join(rows)}</table:table>"
    near = without_gaps(whole.encode()).decode()
    inner = [
        each.removeprefix("<table:table >").removesuffix("</table:table>") for each in (whole, near)
    ]
    assert texts(ods(("A", inner[0]))) == texts(ods(("A", inner[1])))


def test_wide_sheets_become_records() -> None:
    names = " | ".join(f"a rather long column name {n}" for n in range(26))
    values = " | ".join(f"{n}" for n in range(26))
    (row,) = table_rows(xlsx(rows(names, values)))
    assert row.text.startswith("a rather long column name 0: 0 | a rather long column name 1: 1")


@pytest.mark.parametrize("data", [b"", b"junk", b"PK\x03\x04junk", xlsx(rows("a | b"))[:300]])
def test_a_broken_workbook_is_a_parse_error_that_names_it(data: bytes) -> None:
    with pytest.raises(CorruptDocument) as caught:
        parse(data)
    assert caught.value.document == SOURCE.uri


def test_flipped_bytes_never_raise_anything_but_parse_errors() -> None:
    whole = xlsx(rows("a | b | 3", "c | d | 4"))
    for at in range(0, len(whole), 37):
        damaged = whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]
        with contextlib.suppress(ParseError):
            parse(damaged)


def test_a_protected_workbook_says_so() -> None:
    with pytest.raises(EncryptedDocument):
        parse(ole({"EncryptionInfo": b"x" * 100, "EncryptedPackage": b"x" * 5000}))
