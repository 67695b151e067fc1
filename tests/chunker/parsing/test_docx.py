"""A Word document's structure arrives whole, once and in reading order."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import STRICT_W, W, docx, p, parsed, r, shape, style, table, zipped

from rag_chunker.parsing.counting import figure
from rag_chunker.parsing.docx import DocxParser
from rag_chunker.parsing.docx.symbols import symbol
from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseError
from rag_core.testing import ParserContract
from rag_core.types import Block


def blocks(body: str, **parts: str) -> tuple[Block, ...]:
    return parsed(DocxParser(), docx(body, **parts)).blocks


def read(body: str, **parts: str) -> list[tuple[str, str]]:
    return shape(blocks(body, **parts))


SAMPLE = (
    p("Start\ufeff", "H")
    + p("Text\u00ad", more='<w:numPr><w:numId w:val="1"/></w:numPr>')
    + table(["a", "b"], ["1", "2"], [p("Part", "Heading2")], ["3", "4"])
    + "<w:p><w:r><w:t>one&#13;two</w:t></w:r></w:p>"
)


class TestDocxParser(ParserContract):
    @pytest.fixture
    def parser(self) -> DocxParser:
        return DocxParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [("a.docx", docx(SAMPLE, styles=style("H", "heading 1")))]


# Headings


@pytest.mark.parametrize(
    ("style_id", "name"),
    [
        ("berschrift2", "heading 2"),
        ("Heading2", "Heading 2"),
        ("x", "Überschrift 2"),
        ("x", "Titre 2"),
        ("x", "Título 2"),
        ("2", "标题 2"),
        ("x", "見出し 2"),
        ("x", "Заголовок 2"),
        ("x", "heading 2,H2,Abschnitt"),
    ],
)
def test_a_heading_is_found_by_its_style_name_in_any_language(style_id: str, name: str) -> None:
    assert read(p("Ziele", style_id), styles=style(style_id, name)) == [("heading2", "Ziele")]


@pytest.mark.parametrize("style_id", ["Heading1", "berschrift1", "Titre1", "Ttulo1"])
def test_a_heading_is_found_by_style_id_where_no_style_part_defines_it(style_id: str) -> None:
    assert read(p("Start", style_id)) == [("heading1", "Start")]


def test_a_style_inherits_being_a_heading() -> None:
    styles = style("H", "heading 3") + style("A", "Corp A", based_on="H")
    styles += style("B", "Corp B", based_on="A")
    assert read(p("Deep", "B"), styles=styles) == [("heading3", "Deep")]


def test_an_outline_level_makes_a_heading_by_style_or_by_paragraph() -> None:
    level = '<w:outlineLvl w:val="1"/>'
    styles = style("Clause", "Clause", f"<w:pPr>{level}</w:pPr>")
    assert read(p("By style", "Clause") + p("By hand", more=level), styles=styles) == [
        ("heading2", "By style"),
        ("heading2", "By hand"),
    ]


def test_outline_level_of_body_text_makes_no_heading() -> None:
    styles = style("H", "heading 1")
    styles += style("T", "Note", '<w:pPr><w:outlineLvl w:val="9"/></w:pPr>', based_on="H")
    assert read(p("Plain", "T"), styles=styles) == [("paragraph", "Plain")]


def test_styles_based_on_each_other_do_no_harm() -> None:
    styles = style("A", "A", based_on="B") + style("B", "B", based_on="A")
    assert read(p("Text", "A"), styles=styles) == [("paragraph", "Text")]


def test_levels_beyond_six_are_six() -> None:
    assert read(p("Deep", "Heading9")) == [("heading6", "Deep")]


def test_the_title_is_a_heading_and_the_documents_title() -> None:
    styles = style("T", "Title") + style("S", "Subtitle", based_on="T") + style("H", "heading 1")
    document = parsed(
        DocxParser(),
        docx(p("Annual report", "T") + p("2024", "S") + p("Sales", "H"), styles=styles),
    )
    assert shape(document.blocks) == [
        ("heading1", "Annual report"),
        ("paragraph", "2024"),
        ("heading1", "Sales"),
    ]
    assert document.document.title == "Annual report"


def test_a_line_break_in_a_heading_is_a_space() -> None:
    body = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>{r("One")}<w:r><w:br/></w:r>'
    assert read(f"{body}{r('two')}</w:p>") == [("heading1", "One two")]


def test_nothing_blank_becomes_a_block() -> None:
    page_break = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
    body = "<w:p/>" + p("", "Heading1") + p("   ") + table(["", ""], ["", ""]) + page_break
    assert read(body + p("Real", "Heading2") + p(" ", "Heading1")) == [("heading2", "Real")]


# Tracked changes


def test_the_accepted_state_of_tracked_changes_is_read() -> None:
    body = (
        f"<w:p>{r('The fee is ')}<w:del><w:r><w:delText>900</w:delText></w:r></w:del>"
        f"<w:ins>{r('1200')}</w:ins>{r(' a year.')}</w:p>"
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:del>{r('Removed.')}</w:del></w:p>"
        f"<w:p><w:moveFrom>{r('Moved.')}</w:moveFrom></w:p>"
        f"<w:p><w:moveTo>{r('Moved.')}</w:moveTo></w:p>"
    )
    assert read(body) == [("paragraph", "The fee is 1200 a year."), ("paragraph", "Moved.")]


def test_a_deleted_paragraph_mark_joins_two_paragraphs() -> None:
    body = f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{r('One ')}</w:p>" + p("line.")
    assert read(body) == [("paragraph", "One line.")]
    assert read(f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{r('Last')}</w:p>") == [
        ("paragraph", "Last")
    ]


def test_deleted_rows_and_cells_are_gone() -> None:
    body = (
        f"<w:tbl><w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{p('gone')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{p('1')}</w:tc><w:tc><w:tcPr><w:cellDel/></w:tcPr>{p('gone')}</w:tc></w:tr>"
        "</w:tbl>"
    )
    assert read(body) == [("table_row", "a | b"), ("table_row", "1")]


# Text boxes, notes, pictures


def boxed(content: str, before: str = "") -> str:
    box = f"<w:txbxContent>{content}</w:txbxContent>"
    return (
        f"<w:p>{r(before)}<w:r><mc:AlternateContent>"
        f'<mc:Choice Requires="wps"><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    assert read(boxed(p("Tip", "Heading2") + p("Boxed."), "Before.") + p("After.")) == [
        ("paragraph", "Before."),
        ("paragraph", "Tip"),
        ("paragraph", "Boxed."),
        ("paragraph", "After."),
    ]


def test_a_text_box_without_running_text_beside_it_keeps_its_headings() -> None:
    assert read(boxed(p("Tip", "Heading2") + p("Boxed."))) == [
        ("heading2", "Tip"),
        ("paragraph", "Boxed."),
    ]


def test_an_old_text_box_without_alternative_is_read() -> None:
    box = f"<w:txbxContent>{p('Old box')}</w:txbxContent>"
    body = f"<w:p><w:r><w:pict><v:textbox>{box}</v:textbox></w:pict></w:r></w:p>"
    assert read(body) == [("paragraph", "Old box")]


def test_notes_and_comments_follow_their_paragraph_once() -> None:
    body = (
        f'<w:p>{r("The dose")}<w:r><w:footnoteReference w:id="2"/></w:r>{r(" was halved.")}'
        '<w:r><w:endnoteReference w:id="2"/><w:commentReference w:id="0"/></w:r></w:p>'
        + p("Next.")
        + '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    )
    read_blocks = blocks(
        body,
        footnotes='<w:footnote w:type="separator" w:id="-1">'
        f'{p("-----")}</w:footnote><w:footnote w:id="2">{p(" See it.")}</w:footnote>',
        endnotes=f'<w:endnote w:id="2">{p("End.")}</w:endnote>',
        comments=f'<w:comment w:id="0">{p("Really?")}</w:comment>',
    )
    assert [(block.text, block.attributes.get("note")) for block in read_blocks] == [
        ("The dose was halved.", None),
        ("See it.", "footnote"),
        ("End.", "endnote"),
        ("Really?", "comment"),
        ("Next.", None),
    ]


def test_notes_that_refer_to_each_other_end() -> None:
    notes = "".join(
        f'<w:footnote w:id="{number}"><w:p>{r(f"n{number}")}<w:r>'
        f'<w:footnoteReference w:id="{(number + 1) % 3000}"/></w:r></w:p></w:footnote>'
        for number in range(3000)
    )
    body = '<w:p><w:r><w:footnoteReference w:id="0"/></w:r></w:p>'
    assert len(blocks(body, footnotes=notes)) == 3000


@pytest.mark.parametrize("said", ['descr="A pump" title="P"', 'descr="" title="A pump"'])
def test_the_alternative_text_of_a_picture_is_kept(said: str) -> None:
    body = f'<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" {said}/>'
    (block,) = blocks(body + "</wp:inline></w:drawing></w:r></w:p>")
    assert (block.text, block.attributes) == ("A pump", {"note": "picture"})


def test_the_name_of_a_file_is_no_alternative_text() -> None:
    body = '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="pump_1.png"/>'
    assert read(body + "</wp:inline></w:drawing></w:r></w:p>") == []


def test_an_alternative_text_that_repeats_the_caption_is_dropped() -> None:
    picture = '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="A pump"/>'
    picture += "</wp:inline></w:drawing></w:r></w:p>"
    caption = p("A pump", "Caption")
    assert read(picture + caption) == [("caption", "A pump")]
    assert read(caption + picture) == [("caption", "A pump")]
    assert read(picture + picture) == [("other", "A pump")]


# Tables


def test_rows_know_their_header() -> None:
    head, row = blocks(table(["Name", "Age"], ["Ann", "7"]))
    assert (head.text, row.text) == ("Name | Age", "Ann | 7")
    assert row.attributes == {"table": 0, "table_header": "Name | Age"}


def test_a_table_formatted_without_header_row_has_none() -> None:
    look = '<w:tblPr><w:tblLook w:firstRow="0"/></w:tblPr>'
    assert [b.attributes for b in blocks(table(["Ann", "7"], more=look))] == [{"table": 0}]


def test_merged_cells_are_written_once_in_their_column() -> None:
    body = (
        f"<w:tbl><w:tr><w:tc>{p('A')}</w:tc><w:tc>{p('B')}</w:tc><w:tc>{p('C')}</w:tc></w:tr>"
        f"<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{p('wide')}</w:tc>"
        f"<w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>{p('tall')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{p('1')}</w:tc><w:tc>{p('2')}</w:tc>"
        f"<w:tc><w:tcPr><w:vMerge/></w:tcPr>{p('')}</w:tc></w:tr></w:tbl>"
    )
    assert [text for _, text in read(body)] == ["A | B | C", "wide |  | tall", "1 | 2 | "]


def spanned_header(marks: str = "") -> str:
    """A header of two rows above a row of data."""
    wide, goes_on = "<w:gridSpan w:val='2'/>", "<w:vMerge/>"
    rows = (
        (marks, (("", "Item"), (wide, "2024"))),
        (marks, ((goes_on, ""), ("", "Q1"), ("", "Q2"))),
        ("", (("", "Nut"), ("", "5"), ("", "6"))),
    )
    return (
        "<w:tbl>"
        + "".join(
            f"<w:tr><w:trPr>{mark}</w:trPr>"
            + "".join(f"<w:tc><w:tcPr>{more}</w:tcPr>{p(text)}</w:tc>" for more, text in cells)
            + "</w:tr>"
            for mark, cells in rows
        )
        + "</w:tbl>"
    )


@pytest.mark.parametrize("marks", ["", "<w:tblHeader/>"])
def test_a_header_of_several_rows_names_each_column_with_all_of_them(marks: str) -> None:
    assert [block.text for block in blocks(spanned_header(marks))] == [
        "Item | 2024 Q1 | 2024 Q2",
        "Nut | 5 | 6",
    ]


def test_a_header_with_an_empty_corner_is_no_title() -> None:
    found = blocks(table(["", "2024"], ["East", "19"], ["West", "21"]))
    assert [block.attributes["table_header"] for block in found] == [" | 2024"] * 3


def test_words_below_a_wide_header_cell_are_data() -> None:
    wide = f"<w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{p('Contact')}</w:tc>"
    head = f"<w:tr><w:tc>{p('Name')}</w:tc>{wide}</w:tr>"
    body = table(["Ann", "mail", "phone"], ["Bob", "mail", "fax"]).replace(
        "<w:tbl>", "<w:tbl>" + head
    )
    assert [text for _, text in read(body)] == [
        "Name | Contact",
        "Ann | mail | phone",
        "Bob | mail | fax",
    ]


def test_rows_that_begin_with_labels_have_no_header() -> None:
    form = (["Name:", "Ann"], ["Born:", "1990"], ["Town", "Rome"])
    assert [b.attributes for b in blocks(table(*form))] == [{"table": 0}] * 3
    named = blocks(table(["Field", "Value"], *form))
    assert named[-1].attributes["table_header"] == "Field | Value"


def test_headings_in_a_layout_table_are_headings_and_its_other_rows_stay_rows() -> None:
    body = table([p("Algebra", "Heading2")], ["Hours", "Four"]) + p("Contacts", "Heading1")
    assert read(body) == [
        ("heading2", "Algebra"),
        ("table_row", "Hours | Four"),
        ("heading1", "Contacts"),
    ]


def test_a_row_of_several_heading_cells_names_columns() -> None:
    body = table([p("Name", "Heading3"), p("Age", "Heading3")], ["Ann", "7"])
    assert read(body) == [("table_row", "Name | Age"), ("table_row", "Ann | 7")]


def test_a_title_row_is_no_header() -> None:
    head, *rows = blocks(table(["Sales in 2024", ""], ["Region", "Sum"], ["East", "7"]))
    assert (head.type, head.text) == ("paragraph", "Sales in 2024")
    assert [row.attributes["table_header"] for row in rows] == ["Region | Sum"] * 2
    assert read(table(["one column"], ["of text"])) == [
        ("table_row", "one column"),
        ("table_row", "of text"),
    ]


def test_rows_below_a_heading_row_still_know_the_header() -> None:
    body = table(["Name", "Age"], ["Ann", "7"], [p("Team B", "Heading2")], ["Bob", "8"])
    last = blocks(body)[-1]
    assert (last.text, last.attributes["table_header"]) == ("Bob | 8", "Name | Age")


def test_a_nested_table_is_read_once_in_its_place() -> None:
    inner = table(["x", "y"], ["1", "2"])
    assert read(table(["outer", p("above") + inner + p("below")]) + p("End")) == [
        ("paragraph", "outer"),
        ("paragraph", "above"),
        ("table_row", "x | y"),
        ("table_row", "1 | 2"),
        ("paragraph", "below"),
        ("paragraph", "End"),
    ]


def test_a_table_of_one_cell_is_a_frame() -> None:
    assert read(table([p("Note", "Heading4") + p("Text")])) == [
        ("heading4", "Note"),
        ("paragraph", "Text"),
    ]


def test_numbers_that_word_counts_in_a_column_are_shown() -> None:
    numbered = p("", more='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    body = table([numbered, "first"], [numbered, "second"])
    rows = read(body, numbering=numbering(level(0, "decimal", "%1.")))
    assert [text for _, text in rows] == ["1. | first", "2. | second"]


# Lists


def level(index: int, kind: str, text: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{index}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/>{more}</w:lvl>'
    )


def numbering(levels: str, more: str = "") -> str:
    return (
        f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        f'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>{more}'
    )


def item(text: str, depth: int = 0, number_id: int = 1) -> str:
    properties = f'<w:ilvl w:val="{depth}"/><w:numId w:val="{number_id}"/>'
    return p(text, more=f"<w:numPr>{properties}</w:numPr>")


def markers(body: str, **parts: str) -> list[tuple[object, object]]:
    return [
        (block.attributes.get("list_depth"), block.attributes.get("list_marker"))
        for block in blocks(body, **parts)
    ]


def test_list_markers_are_counted_as_word_counts_them() -> None:
    levels = level(0, "decimal", "%1.") + level(1, "lowerLetter", "%1.%2)")
    levels += level(2, "bullet", "\uf0b7")
    body = item("one") + item("a", 1) + item("b", 1) + item("dot", 2) + item("two") + item("a", 1)
    assert markers(body, numbering=numbering(levels)) == [
        (0, "1."),
        (1, "1.a)"),
        (1, "1.b)"),
        (2, "•"),
        (0, "2."),
        (1, "2.a)"),
    ]


def test_lists_that_share_their_counter_go_on_unless_they_start_anew() -> None:
    more = '<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
    more += '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
    more += '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    body = item("a") + item("b", 0, 2) + item("c", 0, 3) + item("d", 0, 3)
    found = markers(body, numbering=numbering(level(0, "upperRoman", "%1."), more))
    assert [marker for _, marker in found] == ["I.", "II.", "I.", "II."]


def test_a_style_puts_its_paragraphs_in_a_list() -> None:
    in_list = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = style("B", "My bullets", in_list)
    levels = level(0, "bullet", "-") + level(1, "bullet", "o", '<w:pStyle w:val="B"/>')
    assert markers(p("x", "B"), styles=styles, numbering=numbering(levels)) == [(1, "o")]


def test_number_zero_takes_a_paragraph_out_of_its_styles_list() -> None:
    in_list = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    body = p("x", "B", '<w:numPr><w:numId w:val="0"/></w:numPr>')
    found = read(
        body, styles=style("B", "B", in_list), numbering=numbering(level(0, "bullet", "-"))
    )
    assert found == [("paragraph", "x")]


def test_a_list_style_without_numbering_is_a_list_all_the_same() -> None:
    assert markers(p("x", "ListBullet2")) == [(1, "-")]


def test_a_numbered_heading_is_a_heading_and_keeps_its_number_as_marker() -> None:
    more = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    (heading,) = blocks(
        p("Scope", "Heading1", more), numbering=numbering(level(0, "decimal", "§ %1"))
    )
    assert (heading.text, heading.level) == ("Scope", 1)
    assert heading.attributes == {"list_marker": "§ 1"}


@pytest.mark.parametrize(
    ("count", "kind", "text"),
    [
        (4, "lowerRoman", "iv"),
        (1999, "upperRoman", "MCMXCIX"),
        (5000, "upperRoman", "5000"),
        (28, "lowerLetter", "bb"),
        (7, "decimalZero", "07"),
        (12, "ordinal", "12th"),
        (22, "ordinal", "22nd"),
        (3, "none", ""),
        (3, "unheardOf", "3"),
    ],
)
def test_numbers_are_written_in_their_format(count: int, kind: str, text: str) -> None:
    assert figure(count, kind) == text


# Kinds of paragraph


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Quote", "quote"),
        ("Intense Quote", "quote"),
        ("caption", "caption"),
        ("Source Code", "code"),
        ("HTML Preformatted", "code"),
        ("Body Text", "paragraph"),
        ("List Paragraph", "paragraph"),
    ],
)
def test_a_style_name_says_what_a_paragraph_is(name: str, kind: str) -> None:
    assert read(p("Text", "S"), styles=style("S", name)) == [(kind, "Text")]


def test_consecutive_code_paragraphs_are_one_block_with_indents_and_blank_lines() -> None:
    body = p("def f():", "C") + p("    a = 1", "C") + p("", "C") + p("    return a", "C")
    code = "def f():\n    a = 1\n\n    return a"
    assert read(body + p("So.") + p("", "C"), styles=style("C", "Source Code")) == [
        ("code", code),
        ("paragraph", "So."),
    ]


def test_a_paragraph_in_a_typewriter_font_is_code() -> None:
    font = '<w:rFonts w:ascii="Courier New"/>'
    body = f"<w:p>{r('ls -l', font)}</w:p><w:p>{r('cd ..', font)}</w:p>"
    mixed = f"<w:p>{r('Type ')}{r('ls', font)}</w:p>"
    assert read(body + mixed) == [("code", "ls -l\ncd .."), ("paragraph", "Type ls")]


def test_a_document_written_on_a_typewriter_is_not_code() -> None:
    styles = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/>'
        '<w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr></w:style>'
    )
    assert read(p("Dear Sir,"), styles=styles) == [("paragraph", "Dear Sir,")]


# Text inside a paragraph


def field_(instruction: str, result: str) -> str:
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate")]
    instruct = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    return f"{marks[0]}{instruct}{marks[1]}{result}{end}"


def test_a_field_shows_its_result_and_not_its_instruction() -> None:
    nested = field_("IF ", field_("PAGE", r("hidden")).join(["", ""]) + r("shown"))
    simple = f'<w:fldSimple w:instr="DATE">{r("today")}</w:fldSimple>'
    assert read(f"<w:p>{r('a ')}{field_('REF x', r('b'))}{r(' ')}{simple}</w:p>") == [
        ("paragraph", "a b today")
    ]
    assert "shown" in read(f"<w:p>{nested}</w:p>")[0][1]


def test_form_fields_show_what_was_chosen() -> None:
    def form(kind: str, inside: str) -> str:
        marks = ("separate", "end")
        return (
            f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{inside}</w:ffData></w:fldChar></w:r>'
            f"<w:r><w:instrText> {kind} </w:instrText></w:r>"
            + "".join(f'<w:r><w:fldChar w:fldCharType="{mark}"/></w:r>' for mark in marks)
        )

    def box(inside: str) -> str:
        return form("FORMCHECKBOX", f"<w:checkBox>{inside}</w:checkBox>")

    entries = '<w:listEntry w:val="red"/><w:listEntry w:val="blue"/>'
    chosen = form("FORMDROPDOWN", f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>')
    first = form("FORMDROPDOWN", f"<w:ddList>{entries}</w:ddList>")
    boxes = box('<w:default w:val="1"/><w:checked w:val="0"/>') + box('<w:default w:val="1"/>')
    assert read(f"<w:p>{boxes}{box('')}{r(' ')}{chosen}{r(' ')}{first}</w:p>") == [
        ("paragraph", "☐☒☐ blue red")
    ]


def test_a_table_of_contents_is_dropped() -> None:
    entries = f"<w:p>{r('Start')}<w:r><w:tab/></w:r>{r('1')}</w:p>"
    spanning = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o '
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r></w:p>'
        f'{entries}<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    control = (
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/>'
        f"</w:docPartObj></w:sdtPr><w:sdtContent>{entries}</w:sdtContent></w:sdt>"
    )
    styled = p("Start 1", "TOC1")
    assert read(spanning + control + styled + p("Start", "Heading1")) == [("heading1", "Start")]


def test_a_field_that_never_ends_hides_nothing() -> None:
    begin = '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>'
    assert read(begin + p("All the rest")) == [("paragraph", "All the rest")]


def test_fields_in_fields_cost_linear_time() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>x</w:instrText></w:r>'
    assert read(f"<w:p>{begin * 20_000}{r('shown')}</w:p>") == [("paragraph", "shown")]


def test_a_chain_of_styles_is_followed_only_so_far() -> None:
    styles = "".join(style(f"s{i}", f"n{i}", based_on=f"s{i + 1}") for i in range(100))
    styles += style("s100", "heading 1")
    body = p("far", "s0") + p("near", "s90")
    assert read(body, styles=styles) == [("paragraph", "far"), ("heading1", "near")]


def test_content_controls_links_and_wrappers_are_read_through() -> None:
    body = (
        f"<w:sdt><w:sdtContent>{p('In a control')}</w:sdtContent></w:sdt>"
        f"<w:customXml>{p('In custom XML')}</w:customXml>"
        f"<w:p>{r('See ')}<w:hyperlink>{r('the site')}</w:hyperlink>"
        f"<w:sdt><w:sdtContent>{r(' now')}</w:sdtContent></w:sdt></w:p><w:altChunk/>"
    )
    assert [text for _, text in read(body)] == ["In a control", "In custom XML", "See the site now"]


def test_hidden_text_is_dropped_by_run_and_by_style() -> None:
    styles = style("H", "H", "<w:rPr><w:vanish/></w:rPr>")
    body = f"<w:p>{r('shown')}{r(' secret', '<w:vanish/>')}</w:p>" + p("secret", "H")
    assert read(body, styles=styles) == [("paragraph", "shown")]


def test_special_characters_are_read_as_shown() -> None:
    hyphenated = "co\u00adop"
    body = (
        f"<w:p>{r(hyphenated)}<w:r><w:noBreakHyphen/><w:t>x</w:t><w:tab/><w:t>y</w:t>"
        '<w:softHyphen/><w:br/><w:sym w:font="Symbol" w:char="F061"/></w:r>'
        f"<w:r><w:ruby><w:rt>{r('kan')}</w:rt><w:rubyBase>{r('漢')}</w:rubyBase></w:ruby></w:r></w:p>"
    )
    assert read(body) == [("paragraph", "coop-x\ty\nα漢")]


@pytest.mark.parametrize(
    ("font", "code", "text"),
    [
        ("Wingdings", "F0FC", "✓"),
        ("Symbol", "F0B7", "•"),
        ("Webdings", "F0AA", ""),
        ("Arial", "00E9", "é"),
        ("Arial", "nonsense", ""),
        ("Arial", "D800", ""),
        ("", "0", ""),
    ],
)
def test_symbols_are_ordinary_characters_or_nothing(font: str, code: str, text: str) -> None:
    assert symbol(font, code) == text


def test_a_formula_is_read_as_one_would_type_it() -> None:
    def run(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    fraction = f"<m:f><m:num>{run('a+b')}</m:num><m:den>{run('2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{run('x')}</m:e><m:sup>{run('2')}</m:sup></m:sSup>"
    body = f"<w:p><m:oMathPara><m:oMath>{fraction}{run('=')}{power}</m:oMath></m:oMathPara></w:p>"
    assert read(body) == [("paragraph", "(a+b)/2=x^2")]


@pytest.mark.parametrize(
    ("formula", "typed"),
    [
        ("{f}<m:d><m:e>{x}</m:e></m:d>", "f(x)"),
        (
            '<m:d><m:dPr><m:begChr m:val="["/><m:sepChr m:val=";"/><m:endChr m:val=""/></m:dPr>'
            "<m:e>{x}</m:e><m:e>{f}</m:e></m:d>",
            "[x;f",
        ),
        (
            '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{x}{f}</m:sub>'
            "<m:sup>{x}</m:sup><m:e>{f}</m:e></m:nary>",
            "∑_(xf)^x f",
        ),
        ("<m:nary><m:naryPr/><m:sub/><m:sup/><m:e>{f}</m:e></m:nary>", "∫ f"),
        ("<m:rad><m:deg/><m:e>{x}{f}</m:e></m:rad>", "√(xf)"),
        ("<m:rad><m:deg>{f}</m:deg><m:e>{x}</m:e></m:rad>", "x^(1/f)"),
        ("<m:func><m:fName>{f}</m:fName><m:e>{x}</m:e></m:func>", "f x"),
        (
            "<m:func><m:fName><m:limLow><m:e>{f}</m:e><m:lim>{x}{x}</m:lim></m:limLow></m:fName>"
            "<m:e>{x}</m:e></m:func>",
            "f_(xx) x",
        ),
        ("<m:m><m:mr><m:e>{x}</m:e><m:e>{f}</m:e></m:mr><m:mr><m:e>{f}</m:e></m:mr></m:m>",
         "x, f; f"),
        ("<m:eqArr><m:e>{x}</m:e><m:e>{f}</m:e></m:eqArr>", "x; f"),
    ],
)  # fmt: skip
def test_brackets_sums_roots_and_rows_of_a_formula_are_read(formula: str, typed: str) -> None:
    letters = {name: f"<m:r><m:t>{name}</m:t></m:r>" for name in ("x", "f")}
    body = f"<w:p><m:oMath>{formula.format(**letters)}</m:oMath></w:p>"
    assert read(body) == [("paragraph", typed)]


def test_a_drop_cap_belongs_to_its_word() -> None:
    cap = p("O", more='<w:framePr w:dropCap="drop"/>')
    assert read(cap + p("nce upon a time.")) == [("paragraph", "Once upon a time.")]


def importing(*parts: tuple[str, str | bytes]) -> bytes:
    """A document that takes in these parts between its first and its last paragraph."""
    at = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    chunks = "".join(f'<w:altChunk xmlns:r="{at}" r:id="c{name}"/>' for name, _ in parts)
    relations = "".join(
        f'<Relationship Id="c{name}" Type="{at}/aFChunk" Target="{name}"/>' for name, _ in parts
    )
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    with zipfile.ZipFile(io.BytesIO(docx(p("First") + chunks + p("Last")))) as file:
        entries: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    entries["word/_rels/document.xml.rels"] = (
        f'<Relationships xmlns="{package}">{relations}</Relationships>'
    )
    return zipped(entries | {f"word/{name}": content for name, content in parts})


def test_imported_parts_are_read_in_their_place() -> None:
    page = "<html><body><h2>Web</h2><table><tr><th>a<th>b<tr><td>1<td>2</table></body></html>"
    mhtml = f"MIME-Version: 1.0\nContent-Type: text/html\n\n{page}"
    parts = (
        ("a.htm", page),
        ("b.mht", mhtml),
        ("c.rtf", r"{\rtf1 Rich\par}"),
        ("d.txt", "Plain"),
        ("e.docx", docx(p("Word", "Heading1") + table(["x", "y"], ["1", "2"]))),
        ("f.bin", b"\0\1\2"),
        ("g.docx", b"PK\3\4 damaged"),
    )
    parsed_blocks = parsed(DocxParser(), importing(*parts)).blocks
    web = [("heading2", "Web"), ("table_row", "a | b"), ("table_row", "1 | 2")]
    assert shape(parsed_blocks) == [
        ("paragraph", "First"),
        *(*web, *web),
        *(("paragraph", "Rich"), ("paragraph", "Plain"), ("heading1", "Word")),
        *(("table_row", "x | y"), ("table_row", "1 | 2"), ("paragraph", "Last")),
    ]
    tables = [block.attributes["table"] for block in parsed_blocks if "table" in block.attributes]
    assert tables == [0, 0, 1, 1, 2, 2]


def test_an_imported_document_imports_no_further_ones() -> None:
    inner = importing(("a.docx", docx(p("Innermost"))), ("b.txt", "Text"))
    outer = importing(("c.docx", inner))
    assert [block.text for block in parsed(DocxParser(), outer).blocks] == [
        *("First", "First", "Text", "Last", "Last")
    ]


# The file


def test_the_strict_dialect_is_read_like_the_usual_one() -> None:
    relations = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    data = zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="a" '
            f'Type="{relations}officeDocument" Target="/word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}"><Relationship '
            f'Id="a" Type="{relations}styles" Target="styles.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{STRICT_W}"><w:body>{p("Start", "x")}'
            "</w:body></w:document>",
            "word/styles.xml": f'<w:styles xmlns:w="{STRICT_W}">{style("x", "heading 1")}'
            "</w:styles>",
        }
    )
    assert shape(parsed(DocxParser(), data).blocks) == [("heading1", "Start")]


def with_core_properties(properties: str) -> bytes:
    package = "http://schemas.openxmlformats.org/package/2006/"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{package}relationships">'
            f'<Relationship Id="a" Type="{office}" Target="d.xml"/><Relationship Id="b" '
            f'Type="{package}relationships/metadata/core-properties" Target="c.xml"/>'
            "</Relationships>",
            "d.xml": f'<w:document xmlns:w="{W}"><w:body>{p("Text")}</w:body></w:document>',
            "c.xml": properties,
        }
    )


def test_core_properties_become_metadata() -> None:
    properties = (
        '<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T</dc:title>'
        "<dc:creator>Ann</dc:creator><dc:subject> </dc:subject></c>"
    )
    document = parsed(DocxParser(), with_core_properties(properties)).document
    assert (document.title, document.metadata) == ("T", {"author": "Ann"})


def test_unreadable_core_properties_cost_nothing() -> None:
    document = parsed(DocxParser(), with_core_properties("<broken"))
    assert (shape(document.blocks), document.document.metadata) == ([("paragraph", "Text")], {})


def test_errors_name_the_document() -> None:
    with pytest.raises(CorruptDocument, match="folder/file: not a readable zip"):
        parsed(DocxParser(), b"no zip")
    with pytest.raises(CorruptDocument, match="without a main document part"):
        parsed(DocxParser(), zipped({"a": "b"}))


def test_too_deep_nesting_is_an_error_and_deep_nesting_is_not() -> None:
    def nested(depth: int) -> str:
        return "<w:tbl><w:tr><w:tc>" * depth + p("core") + "</w:tc></w:tr></w:tbl>" * depth

    assert read(nested(80)) == [("paragraph", "core")]
    with pytest.raises(DocumentTooLarge):
        read(nested(20_000))


_OFFICE = "http://schemas.openxmlformats.org/"
_GRAPHICS = (
    f'xmlns:c="{_OFFICE}drawingml/2006/chart" xmlns:a="{_OFFICE}drawingml/2006/main" '
    f'xmlns:dgm="{_OFFICE}drawingml/2006/diagram" '
    f'xmlns:rel="{_OFFICE}officeDocument/2006/relationships"'
)
CHART = (
    f"<c:chartSpace {_GRAPHICS}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r>"
    "</a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>"
    "<c:tx><c:strCache><c:pt idx='0'><c:v>North</c:v></c:pt></c:strCache></c:tx>"
    "<c:cat><c:strCache><c:pt idx='0'><c:v>Q1</c:v></c:pt></c:strCache></c:cat>"
    "<c:val><c:numCache><c:pt idx='0'><c:v>1.5</c:v></c:pt></c:numCache></c:val>"
    "</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
)
DIAGRAM = (
    f"<dgm:dataModel {_GRAPHICS}><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p>"
    "</dgm:t></dgm:pt><dgm:pt type='pres'><dgm:t><a:p><a:r><a:t>x</a:t></a:r></a:p></dgm:t>"
    "</dgm:pt></dgm:ptLst></dgm:dataModel>"
)


def drawing(inside: str) -> str:
    graphic = f"<a:graphic {_GRAPHICS}><a:graphicData>{inside}</a:graphicData></a:graphic>"
    return (
        "<w:p><w:r><w:t>See </w:t><w:drawing><wp:inline>"
        f"{graphic}</wp:inline></w:drawing></w:r></w:p>"
    )


def test_charts_and_smart_art_follow_their_paragraph() -> None:
    body = (
        drawing('<c:chart rel:id="rchart"/>')
        + drawing('<dgm:relIds rel:dm="rdiagramData"/>')
        + drawing('<c:chart rel:id="missing"/>')
        + table(["a", "b"], ["1", "2"])
    )
    plain = docx(body, chart="", diagramData="")
    with zipfile.ZipFile(io.BytesIO(plain)) as file:
        entries: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    entries |= {"word/chart.xml": CHART, "word/diagramData.xml": DIAGRAM}
    found = parsed(DocxParser(), zipped(entries)).blocks
    assert shape(found) == [
        ("paragraph", "See"),
        ("caption", "Sales"),
        ("table_row", " | North"),
        ("table_row", "Q1 | 1.5"),
        ("paragraph", "See"),
        ("list_item", "Plan"),
        ("paragraph", "See"),
        ("table_row", "a | b"),
        ("table_row", "1 | 2"),
    ]
    assert [block.attributes.get("table") for block in found if "table" in block.attributes] == [
        *(0, 0),
        *(1, 1),
    ]


def test_a_style_means_what_the_documents_own_sheet_says() -> None:
    heading = style("S", "x", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    kinds = [
        shape(parsed(DocxParser(), docx(p("text", "S"), styles=sheet)).blocks)[0][0]
        for sheet in (heading, style("S", "x"), heading, style("S", "Quote"))
    ]
    assert kinds == ["heading1", "paragraph", "heading1", "quote"]


NAMES = "p r t tbl tr tc sdt sdtContent ins del fldChar footnoteReference pict txbxContent"
ELEMENTS = st.sampled_from(NAMES.split(" "))


@given(
    st.recursive(
        st.text("abc ", max_size=4),
        lambda inner: st.tuples(ELEMENTS, st.lists(inner, max_size=4)).map(
            lambda pair: f"<w:{pair[0]}>{''.join(pair[1])}</w:{pair[0]}>"
        ),
        max_leaves=30,
    )
)
def test_no_arrangement_of_elements_breaks_the_walker(body: str) -> None:
    assert [block for block in blocks(body) if not block.text.strip()] == []


@given(st.integers(0, 5000), st.binary(min_size=1, max_size=3))
def test_a_damaged_file_gives_blocks_or_a_parse_error(place: int, junk: bytes) -> None:
    data = docx(p("Start", "Heading1") + table(["a", "b"]), styles=style("x", "y"))
    place %= len(data)
    try:
        parsed(DocxParser(), data[:place] + junk + data[place + len(junk) :])
    except ParseError as error:
        assert error.document == "folder/file"  # noqa: PT017 - either outcome is right
