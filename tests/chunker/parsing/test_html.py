"""HTML gives what a reader of the page sees, each word once and in order, with its structure."""

import re

import pytest
from block_cases import Case, read_cases, written
from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import parse

from rag_chunker.parsing.html import HtmlParser, fragment_blocks, html_blocks
from rag_chunker.parsing.html_visibility import content_roots, is_hidden
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.testing import ParserContract
from rag_core.types import BlockType

SAMPLE = """<!DOCTYPE html><html lang="en"><head><title>Guide</title>
<meta name="author" content="A. B."></head><body>
<nav><a href="/">Home</a></nav>
<main><h1>Guide</h1><p>Text <b>bold</b></p><ul><li>one<ul><li>two</li></ul></li></ul>
<table><caption>T</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre>x
  y</pre><blockquote>q</blockquote></main><footer>imprint</footer></body></html>
"""


class TestHtmlParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return HtmlParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        japanese = '<meta charset="Shift_JIS"><title>案内</title><h1>営業時間</h1><p>毎日</p>'
        return [
            ("a.html", SAMPLE.encode()),
            ("b.html", SAMPLE.encode("utf-16")),
            ("c.html", japanese.encode("shift_jis")),
        ]


@pytest.mark.parametrize("case", read_cases("html.txt"), ids=lambda case: case.title)
def test_reviewed_case(case: Case) -> None:
    assert written(html_blocks(case.given).blocks) == case.expected


def test_there_are_enough_reviewed_cases() -> None:
    assert len(read_cases("html.txt")) >= 40


def test_title_and_what_the_page_says_of_itself_are_metadata() -> None:
    content = html_blocks(SAMPLE.encode())
    assert content.title == "Guide"
    assert content.metadata == {"language": "en", "author": "A. B.", "encoding": "utf-8"}


@pytest.mark.parametrize(
    ("markup", "declared", "expected"),
    [
        ('<meta charset="shift_jis"><p>営業時間'.encode("shift_jis"), None, "営業時間"),
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>'
            + "Привет".encode("koi8-r"),
            None,
            "Привет",
        ),
        ('<?xml version="1.0" encoding="euc-kr"?><p>한국어'.encode("euc-kr"), None, "한국어"),
        ('<meta charset="iso-8859-1"><p>“9 €”'.encode("cp1252"), None, "“9 €”"),
        ('<meta charset="iso-8859-1"><p>“9 €”'.encode(), None, "“9 €”"),
        ("<p>größer".encode("utf-16"), None, "größer"),
        ("<p>größer".encode("utf-16-le"), None, "größer"),
        ("<p>中文".encode("gbk"), "gbk", "中文"),
        ("<p>größer".encode("cp1252"), None, "größer"),
    ],
)
def test_the_charset_is_the_one_that_fits(
    markup: bytes, declared: str | None, expected: str
) -> None:
    blocks = html_blocks(markup, declared_encoding=declared).blocks
    assert [block.text for block in blocks] == [expected]


def test_binary_bytes_are_refused() -> None:
    with pytest.raises(CorruptDocument):
        html_blocks(bytes(range(256)) * 3)


@pytest.mark.parametrize(
    "tag", ["div", "blockquote", "section", "span", "b", "font", "article", "center", "main"]
)
def test_nothing_is_lost_however_deep_it_nests(tag: str) -> None:
    inner = "<h2>Bottom <i>heading</i></h2><p>one</p>two<ul><li>a</li><li>b</ul><pre>x\n y</pre>"
    page = f"<h1>Top</h1>{f'<{tag}>' * 6000}{inner}{f'</{tag}>' * 6000}<h3>End</h3><p>after</p>"
    blocks = html_blocks(page).blocks
    if tag == "main":
        page_end: list[str] = []
        blocks_start: list[str] = []
    else:
        page_end, blocks_start = ["End", "after"], ["Top"]
    texts = [block.text for block in blocks]
    assert texts == [*blocks_start, "Bottom heading", "one", "two", "a", "b", "x\n y", *page_end]
    kinds = [block.type for block in blocks if block.text == "Bottom heading"]
    assert kinds == [BlockType.quote if tag == "blockquote" else BlockType.heading]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("<ul><li>", "</li></ul>"), ("<table><tr><td>", "</td></tr></table>"), ("<dl><dd>", "</dl>")],
)
def test_deep_lists_and_tables_keep_every_word_in_order(opening: str, closing: str) -> None:
    page = "".join(f"{opening}w{n}" for n in range(5000))
    page += "".join(f"t{n}{closing}" for n in range(5000))
    texts = [block.text for block in html_blocks(page).blocks]
    words = " ".join(texts).replace("w4999t0", "w4999 t0").split()
    assert words == [f"w{n}" for n in range(5000)] + [f"t{n}" for n in range(5000)]


