"""An OpenDocument text's structure arrives whole, once and in reading order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import odt, parsed, shape, zipped

from rag_chunker.parsing.odt import OdtParser
from rag_core.errors import CorruptDocument, EncryptedDocument, ParseError
from rag_core.testing import ParserContract
from rag_core.types import Block


def blocks(body: str, **more: str) -> tuple[Block, ...]:
    return parsed(OdtParser(), odt(body, **more)).blocks


def read(body: str, **more: str) -> list[tuple[str, str]]:
    return shape(blocks(body, **more))


def p(inside: str, style: str = "Standard") -> str:
    return f'<text:p text:style-name="{style}">{inside}</text:p>'


def h(inside: str, level: int) -> str:
    return f'<text:h text:outline-level="{level}">{inside}</text:h>'


def style(name: str, more: str = "", family: str = "paragraph", parent: str = "Standard") -> str:
    return (
        f'<style:style style:name="{name}" style:family="{family}" '
        f'style:parent-style-name="{parent}">{more}</style:style>'
    )


def table(*rows: str) -> str:
    return f"<table:table>{''.join(rows)}</table:table>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def cell(inside: str, more: str = "") -> str:
    return f"<table:table-cell {more}>{inside}</table:table-cell>"


SAMPLE = (
    h("Start\ufeff", 1)
    + p("Text\u00ad")
    + table(
        row(cell(p("a")), cell(p("b"))),
        row(cell(p("1")), cell(p("2"))),
        row(cell(h("Part", 2))),
        row(cell(p("3")), cell(p("4"))),
    )
    + p("one&#13;two")
)


class TestOdtParser(ParserContract):
    @pytest.fixture
    def parser(self) -> OdtParser:
        return OdtParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [("a.odt", odt(SAMPLE))]


def test_headings_have_their_outline_level() -> None:
    assert read(h("A", 1) + p("text") + h("B", 3) + h("C", 9) + h(" ", 1) + p("")) == [
        ("heading1", "A"),
        ("paragraph", "text"),
        ("heading3", "B"),
        ("heading6", "C"),
    ]


def test_a_paragraph_in_a_heading_style_is_a_heading() -> None:
    automatic = style("P1", parent="Heading_20_2")
    assert read(p("A", "P1") + p("B", "Heading_20_1"), automatic=automatic) == [
        ("paragraph", "A"),
        ("heading1", "B"),
    ]
    styles = style("Heading_20_2")
    assert read(p("A", "P1"), automatic=automatic, styles=styles) == [("heading2", "A")]


def test_the_title_is_a_heading_and_the_documents_title() -> None:
    document = parsed(OdtParser(), odt(p("Report", "Title") + h("A", 1)))
    assert shape(document.blocks) == [("heading1", "Report"), ("heading1", "A")]
    assert document.document.title == "Report"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Preformatted_20_Text", "code"),
        ("Quotations", "quote"),
        ("Caption", "caption"),
        ("Text_20_body", "paragraph"),
    ],
)
def test_a_style_name_says_what_a_paragraph_is(name: str, kind: str) -> None:
    automatic = style("P7", parent=name)
    assert read(p("Text", "P7"), automatic=automatic, styles=style(name)) == [(kind, "Text")]


def test_code_lines_are_one_block_with_indents() -> None:
    name = "Preformatted_20_Text"
    body = p("def f():", name) + p('<text:s text:c="4"/>return 1', name) + p("So.")
    assert read(body, styles=style(name)) == [
        ("code", "def f():\n    return 1"),
        ("paragraph", "So."),
    ]


def test_a_paragraph_in_a_typewriter_font_is_code_unless_all_text_is() -> None:
    mono = '<style:text-properties style:font-name="Liberation Mono"/>'
    automatic = style("T1", mono, "text")
    code = p('<text:span text:style-name="T1">ls</text:span>')
    mixed = p('Type <text:span text:style-name="T1">ls</text:span> now')
    assert read(code + mixed, automatic=automatic) == [
        ("code", "ls"),
        ("paragraph", "Type ls now"),
    ]
    assert read(p("Dear Sir"), styles=style("Standard", mono)) == [("paragraph", "Dear Sir")]


LISTS = (
    '<text:list-style style:name="L">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" '
    'text:display-levels="2"/>'
    '<text:list-level-style-bullet text:level="3" text:bullet-char="\uf0b7"/>'
    "</text:list-style>"
)


def items(*inside: str, more: str = "") -> str:
    listed = "".join(f"<text:list-item>{item}</text:list-item>" for item in inside)
    return f"<text:list {more}>{listed}</text:list>"


def markers(body: str, **more: str) -> list[tuple[str, object, object]]:
    return [
        (b.text, b.attributes.get("list_depth"), b.attributes.get("list_marker"))
        for b in blocks(body, **more)
    ]


def test_list_items_have_depth_and_a_counted_marker() -> None:
    inner = items(p("a"), p("b") + items(p("dot")))
    body = items(p("one") + inner, p("two") + p("more of two"), more='text:style-name="L"')
    assert markers(body, automatic=LISTS) == [
        ("one", 0, "1."),
        ("a", 1, "1.a)"),
        ("b", 1, "1.b)"),
        ("dot", 2, "•"),
        ("two", 0, "2."),
        ("more of two", None, None),
    ]


def test_a_list_goes_on_only_where_it_says_so() -> None:
    named = 'text:style-name="L"'
    going_on = f'{named} text:continue-numbering="true"'
    body = items(p("a"), more=named) + items(p("b"), more=going_on) + items(p("c"), more=named)
    assert [marker for _, _, marker in markers(body, automatic=LISTS)] == ["1.", "2.", "1."]


def test_an_item_that_only_holds_a_list_is_not_counted() -> None:
    body = items(p("one"), items(p("a")), p("two"), more='text:style-name="L"')
    assert [marker for _, _, marker in markers(body, automatic=LISTS)] == ["1.", "1.a)", "2."]


def test_a_numbered_heading_in_a_list_is_a_heading() -> None:
    assert read(items(h("Scope", 1), more='text:style-name="L"'), automatic=LISTS) == [
        ("heading1", "Scope")
    ]


def test_rows_know_their_header_and_spans_are_written_once() -> None:
    covered = "<table:covered-table-cell/>"
    head = f"<table:table-header-rows>{row(cell(p('A')), cell(p('B')))}</table:table-header-rows>"
    wide = row(cell(p("wide"), 'table:number-columns-spanned="2"'), covered)
    body = table(head, wide, row(covered, cell(p("x"))))
    found = blocks(body)
    assert [b.text for b in found] == ["A | B", "wide", " | x"]
    assert found[2].attributes == {"table": 0, "table_header": "A | B"}


def test_a_header_of_several_rows_names_each_column_with_all_of_them() -> None:
    covered = "<table:covered-table-cell/>"
    years = row(cell(p("Item")), cell(p("2024"), 'table:number-columns-spanned="2"'), covered)
    quarters = row(covered, cell(p("Q1")), cell(p("Q2")))
    stated = row(cell(p("Unit")), cell(p("t")), cell(p("kg")))
    data = row(cell(p("Nut")), cell(p("5")), cell(p("6")))
    assert [b.text for b in blocks(table(years, quarters, data))] == [
        "Item | 2024 Q1 | 2024 Q2",
        "Nut | 5 | 6",
    ]
    head = f"<table:table-header-rows>{years}{stated}</table:table-header-rows>"
    assert blocks(table(head, data))[0].text == "Item Unit | 2024 t | 2024 kg"


def test_rows_that_begin_with_labels_have_no_header() -> None:
    rows = [row(cell(p(name)), cell(p("x"))) for name in ("Name:", "Born:")]
    assert [b.attributes for b in blocks(table(*rows))] == [{"table": 0}] * 2


def test_repeated_cells_and_rows_are_repeated_and_blank_ones_cost_nothing() -> None:
    many = 'table:number-columns-repeated="3"'
    endless = 'table:number-rows-repeated="1048000"'
    body = table(
        row(cell(p("a"), many)),
        row(cell(p("b")), more='table:number-rows-repeated="2"'),
        row(cell("", 'table:number-columns-repeated="16000"'), more=endless),
    )
    assert [text for _, text in read(body)] == ["a | a | a", "b", "b"]


def test_claimed_repetitions_are_believed_within_reason() -> None:
    endless = 'table:number-rows-repeated="999999999"'
    many = 'table:number-columns-repeated="999999999"'
    body = table(row(cell(p("a"), many), more=endless)) * 3
    assert sum(block.text.count("a") for block in blocks(body)) < 1_000_000


def test_headings_and_tables_in_cells_make_layout() -> None:
    inner = table(row(cell(p("x")), cell(p("y"))), row(cell(p("1")), cell(p("2"))))
    body = table(
        row(cell(h("Algebra", 2)), cell("")),
        row(cell(p("Hours")), cell(p("Four"))),
        row(cell(p("outer") + inner), cell("")),
    )
    assert read(body) == [
        ("heading2", "Algebra"),
        ("table_row", "Hours | Four"),
        ("paragraph", "outer"),
        ("table_row", "x | y"),
        ("table_row", "1 | 2"),
    ]


def test_notes_and_comments_follow_their_paragraph() -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body>{p('See it.')}</text:note-body></text:note>"
    )
    comment = f"<office:annotation><dc:creator>Ann</dc:creator>{p('Really?')}</office:annotation>"
    found = blocks(p(f"The dose{note} was halved.{comment}"))
    assert [(b.text, b.attributes.get("note")) for b in found] == [
        ("The dose was halved.", None),
        ("See it.", "footnote"),
        ("Really?", "comment"),
    ]


def test_deleted_text_and_generated_indexes_are_dropped() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion>"
        f"{p('deleted')}</text:deletion></text:changed-region></text:tracked-changes>"
        f"<text:table-of-content><text:index-body>{p('Start 1')}</text:index-body>"
        f"</text:table-of-content>{p('kept<text:change/>')}"
    )
    assert read(body) == [("paragraph", "kept")]


def test_a_frame_is_read_once_with_its_alternative_text() -> None:
    box = f"<draw:frame><draw:text-box>{h('Tip', 2)}{p('Boxed')}</draw:text-box></draw:frame>"
    picture = (
        "<draw:frame><draw:image/><draw:image/><svg:title>P</svg:title>"
        "<svg:desc>A pump</svg:desc></draw:frame>"
    )
    assert read(box + p(f"Text {box}{picture}")) == [
        ("heading2", "Tip"),
        ("paragraph", "Boxed"),
        ("paragraph", "Text"),
        ("other", "A pump"),
        ("paragraph", "Tip"),
        ("paragraph", "Boxed"),
    ]


def test_hidden_text_and_hidden_sections_are_dropped() -> None:
    automatic = style("T1", '<style:text-properties text:display="none"/>', "text")
    hidden = '<text:span text:style-name="T1">secret</text:span>'
    section = f'<text:section text:display="none">{p("secret")}</text:section>'
    shown = f"<text:section>{p('in section')}</text:section>"
    assert read(p(f"shown{hidden}") + section + shown, automatic=automatic) == [
        ("paragraph", "shown"),
        ("paragraph", "in section"),
    ]


def test_white_space_and_ruby_are_read_as_shown() -> None:
    ruby = "<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>kan</text:ruby-text>"
    body = p(f"a\n  b<text:s/><text:tab/>c<text:line-break/>{ruby}</text:ruby>")
    assert read(body) == [("paragraph", "a b \tc\n漢")]
    assert len(read(p('a<text:s text:c="999999999"/>b'))[0][1]) < 2000


def test_a_formula_is_read_as_it_was_typed() -> None:
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>E</mi>'
        '<annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>'
    )
    body = p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>')
    assert read(body, **{"Object 1/content__xml": math}) == [("paragraph", "E = m c^2")]


def test_a_formula_that_nobody_typed_is_read_as_one_would_type_it() -> None:
    sum_ = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
    math = (
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac>{sum_}<mn>2</mn></mfrac>'
        "<mo>=</mo><msqrt><mi>x</mi></msqrt><msup><mi>y</mi><mn>10</mn></msup></math>"
    )
    body = p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>')
    assert read(body, **{"Object 1/content__xml": math}) == [("paragraph", "(a+b)/2=√xy^(10)")]


def test_a_chart_gives_its_title_and_numbers() -> None:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "chart", "table", "text")
    )
    head = f"<table:table-header-rows>{row(cell(''), cell(p('2024')))}</table:table-header-rows>"
    chart = (
        f"<office:document-content {spaces}><office:body><office:chart><chart:chart>"
        f"<chart:title>{p('Sales')}</chart:title><chart:legend/><chart:plot-area/>"
        f"{table(head, row(cell(p('East')), cell(p('19.2'))))}"
        "</chart:chart></office:chart></office:body></office:document-content>"
    )
    body = p('See:<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>')
    assert read(body, **{"Object 1/content__xml": chart}) == [
        *(("paragraph", "See:"), ("paragraph", "Sales")),
        *(("table_row", " | 2024"), ("table_row", "East | 19.2")),
    ]


def test_properties_become_metadata() -> None:
    meta = "<dc:title>T</dc:title><dc:creator>Ann</dc:creator><meta:keyword>a</meta:keyword>"
    document = parsed(OdtParser(), odt("", meta=meta + "<meta:keyword>b</meta:keyword>")).document
    assert (document.title, document.metadata) == ("T", {"author": "Ann", "keywords": "a, b"})


def test_unreadable_properties_cost_nothing() -> None:
    document = parsed(OdtParser(), odt(p("Text"), meta="<broken"))
    assert (shape(document.blocks), document.document.metadata) == ([("paragraph", "Text")], {})


def test_a_password_is_said_to_be_one() -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        "<m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
    )
    with pytest.raises(EncryptedDocument, match="folder/file: protected by a password"):
        blocks("", **{"META-INF/manifest__xml": manifest})


def test_other_files_are_corrupt() -> None:
    with pytest.raises(CorruptDocument, match=r"no entry 'content\.xml'"):
        parsed(OdtParser(), zipped({"a": "b"}))
    with pytest.raises(CorruptDocument, match="without text"):
        parsed(OdtParser(), zipped({"content.xml": "<a/>"}))


def test_deep_nesting_is_read() -> None:
    deep = "<text:section>" * 200 + p("core") + "</text:section>" * 200
    assert read(deep) == [("paragraph", "core")]


NAMES = (
    "text:p text:h text:span text:list text:list-item text:note text:note-body draw:frame "
    "draw:text-box table:table table:table-row table:table-cell text:section office:annotation"
)


@given(
    st.recursive(
        st.text("abc ", max_size=4),
        lambda inner: st.tuples(st.sampled_from(NAMES.split(" ")), st.lists(inner, max_size=4)).map(
            lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
        ),
        max_leaves=30,
    )
)
def test_no_arrangement_of_elements_breaks_the_walker(body: str) -> None:
    assert [block for block in blocks(body) if not block.text.strip()] == []


@given(st.integers(0, 5000), st.binary(min_size=1, max_size=3))
def test_a_damaged_file_gives_blocks_or_a_parse_error(place: int, junk: bytes) -> None:
    data = odt(h("Start", 1) + table(row(cell(p("a")))))
    place %= len(data)
    try:
        parsed(OdtParser(), data[:place] + junk + data[place + len(junk) :])
    except ParseError as error:
        assert error.document == "folder/file"  # noqa: PT017 - either outcome is right


def test_a_common_style_means_what_the_documents_own_sheet_says() -> None:
    outlined = '<style:style style:family="paragraph" style:name="S" {}/>'
    heading, plain = (outlined.format(more) for more in ('style:default-outline-level="1"', ""))
    large = heading + "<style:style/>" * 40_000
    body = p("text", "S")
    sheets = (heading, plain, heading, large, plain)
    kinds = [read(body, styles=sheet)[0][0] for sheet in sheets]
    assert kinds == ["heading1", "paragraph", "heading1", "heading1", "paragraph"]
    assert read(body, styles=heading, automatic=plain) == [("paragraph", "text")]
