"""Rows of a table: one line a cell, the header known in each."""

from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.tables import LONGEST_HEADER, cell_text, table_blocks
from rag_core.text import is_blank

cells = st.text(st.sampled_from(" \t\n\u00a0\u200b\x1fab|"), max_size=5)
tables = st.lists(st.lists(cells, min_size=1, max_size=4), max_size=5)


@given(tables)
def test_each_row_with_text_is_a_block_of_its_cells_on_one_line_each(
    rows: list[list[str]],
) -> None:
    blocks = list(table_blocks(rows, table=3, has_header=False))
    filled = [row for row in rows if not all(map(is_blank, row))]
    assert [block.text for block in blocks] == [" | ".join(map(cell_text, row)) for row in filled]


@given(tables)
def test_every_row_knows_the_first_one(rows: list[list[str]]) -> None:
    blocks = list(table_blocks(rows, table=3, attributes={"page": 7}))
    expected = [{"page": 7, "table": 3, "table_header": block.text} for block in blocks[:1]]
    assert [block.attributes for block in blocks] == expected * len(blocks)


def test_cells_carry_their_column_where_the_header_is_too_long_to_repeat() -> None:
    long = "x" * LONGEST_HEADER
    rows = [["Part", long, "Note"], [" Seal\nkit ", "3", ""], ["Bolt", "", "new", "spare"]]
    texts = [block.text for block in table_blocks(rows, table=0)]
    assert texts == [f"Part: Seal kit | {long}: 3", "Part: Bolt | Note: new | spare"]


def test_a_million_rows_share_what_they_have_in_common() -> None:
    first, second, third = table_blocks([["a"], ["b"], ["c"]], table=0)
    assert first.attributes is second.attributes is third.attributes
