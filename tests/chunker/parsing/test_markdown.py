"""Markdown gives what a reader sees, each word once and in order, with its structure."""

import re

import pytest
from block_cases import Case, read_cases, written
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import inline

from rag_chunker.parsing import markdown
from rag_chunker.parsing.front_matter import split_front_matter
from rag_chunker.parsing.markdown import MarkdownParser, markdown_blocks
from rag_chunker.parsing.markdown_rows import last_cell_with_excess
from rag_core.spi import Parser
from rag_core.testing import ParserContract
from rag_core.types import BlockType, CorpusId, DocumentId, Source, TenantId

SAMPLE = """---
title: Handbook
tenant: evil
---
# Install

Text with *marks* and `code`.

- one
  - two

| a | b |
|---|---|
| 1 | 2 |

```sh
# run
```

> quoted
"""


class TestMarkdownParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return MarkdownParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [
            ("a.md", SAMPLE.encode()),
            ("b.md", SAMPLE.replace("\n", "\r\n").encode("utf-16")),
            ("c.md", b"\xef\xbb\xbf# First heading\n\nbody\n\n## Second\n\nmore\n"),
        ]


@pytest.mark.parametrize("case", read_cases("markdown.txt"), ids=lambda case: case.title)
def test_reviewed_case(case: Case) -> None:
    assert written(markdown_blocks(case.given).blocks) == case.expected


def test_there_are_enough_reviewed_cases() -> None:
    assert len(read_cases("markdown.txt")) >= 40


def test_front_matter_describes_the_document_and_owns_nothing() -> None:
    source = Source(
        document_id=DocumentId("t1/docs/a.md"),
        tenant_id=TenantId("t1"),
        corpus_id=CorpusId("docs"),
        uri="a.md",
    )
    text = "---\ntitle: Mine\ntenant: evil\ncorpus_id: x\nacl_labels: [all]\nencoding: x\n---\nhi\n"
    document = MarkdownParser().parse(source, text.encode()).document
    assert (document.tenant_id, document.corpus_id, document.title) == ("t1", "docs", "Mine")
    assert document.metadata["tenant"] == "evil"
    assert document.metadata["acl_labels"] == ["all"]
    assert document.metadata["encoding"] == "utf-8"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1\nb: 'x # y' # z\n---\n", {"a": "1", "b": "x # y"}),
        ("---\na: [x, \"y, z\", 'w']\n...\n", {"a": ["x", "y, z", "w"]}),
        ("---\na:\n- x\n- y\n---", {"a": ["x", "y"]}),
        ("---\na: |\n  one\n  two\nb:\n---\n", {"a": "one\ntwo", "b": ""}),
        ("---\na:\n  nested: 1\n---\n", {"a": "  nested: 1"}),
        ("---\na: [x,\n  y\n]\nb: http://x:1\n---\n", {"a": ["x", "y"], "b": "http://x:1"}),
        ('+++\na = "x"\n[s]\nb = [1, 2]\n+++\n', {"a": "x", "s.b": ["1", "2"]}),
        ("---\n---\n", {}),
        ("\n \n---\na: 1\n---\n", {"a": "1"}),
    ],
)
def test_front_matter_gives_scalars_and_lists_as_written(
    text: str, expected: dict[str, object]
) -> None:
    assert split_front_matter(text) == (expected, "")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\na: b\n\n---\n",
        "---\nJust text.\n---\n",
        "text\n---\na: b\n---\n",
        "---\na: b\n",
        "--\n",
    ],
)
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


def test_the_title_is_the_first_level_one_heading_without_front_matter() -> None:
    assert markdown_blocks("## b\n\n# *A* `c`\n\n# d\n").title == "A c"
    assert markdown_blocks("text").title is None


def test_the_same_text_with_other_line_ends_gives_the_same_blocks() -> None:
    lines = SAMPLE.replace("tenant: evil\n", "")
    expected = markdown_blocks(lines)
    assert markdown_blocks(lines.replace("\n", "\r\n")) == expected
    assert markdown_blocks(lines.replace("\n", "\r")) == expected
    assert markdown_blocks("\ufeff" + lines) == expected


def test_rows_of_a_long_table_all_know_their_header() -> None:
    rows = "".join(f"| {n} | part-{n} |\n" for n in range(200))
    blocks = markdown_blocks("| No | Part |\n|----|----|\n" + rows, first_table=3).blocks
    assert len(blocks) == 201
    assert {block.attributes["table_header"] for block in blocks} == {"No | Part"}
    assert {block.attributes["table"] for block in blocks} == {3}


@pytest.mark.parametrize("mark", [">", "> ", "- ", "1. ", "* > "])
def test_nothing_is_lost_however_deep_it_nests(mark: str) -> None:
    blocks = markdown_blocks(mark * 5000 + "deep *word*\n\nafter\n\n# end").blocks
    assert [block.text for block in blocks] == ["deep word", "after", "end"]
    assert blocks[-1].type is BlockType.heading


