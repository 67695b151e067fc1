"""JSON: every value is found again, under its name, as it was written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.json_text import JsonLinesParser, JsonParser
from rag_core.types import Block, CorpusId, DocumentId, ParsedDocument, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri="a.json"
)


def parse(text: str) -> ParsedDocument:
    return JsonParser().parse(SOURCE, text.encode("utf-8", "surrogatepass"))


def lines(text: str) -> ParsedDocument:
    return JsonLinesParser().parse(SOURCE, text.encode())


def shape(blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    return [
        (f"h{block.level}" if block.level else block.type.value, block.text) for block in blocks
    ]


def test_members_have_names_and_large_parts_headings() -> None:
    text = """{"title": "Guide", "size": {"w": 1, "h": 2.50},
      "install": {"steps": ["unpack", "run"], "needs": {"os": {"name": "linux"}}}}"""
    parsed = parse(text)
    assert parsed.document.title == "Guide"
    assert shape(parsed.blocks) == [
        ("paragraph", "title: Guide"),
        ("paragraph", "size.w: 1"),
        ("paragraph", "size.h: 2.50"),
        ("h1", "install"),
        ("paragraph", "steps: unpack, run"),
        ("h2", "needs"),
        ("paragraph", "os.name: linux"),
    ]


def test_an_array_of_flat_objects_is_a_table() -> None:
    parsed = parse('{"items": [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "ok": true}]}')
    assert shape(parsed.blocks) == [
        ("h1", "items"),
        ("table_row", "id | tags | ok"),
        ("table_row", "1 | a, b | "),
        ("table_row", "2 |  | true"),
    ]
    assert parsed.blocks[2].attributes["table_header"] == "id | tags | ok"


def test_what_follows_a_heading_belongs_to_it() -> None:
    parsed = parse('{"big": {"a": {"b": [1]}}, "late": 1, "rows": [{"x": 1}, {"x": 2}], "end": 2}')
    texts = [block.text for block in parsed.blocks]
    assert texts.index("late: 1") < texts.index("end: 2") < texts.index("big")


def test_small_records_are_paragraphs_and_large_ones_have_headings() -> None:
    long = "word " * 400
    small = {"name": "Ann", "home": {"city": "Ulm", "rooms": [{"m2": 3}]}}
    assert shape(parse(json.dumps([small])).blocks) == [
        ("paragraph", "name: Ann\nhome.city: Ulm\nhome.rooms[0].m2: 3"),
    ]
    records = [small, {"name": "Bo", "about": long, "more": {"x": [1]}}]
    assert shape(parse(json.dumps(records)).blocks) == [
        ("h1", "Ann"),
        ("paragraph", "name: Ann"),
        ("h2", "home"),
        ("paragraph", "city: Ulm"),
        ("h3", "rooms"),
        ("paragraph", "m2: 3"),
        ("h1", "Bo"),
        ("paragraph", "name: Bo"),
        ("paragraph", f"about: {long.strip()}"),
        ("h2", "more"),
        ("paragraph", "x: 1"),
    ]


def test_long_arrays_of_text_are_list_items_and_vectors_one_line() -> None:
    parsed = parse(json.dumps({"lines": ["x" * 200, "y" * 200], "vector": [0.125] * 300}))
    assert [kind for kind, _ in shape(parsed.blocks)] == [
        "paragraph",
        "h1",
        "list_item",
        "list_item",
    ]


def test_points_are_rows_and_nested_arrays_have_no_headings() -> None:
    parsed = parse('{"line": [[1.5, 2], [-3, 4]], "areas": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]}')
    assert shape(parsed.blocks) == [
        ("h1", "line"),
        ("table_row", "1.5 | 2"),
        ("table_row", "-3 | 4"),
        ("h1", "areas"),
        ("table_row", "1 | 2"),
        ("table_row", "3 | 4"),
        ("table_row", "5 | 6"),
        ("table_row", "7 | 8"),
    ]
    assert [b.attributes.get("table") for b in parsed.blocks] == [None, 0, 0, None, 1, 1, 2, 2]


def test_numbers_stay_as_written() -> None:
    text = '{"a": 1.10, "b": 1e5, "c": 123456789012345678901234567890, "d": -0.0, "e": NaN}'
    assert [block.text for block in parse(text).blocks] == [
        "a: 1.10",
        "b: 1e5",
        "c: 123456789012345678901234567890",
        "d: -0.0",
        "e: NaN",
    ]


def test_a_name_that_occurs_twice_loses_nothing() -> None:
    assert [b.text for b in parse('{"a": 1, "a": 2}').blocks] == ["a: 1", "a: 2"]
    texts = " ".join(b.text for b in parse('[{"a": 1, "a": 2}, {"a": 3}]').blocks)
    assert [value for value in "123" if value not in texts] == []


def test_an_object_of_nothing_but_empty_objects_is_the_set_of_its_names() -> None:
    many = {f"D-{number}": {} for number in range(7)}
    text = json.dumps({"projects": {"A": {"A-1": {}}, "D": many, "note": {}}, "n": {"x": {}}})
    assert shape(parse(text).blocks) == [
        ("paragraph", "n: x"),
        ("h1", "projects"),
        ("paragraph", "A: A-1"),
        ("paragraph", "D: D-0, D-1, D-2, D-3, D-4, D-5, D-6"),
    ]
    rows = parse('[{"id": 1, "roles": {"admin": {}, "ops": {}}}, {"id": 2, "roles": {}}]')
    assert [block.text for block in rows.blocks] == ["id | roles", "1 | admin, ops", "2 | "]


def test_what_has_no_text_gives_nothing() -> None:
    assert (
        parse('{"a": null, "b": "", "c": [], "d": {}, "e": " ", "f": [null], "g": [{}]}').blocks
        == ()
    )
    assert parse("null").blocks == ()
    assert parse("").blocks == ()


def test_marks_and_lone_surrogates_go() -> None:
    assert shape(parse('\ufeff{"a": "x\\ud800y\\u0000"}').blocks) == [("paragraph", "a: xy")]


def test_deep_json_stays_text() -> None:
    text = "[" * 100_000 + "1" + "]" * 100_000
    parsed = parse(text)
    assert shape(parsed.blocks) == [("code", text)]
    assert parsed.document.metadata["invalid"] == "nests too deep"
    deep = "".join('{"a":' for _ in range(300)) + '"end"' + "}" * 300
    assert parse(deep).blocks[-1].text.endswith("a: end")


def test_json_with_comments_stays_text() -> None:
    text = '{\n  // why\n  "a": 1,\n}'
    parsed = parse(text)
    assert shape(parsed.blocks) == [("code", text)]
    assert "invalid" in parsed.document.metadata


def test_flat_lines_are_a_table_and_bad_lines_are_kept_and_counted() -> None:
    parsed = lines('{"a": 1, "b": "x"}\n\n{"a": 2, "b": "y"}\n{"a": 3, "b\n')
    assert shape(parsed.blocks) == [
        ("table_row", "a | b"),
        ("table_row", "1 | x"),
        ("table_row", "2 | y"),
        ("code", '{"a": 3, "b'),
    ]
    assert parsed.document.metadata["bad_lines"] == [4]
    assert parsed.document.metadata["bad_line_count"] == 1


def test_nested_lines_are_one_paragraph_each() -> None:
    parsed = lines('{"a": {"b": 1}}\n{"a": {"b": 2}}\n')
    assert shape(parsed.blocks) == [("paragraph", "a.b: 1"), ("paragraph", "a.b: 2")]


def test_json_lines_under_the_name_of_json_are_read() -> None:
    assert shape(parse('{"a": 1}\n{"a": 2}\n').blocks) == [
        ("table_row", "a"),
        ("table_row", "1"),
        ("table_row", "2"),
    ]


words = st.text("abcdefghij", min_size=1, max_size=6)
values = st.recursive(
    words.map(lambda word: f"q{word}") | st.integers(10**9, 10**12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=25,
)


@given(values)
def test_no_value_is_lost_or_doubled(value: object) -> None:
    found = "\n".join(block.text for block in parse(json.dumps(value)).blocks)
    leaves: list[str] = []
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            pending += one.values()
        elif isinstance(one, list):
            pending += one
        else:
            leaves.append(str(one))
    assert [leaf for leaf in leaves if leaf not in found] == []


@pytest.mark.parametrize("text", ['"word"', "4", "true"])
def test_a_lone_scalar_is_a_paragraph(text: str) -> None:
    assert shape(parse(text).blocks) == [("paragraph", text.strip('"'))]


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(st.sampled_from(" ab\0\n\u200b|"), max_size=4)
)
records = st.lists(st.fixed_dictionaries({"a": scalars, "b": scalars}), min_size=2, max_size=6)


@given(records)
def test_the_order_of_members_changes_no_row(table: list[dict[str, object]]) -> None:
    turned = [dict(reversed(record.items())) for record in table]
    mixed = [table[0], *turned[1:]]  # the first one tells the order
    assert parse(json.dumps(table)).blocks == parse(json.dumps(mixed)).blocks


def test_control_characters_in_a_value_part_no_cells() -> None:
    parsed = parse(r'[{"a": "x\u0000y", "b": "1\n2"}, {"a": "z", "b": "\u0000"}]')
    assert [block.text for block in parsed.blocks] == ["a | b", "xy | 1 2", "z | "]


def test_white_space_around_a_line_is_no_error() -> None:
    parsed = lines(' {"a": 1}\t\n\n \u200b\n{"a": 2} \r\n{"a": 3}x\n')
    assert [block.text for block in parsed.blocks] == ["a", "1", "2", '{"a": 3}x']
    assert parsed.document.metadata["bad_lines"] == [5]
