"""RTF: the structure that its control words carry."""

import contextlib
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.rtf import RtfParser
from rag_core.errors import CorruptDocument, ParseError
from rag_core.types import CorpusId, DocumentId, ParsedDocument, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri="a.rtf"
)


def parse(body: str, head: str = "") -> ParsedDocument:
    return RtfParser().parse(SOURCE, f"{{\\rtf1\\ansi\\ansicpg1252 {head}{body}}}".encode())


def shape(parsed: ParsedDocument) -> list[tuple[str, int | None, str]]:
    return [(block.type.value, block.level, block.text) for block in parsed.blocks]


def test_paragraphs_with_every_way_to_write_a_letter() -> None:
    body = r"Gr\'fc\'dfe \u8364? \{x\} \u-10179?\u-8704?\par\pard Zwei\line Zeilen\par"
    assert shape(parse(body)) == [
        ("paragraph", None, "Grüße € {x} 😀"),
        ("paragraph", None, "Zwei\nZeilen"),
    ]


def test_headings_come_from_outline_levels_and_heading_styles() -> None:
    head = r"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s7\outlinelevel1\fs30 Abschnitt;}}"
    body = (
        r"\pard\plain\s1 Title\par\pard\plain\s0 Text.\par\pard\s7 Part\par"
        r"\pard\outlinelevel2 Third\par\pard\outlinelevel9 Body.\par"
    )
    assert shape(parse(body, head)) == [
        ("heading", 1, "Title"),
        ("paragraph", None, "Text."),
        ("heading", 2, "Part"),
        ("heading", 3, "Third"),
        ("paragraph", None, "Body."),
    ]


def test_a_numbered_heading_is_a_heading_with_its_number() -> None:
    numbered = r"\pard\s1\outlinelevel0{\listtext\pard\plain 1\tab}Scope\par "
    empty = r"\pard\s2\outlinelevel1 {\listtext\pard\plain \tab}\ls1 Range\par \pard Text\par"
    assert shape(parse(numbered + empty)) == [
        ("heading", 1, "1 Scope"),
        ("heading", 2, "Range"),
        ("paragraph", None, "Text"),
    ]


def test_table_rows_have_cells_and_a_header() -> None:
    row = r"\trowd\cellx1000\cellx2000\pard\intbl {}\cell {}\cell\row"
    rows = "".join(
        row.replace("{}", left, 1).replace("{}", right, 1)
        for left, right in (("Item", "Qty"), (r"Bolt\par M8 | long", "4"))
    )
    parsed = parse(rf"\pard Before\par {rows}\pard After\par")
    assert shape(parsed) == [
        ("paragraph", None, "Before"),
        ("table_row", None, "Item | Qty"),
        ("table_row", None, "Bolt M8 | long | 4"),
        ("paragraph", None, "After"),
    ]
    assert parsed.blocks[2].attributes == {"table": 0, "table_header": "Item | Qty"}


def test_list_items_keep_their_marker() -> None:
    parsed = parse(r"\pard{\listtext\pard\plain 1.\tab}First\par{\listtext 2.\tab}Second\par")
    assert [(b.type.value, b.text, b.attributes["list_marker"]) for b in parsed.blocks] == [
        ("list_item", "First", "1."),
        ("list_item", "Second", "2."),
    ]


def test_links_show_their_text_and_many_fields_take_no_time() -> None:
    link = r'{\field{\*\fldinst{HYPERLINK "http://x.y/"}}{\fldrslt{\ul here}}}'
    assert shape(parse(rf"See {link} now\par")) == [("paragraph", None, "See here now")]
    page = r"{\field{\*\fldinst{ PAGE }}{\fldrslt 7}}"
    started = process_time()
    assert len(shape(parse(f"{page} text " * 5_000 + r"\par"))) == 1
    assert process_time() - started < 10


def test_fonts_decide_how_bytes_are_read_and_many_take_no_time() -> None:
    fonts = r"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset204 Times;}}"
    assert shape(parse(r"\f0 \'e4 \f1 \'e4\par", fonts)) == [("paragraph", None, "ä д")]
    started = process_time()
    for entry in (r"\f1 ", r"\f1\fcharset0 "):
        parse("x", r"{\fonttbl" + entry * 50_000)
    assert process_time() - started < 20


def test_a_backslash_in_the_text_is_no_control_word() -> None:
    assert shape(parse(r"C:\\s1\\row\par"))[0] == ("paragraph", None, "C:\\s1\\row")


def test_the_title_is_known() -> None:
    assert parse(r"x\par", r"{\info{\author A}{\title Report May}}").document.title == "Report May"


@pytest.mark.parametrize("data", [b"", b"Hello", b"{\\html}"])
def test_what_is_no_rtf_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(CorruptDocument) as caught:
        RtfParser().parse(SOURCE, data)
    assert caught.value.document == "a.rtf"


@given(
    st.lists(
        st.sampled_from(
            [r"\u99999999 ", r"\uc ", r"\uc-1", r"\pard", r"\cell", r"\row", "{", "}", r"\'81",
             "\\",
             r"\outlinelevel9", r"\s1 ", r"\fonttbl", r"\f0\fcharset78 x;", r"\intbl", "x", r"\par",
             r"\bin9 ", r"\pict", r"{\listtext", r"\tab", r"\u-1 "]
        )
    )
)  # fmt: skip
def test_no_rtf_raises_anything_but_a_parse_error(words: list[str]) -> None:
    with contextlib.suppress(ParseError):
        parse("".join(words))
