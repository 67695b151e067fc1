"""A PDF's structure arrives: reading order, headings, lists, tables, and nothing that runs."""

import re
from pathlib import Path

import pytest
from pdf_writer import Pdf, PdfPage

from rag_chunker.parsing.pdf import PdfParser, characters, opening, pages
from rag_chunker.parsing.registry import parser_for
from rag_core.errors import CorruptDocument, DocumentTooLarge, EncryptedDocument
from rag_core.testing import ParserContract
from rag_core.types import Block, BlockType, CorpusId, DocumentId, ParsedDocument, Source, TenantId

DATA = Path(__file__).parents[2] / "data" / "pdf"
FILLER = "words that fill the line up to about here"


def read(data: bytes) -> ParsedDocument:
    source = Source(
        document_id=DocumentId("d.pdf"),
        tenant_id=TenantId("t"),
        corpus_id=CorpusId("c"),
        uri="d.pdf",
    )
    return PdfParser().parse(source, data)


def blocks(pdf: Pdf) -> tuple[Block, ...]:
    return read(pdf.data()).blocks


def texts(pdf: Pdf, kind: BlockType | None = None) -> list[str]:
    return [block.text for block in blocks(pdf) if kind is None or block.type is kind]


def one_page(**more: object) -> tuple[Pdf, PdfPage]:
    pdf = Pdf()
    return pdf, pdf.page(**more)  # type: ignore[arg-type]


def body(page: PdfPage, y: float, count: int = 3, x: float = 60) -> PdfPage:
    return page.lines(x, y, [f"Line {number} of {FILLER}" for number in range(count)])


class TestPdfParser(ParserContract):
    @pytest.fixture
    def parser(self) -> PdfParser:
        return PdfParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        pdf, page = one_page()
        body(page.text(60, 60, "Title", 18, "B"), 90)
        tagged = DATA / "tagged" / "eip-3155.chromegh.pdf"
        return [("own.pdf", pdf.data()), (tagged.name, tagged.read_bytes())]


def test_the_registry_knows_it() -> None:
    assert isinstance(parser_for("application/pdf"), PdfParser)


# reading order


LEFT = [
    "The orchard was planted in the",
    "spring of the second year and",
    "gave no fruit for so long that",
    "the owner kept a daily log of",
    "rain, frost and visiting bees.",
]
RIGHT = [
    "Later the log became a small",
    "book that the valley used for",
    "planning all its work because",
    "every farm got its own copy",
    "and passed it on to the next.",
]


@pytest.mark.parametrize("by_row", [True, False], ids=["drawn by row", "drawn by column"])
def test_two_columns_are_read_one_after_the_other(by_row: bool) -> None:
    pdf, page = one_page()
    cells = [(60, 90 + 14 * row, text) for row, text in enumerate(LEFT)]
    cells += [(330, 90 + 14 * row, text) for row, text in enumerate(RIGHT)]
    for x, y, text in sorted(cells, key=lambda cell: cell[1]) if by_row else cells:
        page.text(x, y, text, 12)
    assert texts(pdf) == [" ".join(LEFT), " ".join(RIGHT)]


def test_a_title_over_three_columns_comes_first() -> None:
    pdf, page = one_page()
    page.text(200, 50, "Report in Columns", 18, "B")
    for row in range(12):
        for column in range(3):
            page.text(40 + column * 180, 90 + 12 * row, f"Part {column} row {row} {FILLER[:18]}", 9)
    found = " ".join(texts(pdf))
    places = [found.index(mark) for mark in ("Report in", "Part 0 row 11", "Part 1 row 0",
                                             "Part 1 row 11", "Part 2 row 0")]  # fmt: skip
    assert places == sorted(places)


def test_a_box_beside_the_text_does_not_cut_its_sentences() -> None:
    pdf, page = one_page()
    body(page, 80, 15)
    page.lines(420, 80, ["A note beside", "the main text", "in small type", "ends here."], 8, 10)
    assert "A note beside the main text in small type ends here." in texts(pdf)


