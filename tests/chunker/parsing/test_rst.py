"""reStructuredText: true levels, true tables, and no word lost to a directive nobody knows."""

import contextlib

import pytest
from docutils.parsers.rst import roles
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.rst import RstParser
from rag_chunker.parsing.rst_salvage import role_text
from rag_core.errors import ParseError
from rag_core.types import Block, CorpusId, DocumentId, ParsedDocument, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri="a.rst"
)


def parse(text: str) -> ParsedDocument:
    return RstParser().parse(SOURCE, text.encode())


def shape(text: str) -> list[tuple[str, str]]:
    return [
        (f"h{block.level}" if block.level else block.type.value, block.text)
        for block in parse(text).blocks
    ]


def only(text: str) -> Block:
    (block,) = parse(text).blocks
    return block


def test_sections_are_headings_of_their_true_level() -> None:
    parsed = parse(
        "=====\nGuide\n=====\n\nIntro\ntext.\n\nPart\n----\n\nDeep\n~~~~\n\nx\n\nTwo\n----\n"
    )
    assert [(b.level, b.text) for b in parsed.blocks] == [
        (1, "Guide"),
        (None, "Intro text."),
        (2, "Part"),
        (3, "Deep"),
        (None, "x"),
        (2, "Two"),
    ]
    assert parsed.document.title == "Guide"


def test_the_field_list_at_the_top_is_metadata() -> None:
    parsed = parse(":Author: Ana\n:Topic: rooms\n\nText.\n")
    assert parsed.document.metadata == {"encoding": "utf-8", "author": "Ana", "topic": "rooms"}
    assert [block.text for block in parsed.blocks] == ["Text."]


def test_lists_have_depth_and_marker() -> None:
    found = parse("- one\n\n  b. two\n  c. three\n\n- four\n\n  more\n").blocks
    assert [(b.type.value, b.text, b.attributes.get("list_depth")) for b in found] == [
        ("list_item", "one", 0),
        ("list_item", "two", 1),
        ("list_item", "three", 1),
        ("list_item", "four", 0),
        ("paragraph", "more", None),
    ]
    assert [b.attributes.get("list_marker") for b in found[:4]] == ["-", "b.", "c.", "-"]


def test_tables_have_header_caption_and_spans() -> None:
    text = """
+-------+-------------+
| Where | 2024        |
|       +------+------+
|       | Q1   | Q2   |
+=======+======+======+
| North | 1    | 2    |
+-------+------+------+
| Both  | 3           |
+-------+-------------+
"""
    assert shape(text) == [
        ("table_row", "Where | 2024 Q1 | 2024 Q2"),
        ("table_row", "North | 1 | 2"),
        ("table_row", "Both | 3 | "),
    ]
    listed = ".. list-table:: Cap\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2\n"
    assert shape(listed) == [("caption", "Cap"), ("table_row", "A | B"), ("table_row", "1 | 2")]
    assert parse(listed).blocks[2].attributes["table_header"] == "A | B"


def test_words_of_two_paragraphs_in_a_cell_stay_apart() -> None:
    text = r"""
+-----+-------------+
| a   | - one       |
|     | - *t*\ wo   |
|     |             |
|     | end         |
+-----+-------------+
"""
    assert shape(text) == [("table_row", "a | one two end")]


def test_a_cell_shows_the_words_of_what_is_unknown_and_no_message_about_it() -> None:
    table = """
+------------------+----------------+
| :ref:`lab <x>`   | |sub|          |
+------------------+----------------+
| .. foo:: bar     | *open          |
|                  |                |
|    more          |                |
+------------------+----------------+
"""
    assert [text for _, text in shape(table)] == ["lab | |sub|", "bar more | *open"]


def test_a_broken_table_stays_as_written() -> None:
    text = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+"
    assert shape(f"Before.\n\n{text}\n\nAfter.\n") == [
        ("paragraph", "Before."),
        ("other", text),
        ("paragraph", "After."),
    ]


def test_code_has_its_language_even_with_options_of_sphinx() -> None:
    for options in ("", "   :linenos:\n   :lines: 1-\n"):
        block = only(f".. code-block:: python\n{options}\n   x = 1\n\n   y = 2\n")
        assert (block.type.value, block.text) == ("code", "x = 1\n\ny = 2")
        assert block.attributes == {"language": "python"}
    assert only("::\n\n   literal\n").text == "literal"
    assert only(">>> 1 + 1\n2\n").attributes == {"language": "python"}


