"""A slide deck's text arrives whole and once, under its slide's title, in reading order."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from office_files import docx, p, parsed, shape, zipped
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches, Pt

from rag_chunker.parsing.archive import open_archive
from rag_chunker.parsing.pptx import PptxParser
from rag_chunker.parsing.pptx.reading_order import Box, in_reading_order
from rag_core.errors import CorruptDocument, ParseError
from rag_core.testing import ParserContract
from rag_core.types import ParsedDocument

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def saved(deck: Any) -> bytes:
    target = io.BytesIO()
    deck.save(target)
    return target.getvalue()


def read(build: Callable[[Any, Any], None], layout: int = TITLE_ONLY) -> ParsedDocument:
    """The document of one slide that `build` fills; its title is T if the layout has one."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if slide.shapes.title is not None:
        slide.shapes.title.text = "T"
    build(deck, slide)
    return parsed(PptxParser(), saved(deck))


def box(shapes: Any, text: str, left: float, top: float, size: int | None = None) -> Any:
    added = shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5))
    added.text_frame.text = text
    if size is not None:
        added.text_frame.paragraphs[0].runs[0].font.size = Pt(size)
    return added


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def _sample() -> bytes:
    deck = Presentation()
    for title in ("One\ufeff", "Two"):
        slide = deck.slides.add_slide(deck.slide_layouts[TITLE_AND_CONTENT])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "first\nsecond\u00ad"
        table = slide.shapes.add_table(2, 1, 0, Inches(6), Inches(4), Inches(1)).table
        table.cell(0, 0).text, table.cell(1, 0).text = "head", "row"
        slide.notes_slide.notes_text_frame.text = "say"
    return saved(deck)


class TestPptxParser(ParserContract):
    @pytest.fixture
    def parser(self) -> PptxParser:
        return PptxParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [("a.pptx", _sample())]


def test_titles_are_headings_of_one_level_in_slide_order() -> None:
    deck = Presentation()
    for title in ("First", "Second\vline"):
        slide = deck.slides.add_slide(deck.slide_layouts[TITLE_AND_CONTENT])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"body of {title[:6]}"
    document = parsed(PptxParser(), saved(deck))
    assert shape(document.blocks) == [
        ("heading1", "First"),
        ("list_item", "body of First"),
        ("heading1", "Second line"),
        ("list_item", "body of Second"),
    ]
    assert [block.attributes["page"] for block in document.blocks] == [1, 1, 2, 2]
    assert [page.number for page in document.pages] == [1, 2]
    assert (document.pages[0].width, document.pages[0].height) == (720, 540)


def test_shapes_are_read_by_place_and_not_by_age() -> None:
    def build(deck: Any, slide: Any) -> None:
        box(slide.shapes, "bottom", 1, 5)
        box(slide.shapes, "right", 5, 2.1)
        box(slide.shapes, "left", 1, 2)

    assert texts(read(build)) == ["T", "left", "right", "bottom"]


def test_a_column_beside_a_tall_shape_is_read_downwards() -> None:
    boxes = {
        "tall": Box(0, 0, 4, 9),
        "b": Box(5.0, 3, 4, 1),
        "a": Box(5.1, 0, 4, 1),
        "c": Box(5.2, 6, 4, 1),
    }
    assert in_reading_order(list(boxes), boxes.__getitem__) == ["tall", "a", "b", "c"]


@given(st.lists(st.one_of(st.none(), st.builds(Box, *[st.integers(-9, 9)] * 4)), max_size=12))
def test_reading_order_loses_and_doubles_nothing(boxes: list[Box | None]) -> None:
    found = in_reading_order(range(len(boxes)), boxes.__getitem__)
    assert sorted(found) == list(range(len(boxes)))


def test_groups_in_groups_are_read_and_words_are_not_welded() -> None:
    def build(deck: Any, slide: Any) -> None:
        box(slide.shapes, "outside", 1, 2)
        group = slide.shapes.add_group_shape()
        box(group.shapes, "inside", 1, 3)
        for _ in range(40):
            group = group.shapes.add_group_shape()
        box(group.shapes, "innermost", 1, 4)

    assert texts(read(build)) == ["T", "outside", "inside", "innermost"]


def test_table_rows_know_their_header_and_merged_cells_count_once() -> None:
    def build(deck: Any, slide: Any) -> None:
        table = slide.shapes.add_table(3, 2, 0, Inches(2), Inches(4), Inches(1)).table
        for row, values in enumerate((("Valve", "State"), ("V7", "shut"), ("all", ""))):
            for column, text in enumerate(values):
                table.cell(row, column).text = text
        table.cell(2, 0).merge(table.cell(2, 1))

    blocks = read(build).blocks
    assert [block.text for block in blocks[1:]] == ["Valve | State", "V7 | shut", "all"]
    assert blocks[2].attributes["table_header"] == "Valve | State"


