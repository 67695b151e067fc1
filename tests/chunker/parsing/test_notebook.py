"""Notebooks: one document of prose, code and printed text, without the noise."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.notebook import LONGEST_OUTPUT, NotebookParser
from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseError
from rag_core.types import CorpusId, DocumentId, ParsedDocument, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri="n.ipynb"
)


def parse(*cells: dict[str, Any], **more: Any) -> ParsedDocument:
    info = {"language_info": {"name": "python"}}
    notebook = {"nbformat": 4, "metadata": info, "cells": cells, **more}
    return NotebookParser().parse(SOURCE, json.dumps(notebook).encode())


def markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": text.splitlines(keepends=True)}


def code(text: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": text, "outputs": list(outputs)}


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "text": text}


def shape(parsed: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.type.value, block.text) for block in parsed.blocks]


def test_cells_come_in_order_as_one_document() -> None:
    parsed = parse(
        markdown("# Load test\n\nWe measure."),
        code("# not a heading\nprint(27)", printed("27\n")),
        markdown("## Findings\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        markdown("| c | d |\n|---|---|\n| 3 | 4 |"),
    )
    assert shape(parsed) == [
        ("heading", "Load test"),
        ("paragraph", "We measure."),
        ("code", "# not a heading\nprint(27)"),
        ("other", "27"),
        ("heading", "Findings"),
        ("table_row", "a | b"),
        ("table_row", "1 | 2"),
        ("table_row", "c | d"),
        ("table_row", "3 | 4"),
    ]
    assert parsed.document.title == "Load test"
    assert parsed.blocks[2].attributes == {"language": "python"}
    tables = [b.attributes["table"] for b in parsed.blocks if "table" in b.attributes]
    assert tables == [0, 0, 1, 1]


def test_output_is_what_a_terminal_shows_in_the_end() -> None:
    bar = "".join(f"\r{n}%" for n in range(0, 101, 10))
    assert shape(parse(code("x", printed(f"\x1b[31mred\x1b[0m\n{bar}\ndone\r\n"))))[1:] == [
        ("other", "red\n100%\ndone")
    ]


def test_results_and_errors_are_kept_pictures_and_objects_are_not() -> None:
    picture = {"image/png": "A" * 500, "text/plain": "<Figure size 640x480 with 1 Axes>"}
    parsed = parse(
        code(
            "x",
            {"output_type": "execute_result", "data": {"text/plain": ["4", "2"]}},
            {"output_type": "display_data", "data": picture},
            {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}},
            {
                "output_type": "error",
                "ename": "ValueError",
                "evalue": "bad",
                "traceback": ["\x1b["],
            },
        )
    )
    assert shape(parsed)[1:] == [("other", "42"), ("other", "ValueError: bad")]


def test_a_data_frame_is_a_table() -> None:
    head = "<tr><th></th><th>a</th></tr>"
    frame = f"<style>x</style><table><thead>{head}</thead><tr><th>0</th><td>1</td></tr></table>"
    result = {"data": {"text/html": [frame, "<p>1 rows</p>"], "text/plain": "   a\n0  1"}}
    chart = {"data": {"text/html": "<div>chart</div>", "text/plain": "chart"}}
    long = {"data": {"text/html": frame.replace("1", "1" * LONGEST_OUTPUT), "text/plain": "x"}}
    blocks = parse(code("df", result, result, chart, long)).blocks
    assert [(b.type.value, b.text, b.attributes.get("table")) for b in blocks[1:]] == [
        ("table_row", " | a", 0),
        ("table_row", "0 | 1", 0),
        ("paragraph", "1 rows", None),
        ("table_row", " | a", 1),
        ("table_row", "0 | 1", 1),
        ("paragraph", "1 rows", None),
        ("other", "chart", None),
        ("other", "x", None),
    ]


def test_a_flood_of_output_is_cut_and_keeps_its_end() -> None:
    flood = "".join(f"line {n}\n" for n in range(100_000)) + "FATAL"
    text = shape(parse(code("x", printed(flood))))[1][1]
    assert len(text) < LONGEST_OUTPUT + 10
    assert text.startswith("line 0")
    assert text.endswith("FATAL")
    assert "B" * 200 not in shape(parse(code("x", printed("B" * 5000))))[1][1]


def test_a_magic_names_the_language_of_its_cell() -> None:
    parsed = parse(code("%%bash\nls"), code("%matplotlib inline"))
    assert [b.attributes["language"] for b in parsed.blocks] == ["bash", "python"]


def test_format_3_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {
            "cell_type": "code",
            "language": "julia",
            "input": "1 + 1",
            "outputs": [{"output_type": "pyout", "text": ["2"]}],
        },
        {"cell_type": "markdown", "source": "End."},
    ]
    data = json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()
    parsed = NotebookParser().parse(SOURCE, data)
    assert shape(parsed) == [
        ("heading", "Old"),
        ("code", "1 + 1"),
        ("other", "2"),
        ("paragraph", "End."),
    ]
    assert parsed.blocks[1].attributes == {"language": "julia"}


def test_front_matter_is_metadata_and_other_raw_cells_are_kept() -> None:
    parsed = parse(
        {"cell_type": "raw", "source": "---\ntitle: Report\n---"},
        {"cell_type": "raw", "source": "raw text"},
    )
    assert parsed.document.title == "Report"
    assert shape(parsed) == [("other", "raw text")]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"cells"'])
def test_what_is_no_notebook_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(CorruptDocument) as caught:
        NotebookParser().parse(SOURCE, data)
    assert caught.value.document == "n.ipynb"


def test_deep_json_costs_one_error() -> None:
    with pytest.raises(DocumentTooLarge):
        NotebookParser().parse(SOURCE, b'{"cells":' + b"[" * 100_000)


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["cell_type", "source", "outputs", "data", "text/plain", "output_type"]
            ),
            inner | st.sampled_from(["code", "markdown", "stream", "heading"]),
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_json_raises_anything_but_a_parse_error(value: object) -> None:
    with contextlib.suppress(ParseError):
        NotebookParser().parse(
            SOURCE, json.dumps({"cells": [value, {"cell_type": value}]}).encode()
        )