def test_text_drawn_in_odd_order_is_read_from_top_to_bottom() -> None:
    pdf, page = one_page()
    for number in (3, 0, 2, 1):
        page.text(60, 80 + 40 * number, f"Paragraph number {number} stands alone.")
    assert texts(pdf) == [f"Paragraph number {number} stands alone." for number in range(4)]


HEBREW = {0x41 + index: 0x5D0 + index for index in range(26)}


def hebrew(text: str) -> bytes:
    """Letters A.. for Hebrew ones, in the order in which they are drawn: from the left."""
    return text[::-1].encode()


def test_right_to_left_columns_are_read_from_the_right() -> None:
    pdf = Pdf(unicode_font=HEBREW)
    page = pdf.page()
    for row in range(6):
        page.text(330, 90 + 14 * row, hebrew("AB CDE FGH IJK LMN OPQ RST"), 12, "U")
        page.text(60, 90 + 14 * row, hebrew("BA CDE FGH IJK LMN OPQ RST"), 12, "U")
    found = " ".join(texts(pdf))
    first, second = chr(0x5D0) + chr(0x5D1), chr(0x5D1) + chr(0x5D0)
    assert found.startswith(first)
    assert found.rindex(f"{first} ") < found.index(f"{second} ")


def test_lines_of_chinese_join_without_spaces() -> None:
    pdf = Pdf(unicode_font={0x41 + index: 0x4E00 + index for index in range(26)})
    page = pdf.page()
    page.text(60, 60, b"ABCDEFGH", 12, "U").text(60, 74, b"IJKL", 12, "U")
    assert texts(pdf) == ["".join(chr(0x4E00 + index) for index in range(12))]


def test_ligatures_are_letters() -> None:
    pdf = Pdf(unicode_font={0x41: 0xFB01, 0x42: 0x78})
    pdf.page().text(60, 60, b"AB", 12, "U")
    assert texts(pdf) == ["fix"]


# headings


def test_an_accent_drawn_over_a_letter_is_one_letter_with_it() -> None:
    pdf, page = one_page()
    drawn_over = rb"[(Niels M\250) 333 (oller, Fran\270) 333 (cois, la t\210) 333 (ete)] TJ"
    page.raw(b"BT /F 10 Tf 1 0 0 1 60 700 Tm " + drawn_over + b" ET")
    page.text(60, 200, b"Stands before it: l\xb4ami, \x98a, `quoted`")
    assert texts(pdf) == [
        "Niels M\xf6ller, Fran\xe7ois, la t\xeate",
        "Stands before it: l\xb4ami, \u02dca, `quoted`",
    ]


def test_larger_and_bolder_lines_are_headings_ranked_by_size() -> None:
    pdf, page = one_page()
    for y, size, title in ((60, 20, "Annual report"), (160, 15, "Results"), (260, 12, "Sales")):
        body(page.text(60, y, title, size, "B"), y + 30)
    found = [(b.level, b.text) for b in blocks(pdf) if b.type is BlockType.heading]
    assert found == [(1, "Annual report"), (2, "Results"), (3, "Sales")]


def test_section_numbers_overrule_equal_looks() -> None:
    pdf, page = one_page()
    for place, title in enumerate(("1 Scope", "1.1 Terms", "1.1.1 Short terms", "2 Rules")):
        body(page.text(60, 60 + 100 * place, title, 12, "B"), 80 + 100 * place)
    found = [(b.level, b.text) for b in blocks(pdf) if b.type is BlockType.heading]
    assert found == [(1, "1 Scope"), (2, "1.1 Terms"), (3, "1.1.1 Short terms"), (1, "2 Rules")]


def test_the_declaration_of_a_function_is_no_heading() -> None:
    pdf, page = one_page()
    page.text(60, 60, "Queues (new, old)", 14, "B")
    body(page, 90)
    page.text(60, 150, "int queue_put (queue *q, void *item)", 10, "B")
    body(page, 170)
    page.text(60, 230, "item * queue_get (queue * q, int wait)  [Function]", 11.2, "I")
    body(page, 250)
    assert texts(pdf, BlockType.heading) == ["Queues (new, old)"]