def test_a_header_of_several_rows_and_a_form_without_one_are_told() -> None:
    def build(deck: Any, slide: Any) -> None:
        values = (("Item", "2024", ""), ("", "Q1", "Q2"), ("Nut", "5", "6"))
        form = (("Name:", "Ann", ""), ("Born:", "1990", ""), ("Town:", "Rome", ""))
        for rows in (values, form):
            table = slide.shapes.add_table(3, 3, 0, Inches(2), Inches(4), Inches(1)).table
            for row, texts_of_row in enumerate(rows):
                for column, text in enumerate(texts_of_row):
                    table.cell(row, column).text = text
            if rows is values:
                table.cell(0, 1).merge(table.cell(0, 2))

    blocks = read(build).blocks
    assert [block.text for block in blocks[1:3]] == ["Item | 2024 Q1 | 2024 Q2", "Nut | 5 | 6"]
    assert ["table_header" in block.attributes for block in blocks[3:]] == [False] * 3


def test_a_title_as_wide_as_the_table_names_no_column() -> None:
    def build(deck: Any, slide: Any) -> None:
        for rows in ((("Sales", ""), ("Town", "Sum"), ("Oslo", "12")), (("One", ""), ("Two", ""))):
            size = (len(rows), 2, 0, Inches(2 + len(rows)), Inches(4), Inches(1))
            table = slide.shapes.add_table(*size).table
            for row, texts_of_row in enumerate(rows):
                for column, text in enumerate(texts_of_row):
                    table.cell(row, column).text = text
                if not texts_of_row[1]:
                    table.cell(row, 0).merge(table.cell(row, 1))

    found = shape(read(build).blocks)
    assert found[1:3] == [("table_row", "One"), ("table_row", "Two")]
    assert found[3:] == [
        ("paragraph", "Sales"),
        ("table_row", "Town | Sum"),
        ("table_row", "Oslo | 12"),
    ]


def test_a_table_that_says_so_has_no_header() -> None:
    def build(deck: Any, slide: Any) -> None:
        table = slide.shapes.add_table(1, 1, 0, Inches(2), Inches(4), Inches(1)).table
        table.first_row = False
        table.cell(0, 0).text = "x"

    assert "table_header" not in read(build).blocks[1].attributes


def test_bullets_have_depth_and_marker() -> None:
    numbered = f'<a:buAutoNum xmlns:a="{A}" type="alphaLcParenR" startAt="2"/>'

    def build(deck: Any, slide: Any) -> None:
        frame = slide.placeholders[1].text_frame
        frame.text = "one"
        for text, level, bullet in (
            ("two", 1, None),
            ("three", 0, numbered),
            ("four", 0, numbered),
            ("plain", 0, f'<a:buNone xmlns:a="{A}"/>'),
            ("five", 0, numbered),
        ):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = text, level
            if bullet:
                paragraph._p.get_or_add_pPr().append(etree.fromstring(bullet))

    found = [
        (b.text, b.attributes.get("list_depth"), b.attributes.get("list_marker"))
        for b in read(build, TITLE_AND_CONTENT).blocks[1:]
    ]
    assert found == [
        ("one", 0, "•"),
        ("two", 1, "–"),
        ("three", 0, "b)"),
        ("four", 0, "c)"),
        ("plain", None, None),
        ("five", 0, "b)"),
    ]


def test_text_in_a_box_is_a_paragraph() -> None:
    document = read(lambda deck, slide: box(slide.shapes, "free text", 1, 2))
    assert shape(document.blocks)[1:] == [("paragraph", "free text")]


def test_text_in_a_typewriter_font_is_code() -> None:
    def build(deck: Any, slide: Any) -> None:
        frame = box(slide.shapes, "def f():\n    return 1", 1, 2).text_frame
        for paragraph in frame.paragraphs:
            paragraph.runs[0].font.name = "Courier New"

    block = read(build).blocks[1]
    assert (block.type, block.text) == ("code", "def f():\n    return 1")
    assert block.attributes["page"] == 1


def test_a_slide_without_title_starts_a_section_of_its_own() -> None:
    def build(deck: Any, slide: Any) -> None:
        box(slide.shapes, "one", 1, 2)
        box(slide.shapes, "two", 1, 4)

    assert texts(read(build, BLANK)) == ["Slide 1", "one", "two"]


def test_the_largest_text_stands_in_for_a_title_if_it_comes_first() -> None:
    def build(deck: Any, slide: Any) -> None:
        box(slide.shapes, "small", 1, 3)
        box(slide.shapes, "LARGE", 1, 1, size=40)

    assert shape(read(build, BLANK).blocks) == [("heading1", "LARGE"), ("paragraph", "small")]


def test_an_empty_slide_gives_nothing() -> None:
    document = read(lambda deck, slide: None, BLANK)
    assert (document.blocks, len(document.pages)) == ((), 1)


