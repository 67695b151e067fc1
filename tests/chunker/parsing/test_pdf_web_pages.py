"""What web pages have that somebody printed, and documents made for paper have not."""

import pytest
from pdf_writer import Pdf, PdfPage
from test_pdf_books import FILLER, blocks, body, headings, texts

from rag_chunker.layout.lines import Line, Style, Word
from rag_chunker.parsing.pdf.pieces import Piece
from rag_chunker.parsing.pdf.structure import Element
from rag_chunker.parsing.pdf.tagged import TaggedPart, tagged_pieces
from rag_core.types import BlockType

WHITE, GREY, RED = "1 1 1", "0.9 0.9 0.9", "0.8 0 0.2"
COLUMNS = (60, 140, 300, 500)


def filled(
    page: PdfPage, left: float, top: float, right: float, bottom: float, color: str
) -> PdfPage:
    """A rectangle without an outline."""
    shape = f"{left} {page.height - bottom} {right - left} {bottom - top} re f"
    return page.raw(f"q {color} rg {shape} Q".encode())


def outlined(page: PdfPage, left: float, top: float, right: float, bottom: float) -> None:
    shape = f"{left} {page.height - bottom} {right - left} {bottom - top} re S"
    page.raw(f"q 0.5 w {shape} Q".encode())


def cells(page: PdfPage, top: float, texts: list[str], color: str | None) -> None:
    """A row of 20 points, each of its cells on a shade of its own, some of them narrow."""
    for text, left, right in zip(texts, COLUMNS, COLUMNS[1:], strict=False):
        if color is not None:
            filled(page, left, top, right - 1.5, top + 20, color)
        page.text(left + 1, top + 14, text)


def test_paper_drawn_as_white_boxes_is_no_table() -> None:
    pdf = Pdf()
    page = pdf.page()
    filled(page, 30, 30, 565, 800, WHITE)
    filled(page, 30, 80, 200, 800, WHITE)
    filled(page, 200, 80, 565, 800, WHITE)
    filled(page, 200, 280, 565, 500, WHITE)
    page.text(210, 60, "Managing rights", 20, "B")
    page.lines(40, 100, ["Home", "Other chapter", "Contact"], 10, 40)
    for top in (100, 200, 300, 400):
        page.lines(210, top, [f"Line {number} of {FILLER}" for number in range(4)])
    assert {block.type for block in blocks(pdf)} == {BlockType.heading, BlockType.paragraph}


def test_shaded_boxes_around_text_are_no_table() -> None:
    pdf = Pdf()
    page = pdf.page()
    filled(page, 30, 30, 565, 800, GREY)
    filled(page, 30, 280, 560, 300, "0.8 0.8 0.8")
    filled(page, 60, 33, 100, 43, "0.7 0.7 0.7")
    page.text(62, 41, "prefix").text(110, 41, "can be part of the expression that is given")
    for top in (80, 200, 320, 440):
        page.lines(60, top, [f"Line {number} of {FILLER} and further" for number in range(4)])
    page.text(60, 294, "Examples", 14, "B")
    assert not texts(pdf, BlockType.table_row)
    assert headings(pdf) == [(1, "Examples")]


def test_rows_between_shaded_ones_have_the_same_columns() -> None:
    rows = [
        ["Package", "Architecture", "Content"],
        ["foo1", "any", "the shared library"],
        ["foo1-dbg", "any", "debug symbols"],
        ["foo-doc", "all", "documentation"],
        ["bar", "any", "programs"],
    ]
    pdf = Pdf()
    page = body(pdf.page(), 60)
    outlined(page, 58, 98, 500, 208)
    for number, row in enumerate(rows):
        color = RED if number == 0 else None if number % 2 else GREY
        cells(page, 100 + 21.5 * number, row, color)
    assert texts(pdf, BlockType.table_row) == [" | ".join(row) for row in rows]


def test_a_row_with_one_text_across_stays_one_cell() -> None:
    pdf = Pdf()
    page = body(pdf.page(), 60)
    outlined(page, 58, 98, 500, 187)
    cells(page, 100, ["Package", "Architecture", "Content"], RED)
    page.text(61, 136, "Libraries that programs of several architectures share among them")
    cells(page, 143, ["foo1", "any", "the shared library"], GREY)
    cells(page, 164.5, ["bar", "any", "programs"], GREY)
    rows = texts(pdf, BlockType.table_row)
    assert (
        rows[1].strip(" |") == "Libraries that programs of several architectures share among them"
    )


def terms(page: PdfPage, left: float, top: float, names: list[str]) -> None:
    for number, name in enumerate(names):
        page.text(left, top + 60 * number, name, 10, "I")
        page.lines(left + 30, top + 60 * number + 16, ["What it does, which is", "a lot indeed."])


def test_terms_that_stand_above_their_indented_definitions_are_no_headings() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Synopsis", 16, "B")
    body(page, 90)
    page.text(60, 160, "Options", 16, "B")
    terms(page, 60, 190, ["All branches", "Force it", "Be quiet"])
    assert headings(pdf) == [(1, "Synopsis"), (1, "Options")]