def test_a_heading_over_two_lines_is_one() -> None:
    pdf, page = one_page()
    page.text(60, 60, "A heading so long that it does not fit on one line of this", 16, "B")
    body(page.text(60, 79, "page and goes on below", 16, "B"), 110, 6)
    assert texts(pdf, BlockType.heading) == [
        "A heading so long that it does not fit on one line of this page and goes on below"
    ]


def test_the_outline_names_headings_that_look_like_text() -> None:
    pdf, page = one_page()
    for number, title in enumerate(("Part A", "Scope", "Part B")):
        page.text(60, 60 + 60 * number, title, 12)
        page.text(60, 80 + 60 * number, f"Body text number {number} of the contract.", 12)
    pdf.outline = [(1, "Part A", 0), (2, "Scope", 0), (1, "Part B", 0)]
    found = [(b.level, b.text) for b in blocks(pdf) if b.type is BlockType.heading]
    assert found == [(1, "Part A"), (2, "Scope"), (1, "Part B")]
    assert texts(pdf).count("Scope") == 1


def test_an_outline_about_another_text_changes_nothing() -> None:
    pdf, page = one_page()
    body(page.text(60, 60, "True title", 18, "B"), 90)
    pdf.outline = [(1, "Chapter of another book", 0), (2, "Its section", 0)]
    assert texts(pdf, BlockType.heading) == ["True title"]


def test_a_link_in_another_colour_is_no_heading() -> None:
    pdf, page = one_page()
    body(page, 60, 9).raw(b"0 0 1 rg").text(60, 190, "Https://example.org/docs").raw(b"0 g")
    body(page, 220, 9)
    assert texts(pdf, BlockType.heading) == []


def test_a_caption_is_a_caption() -> None:
    pdf, page = one_page()
    body(body(page, 60).text(60, 130, "Figure 3: Sales by region", 10, "B"), 160)
    assert texts(pdf, BlockType.caption) == ["Figure 3: Sales by region"]


def test_bold_by_drawing_twice_is_read_once() -> None:
    pdf, page = one_page()
    page.text(60, 60, "Letter", 16).text(60.3, 60, "Letter", 16)
    body(page, 90)
    assert texts(pdf)[0] == "Letter"


def test_a_contents_page_is_a_list_and_no_heading_or_table() -> None:
    pdf, page = one_page()
    page.text(60, 60, "Contents", 16, "B")
    for number in range(5):
        page.text(60, 90 + 14 * number, f"{number + 1} Chapter {number}")
        page.text(500, 90 + 14 * number, str(number * 7 + 1))
    assert texts(pdf, BlockType.list_item) == [
        f"{number + 1} Chapter {number} {number * 7 + 1}" for number in range(5)
    ]


# running lines, page breaks, hyphens


def four_pages() -> Pdf:
    pdf = Pdf()
    parts = [
        "The audit started in March and the team saw every site. On the",
        "last day of the visit the manager signed the protocol of it.",
        "Copies went to the archive and the owner.",
        "No copy was lost.",
    ]
    for number, part in enumerate(parts, start=1):
        page = pdf.page().text(60, 30, "Internal audit 2024 - confidential", 9)
        page.text(60, 140, part).text(270, 820, f"Page {number} of 4", 9)
    return pdf


def test_running_headers_and_page_numbers_are_no_blocks() -> None:
    found = " ".join(texts(four_pages()))
    assert "confidential" not in found
    assert "Page" not in found


def test_a_sentence_goes_on_over_a_page_break_in_one_block() -> None:
    first = blocks(four_pages())[0]
    assert "On the last day of the visit" in first.text
    assert first.attributes["page"] == 1


def test_a_footnote_does_not_stand_inside_the_sentence_above_it() -> None:
    pdf = Pdf()
    page = pdf.page().text(
        60, 600, "The results were taken from the first survey and show that the"
    )
    page.text(60, 780, "1 See the annex for the method.", 7)
    pdf.page().text(60, 60, "numbers are rising in every region that was part of it.")
    assert "show that the numbers are rising" in texts(pdf)[0]


