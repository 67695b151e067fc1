"""Decks that became PDFs: titles stay, bars and footers go, lists are lists."""

import pytest
from pdf_writer import Pdf, PdfPage

from rag_chunker.parsing.pdf import PdfParser
from rag_core.types import Block, BlockType, CorpusId, DocumentId, Source, TenantId

WIDTH, HEIGHT = 363.0, 272.0
TITLES = ["Wells and pumps", "Water levels", "Gravel and sand", "Costs", "What comes next"]
POINTS = ["the level falls each year", "the screen is cleaned twice", "gravel keeps the sand out"]


def read(pdf: Pdf) -> list[Block]:
    source = Source(
        document_id=DocumentId("d.pdf"),
        tenant_id=TenantId("t"),
        corpus_id=CorpusId("c"),
        uri="d.pdf",
    )
    return list(PdfParser().parse(source, pdf.data()).blocks)


def of(blocks: list[Block], kind: BlockType) -> list[str]:
    return [block.text for block in blocks if block.type is kind]


def deck(titles: list[str] = TITLES) -> Pdf:
    """Slides with a title and a sentence of their own each."""
    pdf = Pdf()
    for number, title in enumerate(titles):
        page = pdf.page(WIDTH, HEIGHT).text(70, 30, title, 14)
        page.text(70, 100, f"What we know by now of part {number} of our work is written here.")
    return pdf


def bulleted(page: PdfPage, x: float, y: float, points: list[str]) -> None:
    for row, point in enumerate(points):
        page.ball(x, y - 7 + 20 * row, 5).text(x + 12, y + 20 * row, point)


def test_coloured_paper_is_no_table_and_its_footer_runs() -> None:
    pdf = deck()
    for number, page in enumerate(pdf.pages, 1):
        third = WIDTH / 3
        footer = ("Ann Smith", "Wells of the north", f"{number} / 5")
        for column, (text, grey) in enumerate(zip(footer, ("0.9", "0.8", "0.7"), strict=True)):
            page.box(third * column, HEIGHT - 12, third, 12, f"{grey} {grey} 0.9")
            page.text(third * column + 8, HEIGHT - 4, text, 6)
    blocks = read(pdf)
    assert of(blocks, BlockType.heading) == TITLES
    assert {block.type for block in blocks} == {BlockType.heading, BlockType.paragraph}
    assert not any("Ann Smith" in block.text for block in blocks)


@pytest.mark.parametrize("x", [4, 305], ids=["left", "right"])
def test_a_bar_beside_the_text_runs_and_titles_on_its_rows_stay(x: float) -> None:
    pdf = deck()
    for page in pdf.pages:
        page.box(0 if x < 60 else 300, 0, 63, HEIGHT, "0.8 0.8 0.9")
        for row, entry in enumerate(("Wells of the north", "Ann Smith", "Pumps", "Costs")):
            page.text(x, 29 + 14 * row, entry, 6)
    blocks = read(pdf)
    assert of(blocks, BlockType.heading) == TITLES
    assert len(of(blocks, BlockType.paragraph)) == len(TITLES)


def test_the_small_labels_of_a_form_that_pages_repeat_stay() -> None:
    pdf = Pdf()
    for name in ("Ann Smith", "Bob Stone", "Cyd Hill", "Dan Ford"):
        page = pdf.page()
        for row, (label, value) in enumerate(
            (("Name", name), ("Town", f"{name[:3]}ville"), ("Job", f"driller of {name[4:]}"))
        ):
            page.text(60, 200 + 40 * row, label, 7).text(160, 200 + 40 * row, value, 12)
    text = "\n".join(block.text for block in read(pdf))
    assert text.count("Name") == text.count("Town") == 4


def test_a_title_stays_while_its_slide_fills_up() -> None:
    titles = ["Wells and pumps", *["Water levels"] * 3, "Costs", "What comes next"]
    assert of(read(deck(titles)), BlockType.heading) == titles


def test_shaded_balls_are_bullets() -> None:
    pdf = deck(["Points"])
    bulleted(pdf.pages[0], 60, 140, POINTS)
    assert of(read(pdf), BlockType.list_item) == POINTS