def test_a_listing_has_its_caption_before_it() -> None:
    text = (
        ".. code-block:: sh\n   :linenos:\n   :caption: Run :file:`it`\n\n   :caption: no\n   ls\n"
    )
    assert shape(text) == [("caption", "Run it"), ("code", ":caption: no\nls")]


def test_unknown_directives_keep_their_words() -> None:
    text = """
.. versionadded:: 3.2
   The *thing* works.

.. py:function:: send(sender, receiver)
   :module: mail

   Send a message.

   :param str sender: who
   :returns: nothing

   .. seealso::

      - :func:`~mail.receive`

.. toctree::
   :maxdepth: 2

   intro
"""
    assert shape(text) == [
        ("paragraph", "New in version 3.2"),
        ("paragraph", "The thing works."),
        ("paragraph", "send(sender, receiver)"),
        ("paragraph", "Send a message."),
        ("paragraph", "param str sender: who"),
        ("paragraph", "returns: nothing"),
        ("list_item", "receive"),
    ]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (":ref:`the part <target>`", "the part"),
        (":func:`~a.b.c`", "c"),
        (":py:class:`!x.Y`", "x.Y"),
        ("`x`:kbd:", "x"),
        ("plain", "plain"),
    ],
)
def test_unknown_roles_give_what_they_show(raw: str, text: str) -> None:
    assert role_text(raw) == text
    assert only(f"See {raw} now.\n").text == f"See {text} now."


def test_admonitions_notes_quotes_and_figures() -> None:
    text = """
.. warning:: Hot.

   Really.

Said [1]_ |who| so.

   Quoted.

   -- Bo

.. [1] A note.
.. |who| replace:: Ana
.. figure:: x.png

   A figure.

| line one
| line two

term
   meaning
"""
    assert shape(text) == [
        ("paragraph", "Warning: Hot."),
        ("paragraph", "Really."),
        ("paragraph", "Said 1 Ana so."),
        ("quote", "Quoted."),
        ("quote", "Bo"),
        ("paragraph", "[1] A note."),
        ("caption", "A figure."),
        ("paragraph", "line one\nline two"),
        ("list_item", "term"),
        ("list_item", "meaning"),
    ]


def test_nothing_is_included_printed_or_remembered(capfd: pytest.CaptureFixture[str]) -> None:
    text = ".. include:: /etc/passwd\n\n.. csv-table::\n   :file: /etc/passwd\n\n"
    text += ".. role:: mine\n\n:mine:`x`\n"
    assert "root" not in " ".join(block.text for block in parse(text).blocks)
    assert capfd.readouterr() == ("", "")
    assert "mine" not in roles._roles


def test_deep_nesting_becomes_plain_text() -> None:
    text = "".join(f"{' ' * n}- x{n}\n\n" for n in range(0, 1000, 2))
    parsed = parse(text)
    assert "degraded" in parsed.document.metadata
    assert parsed.blocks[-1].text.strip() == "- x998"


def test_a_very_long_line_becomes_plain_text() -> None:
    parsed = parse(f"Title\n=====\n\n{'*word ' * 3000}\n")
    assert "degraded" in parsed.document.metadata
    assert parsed.text.count("word") == 3000


def test_directives_within_unknown_directives_end_somewhere() -> None:
    text = "".join(f"{'   ' * n}.. box{n}:: a{n}\n\n" for n in range(60))
    found = " ".join(block.text for block in parse(text).blocks)
    assert [n for n in range(60) if f"a{n}" not in found] == []


@given(
    st.lists(
        st.sampled_from(
            [".. ", "x", "::", "\n", "\n\n", "   ", "- ", "====", "----", "|", "+---+", "`", "*",
             ":a:", "_", "[1]", ".. note::", ".. table::", ".. list-table::", "1. ", "~~~~", ">>> "]
        ),
        max_size=40,
    )
)  # fmt: skip
def test_no_text_raises_anything_but_a_parse_error(pieces: list[str]) -> None:
    with contextlib.suppress(ParseError):
        parse("".join(pieces))
