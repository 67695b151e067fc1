"""Tables that are nothing but text are read by a shorter way, which nobody can tell."""

from hypothesis import given
from hypothesis import strategies as st
from office_files import docx, odt, parsed, shape, style, table

from rag_chunker.parsing.docx import DocxParser
from rag_chunker.parsing.odt import OdtParser
from rag_core.types import Block

WORDS = st.sampled_from(["", " ", "a", "b c", " d", "\xad", "so\xadft", "é", "1"])
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


@given(st.lists(ODT_ROWS, min_size=1, max_size=4).map("".join))
def test_a_plain_opendocument_table_reads_as_one_that_is_not_plain(rows: str) -> None:
    # A column repeated once is not repeated, but no plain table says so.
    empty = "<table:table-row><table:table-cell><text:p/></table:table-cell></table:table-row>"
    unusual = empty.replace("cell>", 'cell table:number-columns-repeated="1">', 1)
    assert _odt(rows + empty) == _odt(rows + unusual)


def _odt(rows: str) -> tuple[Block, ...]:
    columns = "<table:table-column/>"
    data = odt(f"<table:table>{columns}{rows}</table:table>", automatic=ODT_STYLES)
    return parsed(OdtParser(), data).blocks