def test_a_long_table_whose_cells_leave_tags_open_is_not_deep() -> None:
    rows = "<tr><td><span>1</td><td><b>2</td></tr>" * 450
    page = f"<table><tr><th>A<th>B</tr>{rows}</table><h2>End</h2>"
    texts = [block.text for block in html_blocks(page).blocks]
    assert texts == ["A | B", *["1 | 2"] * 450, "End"]


@given(
    st.lists(
        st.sampled_from(
            [
                "<main>",
                "</main>",
                "<div>",
                "</div>",
                "<div hidden>",
                "<p>",
                "<nav>",
                "</nav>",
                "x y ",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_only_visible_content_of_the_main_part_is_read_if_it_has_any(page: str) -> None:
    roots = content_roots(parse(page))
    inner = [each for each in roots if any(above in roots for above in each.ancestors)]
    lines = [[each, *each.ancestors][:-1] for each in roots]  # without the document itself
    unseen = [line for line in lines if any(map(is_hidden, line))]
    assert (inner, unseen) == ([], [])


EMPTY_ELEMENTS = st.lists(
    st.sampled_from(["<a/>", "<p />", "<br/>", "<i x='/>'/>", "<", "/>", ">", "w", "<b ", "é"]),
    max_size=12,
).map("".join)


@given(EMPTY_ELEMENTS)
def test_an_empty_element_of_xhtml_holds_nothing(inner: str) -> None:
    head = "<html xmlns='http://www.w3.org/1999/xhtml'><body><title/><p>before</p>"
    texts = [block.text for block in html_blocks(f"{head}{inner}").blocks]
    assert texts[:1] == ["before"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "page",
    [
        "<table>" + "<tr><td colspan=1000 rowspan=65534>x<td>y" * 300,
        "<table>" + "<tr>" + "<td colspan=1000 rowspan=65534>long text " * 300,
        "<table><tr>" + "<td>x" * 20000 + "<tr><td>y" * 20000,
        "<div " + " ".join(f"a{n}=1" for n in range(20000)) + ">x",
        "<h1><div>" * 20000 + "x",
        "<article><aside><header>" * 5000 + "x",
        "<p><font>y" * 2000,
        "<a href='x'>y" * 5000,
        "<!--" * 20000,
        "<html xmlns='http://www.w3.org/1999/xhtml'>" + "/>" * 20000,
        "<html xmlns='http://www.w3.org/1999/xhtml'>" + "<i />" * 20000 + "x",
        "<div hidden>" * 300 + "<main>x</main>" * 20000,
        "<br>" * 50000 + "x",
        "<p>" + " " * 200000 + "x",
    ],
    ids=lambda page: page[:20],
)
def test_hostile_pages_take_linear_time_and_space(page: str) -> None:
    blocks = html_blocks(page).blocks
    assert sum(len(block.text) for block in blocks) <= 20 * len(page)


CELLS = st.sampled_from(
    [
        *("", "1", " two\n words ", "so&shy;ft", "&nbsp;", "<b>x</b>y", "<a href=z>z</a>"),
        *("<p>a</p>", "\n <p style='color:red'>a <b>b</b></p> ", "<p>a</p><p>b</p>", "x<p>y</p>"),
        *(
            "<p>a</p>b",
            "<div>a</div>b",
            "<p><i style='display:none'>a</i>b</p>",
            "<p hidden>a</p>b",
        ),
        *("<p><img alt=a>b</p>", "<div><p>a</p>b</div>", "a<br>b", "<p></p>", "<p>a<br>b</p>"),
    ]
)
ROWS = st.lists(st.tuples(st.sampled_from(["td", "th"]), CELLS), max_size=4)


@given(st.lists(ROWS, min_size=1, max_size=5), st.integers(0, 2), st.booleans())
def test_a_table_without_spans_reads_as_it_does_cell_by_cell(
    rows: list[list[tuple[str, str]]], heads: int, late: bool
) -> None:
    lines = [
        "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for tag, cell in row) + "</tr>" for row in rows
    ]
    head, body = f"<thead>{''.join(lines[:heads])}</thead>", "".join(lines[heads:])
    table = f"<table>{body}{head}</table>" if late else f"<table>{head}{body}</table>"
    unusual = table.replace("<td>", "<td colspan=01>").replace("<th>", "<th colspan=01>")
    assert html_blocks(table).blocks == html_blocks(unusual).blocks


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        (
            "<tr><td></td><th>a</th><th>b</th></tr><tr><th>r</th><td>1</td><td>2</td></tr>",
            " | a | b",
        ),
        (
            "<tr><td rowspan=2>&nbsp;</td><th colspan=2>Y</th></tr><tr><th>a</th><th>b</th></tr>"
            "<tr><th>r</th><td>1</td><td>2</td></tr>",
            " | Y a | Y b",
        ),
        ("<tr><th>Name</th><td></td></tr><tr><th>Age</th><td>3</td></tr>", None),
        (
            "<tr><td><b>Na</b><b>me</b></td><td><p><strong>Age</strong></p></td></tr>"
            "<tr><td><b>Al</b></td><td>3</td></tr>",
            "Name | Age",
        ),
        (
            "<tr><td><b>a</b></td><td><b>b</b></td></tr><tr><td><b>c</b></td><td><b>d</b></td></tr>",
            None,
        ),
        ("<tr><td><b>Name</b></td><td>Al</td></tr><tr><td><b>Age</b></td><td>3</td></tr>", None),
    ],
)
def test_a_header_is_told_by_header_cells_or_by_bold_type(rows: str, header: str | None) -> None:
    blocks = fragment_blocks(f"<table>{rows}</table>")
    assert {block.attributes.get("table_header") for block in blocks} == {header}


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ('Sold at $<div style="display:inline;">5.22</div> a share.', ["Sold at $5.22 a share."]),
        ('<p style="DISPLAY: inline">a</p><p style="display:inline"> b</p>', ["a b"]),
        (
            '<p><span style="display:block">Street 1</span><b style="display: block">City</b></p>',
            ["Street 1", "City"],
        ),
        (
            '<a href="/a" style="display:block">One</a><a href="/b" style="display:flex">Two</a>',
            ["One", "Two"],
        ),
        ('<h2>A<span style="display:block">B</span></h2>', ["A B"]),
        ('<p>a<span style="display:inline-block">b</span></p>', ["ab"]),
    ],
)
def test_lines_end_where_the_style_says_so(body: str, texts: list[str]) -> None:
    assert [block.text for block in fragment_blocks(body)] == texts