def test_terms_below_headings_that_stand_out_to_the_left_are_no_headings() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Synopsis", 16, "B")
    page.lines(90, 90, [f"Line {number} of text for the whole of it" for number in range(4)])
    page.text(60, 160, "Options", 16, "B")
    terms(page, 90, 190, ["All branches", "Force it", "Be quiet"])
    assert headings(pdf) == [(1, "Synopsis"), (1, "Options")]


def test_terms_that_look_like_headings_are_told_by_where_they_stand() -> None:
    pdf = Pdf()
    page = pdf.page()
    for top, title in ((60, "File menu"), (130, "Edit menu"), (200, "View menu")):
        body(page.text(60, top, title, 10, "B"), top + 15)
    for number, name in enumerate(["Undo", "Redraw", "Zoom in"]):
        page.text(70, 280 + 60 * number, name, 10, "B")
        page.lines(95, 295 + 60 * number, ["What it does, which is", "a lot indeed."])
    assert [text for _, text in headings(pdf)] == ["File menu", "Edit menu", "View menu"]


def test_headings_that_all_stand_out_to_the_left_of_the_text_are_headings() -> None:
    pdf = Pdf()
    page = pdf.page()
    terms(page, 60, 60, ["All branches", "Force it", "Be quiet"])
    body(page, 300, 20)
    names = ["All branches", "Force it", "Be quiet"]
    assert [text for _, text in headings(pdf)] == names


def test_a_large_heading_goes_on_in_small_letters_however_early_its_line_ended() -> None:
    pdf = Pdf()
    page = pdf.page()
    for top in (60, 200):
        page.lines(60, top, ["How does one pronounce it and", "what does it mean?"], 18, 15, "B")
        body(page, top + 50)
    title = "How does one pronounce it and what does it mean?"
    assert headings(pdf) == [(1, title), (1, title)]


def test_a_heading_without_text_below_the_first_text_of_the_first_page_is_one() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Interface Flushable", 18, "B")
    body(page, 90)
    page.text(60, 160, "Details", 14, "B").text(60, 190, "flush", 12, "B")
    page.text(60, 210, "void flush()", 10, "M")
    body(pdf.page().text(60, 60, "Serialized form", 18, "B"), 90)
    titles = ["Interface Flushable", "Details", "flush", "Serialized form"]
    assert [text for _, text in headings(pdf)] == titles


def test_a_sentence_in_larger_type_is_no_heading() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Interface Flushable", 18, "B")
    body(page, 90)
    page.text(60, 160, "Flushes this stream by writing any buffered output.", 12, "T")
    page.text(60, 190, ": nest = normest (A)", 10, "B")
    body(page, 210)
    assert headings(pdf) == [(1, "Interface Flushable")]


def test_an_imprint_is_no_heading() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Handbook", 18, "B")
    page.text(60, 90, "Copyright \u00a9 2003 The authors", 10, "B")
    page.text(60, 120, "ISBN: 979-10-91414-21-0", 10, "B")
    body(page, 150)
    page.text(60, 230, "Copyright law", 10, "B")
    body(page, 250)
    assert [text for _, text in headings(pdf)] == ["Handbook", "Copyright law"]


def test_a_list_of_what_is_on_the_page_is_no_list_of_headings() -> None:
    titles = [f"{number}. About the {name}" for number, name in enumerate(("pump", "well"), 1)]
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Handbook", 18, "B")
    contents = [*titles, "3. About the filter", "4. About the tank"]
    page.lines(60, 90, contents, 10, 15, "B")
    for number, title in enumerate(titles):
        page.text(60, 180 + 100 * number, title, 14, "B")
        body(page, 210 + 100 * number)
    assert [text for _, text in headings(pdf)] == ["Handbook", *titles]
    items = [block for block in blocks(pdf) if block.type is BlockType.list_item]
    assert [f"{item.attributes['list_marker']} {item.text}" for item in items] == contents


def test_commands_and_bulleted_names_in_bold_type_are_no_headings() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Building", 18, "B")
    body(page, 90)
    page.text(60, 160, "$ debuild -us -uc", 10, "N")
    body(page, 180)
    page.text(60, 250, "\u2022 gentoo-sources.dsc", 10, "N")
    body(page, 280)
    assert [text for _, text in headings(pdf)] == ["Building"]


PROSE, FIXED = Style(10.0), Style(10.0, mono=True)


def line(text: str, top: float, style: Style) -> Line:
    return Line([Word(text, 60, top, 60 + 5 * len(text), top + 10, style)])


@pytest.mark.parametrize(
    ("top", "kinds"),
    [(30, [BlockType.list_item, BlockType.code]), (14, [BlockType.list_item])],
    ids=["below", "wrapped"],
)
def test_code_below_the_text_of_a_tagged_item_is_no_part_of_it(
    top: float, kinds: list[BlockType]
) -> None:
    lines = [line("To update the list you can run", 0, PROSE), line("apt update", top, FIXED)]
    part = TaggedPart(Element("LI", lists=1), lines)
    pieces = tagged_pieces([[part]], ())
    assert [piece.type for piece in pieces if isinstance(piece, Piece)] == kinds