def test_a_word_broken_at_a_line_end_is_whole_again() -> None:
    pdf, page = one_page()
    page.lines(60, 60, ["It has powerful capabili-", "ties tested in the labo-", "ratory of them."])
    assert texts(pdf) == ["It has powerful capabilities tested in the laboratory of them."]


def test_a_hyphen_stays_in_a_word_that_is_hyphenated_elsewhere() -> None:
    pdf, page = one_page()
    page.lines(
        60, 60, ["This self-service shop is new, and a self-", "service shop is cheap to run."]
    )
    assert texts(pdf) == ["This self-service shop is new, and a self-service shop is cheap to run."]


def test_a_raised_number_does_not_grow_into_a_word() -> None:
    pdf, page = one_page()
    page.text(60, 60, "It rose by E=mc", 10).text(129, 56, "2", 6)
    assert "mc2" not in " ".join(texts(pdf))


# lists


def test_list_items_know_their_marker_and_depth() -> None:
    pdf, page = one_page()
    page.lines(60, 60, ["- first item", "- second item that is so long that it", "  goes on below"])
    page.text(80, 96, "- nested item").text(60, 108, "1. ordered")
    found = [
        (b.text, b.attributes["list_marker"], b.attributes["list_depth"])
        for b in blocks(pdf)
        if b.type is BlockType.list_item
    ]
    assert found == [
        ("first item", "-", 0),
        ("second item that is so long that it goes on below", "-", 0),
        ("nested item", "-", 1),
        ("ordered", "1.", 0),
    ]


def test_bullets_drawn_as_shapes_make_a_list() -> None:
    pdf, page = one_page()
    for row, text in enumerate(("apples", "pears", "plums")):
        page.square(62, 52 + 16 * row, 4).raw(b"f")
        page.text(72, 58 + 16 * row, text)
    assert texts(pdf, BlockType.list_item) == ["apples", "pears", "plums"]


# tables


ROWS = [["Name", "Unit", "Price"]] + [[f"item {n}", "kg", str(3 * n)] for n in range(1, 12)]


def ruled(page: PdfPage, y: float, rows: list[list[str]]) -> None:
    for at, row in enumerate(rows):
        page.rule(60, y + 20 * at, 360, y + 20 * at)
        for column, cell in enumerate(row):
            page.text(65 + 100 * column, y + 14 + 20 * at, cell)
    bottom = y + 20 * len(rows)
    page.rule(60, bottom, 360, bottom)
    for column in range(4):
        page.rule(60 + 100 * column, y, 60 + 100 * column, bottom)


def test_a_ruled_table_gives_rows_that_know_their_header() -> None:
    pdf, page = one_page()
    ruled(page, 100, ROWS[:4])
    rows = [b for b in blocks(pdf) if b.type is BlockType.table_row]
    assert [row.text for row in rows] == [" | ".join(row) for row in ROWS[:4]]
    assert {row.attributes["table_header"] for row in rows} == {"Name | Unit | Price"}


def test_a_table_over_a_page_break_is_one_and_repeats_no_header() -> None:
    pdf = Pdf()
    ruled(pdf.page(), 500, ROWS[:8])
    ruled(pdf.page(), 60, [ROWS[0], *ROWS[8:]])
    rows = [b for b in blocks(pdf) if b.type is BlockType.table_row]
    assert [row.text for row in rows] == [" | ".join(row) for row in ROWS]
    assert {row.attributes["table"] for row in rows} == {0}


INVOICE = [
    ("Description", "Qty", "Unit price", "Amount"),
    ("Submersible pump with cable and check valve", "3", "798.00", "2,394.00"),
    ("Controller", "3", "355.00", "1,065.00"),
    ("Installation", "8 h", "95.00", "760.00"),
    ("", "", "Subtotal", "4,219.00"),
    ("", "", "VAT 25 %", "1,054.75"),
    ("", "", "Total EUR", "5,273.75"),
]