def test_tables_are_numbered_from_the_given_number() -> None:
    row = "<tr><td>a<td>b</tr>"
    blocks = fragment_blocks(f"<table>{row}</table><table>{row}{row}</table>", first_table=4)
    assert [block.attributes["table"] for block in blocks] == [4, 5, 5]


LEAVES = ["p", "h2", "pre", "li", "bare", "td", "figcaption", "b", "dt", "button"]
BOXES = ["div", "section", "ul", "blockquote", "article", "center", "details", "span", "ol", "dl"]
TREES = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.tuples(st.sampled_from(BOXES), st.lists(inner, min_size=1, max_size=4)),
    max_leaves=15,
)


def render(tree: object, words: list[str]) -> str:
    def word() -> str:
        words.append(f"w{len(words)}x")
        return words[-1]

    if isinstance(tree, tuple):
        tag, parts = tree
        return f"<{tag}>{''.join(render(part, words) for part in parts)}</{tag}>"
    if tree == "bare":
        return f"{word()} <i>{word()}</i><br>{word()}"
    if tree == "td":
        cells = f"<tr><th>{word()}<th>{word()}</tr><tr><td>{word()}<td>{word()}</tr>"
        return f"<table>{cells}</table>"
    return f"<{tree}>{word()} <a href=x>{word()}</a><!-- c --></{tree}>"


@settings(max_examples=60, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=5))
def test_every_word_comes_exactly_once_and_in_order(trees: list[object]) -> None:
    words: list[str] = []
    page = "<main>" + "".join(render(tree, words) for tree in trees) + "</main>"
    blocks = html_blocks(page).blocks
    assert re.findall(r"w\d+x", "\n".join(block.text for block in blocks)) == words


SCRAPS = [
    *("<p>", "</p>", "<table>", "<tr>", "<td>", "<li>", "<ul>", "</ul>", "<h1>", "</h1>", "<pre>"),
    *("</div>", "<div hidden>", "<title>", "<svg>", "x", " ", "&#0;", "<!--", "\0", "\ufeff"),
    *("<b>", "</b>", "<main>", "<article>", "<nav>", "<select>", "<template>"),
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(SCRAPS), max_size=30))
def test_any_markup_is_read_without_an_error(parts: list[str]) -> None:
    for block in html_blocks("".join(parts)).blocks:
        assert block.text.strip()
        assert not set(block.text) & {"\0", "\r", "\ufeff", "\ufffd"}