def test_numbers_in_balls_are_markers() -> None:
    pdf = deck(["Steps"])
    for row, point in enumerate(POINTS):
        pdf.pages[0].ball(60, 132 + 20 * row, 8).text(62.5, 138 + 20 * row, str(row + 1), 5)
        pdf.pages[0].text(70, 140 + 20 * row, point)
    items = [block for block in read(pdf) if block.type is BlockType.list_item]
    assert [(item.text, item.attributes["list_marker"]) for item in items] == [
        (point, str(number)) for number, point in enumerate(POINTS, 1)
    ]


def test_triangles_are_bullets() -> None:
    pdf = deck(["Points"])
    pdf.unicode_font = {ord("A"): ord("▶")}
    for row, point in enumerate(POINTS):
        pdf.pages[0].text(60, 140 + 20 * row, "A", 8, "U").text(74, 140 + 20 * row, point)
    items = [block for block in read(pdf) if block.type is BlockType.list_item]
    assert [item.text for item in items] == POINTS
    assert {item.attributes["list_marker"] for item in items} == {"▶"}


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    pdf = deck(["Two lists"])
    page = pdf.pages[0]
    bulleted(page, 20, 140, ["wells are deep", "pumps are loud"])
    bulleted(page, 200, 137, ["sand is fine", "gravel is round", "clay is tight"])
    page.text(200, 12, "Costs", 6)  # a navigation bar's entry, above the right list
    items = [block for block in read(pdf) if block.type is BlockType.list_item]
    assert [(item.text, item.attributes["list_depth"]) for item in items] == [
        (text, 0)
        for text in (
            *("wells are deep", "pumps are loud"),
            *("sand is fine", "gravel is round", "clay is tight"),
        )
    ]


def test_a_caption_without_a_number_is_a_caption() -> None:
    pdf = deck(["A picture"])
    pdf.pages[0].image(100, 120, 80, 60).text(100, 200, "Figure: Wells of the north", 9)
    assert of(read(pdf), BlockType.caption) == ["Figure: Wells of the north"]


def test_a_formula_in_italics_is_no_heading() -> None:
    pdf = deck(["A law", "Another law"])
    pdf.pages[0].text(100, 140, "Energy = mass c", 10, "I")
    assert of(read(pdf), BlockType.heading) == ["A law", "Another law"]


def test_an_overview_of_what_other_slides_show_is_a_list() -> None:
    pdf = deck()
    page = PdfPage(WIDTH, HEIGHT).text(70, 30, "Overview", 14)
    for row, title in enumerate(TITLES[1:4]):
        page.text(80, 90 + 50 * row, title, 12)
    pdf.pages.insert(1, page)
    blocks = read(pdf)
    assert of(blocks, BlockType.heading) == [TITLES[0], "Overview", *TITLES[1:]]
    assert of(blocks, BlockType.list_item) == TITLES[1:4]


def test_an_item_does_not_go_on_in_a_coloured_line_on_the_next_slide() -> None:
    pdf = Pdf()
    bulleted(pdf.page(WIDTH, HEIGHT), 60, 100, ["wells are deep and full of clean cold water"])
    page = pdf.page(WIDTH, HEIGHT).raw(b"0 0 1 rg").text(60, 100, "Pumps are loud")
    page.raw(b"0 g").text(60, 120, "They stand beside the wells of the north and the south.")
    assert "wells are deep and full of clean cold water" in of(read(pdf), BlockType.list_item)


def test_what_stands_once_in_a_bar_stays() -> None:
    pdf = Pdf()
    for number in range(4):
        page = pdf.page()
        page.lines(60, 200, [f"Line {row} of letter {number} to a customer" for row in range(9)])
        for row, entry in enumerate(("Wells Ltd", "1 North Road", f"Our sign: W-{number}")):
            page.text(450, 241 + 24 * row, entry, 6)
    text = "\n".join(block.text for block in read(pdf))
    assert "North Road" not in text
    assert [f"W-{number}" in text for number in range(4)] == [True] * 4