def test_an_invoice_is_a_table_with_a_row_for_each_sum() -> None:
    pdf, page = one_page()
    page.text(60, 60, "INVOICE", 22, "B").text(400, 58, "1771 Halden", 10)
    for at, row in enumerate(INVOICE):
        top = 100 + 16 * at
        page.text(60, top, row[0])
        for cell, right in zip(row[1:], (350, 430, 500), strict=True):
            page.text(right - 5 * len(cell), top, cell)  # about flush right
        if 0 < at < 4:  # a rule below each cell, drawn by itself
            for left, right in ((58, 320), (320, 355), (355, 435), (435, 505)):
                page.rule(left, top + 4, right, top + 4)
    page.text(60, 240, "IBAN NO93 8601 1117 947 BIC DNBANOKK")
    rows = [[cell.strip() for cell in t.split("|")] for t in texts(pdf, BlockType.table_row)]
    assert rows == [list(row) for row in INVOICE]
    assert texts(pdf, BlockType.heading) == ["INVOICE"]


def test_labels_with_values_beside_them_are_no_headings() -> None:
    pdf, page = one_page()
    page.text(60, 60, "Minutes", 18, "B")
    for at, (label, value) in enumerate(
        (("Date:", "4 March 2026"), ("Present:", "Kari, Ola, Per"))
    ):
        page.text(60, 90 + 14 * at, label, 12, "B").text(115, 90 + 14 * at, value, 12)
    body(page, 140, 8)
    assert texts(pdf, BlockType.heading) == ["Minutes"]
    assert "4 March 2026" in read(pdf.data()).text


def test_columns_as_near_as_in_a_printed_sheet_are_told_by_their_header() -> None:
    pdf, page = one_page()
    body(page, 60)
    for column, cell in enumerate(["Part", "Name", "Price"]):
        page.text(60 + (0, 55, 200)[column], 120, cell)
    parts = [(f"200-0000{row}", f"Impeller of stage {row}", f"{row}.50") for row in range(4)]
    for at, row in enumerate(parts, start=1):
        for column, cell in enumerate(row):
            page.text(60 + (0, 55, 200)[column], 120 + 14 * at, cell)
    wanted = ["Part | Name | Price", *map(" | ".join, parts)]
    assert texts(pdf, BlockType.table_row) == wanted


def test_columns_that_align_make_a_table_without_rules() -> None:
    pdf, page = one_page()
    body(page, 60)
    for at, row in enumerate(ROWS[:5]):
        for column, cell in enumerate(row):
            page.text(60 + 120 * column, 120 + 14 * at, cell)
    assert texts(pdf, BlockType.table_row) == [" | ".join(row) for row in ROWS[:5]]


def test_a_row_broken_at_the_end_of_a_page_is_one_row() -> None:
    pdf = Pdf()
    page = pdf.page()
    for y in (700, 720):
        page.rule(60, y, 360, y)
    for x in (60, 210, 360):
        page.rule(x, 700, x, 760)
    page.text(65, 714, "Name", 10, "B").text(215, 714, "Use", 10, "B")
    page.text(65, 734, "copper and").text(215, 734, "wires that carry")
    page = pdf.page()
    for y in (60, 80):
        page.rule(60, y, 360, y)
    for x in (60, 210, 360):
        page.rule(x, 60, x, 80)
    page.text(65, 74, "its alloys").text(215, 74, "much current")
    page.rule(60, 100, 360, 100)
    for x in (60, 210, 360):
        page.rule(x, 80, x, 100)
    page.text(65, 94, "iron").text(215, 94, "rails")
    assert texts(pdf, BlockType.table_row) == [
        "Name | Use",
        "copper and its alloys | wires that carry much current",
        "iron | rails",
    ]


def test_a_header_of_two_rows_names_each_column_in_full() -> None:
    pdf, page = one_page()
    bottom = 180
    for y in (100, 140, 160, bottom):
        page.rule(60, y, 360, y)
    page.rule(160, 120, 360, 120)
    for x, top in ((60, 100), (160, 100), (260, 120), (360, 100)):
        page.rule(x, top, x, bottom)
    page.text(65, 114, "Region").text(165, 114, "Sales")
    page.text(165, 134, "spring").text(265, 134, "autumn")
    for y, row in ((154, ("North", "1", "2")), (174, ("South", "3", "4"))):
        for x, cell in zip((65, 165, 265), row, strict=True):
            page.text(x, y, cell)
    rows = [b for b in blocks(pdf) if b.type is BlockType.table_row]
    assert [row.text for row in rows] == [
        "Region | Sales spring | Sales autumn",
        "North | 1 | 2",
        "South | 3 | 4",
    ]
    assert {row.attributes["table_header"] for row in rows} == {rows[0].text}