def test_notes_come_last_and_are_marked() -> None:
    def build(deck: Any, slide: Any) -> None:
        slide.notes_slide.notes_text_frame.text = "Say hello.\nSmile."
        box(slide.shapes, "shown", 1, 2)

    block = read(build).blocks[-1]
    assert (block.type, block.text) == ("other", "Say hello.\nSmile.")
    assert block.attributes == {"page": 1, "note": "speaker"}


def paragraph(text: str) -> str:
    return f"<a:p xmlns:a='{A}'><a:r><a:t>{text}</a:t></a:r></a:p>"


@pytest.mark.parametrize(
    "comments",
    [
        "<cm><text>Why?</text></cm><cm><text>Because.</text></cm>",
        f"<cm><txBody>{paragraph('Why?')}</txBody><replyLst><reply><txBody>"
        f"{paragraph('Because.')}</txBody></reply></replyLst></cm>",
    ],
)
def test_comments_and_their_answers_follow_the_notes(comments: str) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "T"
    slide.notes_slide.notes_text_frame.text = "Say hello."
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
    part = Part(
        PackURI("/ppt/comments/comment1.xml"),
        "application/xml",
        deck.part.package,
        f"<cmLst xmlns='urn:c'>{comments}</cmLst>".encode(),
    )
    slide.part.relate_to(part, kind)
    found = parsed(PptxParser(), saved(deck)).blocks
    assert [block.text for block in found] == ["T", "Say hello.", "Why?", "Because."]
    assert found[-1].attributes == {"page": 1, "note": "comment"}


def test_a_chart_gives_its_title_and_numbers() -> None:
    def build(deck: Any, slide: Any) -> None:
        data = CategoryChartData()
        data.categories = ["East", "West"]
        data.add_series("Q1", (19.2 + 1e-14, 21))
        data.add_series("Q2", (1, None))
        size = (Inches(1), Inches(2), Inches(4), Inches(3))
        chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *size, data).chart
        chart.chart_title.text_frame.text = "Sales"

    assert shape(read(build).blocks)[1:] == [
        ("caption", "Sales"),
        ("table_row", " | Q1 | Q2"),
        ("table_row", "East | 19.2 | 1"),
        ("table_row", "West | 21 | "),
    ]


def test_a_chart_of_points_is_read_too() -> None:
    def build(deck: Any, slide: Any) -> None:
        data = XyChartData()
        series = data.add_series("Run")
        series.add_data_point(1, 2.5)
        series.add_data_point(3, 4)
        size = (Inches(1), Inches(2), Inches(4), Inches(3))
        slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *size, data)

    assert texts(read(build))[1:] == [" | Run", "1 | 2.5", "3 | 4"]


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cf"
    "c000000301010018dd8db00000000049454e44ae426082"
)


def test_alternative_texts_are_kept_and_file_names_are_not() -> None:
    def build(deck: Any, slide: Any) -> None:
        for description in ("A red pump", "image.png", ""):
            picture = slide.shapes.add_picture(io.BytesIO(PIXEL), Inches(1), Inches(2))
            picture._element.nvPicPr.cNvPr.set("descr", description)
        picture._element.nvPicPr.cNvPr.set("title", "A blue pump")

    assert texts(read(build)) == ["T", "A red pump", "A blue pump"]


def test_hidden_shapes_are_left_out() -> None:
    def build(deck: Any, slide: Any) -> None:
        box(slide.shapes, "Draft", 1, 2, 60)._element.nvSpPr.cNvPr.set("hidden", "1")
        box(slide.shapes, "shown", 1, 3)
        group = slide.shapes.add_group_shape()
        box(group.shapes, "in a hidden group", 1, 4)
        group._element.nvGrpSpPr.cNvPr.set("hidden", "true")

    assert texts(read(build)) == ["T", "shown"]


def test_hidden_slides_are_read_and_named() -> None:
    def build(deck: Any, slide: Any) -> None:
        slide._element.set("show", "0")

    document = read(build)
    assert texts(document) == ["T"]
    assert document.document.metadata["hidden_slides"] == [1]


def test_footers_dates_and_slide_numbers_are_dropped() -> None:
    def build(deck: Any, slide: Any) -> None:
        for kind in ("ftr", "dt", "sldNum"):
            added = box(slide.shapes, kind, 1, 6)
            placeholder = etree.SubElement(
                added._element.nvSpPr.nvPr, added._element.tag.replace("}sp", "}ph")
            )
            placeholder.set("type", kind)

    assert texts(read(build)) == ["T"]


