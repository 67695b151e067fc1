"""Tables that are nothing but text are read by a shorter way, which nobody can tell."""

from hypothesis import given
from hypothesis import strategies as st
from office_files import docx, parsed, shape, style, table

from rag_chunker.parsing.docx import DocxParser
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


def _runs(words: str) -> list[str]:
    text = f'<w:t xml:space="preserve">{words}</w:t>'
    return [
        f"<w:r>{text}</w:r>",
        f'<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>{text}</w:r>',
        f"<w:r>{text}<w:tab/><w:br/>{text}</w:r>",
        f'<w:hyperlink><w:r><w:rPr><w:rStyle w:val="T"/></w:rPr>{text}</w:r></w:hyperlink>',
        f"<w:ins><w:r>{text}<w:noBreakHyphen/></w:r></w:ins>",
        f"<w:del><w:r><w:delText>{words}</w:delText></w:r></w:del>",
        f"<w:r><w:rPr><w:vanish/></w:rPr>{text}</w:r>",
    ]


def _several(of: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(of, max_size=most).map("".join)


RUNS = _several(WORDS.flatmap(lambda words: st.sampled_from(_runs(words))), 3)
PROPERTIES = st.sampled_from(
    [
        *("", "<w:pPr/>", '<w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr>'),
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
        *("", "", "<w:trPr><w:tblHeader/></w:trPr>", '<w:trPr><w:gridBefore w:val="1"/></w:trPr>'),
        "<w:trPr><w:hidden/></w:trPr>",
    ]
)
ROWS = st.builds("<w:tr>{}{}</w:tr>".format, ROW_PROPERTIES, _several(CELLS, 4))


@given(st.lists(ROWS, min_size=1, max_size=5).map("".join))
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