def test_labels_at_the_right_edge_make_no_table() -> None:
    pdf, page = one_page()
    for row in range(4):
        page.text(60, 60 + 40 * row, f"a = b + {row}").text(500, 60 + 40 * row, f"({row + 1})")
    assert texts(pdf, BlockType.table_row) == []


def test_a_numbered_listing_is_no_table() -> None:
    pdf, page = one_page()
    for number in range(1, 7):
        page.text(60, 60 + 12 * number, str(number)).text(
            100, 60 + 12 * number, f"step {number}();"
        )
    assert texts(pdf, BlockType.table_row) == []


def test_code_keeps_its_lines_and_indentation() -> None:
    pdf, page = one_page()
    body(page, 60)
    page.text(60, 120, "def f(x):", 10, "M").text(84, 132, "return x", 10, "M")
    assert texts(pdf, BlockType.code) == ["def f(x):\n    return x"]


# pages


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_boxes_are_seen_from_the_top_left_of_the_page_as_shown(rotate: int) -> None:
    pdf, page = one_page(rotate=rotate)
    page.text(60, 100, "Some text that stands on a turned page.")
    parsed = read(pdf.data())
    shown = parsed.pages[0]
    left, top, right, bottom = parsed.blocks[0].attributes["bbox"]  # type: ignore[misc]
    wide = right - left > bottom - top  # type: ignore[operator]
    assert wide == (rotate % 180 == 0)
    assert (shown.width > shown.height) == (rotate % 180 == 90)
    near = {
        0: (left, top),
        90: (shown.width - right, left),
        180: (shown.width - right, shown.height - bottom),
        270: (top, shown.height - bottom),
    }  # type: ignore[operator]
    expected = {0: (60, 90), 90: (90, 90), 180: (60, 90), 270: (90, 60)}
    if rotate in (0, 180):
        assert near[rotate] == pytest.approx(expected[rotate], abs=4)


def test_text_turned_on_its_page_is_read_line_by_line() -> None:
    pdf, page = one_page()
    for number in range(5):
        page.turned(100 + 14 * number, 700, f"Row {number} of a table set sideways {FILLER}")
    assert "Row 0 of a table set sideways" in texts(pdf)[0]


def test_a_stamp_in_the_margin_is_no_heading_and_breaks_no_paragraph() -> None:
    pdf, page = one_page()
    body(page, 90, 8).turned(30, 500, "Draft of 1 Jan 2024", 14)
    found = blocks(pdf)
    assert [block.text for block in found if "Draft" in block.text] == ["Draft of 1 Jan 2024"]
    assert [block for block in found if block.type is BlockType.heading] == []


def test_text_outside_the_crop_box_is_left_out() -> None:
    pdf, page = one_page(crop=(50, 50, 500, 700))
    body(page.text(10, 30, "Printer marks", 8), 90)
    assert "Printer" not in " ".join(texts(pdf))


def test_form_fields_are_read_where_they_stand() -> None:
    pdf, page = one_page()
    page.text(60, 60, "Name:").text(60, 100, "Remarks follow below.")
    page.annotations.append(
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(n)/V(Ada Lovelace)/Rect[100 778 300 792]/F 4>>"
    )
    page.annotations.append("<</Type/Annot/Subtype/Text/Contents(secret)/Rect[0 0 20 20]>>")
    assert texts(pdf) == ["Name: Ada Lovelace", "Remarks follow below."]


# need of OCR


def test_a_scan_needs_ocr_and_a_blank_page_does_not() -> None:
    pdf = Pdf()
    pdf.page().image(0, 0, 595, 842)
    pdf.page()
    body(pdf.page(), 60)
    found = [(page.needs_ocr, page.reason) for page in read(pdf.data()).pages]
    assert found == [(True, "no-text"), (False, None), (False, None)]