def test_shapes_behind_alternatives_are_read_once() -> None:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"

    def build(deck: Any, slide: Any) -> None:
        tree = slide.shapes._spTree
        first = box(slide.shapes, "new form", 1, 2)._element
        second = box(slide.shapes, "old form", 1, 2)._element
        alternatives = etree.SubElement(tree, f"{{{mc}}}AlternateContent")
        etree.SubElement(alternatives, f"{{{mc}}}Choice").append(first)
        etree.SubElement(alternatives, f"{{{mc}}}Fallback").append(second)

    assert texts(read(build)) == ["T", "new form"]


def entries(data: bytes) -> dict[str, bytes]:
    with open_archive(data) as archive:
        return {name: archive.read(name) for name in archive.names()}


def test_strict_decks_shows_and_templates_are_read_like_others() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "Strict"
    parts = entries(saved(deck))
    old = b"http://schemas.openxmlformats.org/"
    for name, part in list(parts.items()):
        for kind in (b"officeDocument", b"presentationml", b"drawingml"):
            part = part.replace(
                old + kind + b"/2006/", b"http://purl.oclc.org/ooxml/" + kind + b"/"
            )
        parts[name] = part
    kinds = parts["[Content_Types].xml"]
    parts["[Content_Types].xml"] = kinds.replace(b"presentation.main+xml", b"slideshow.main+xml")
    assert texts(parsed(PptxParser(), zipped({**parts}))) == ["Strict"]


def test_smart_art_is_read() -> None:
    diagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "T"
    slide.shapes.add_table(1, 1, 0, Inches(2), Inches(4), Inches(1))
    parts = entries(saved(deck))
    slide_xml = parts["ppt/slides/slide1.xml"].decode()
    start, end = slide_xml.index("<a:graphicData"), slide_xml.index("</a:graphicData>")
    parts["ppt/slides/slide1.xml"] = (
        f'{slide_xml[:start]}<a:graphicData uri="{diagram}"><dgm:relIds xmlns:dgm="{diagram}" '
        f'xmlns:r="{relation}" r:dm="rIdD"/>{slide_xml[end:]}'
    ).encode()
    rels = "ppt/slides/_rels/slide1.xml.rels"
    parts[rels] = parts[rels].replace(
        b"</Relationships>",
        f'<Relationship Id="rIdD" Type="{relation}/diagramData" Target="../d.xml"/>'
        "</Relationships>".encode(),
    )
    points = "".join(
        f'<dgm:pt type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for kind, text in (("node", "Plan"), ("parTrans", "no"), ("node", "Act"))
    )
    parts["ppt/d.xml"] = (
        f'<dgm:dataModel xmlns:dgm="{diagram}" xmlns:a="{A}"><dgm:ptLst>{points}</dgm:ptLst>'
        "</dgm:dataModel>"
    ).encode()
    assert texts(parsed(PptxParser(), zipped({**parts}))) == ["T", "Plan", "Act"]


def test_other_files_are_corrupt() -> None:
    with pytest.raises(CorruptDocument, match="folder/file: "):
        parsed(PptxParser(), zipped({"a": "b"}))


def test_a_text_document_is_no_slide_deck() -> None:
    with pytest.raises(CorruptDocument, match="not a slide deck"):
        parsed(PptxParser(), docx(p("Text")))


def test_a_missing_slide_is_an_error_and_not_silence() -> None:
    parts = two_slides()
    del parts["ppt/slides/slide2.xml"]
    with pytest.raises(CorruptDocument, match="slide 2 is missing"):
        parsed(PptxParser(), zipped({**parts}))


def test_a_slide_that_is_listed_twice_is_read_once() -> None:
    parts = two_slides()
    main = parts["ppt/presentation.xml"]
    start, end = main.index(b"<p:sldIdLst>"), main.index(b"</p:sldIdLst>")
    listed = main[start + len(b"<p:sldIdLst>") : end]
    parts["ppt/presentation.xml"] = main.replace(listed, listed * 500)
    assert texts(parsed(PptxParser(), zipped({**parts}))) == ["First", "Second"]


def test_a_slide_without_a_layout_is_read_too() -> None:
    parts = two_slides()
    parts = {name: part for name, part in parts.items() if "slideLayout" not in name}
    assert texts(parsed(PptxParser(), zipped({**parts}))) == ["First", "Second"]


def two_slides() -> dict[str, bytes]:
    deck = Presentation()
    for title in ("First", "Second"):
        slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
        slide.shapes.title.text = title
    return entries(saved(deck))


def test_damaged_decks_give_blocks_or_a_parse_error() -> None:
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY]).shapes.title.text = "T"
    parts = entries(saved(deck))
    for name in [name for name in parts if "slide1" in name or name.count("/") < 2]:
        for damaged in ({**parts, name: b"<a/>"}, {k: v for k, v in parts.items() if k != name}):
            try:
                parsed(PptxParser(), zipped({**damaged}))
            except ParseError as error:
                assert error.document == "folder/file"  # noqa: PT017 - either outcome is right
