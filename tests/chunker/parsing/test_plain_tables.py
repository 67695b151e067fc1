"""Tables that are nothing but text are read by a shorter way, which nobody can tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import docx, odt, parsed, shape, style, table

from rag_chunker.parsing.archive import open_archive
from rag_chunker.parsing.docx import DocxParser
from rag_chunker.parsing.odt import OdtParser
from rag_chunker.parsing.odt.plain_tables import PlainTables, without_plain_tables
from rag_core.errors import CorruptDocument
from rag_core.types import Block

WORDS = st.sampled_from(["", " ", "a", "b c", " d", "\xad", "so\xadft", "é", "1", "1 > 0"])
STYLES = (
    style("H", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    + style("N", "numbered", '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>')
    + style("V", "unseen", "<w:rPr><w:vanish/></w:rPr>")
    + style("T", "cell text")
)
LISTS = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)


USUAL = 8
"""How often a plain piece is drawn for each one that is not: one of these makes no table plain."""


def _runs(words: str) -> list[str]:
    text = f'<w:t xml:space="preserve">{words}</w:t>'
    usual = [
        f"<w:r>{text}</w:r>",
        f'<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>{text}</w:r>',
        f"<w:r>{text}<w:tab/><w:br/>{text}</w:r>",
        f'<w:hyperlink><w:r><w:rPr><w:rStyle w:val="T"/></w:rPr>{text}</w:r></w:hyperlink>',
    ] * USUAL
    return [
        *usual,
        f"<w:ins><w:r>{text}<w:noBreakHyphen/></w:r></w:ins>",
        f"<w:del><w:r><w:delText>{words}</w:delText></w:r></w:del>",
        f"<w:r><w:rPr><w:vanish/></w:rPr>{text}</w:r>",
    ]


def _several(of: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(of, max_size=most).map("".join)


RUNS = _several(WORDS.flatmap(lambda words: st.sampled_from(_runs(words))), 3)
PROPERTIES = st.sampled_from(
    [
        *["", "<w:pPr/>", '<w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr>'] * USUAL,
        *(f'<w:pPr><w:pStyle w:val="{name}"/></w:pPr>' for name in "HNVTX"),
    ]
)
PARAGRAPHS = st.builds("<w:p>{}{}</w:p>".format, PROPERTIES, RUNS)
CELL_PROPERTIES = st.sampled_from(
    [
        *("", "", "<w:tcPr/>", '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'),
        *('<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>', "<w:tcPr><w:vMerge/></w:tcPr>"),
    ]
)
CELLS = st.builds(
    "<w:tc>{}{}</w:tc>".format,
    CELL_PROPERTIES,
    st.lists(PARAGRAPHS, min_size=1, max_size=2).map("".join),
)
ROW_PROPERTIES = st.sampled_from(
    [
        *["", "<w:trPr><w:tblHeader/></w:trPr>"] * USUAL,
        '<w:trPr><w:gridBefore w:val="1"/></w:trPr>',
        "<w:trPr><w:hidden/></w:trPr>",
    ]
)
ROWS = st.builds("<w:tr>{}{}</w:tr>".format, ROW_PROPERTIES, _several(CELLS, 3))


@given(st.lists(ROWS, min_size=1, max_size=4).map("".join))
def test_a_plain_word_table_reads_as_one_that_is_not_plain(rows: str) -> None:
    # Instructions outside of a field say nothing, but no plain table has them.
    unusual = "<w:tr><w:tc><w:p><w:r><w:instrText>PAGE</w:instrText></w:r></w:p></w:tc></w:tr>"
    empty = "<w:tr><w:tc><w:p/></w:tc></w:tr>"
    assert _word(rows + empty) == _word(rows + unusual)


def test_text_of_a_hidden_default_style_is_hidden_in_cells_too() -> None:
    hidden = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="D"><w:name w:val="Normal"/>'
        "<w:rPr><w:vanish/></w:rPr></w:style>"
    )
    rows = table(["a", "b"], ["1", "2"])
    assert parsed(DocxParser(), docx(rows, styles=hidden)).blocks == ()


def test_a_field_that_hides_its_text_hides_the_tables_in_it() -> None:
    begin = '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>TOC</w:instrText></w:r></w:p>'
    end = '<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    data = docx(begin + table(["a", "b"], ["1", "2"]) + end + table(["c", "d"], ["3", "4"]))
    assert shape(parsed(DocxParser(), data).blocks) == [
        ("table_row", "c | d"),
        ("table_row", "3 | 4"),
    ]


def _word(rows: str) -> tuple[Block, ...]:
    data = docx(f"<w:tbl>{rows}</w:tbl>", styles=STYLES, numbering=LISTS)
    return parsed(DocxParser(), data).blocks


ODT_STYLES = (
    '<style:style style:family="paragraph" style:name="H" style:default-outline-level="1"/>'
    '<style:style style:family="paragraph" style:name="C"><style:text-properties'
    ' style:font-name="Courier New"/></style:style>'
    '<style:style style:family="text" style:name="V"><style:text-properties text:display="none"/>'
    "</style:style>"
)


def _inlines(words: str) -> list[str]:
    usual = [
        words,
        f"<text:span>{words}</text:span>",
        f"<text:a>{words}</text:a>",
        f'<text:s/>{words}<text:s text:c="0"/><text:tab/><text:line-break/>{words}',
        f"<text:bookmark-start/>{words}<text:bookmark-end/><text:soft-page-break/>",
    ] * USUAL
    return [
        *usual,
        f'<text:span text:style-name="V">{words}</text:span>',
        f"<text:span>{words}<text:span>{words}</text:span></text:span>{words}",
        f'<text:note text:note-class="footnote"><text:note-body><text:p>{words}</text:p>'
        "</text:note-body></text:note>",
    ]


ODT_PARAGRAPHS = st.builds(
    "<text:p{}>{}</text:p>".format,
    st.sampled_from([*[""] * USUAL * 2, *(f' text:style-name="{name}"' for name in "CCCCXXXXH")]),
    _several(WORDS.flatmap(lambda words: st.sampled_from(_inlines(words))), 3),
)
ODT_CELLS = st.builds(
    "<table:table-cell{}>{}</table:table-cell>".format,
    st.sampled_from([*[""] * USUAL * 2, ' table:number-columns-repeated="2"']),
    st.lists(ODT_PARAGRAPHS, min_size=1, max_size=2).map("".join),
)
ODT_CELLS_OF_ALL_KINDS = st.sampled_from(
    [
        *["{}"] * USUAL * 2,
        "{}<table:covered-table-cell/>",
        "<table:table-cell><text:list><text:list-item><text:p>x</text:p></text:list-item>"
        "</text:list></table:table-cell>{}",
        "<table:table-cell/>{}",
    ]
).flatmap(lambda place: ODT_CELLS.map(place.format))
ODT_ROWS = st.builds(
    "<table:table-row{}>{}</table:table-row>".format,
    st.sampled_from(
        [
            *[""] * USUAL * 2,
            *(' table:visibility="collapse"', ' table:number-rows-repeated="2"'),
        ]
    ),
    _several(ODT_CELLS_OF_ALL_KINDS, 3),
)


COLUMNS = st.sampled_from(
    [
        "",
        '<table:table-column table:number-columns-repeated="3"/>',
        "<table:table-columns><table:table-column/> <table:table-column/></table:table-columns>",
    ]
)
ODT_GROUPS = st.sampled_from(
    [
        *["{}"] * USUAL,
        "<table:table-header-rows>{}</table:table-header-rows>\n",
        "<text:soft-page-break/><table:table-rows>{}</table:table-rows>",
    ]
).flatmap(lambda place: ODT_ROWS.map(place.format))
ODT_TABLES = st.builds(
    '<table:table table:name="T">{}{}</table:table>'.format,
    COLUMNS,
    st.lists(ODT_GROUPS, max_size=4).map("".join),
)
ODT_BODIES = _several(
    st.sampled_from(
        [
            *["{}"] * USUAL,
            "<text:p>before</text:p>{}",
            "<text:p><draw:frame><draw:text-box>{}</draw:text-box></draw:frame></text:p>",
            "<text:section>{}</text:section>",
            "<text:tracked-changes>{}</text:tracked-changes>",
            "<table:table><table:table-row><table:table-cell><text:p>a</text:p>{}"
            "</table:table-cell></table:table-row></table:table>",
        ]
    ).flatmap(lambda place: ODT_TABLES.map(place.format)),
    3,
)


@given(ODT_BODIES)
def test_an_opendocument_text_reads_the_same_whether_tables_are_taken_out(body: str) -> None:
    assert _odt(body) == _odt(body + LEFT)


def _odt(body: str) -> tuple[Block, ...]:
    return parsed(OdtParser(), odt(body, automatic=ODT_STYLES)).blocks


LEFT = "<!-- no table is taken out of markup with a comment -->"


def _row(*cells: str) -> str:
    inside = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
    return f"<table:table-row>{inside}</table:table-row>"


def _table(*cells: str) -> str:
    """A header of two columns, and a row with these cells."""
    header = _row("<text:p>a</text:p>", "<text:p>b</text:p>")
    return f"<table:table>{header}{_row(*cells)}</table:table>"


PLAIN = {
    "<text:p>1</text:p>": "1",
    '<text:p text:style-name="C">1</text:p>': "1",
    "<text:p/><text:p>1</text:p>": "1",
    "<text:p>R&amp;D &lt;1&gt; &quot;&apos;</text:p>": "R&D <1> \"'",
    "<text:p>&amp;quot;</text:p>": "&quot;",
    '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>': "a b c d",
    '<text:p>a<text:span>b</text:span><text:span text:style-name="S">c</text:span></text:p>': "abc",
    '<text:p><text:a xlink:href="h">a</text:a><text:bookmark text:name="n"/>b</text:p>': "ab",
    " <text:p>é 中</text:p> ": "é 中",
}


@pytest.mark.parametrize("cell", PLAIN)
def test_a_table_is_taken_out_with_the_text_of_its_cells(cell: str) -> None:
    markup = _content(_table("<text:p>x</text:p>", cell))
    rest, tables = without_plain_tables(markup)
    assert b"table-cell" not in rest
    assert len(tables.taken) == 1
    assert _texts(_table("<text:p>x</text:p>", cell)) == ["a | b", f"x | {PLAIN[cell]}"]


def _content(body: str) -> bytes:
    with open_archive(odt(body, automatic=ODT_STYLES)) as archive:
        return bytes(archive.read("content.xml"))


def _texts(body: str) -> list[str]:
    return [block.text for block in _odt(body)]


@pytest.mark.parametrize(
    "cell",
    [
        "<text:p>&#128;</text:p>",
        "<text:p>1 > 0</text:p>",
        '<text:p text:style-name="&#72;">heading</text:p>',
        '<text:p><text:span text:style-name="&#86;">hidden</text:span></text:p>',
        "<text:h>heading</text:h>",
        "<text:p>a<text:note><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p>",
        "<text:list><text:list-item><text:p>x</text:p></text:list-item></text:list>",
        "<text:p><text:span>a<text:span>b</text:span></text:span></text:p>",
        "",
    ],
)
def test_a_table_that_is_not_plain_stays_where_it_is(cell: str) -> None:
    body = _table("<text:p>x</text:p>", cell)
    rest, tables = without_plain_tables(_content(body))
    assert (rest, tables.taken) == (_content(body), [])
    assert _odt(body) == _odt(body + LEFT)


def test_a_table_that_its_styles_make_other_than_plain_is_put_back() -> None:
    heading = _table('<text:p text:style-name="H">x</text:p>', "<text:p>1</text:p>")
    hidden = _table('<text:p>y<text:span text:style-name="V">x</text:span></text:p>', "<text:p/>")
    _, tables = without_plain_tables(_content(heading + hidden))
    assert len(tables.taken) == 2
    assert _texts(heading + hidden) == ["a | b", "x", "1", "a | b", "y | "]


FULL = _table("<text:p>x</text:p>", "<text:p>1</text:p>")


@pytest.mark.parametrize(
    "markup",
    [
        _content(f"<!--{FULL}-->"),
        _content(f"<text:p><![CDATA[{FULL}]]></text:p>"),
        _content(f"<?x {FULL}?>"),
        _content(f'<text:section xmlns:text="urn:x">{FULL}</text:section>'),
        _content(f'<text:section xmlns:my="urn:x">{FULL}</text:section>'),
        _content(f'{FULL}<table:table plain-table="0"/>'),
        _content(FULL).replace(b"table:", b"t:").replace(b"xmlns:table", b"xmlns:t"),
        _content(FULL).decode().encode("utf-16"),
        b'<?xml version="1.0" encoding="iso-8859-1"?>' + _content(FULL),
    ],
)
def test_markup_that_may_mean_something_else_is_left_as_it_is(markup: bytes) -> None:
    assert without_plain_tables(markup) == (markup, PlainTables())


def test_a_table_that_is_no_utf_8_is_refused_as_the_rest_is() -> None:
    markup = _content(FULL).replace(b">x<", b">\xff<")
    with pytest.raises(CorruptDocument, match="not well formed"):
        parsed(OdtParser(), markup)


def test_a_declaration_may_name_utf_8_in_any_case() -> None:
    for declared in (b'<?xml version="1.0" encoding="utf-8"?>\n', b'<?xml version="1.0"?>'):
        _, tables = without_plain_tables(declared + _content(FULL))
        assert len(tables.taken) == 1
