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


def test_a_list_item_knows_its_depth_and_bullets_are_ordinary_text() -> None:
    body = (
        r"\pard\ls1\ilvl1{\listtext\pard\plain a)\tab}Deep\par"
        r"\pard{\pntext\f1\'B7\tab}{\*\pn\pnlvlblt{\pntxtb\'B7}}Bulleted\par\pard Text\par"
    )
    items = parse(body).blocks
    assert shape(parse(body))[2:] == [("paragraph", None, "Text")]
    assert [(b.text, b.attributes) for b in items[:2]] == [
        ("Deep", {"list_depth": 1, "list_marker": "a)"}),
        ("Bulleted", {"list_depth": 0, "list_marker": "•"}),
    ]


def test_a_style_name_says_what_a_paragraph_is() -> None:
    head = (
        r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel1\b heading 2;}{\s2\sbasedon1 Mine;}"
        r"{\s3\f2 HTML Preformatted;}{\s4 Quote;}{\s5 caption;}{\s6 toc 1;}{\s7 Title;}"
        r"{\s8 \'dcberschrift 3;}}"
    )
    said = r"\s7 T\par\s6 T\tab 1\par\s2 H\par\s8 D\par\s4 Q\par\s5 C\par\s3 if x:\par    y\par"
    assert shape(parse(rf"\pard{said}\pard Text\par", head)) == [
        ("heading", 1, "T"),
        ("heading", 2, "H"),
        ("heading", 3, "D"),
        ("quote", None, "Q"),
        ("caption", None, "C"),
        ("code", None, "if x:\n   y"),
        ("paragraph", None, "Text"),
    ]


def test_notes_comments_and_boxes_follow_their_paragraph() -> None:
    foot = r"{\super\chftn {\footnote\pard\plain\s2 {\super\chftn } Below.\par Twice.}}"
    end = r"{\*\footnote\ftnalt\pard At the end.}"
    comment = r"{\*\atnid A}{\*\annotation{\*\atnref 1}\pard Check.\par}"
    box = r"{\shp{\*\shpinst{\sp{\sn a}{\sv 2}}{\shptxt\pard Box.\par}}{\shprslt\pard Box.\par}}"
    parsed = parse(rf"\pard Text{foot} goes{end} on{comment}{box}.\par Next\par")
    assert shape(parsed) == [
        ("paragraph", None, "Text goes on."),
        ("other", None, "Below."),
        ("other", None, "Twice."),
        ("other", None, "At the end."),
        ("other", None, "Check."),
        ("paragraph", None, "Box."),
        ("paragraph", None, "Next"),
    ]
    kinds = ["footnote", "footnote", "endnote", "comment"]
    assert [block.attributes["note"] for block in parsed.blocks[1:5]] == kinds


def test_a_note_in_a_cell_follows_the_table() -> None:
    row = r"\trowd\pard\intbl {}\cell {}\cell\row"
    rows = "".join(
        row.replace("{}", left, 1).replace("{}", right, 1)
        for left, right in ((r"Item{\footnote\pard Note.}", "Qty"), ("Bolt", "4"))
    )
    assert shape(parse(rows + r"\pard x\par")) == [
        ("table_row", None, "Item | Qty"),
        ("table_row", None, "Bolt | 4"),
        ("other", None, "Note."),
        ("paragraph", None, "x"),
    ]


def test_an_aside_that_never_ends_hides_nothing() -> None:
    data = rb"{\rtf1\ansi\pard a{\footnote b"
    blocks = RtfParser().parse(SOURCE, data).blocks
    assert [block.text for block in blocks] == ["a", "b"]


def test_hidden_and_deleted_text_is_dropped() -> None:
    body = r"\pard a{\v hid \i den}b\v gone\v0 c{\deleted was}{\revised is}\v x\plain d\par"
    assert shape(parse(body)) == [("paragraph", None, "abcisd")]


def test_text_for_old_and_for_new_readers_stands_there_once() -> None:
    body = r"x {\upr{S}{\*\ud{\u931?}}} y {\upr {\b ab\{}{\*\ud \b ab\u955?}}z\par"
    assert shape(parse(body)) == [("paragraph", None, "x Σ y abλz")]
    began = process_time()
    with contextlib.suppress(ParseError):
        parse(r"\upr{{a}" * 20_000)
    assert process_time() - began < 5


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
    assert parse(r"x\par", r"{\info{\title Gr\'fc\u223?e}}").document.title == "Grüße"
    assert parse(r"x\par", r"{\info{\title  }}").document.title is None


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
             r"\bin9 ", r"\pict", r"{\listtext", r"\tab", r"\u-1 ", r"{\footnote", r"\v ",
             r"\deleted", r"{\*\shpinst", r"{\shptxt", r"\plain", r"\ilvl3"]
        )
    )
)  # fmt: skip
def test_no_rtf_raises_anything_but_a_parse_error(words: list[str]) -> None:
    with contextlib.suppress(ParseError):
        parse("".join(words))
