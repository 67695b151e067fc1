"""What manuals and books as typesetters make them have, and reports from an office have not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdf_writer import Pdf, PdfPage

from rag_chunker.layout.lines import Line, Word
from rag_chunker.parsing.pdf import PdfParser
from rag_chunker.parsing.pdf.fonts import _HEAVY, _font
from rag_chunker.parsing.pdf.outline import MAX_TITLES, Entry, mark_titles, titles_by_page
from rag_core.types import Block, BlockType, CorpusId, DocumentId, Source, TenantId

FILLER = "words that fill the line up to about here"


def blocks(pdf: Pdf) -> tuple[Block, ...]:
    source = Source(
        document_id=DocumentId("d.pdf"), tenant_id=TenantId("t"), corpus_id=CorpusId("c"), uri="d"
    )
    return PdfParser().parse(source, pdf.data()).blocks


def headings(pdf: Pdf) -> list[tuple[int | None, str]]:
    return [(block.level, block.text) for block in blocks(pdf) if block.type is BlockType.heading]


def texts(pdf: Pdf, kind: BlockType) -> list[str]:
    return [block.text for block in blocks(pdf) if block.type is kind]


def body(page: PdfPage, y: float, count: int = 4) -> PdfPage:
    return page.lines(60, y, [f"Line {number} of {FILLER}" for number in range(count)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["Chapter 1"], ["Chapter 2"]),
        (["CHAPTER", "ONE"], ["CHAPTER", "TWO"]),
        (["Anhang B"], ["Anhang C"]),
        (["APPENDIX", "IV"], ["APPENDIX", "V"]),
        (["Part Twenty"], ["Part Twenty-one"]),
    ],
)
def test_the_number_of_a_chapter_and_its_title_are_one_heading(
    one: list[str], other: list[str]
) -> None:
    pdf = Pdf()
    for label, title, top in ((one, "First steps", 60), (other, "Next steps", 70)):
        page = pdf.page()
        for line, text in enumerate(label):
            page.text(60, top + 25 * line, text, 14, "B")
        body(page.text(60, 140, title, 20, "B"), 180)
    body(pdf.page().text(60, 60, "Afterword", 20, "B"), 90)
    titles = f"{' '.join(one)} First steps", f"{' '.join(other)} Next steps", "Afterword"
    assert headings(pdf) == [(1, title) for title in titles]


def test_a_heading_that_only_begins_like_a_label_stays_one_of_its_own() -> None:
    pdf = Pdf()
    page = body(pdf.page().text(60, 60, "Part I want to keep", 20, "B"), 130)
    page.text(60, 95, "Details", 14, "B")
    body(page.text(60, 200, "More", 14, "B"), 220)
    assert headings(pdf) == [(1, "Part I want to keep"), (2, "Details"), (2, "More")]


def test_running_titles_with_page_numbers_are_no_headings_however_short_a_chapter() -> None:
    pdf = Pdf()
    names = ("Start", "Setup", "Checks", "Repair", "Parts")
    for number, name in enumerate(names):
        page = pdf.page()
        page.text(60, 130, f"{number + 1} {name.upper()} {number + 7}", 10, "I")
        body(page.text(60, 170, f"{number + 1} {name}", 14, "B"), 200)
    assert headings(pdf) == [(1, f"{at + 1} {name}") for at, name in enumerate(names)]
    assert texts(pdf, BlockType.paragraph) == [
        " ".join(f"Line {number} of {FILLER}" for number in range(4))
    ] * len(names)


def test_numbered_titles_of_slides_do_not_run() -> None:
    pdf = Pdf()
    for number in range(1, 6):
        body(pdf.page().text(60, 60, f"Step {number}", 20, "B"), 110)
    assert [text for _, text in headings(pdf)] == [f"Step {number}" for number in range(1, 6)]


def test_no_heading_runs_because_others_at_its_height_are_alike() -> None:
    pdf = Pdf()
    for number in range(6):
        page = pdf.page().text(60, 50, "Manual, Release 4", 8)
        page.text(60, 90, "CHAPTER", 10, "B").text(60, 110, str(number + 1), 12, "B")
        body(page.text(60, 140, f"Title of chapter {'abcdef'[number]}", 20, "B"), 180)
        body(pdf.page().text(60, 50, "Manual, Release 4", 8), 180)
        page = pdf.page().text(60, 50, "Manual, Release 4", 8)
        body(page.text(60, 90, f"About {'uvwxyz'[number]} and more", 12, "B"), 120)
        body(pdf.page().text(60, 50, "Manual, Release 4", 8), 180)
    found = [text for _, text in headings(pdf)]
    assert [f"About {letter} and more" for letter in "uvwxyz"] == found[1::2]


def test_contents_go_on_over_pages() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Contents", 20, "B")
    for line in range(30):
        bold = "B" if line % 5 == 0 else "F"
        page.text(60, 100 + 20 * line, f"Chapter on {line}", 11, bold)
        page.text(520, 100 + 20 * line, f"{line + 10}", 11, bold)
    page = pdf.page()
    for line in range(12):
        bold = "B" if line % 5 == 0 else "F"
        page.text(60, 60 + 20 * line, f"Chapter on {line + 30}", 11, bold)
        page.text(520, 60 + 20 * line, f"{line + 40}", 11, bold)
    body(pdf.page().text(60, 60, "Chapter on 0", 20, "B"), 100)
    assert headings(pdf) == [(1, "Contents"), (1, "Chapter on 0")]


def test_initials_of_authors_stay_with_their_names() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "References", 16, "B")
    names = ["R. Becker (1988) Wells.", "J. Bowman (1996) Pumps.", "T. M. Dubois (2000) Sand."]
    for line, name in enumerate(names):
        page.text(60, 100 + 30 * line, name, 10, "I" if line == 2 else "F")
    body(page, 220)
    assert [block.text for block in blocks(pdf)][1:4] == names
    assert headings(pdf) == [(1, "References")]


def test_letters_in_turn_number_a_list() -> None:
    pdf = Pdf()
    page = body(pdf.page(), 60)
    for line, text in enumerate(("A. Open the valve.", "B. Wait for water.", "C. Close it.")):
        page.text(70, 130 + 14 * line, text)
    items = [block for block in blocks(pdf) if block.type is BlockType.list_item]
    assert [block.attributes["list_marker"] for block in items] == ["A.", "B.", "C."]


@pytest.mark.parametrize(
    ("parts", "rules", "text"),
    [
        (["make", "path"], [0], "make_path"),
        (["a", "b", "c"], [0, 1], "a_b_c"),
        (["end", "next"], [], "end next"),
    ],
)
def test_an_underscore_drawn_as_a_rule_is_one(
    parts: list[str], rules: list[int], text: str
) -> None:
    pdf = Pdf()
    page = pdf.page()
    left = 60.0
    for at, part in enumerate(parts):
        page.text(left, 60, part, 10, "M")
        left += 6 * len(part)
        if at in rules:
            page.rule(left + 0.6, 60.2, left + 3.6, 60.2, 0.4)
        left += 4.2
    page.text(60, 90, "A line of text in another font, longer than the one above")
    assert blocks(pdf)[0].text == text


def test_headings_that_the_outline_leaves_out_lie_below_those_that_look_greater() -> None:
    pdf = Pdf()
    for number in range(1, 4):
        page = pdf.page().text(60, 60, f"{number} Chapter of {number}", 18, "B")
        body(page.text(60, 100, f"{number}.1 Section of {number}", 14, "B"), 130)
        for point in range(1, 3):
            page.text(60, 160 + 60 * point, f"{point}. Point", 10, "B")
            body(page, 180 + 60 * point, 2)
        pdf.outline.append((1, f"{number} Chapter of {number}", number - 1))
        pdf.outline.append((2, f"{number}.1 Section of {number}", number - 1))
    assert [level for level, _ in headings(pdf)] == [1, 2, 3, 3] * 3


@pytest.mark.parametrize(("mark", "font"), [(".", "F"), ("", "B"), (":", "I")])
def test_a_title_that_text_runs_on_behind_is_a_heading_if_the_outline_names_it(
    mark: str, font: str
) -> None:
    pdf = Pdf()
    for number in range(1, 4):
        page = body(
            pdf.page().text(60, 60, f"{number} Chapter of {'abc'[number - 1]}", 18, "B"), 90
        )
        page.text(60, 160, f"{number}.1 Small points{mark}", 10, font)
        page.text(150, 160, "Text that runs on behind its title, and then goes on")
        page.text(60, 172, "on the next line until it ends.")
        pdf.outline.append((1, f"Chapter of {'abc'[number - 1]}", number - 1))
        pdf.outline.append((2, "Small points", number - 1))
    assert headings(pdf)[:2] == [(1, "1 Chapter of a"), (2, f"1.1 Small points{mark}")]
    assert texts(pdf, BlockType.paragraph)[1] == (
        "Text that runs on behind its title, and then goes on on the next line until it ends."
    )


def test_a_sentence_that_begins_like_a_title_is_none() -> None:
    pdf = Pdf()
    page = body(pdf.page().text(60, 60, "Wells", 18, "B"), 90)
    page.text(60, 150, "Pumps are what this page is about, whatever its bookmarks say.")
    body(pdf.page().text(60, 60, "Screens", 18, "B"), 90)
    pdf.outline += [(1, "Wells", 0), (2, "Pumps", 0), (1, "Screens", 1)]
    assert headings(pdf) == [(1, "Wells"), (1, "Screens")]


def test_a_title_with_words_beside_it_is_no_row_of_a_table() -> None:
    pdf = Pdf()
    page = pdf.page().text(160, 60, "Commands", 18, "B")
    for number, name in enumerate(("Open", "Close", "Drain", "Fill")):
        top = 100 + 70 * number
        page.text(60, top, f"valve-{name.lower()}", 9, "M").text(160, top, name, 10, "F")
        page.lines(160, top + 14, [f"Line {line} of {FILLER}" for line in range(3)])
        pdf.outline.append((2, name, 0))
    pdf.outline.insert(0, (1, "Commands", 0))
    assert [text for _, text in headings(pdf)] == ["Commands", "Open", "Close", "Drain", "Fill"]
    assert texts(pdf, BlockType.table_row) == []


def test_no_page_has_more_titles_than_fit_on_one() -> None:
    entries = [Entry(f"Title {number}", 1, number % 2) for number in range(3 * MAX_TITLES)]
    titles = titles_by_page(entries)
    assert [len(on_page) for on_page in titles.values()] == [MAX_TITLES, MAX_TITLES]
    assert titles[1][:2] == ["Title 1", "Title 3"]


def test_titles_in_capitals_without_accents_are_those_of_the_outline() -> None:
    pdf = Pdf()
    for number, (shown, title) in enumerate((("RESUME", "Résumé"), ("METHODE", "Méthode"))):
        body(pdf.page().text(60, 60, shown, 10), 90)
        pdf.outline.append((1, title, number))
    assert headings(pdf) == [(1, "RESUME"), (1, "METHODE")]


def test_a_numbered_sentence_in_colour_is_no_heading() -> None:
    pdf = Pdf()
    page = body(pdf.page().text(60, 60, "Rules", 16, "B"), 90)
    text = (
        "2. The program must come with its source, and the licence must let others change it too."
    )
    page.text(60, 160, text, 10, "I")
    body(page, 190)
    assert headings(pdf) == [(1, "Rules")]


def test_letters_too_small_to_measure_harm_nothing() -> None:
    pdf = Pdf()
    page = body(pdf.page(), 60)
    for line in range(4):
        page.text(60, 200 + line, "figure", 0.3)
    assert blocks(pdf)[0].text.startswith("Line 0")


def test_bitmap_fonts_are_measured_and_their_ligatures_known() -> None:
    pdf = Pdf(bitmap_font=True)
    lines = [f"{word} the \x0crst e\x0eort of di\x0berent \x0fow\rs and" for word in "abcdefghi"]
    for number in range(3):
        page = pdf.page().bitmap_text(60, 60, f"{number + 1} Chapter of the book", 17)
        for line, text in enumerate(lines[3 * number : 3 * number + 3]):
            page.bitmap_text(60, 100 + 12 * line, text)
    found = [(block.type.value, block.text) for block in blocks(pdf)]
    sentences = [f"{word} the first effiort of different fflowfls and" for word in "abc"]
    assert found[:2] == [("heading", "1 Chapter of the book"), ("paragraph", " ".join(sentences))]
    assert len(found) == 6


@pytest.mark.parametrize(
    ("gap", "text"), [(1.6, "LIST OF TABLES"), (2.8, "L I S T O F T A B L E S")]
)
def test_capitals_set_apart_by_less_than_words_are_one_word(gap: float, text: str) -> None:
    pdf = Pdf()
    page, left = pdf.page(), 60.0
    for word in ("LIST", "OF", "TABLES"):
        for letter in word:
            page.text(left, 60, letter, 10, "M")
            left += 6.0 + gap
        left += 3.4
    page.text(60, 90, "A line of text in another font, longer than the one above")
    assert blocks(pdf)[0].text == text


@pytest.mark.parametrize(
    ("name", "bold", "mono"),
    [
        ("CMB10", True, False),
        ("CMBX12", True, False),
        ("CMSSBX10", True, False),
        ("LMBX10", True, False),
        ("CMBR10", False, False),
        ("CMR10", False, False),
        ("CMSLTT10", False, True),
        ("LMTT10", False, True),
    ],
)
def test_the_weight_of_tex_s_fonts_is_known_by_name(name: str, bold: bool, mono: bool) -> None:
    font = _font(name, 0, False)
    assert (font.bold, font.mono) == (bold, mono)


def test_a_plain_font_is_not_bold_whatever_its_stems_say() -> None:
    assert not _font("Times-Roman", 0, True).bold
    assert _font("Univers", 0, True).bold
    assert 2140 not in _HEAVY  # what PDFium makes of HTMLDOC's stems of 500


@given(st.lists(st.sampled_from(["a.", "b", "c:", "1.2", "Ä"]), min_size=1, max_size=8), st.data())
def test_marking_titles_keeps_every_word_in_its_place(
    words: list[str], data: st.DataObject
) -> None:
    titles = [" ".join(words[: data.draw(st.integers(0, len(words)))]) for _ in range(3)]
    line = Line([Word(word, 9.0 * at, 0, 9.0 * at + 8, 10) for at, word in enumerate(words)])
    marked = mark_titles([line], titles)
    assert [word.text for part in marked for word in part.words] == words
    assert all(part.words for part in marked)


def test_first_rows_that_name_sections_run_though_none_repeats() -> None:
    pdf = Pdf()
    titles = ["Wells of the north", "Pumps and their parts", "Water in the ground", "Cold and heat"]
    for number, title in enumerate(titles, 1):
        page = pdf.page().text(60, 60, f"CHAPTER {number}. {title.upper()}", 10)
        page.text(60, 120, f"{number} {title}", 16, "B")
        page.lines(60, 150, [f"Line {row} of {title} that fills the line up" for row in range(9)])
    assert texts(pdf, BlockType.heading) == [
        f"{number} {title}" for number, title in enumerate(titles, 1)
    ]
    assert not any("CHAPTER" in block.text for block in blocks(pdf))


def test_first_rows_that_name_nothing_stay() -> None:
    pdf = Pdf()
    for number, words in enumerate(("apples are red", "pears are green", "plums are blue"), 1):
        page = pdf.page().text(60, 60, f"Today {words} and sweet.", 10)
        page.text(60, 120, f"{number} Fruit of the day", 16, "B")
        page.text(60, 150, "They are sold at the market.")
    text = "\n".join(block.text for block in blocks(pdf))
    assert text.count("Today") == 3


def test_contents_in_one_of_two_columns_are_no_headings() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "Wells", 20, "B").text(60, 100, "Contents", 14, "B")
    for row, title in enumerate(("1 The north", "2 The south", "3 The east")):
        page.text(60, 130 + 20 * row, title, 10, "B").text(236, 130 + 20 * row, str(row + 1))
    prose = ["Water falls and rises in the ground, as", "the rain comes and goes, all year long"]
    page.lines(60, 200, prose * 12).lines(310, 100, prose * 20)
    assert texts(pdf, BlockType.heading) == ["Wells", "Contents"]


def test_a_numbered_heading_wraps_in_a_narrow_column() -> None:
    pdf = Pdf()
    page = pdf.page().text(60, 60, "1.3 Every", 14, "B").text(150, 60, "sand", 14, "B")
    page.text(92, 78, "policy sample", 14, "B").text(92, 96, "whose cold", 14, "B")
    page.lines(
        60, 130, ["The water of a well is", "cold, and clean too, and", "deep under the sand."]
    )
    assert texts(pdf, BlockType.heading) == ["1.3 Every sand policy sample whose cold"]


def test_letters_of_one_width_without_a_font_name_are_code() -> None:
    pdf = Pdf(bitmap_font=True)
    page = pdf.page().lines(60, 60, ["A program that prints a number:"])
    for row, line in enumerate(("def number of lines", "    return value")):
        at = f"BT /P 1 Tf 0.1 0 0 0.1 60 {page.height - 100 - 12 * row} Tm ".encode()
        page.raw(at + b"<" + line.encode().hex().encode() + b"> Tj ET")
    code = texts(pdf, BlockType.code)
    assert len(code) == 1
    assert code[0].split() == ["def", "number", "of", "lines", "return", "value"]
