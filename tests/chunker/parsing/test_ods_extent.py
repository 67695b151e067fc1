"""Counts of an OpenDocument sheet's cells, against the same counted cell by cell."""

from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.ods_extent import unfolded

VALUE = 'office:value-type="float" office:value="1"'
STYLE = 'table:style-name="ce1"'
REPEATS = st.sampled_from([1, 2, 99, 100, 16_378])
ATTRIBUTES = st.permutations(["", STYLE, VALUE, "count"]).map(lambda some: some[:3])


def xml_of(repeats: int, attributes: list[str], text: str) -> tuple[str, bool]:
    """A cell, and whether it holds anything."""
    count = f'table:number-columns-repeated="{repeats}"' if repeats > 1 else ""
    named = " ".join(filter(None, (count if one == "count" else one for one in attributes)))
    start = f"<table:table-cell {named}".rstrip()
    return f"{start}>{text}</table:table-cell>" if text else f"{start}/>", (
        bool(text) or VALUE in attributes
    )


cells = st.builds(
    lambda repeats, attributes, text: (
        repeats if "count" in attributes else 1,
        *xml_of(repeats, attributes, text),
    ),
    REPEATS,
    ATTRIBUTES,
    st.sampled_from(["", "", "<text:p>a</text:p>"]),
)


@given(st.lists(st.lists(cells, min_size=1, max_size=5), min_size=1, max_size=4))
def test_cells_repeated_before_content_are_counted_and_fillers_are_not(
    rows: list[list[tuple[int, str, bool]]],
) -> None:
    inside = "".join(
        f"<table:table-row>{''.join(xml for _, xml, _ in row)}</table:table-row>" for row in rows
    )
    widest = 0
    for row in rows:
        filled = [at for at, (_, _, has_content) in enumerate(row) if has_content]
        before = row[: filled[-1] + 1] if filled else []
        widest = max(widest, sum(repeats for repeats, _, _ in before if repeats >= 100))
    expected = len(rows) * (widest + 1_000) if widest else 0
    assert unfolded(f"<table:table>{inside}</table:table>".encode()) == expected
