"""Paragraphs that are nothing but text are read by a shorter way, which nobody can tell."""

from hypothesis import given
from hypothesis import strategies as st
from office_files import docx, odt, parsed, style

from rag_chunker.parsing.docx import DocxParser
from rag_chunker.parsing.odt import OdtParser
from rag_core.types import Block

WORDS = st.sampled_from(
    ["", " ", "a", "b  c", " d", "\xad", "so\xadft", "é", "&#13;", "\ufeffx", "a\n b", "\t", "\xa0"]
)


def _several(of: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(of, max_size=most).map("".join)


STYLES = (
    style("H", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    + style("V", "unseen", "<w:rPr><w:vanish/></w:rPr>")
    + style("M", "typed", '<w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>')
    + style("Q", "Quote")
)


def _runs(words: str) -> list[str]:
    text = f'<w:t xml:space="preserve">{words}</w:t>'
    return [
        *[f"<w:r>{text}</w:r>"] * 3,
        f"<w:r><w:rPr><w:b/></w:rPr>{text}<w:lastRenderedPageBreak/>{text}</w:r>",
        f'<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>{text}</w:r>',
        f"<w:r>{text}<w:tab/><w:noBreakHyphen/>{text}</w:r>",
        f"<w:hyperlink><w:r>{text}</w:r></w:hyperlink><w:bookmarkEnd/>",
        f"<w:del><w:r><w:delText>{words}</w:delText></w:r></w:del>",
        f'<w:r><w:rPr><w:rStyle w:val="V"/></w:rPr>{text}</w:r>',
        f'<w:r><w:rPr><w:rStyle w:val="M"/></w:rPr>{text}</w:r>',
    ]


WORD_PARAGRAPHS = st.builds(
    "<w:p>{}{}|</w:p>".format,
    st.sampled_from(
        [
            *("", "<w:pPr/>", '<w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr>'),
            *(f'<w:pPr><w:pStyle w:val="{name}"/></w:pPr>' for name in "HVMQ"),
            '<w:pPr><w:jc w:val="left"/><w:pStyle w:val="Q"/></w:pPr>',
            '<w:pPr><w:pStyle w:val="Q"/><w:outlineLvl w:val="1"/></w:pPr>',
            "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>",
        ]
    ),
    _several(WORDS.flatmap(lambda words: st.sampled_from(_runs(words))), 3),
)


@given(_several(WORD_PARAGRAPHS, 4))
def test_a_plain_word_paragraph_reads_as_one_that_is_not_plain(paragraphs: str) -> None:
    # Instructions outside of a field say nothing, but no plain paragraph has them.
    unusual = "<w:r><w:instrText>PAGE</w:instrText></w:r>"
    assert _word(paragraphs.replace("|", "")) == _word(paragraphs.replace("|", unusual))


def _word(body: str) -> tuple[Block, ...]:
    return parsed(DocxParser(), docx(body, styles=STYLES)).blocks


ODT_STYLES = (
    '<style:style style:family="paragraph" style:name="H" style:default-outline-level="1"/>'
    '<style:style style:family="paragraph" style:name="M"><style:text-properties'
    ' style:font-name="Courier New"/></style:style>'
    '<style:style style:family="text" style:name="M"><style:text-properties'
    ' style:font-name="Courier New"/></style:style>'
    '<style:style style:family="text" style:name="V"><style:text-properties text:display="none"/>'
    "</style:style>"
)


def _inlines(words: str) -> list[str]:
    return [
        *[words] * 3,
        f'<text:span text:style-name="X">{words}</text:span>{words}',
        f'<text:span text:style-name="M">{words}</text:span>',
        f'<text:span text:style-name="V">{words}</text:span>{words}',
        f"<text:span>{words}<text:span>{words}</text:span></text:span>{words}",
        f"<text:bookmark-start/>{words}<text:bookmark-end/><text:soft-page-break/>",
        f'<text:s text:c="2"/>{words}<text:line-break/>',
    ]


ODT_PARAGRAPHS = st.builds(
    "<text:{0}{1}>{2}|</text:{0}>".format,
    st.sampled_from("ppph"),
    st.sampled_from(
        ["", *(f' text:style-name="{name}"' for name in ("H", "M", "X", "Quotations"))]
    ),
    _several(WORDS.flatmap(lambda words: st.sampled_from(_inlines(words))), 3),
)


@given(_several(ODT_PARAGRAPHS, 4))
def test_a_plain_opendocument_paragraph_reads_as_one_that_is_not_plain(paragraphs: str) -> None:
    # An empty link shows nothing, but no plain paragraph has one.
    unusual = paragraphs.replace("|", "<text:a/>")
    assert _odt(paragraphs.replace("|", "")) == _odt(unusual)


def _odt(body: str) -> tuple[Block, ...]:
    return parsed(OdtParser(), odt(body, automatic=ODT_STYLES)).blocks