def test_a_deep_list_keeps_every_level() -> None:
    text = "".join(f"{'  ' * depth}- w{depth}\n" for depth in range(400))
    blocks = markdown_blocks(text).blocks
    assert [block.attributes["list_depth"] for block in blocks] == list(range(400))
    assert [block.text for block in blocks] == [f"w{depth}" for depth in range(400)]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 20000,
        "![" * 3000 + "](u)" * 3000,
        "*a **b " * 5000,
        "<!-- " * 5000,
        "".join("`" * n + " a " for n in range(1000)),
        "- - a\n" * 2000,
        "[^1]: a\n" * 2000,
        "a\n" * 20000,
        "<a " * 20000,
        "- " * 5000 + "x -",
        "$$a\n" * 20000,
        "{% highlight x %}\n" * 10000,
        "[a]{.b " * 10000,
        "`" * 20000 + "]{",
        "+--+--+\n| a| b|\n" * 10000,
        "--- ---\na b\n\n" * 10000,
        "".join(f"{' ' * 4 * depth}!!! a\n" for depth in range(400)),
        "\n\n".join("> " * depth + "x" for depth in range(1, 500)),
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    markdown_blocks(text)


def test_no_word_is_lost_where_quotes_rise_out_of_all_measure() -> None:
    lines = [f"{'> ' * depth}w{depth}" for depth in range(1, 400)]
    text = " ".join(block.text for block in markdown_blocks("\n".join(lines)).blocks)
    assert text.split() == [f"w{depth}" for depth in range(1, 400)]


def test_a_long_row_of_quote_marks_in_code_stays() -> None:
    row = ">" * 200
    assert markdown_blocks(f"```\n{row}\n```\n").blocks[0].text == row


class Words:
    """Hands out w0, w1, ... and remembers how many."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        return f"w{self.count - 1}x"


INLINE = ["{}", "*{}*", "**{}**", "`{}`", "[{}](u)", "![{}](u)", "~~{}~~", "<b>{}</b>", "a{}<br>"]
LEAVES = ["paragraph", "heading", "setext", "fence", "table", "html", "code"]
TREES = st.recursive(
    st.tuples(st.sampled_from(LEAVES), st.lists(st.sampled_from(INLINE), min_size=1, max_size=3)),
    lambda inner: st.tuples(
        st.sampled_from(["quote", "bullets", "numbers"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


def render(tree: tuple[str, list], words: Words) -> list[str]:
    """Lines of Markdown for a tree; a container indents what its children gave."""
    kind, parts = tree
    if kind == "quote":
        lines = [line for part in parts for line in ["", *render(part, words)]][1:]
        return [f"> {line}" for line in lines]
    if kind in ("bullets", "numbers"):
        mark = "- " if kind == "bullets" else "1. "
        lines = []
        for part in parts:
            first, *rest = render(("paragraph", ["{}"]), words)
            inner = [first, *rest, "", *render(part, words), ""]
            lines += [mark + inner[0], *(" " * len(mark) + line for line in inner[1:])]
        return lines
    text = " ".join(form.format(words()) for form in parts)
    plain = re.sub(r"[^\w ]|<[^>]+>", "", re.sub(r"\(u\)|<[^>]+>", "", text))
    return {
        "paragraph": [text],
        "heading": [f"## {text}"],
        "setext": [text, "==="],
        "fence": ["```", f"# {plain}", "", "```"],
        "table": [f"| {words()} | {words()} |", "|--|--|", f"| {words()} | {words()} |"],
        "html": [f"<div><p>{words()}</p>{words()}</div>"],
        "code": [text, "", f"    # {words()}"],
    }[kind]


@settings(max_examples=60, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=5))
def test_every_word_comes_exactly_once_and_in_order(trees: list[tuple[str, list]]) -> None:
    words = Words()
    text = "\n\n".join("\n".join(render(tree, words)) + "\n\n<!-- end -->" for tree in trees)
    blocks = markdown_blocks(text).blocks
    found = re.findall(r"w(\d+)x", "\n".join(block.text for block in blocks))
    rendered = re.findall(r"w(\d+)x", text)
    assert found == rendered


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab \n\t#->*_`[]()!|:~=1.<&;\\\r\0\ufeff{}+", max_size=120))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for block in markdown_blocks(text).blocks:
        assert block.text.strip()
        assert not set(block.text) & {"\0", "\r", "\ufeff", "\ufffd"}


LINES = st.lists(
    st.sampled_from(
        [
            *(
                "word",
                "“two” words ",
                " x",
                "    y",
                "é\\",
                "1",
                "# h",
                "- i",
                "> q",
                ": d",
                "---",
                "",
            ),
            *(
                "a | b",
                "|-|-|",
                "[r]: u",
                "<b>",
                "語",
                "*e*",
                "```",
                "\x1fz",
                "w\u3000",
                "==",
                "&lt;",
            ),
        ]
    ),
    max_size=10,
)


@given(LINES)
def test_plain_text_reads_as_all_rules_read_it(lines: list[str]) -> None:
    text = "\n".join(lines)
    given = markdown_blocks(text).blocks
    asked = markdown._markdown.__wrapped__()
    asked.block.ruler.disable("plain_block")
    asked.core.ruler.at("inline", inline)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "_markdown", lambda: asked)
        assert given == markdown_blocks(text).blocks


@given(st.text("a|\\\\ >`", max_size=20), st.integers(1, 4))
def test_no_text_of_a_row_is_lost_to_a_lack_of_columns(row: str, columns: int) -> None:
    line = f"| {row} |"
    cells = escapedSplit(line.rstrip())[1:]
    expected = cells if cells[-1].strip() else cells[:-1]
    excess = "|".join(expected[columns - 1 :]).strip() if len(expected) > columns else None
    assert last_cell_with_excess(line, columns) == excess