def test_a_scan_with_a_text_layer_is_text() -> None:
    pdf, page = one_page()
    page.image(0, 0, 595, 842)
    for number in range(9):
        page.text(60, 60 + 14 * number, f"Line {number} of {FILLER}", 10, "F", 3)
    parsed = read(pdf.data())
    assert not parsed.pages[0].needs_ocr
    assert "Line 8" in parsed.text


def test_a_font_without_unicode_makes_a_garbled_page() -> None:
    pdf = Pdf(unicode_font={})
    page = pdf.page()
    for number in range(9):
        page.text(60, 60 + 14 * number, bytes([1, 2, 3, 4, 5, 6, 7, 14, 15, 16]), 10, "U")
    assert [page.reason for page in read(pdf.data()).pages] == ["garbled"]


def test_a_stamp_on_a_scan_does_not_hide_it() -> None:
    pdf, page = one_page()
    page.image(0, 0, 595, 842).text(60, 60, "Scanned by the archive in 1999, box 12")
    assert [page.reason for page in read(pdf.data()).pages] == ["scan-with-stamp"]


# the document


def test_title_and_author_come_from_the_document() -> None:
    pdf, page = one_page()
    body(page, 60)
    pdf.info = {"Title": "Bericht über Äpfel", "Author": "Ada"}
    document = read(pdf.data()).document
    assert (document.title, document.metadata["author"]) == ("Bericht über Äpfel", "Ada")


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - report.docx", "report.tex"])
def test_a_file_name_is_no_title(title: str) -> None:
    pdf, page = one_page()
    body(page, 60)
    pdf.info = {"Title": title}
    assert read(pdf.data()).document.title is None


def test_tags_are_trusted_over_looks() -> None:
    parsed = read((DATA / "tagged" / "eip-3155.chromegh.pdf").read_bytes())
    levels = {block.text: block.level for block in parsed.blocks if block.level}
    assert (levels["Abstract"], levels["Required Fields"]) == (2, 4)


# refusals


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\nnothing", b"<html></html>"])
def test_what_is_no_pdf_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument, match=r"d\.pdf"):
        read(data)


def test_a_pdf_cut_in_half_is_corrupt() -> None:
    pdf, page = one_page()
    body(page, 60)
    data = pdf.data()
    with pytest.raises(CorruptDocument):
        read(data[: len(data) // 2])


def test_a_pdf_without_pages_is_corrupt() -> None:
    with pytest.raises(CorruptDocument, match="no pages"):
        read(Pdf().data())


def test_a_password_is_asked_for() -> None:
    pdf, page = one_page()
    body(page, 60)
    pdf.passwords = ("secret", "owner")
    with pytest.raises(EncryptedDocument, match="password"):
        read(pdf.data())


def test_an_owner_password_alone_is_no_hindrance() -> None:
    pdf, page = one_page()
    body(page, 60)
    pdf.passwords = ("", "owner")
    assert read(pdf.data()).text.startswith("Line 0 of words")


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MAX_PAGES", 1)
    pdf = Pdf()
    body(pdf.page(), 60)
    body(pdf.page(), 60)
    with pytest.raises(DocumentTooLarge, match="2 pages"):
        read(pdf.data())


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_CHARACTERS", 40)
    pdf, page = one_page()
    body(page, 60)
    with pytest.raises(DocumentTooLarge, match="40 characters"):
        read(pdf.data())


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.pdf")), ids=lambda path: path.name)
def test_characters_taken_at_once_read_as_those_taken_one_by_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = read(path.read_bytes())
    monkeypatch.setattr(characters, "_PLAIN", re.compile(r"(?!)"))
    assert _without_boxes(read(path.read_bytes())) == _without_boxes(at_once)


def _without_boxes(parsed: ParsedDocument) -> list[Block]:
    """Boxes of words differ by tenths of a point: the first and the last letter made them."""
    return [
        block.model_copy(
            update={"attributes": {k: v for k, v in block.attributes.items() if k != "bbox"}}
        )
        for block in parsed.blocks
    ]
