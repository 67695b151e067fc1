"""Lines become columns, tables and paragraphs without losing or doubling a character."""

from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.layout.bullets import attach_bullets
from rag_chunker.layout.code import code_text
from rag_chunker.layout.columns import by_rows, find_gutters, reading_order
from rag_chunker.layout.continued import join_tables
from rag_chunker.layout.geometry import Box, Rule, around
from rag_chunker.layout.grids import Table, find_grids, merged
from rag_chunker.layout.hyphens import join_lines, vocabulary
from rag_chunker.layout.levels import Heading, Kind, levels_of
from rag_chunker.layout.lines import Line, Style, Word
from rag_chunker.layout.lists import depths
from rag_chunker.layout.markers import list_marker, section_number
from rag_chunker.layout.page import lay_out
from rag_chunker.layout.paragraphs import Paragraph, group_lines
from rag_chunker.layout.running import running_lines

BODY, BOLD, CODE = Style(10.0), Style(10.0, bold=True), Style(10.0, mono=True)


def line(text: str, x: float, y: float, style: Style = BODY, order: int = 0) -> Line:
    """A line of 5-point-wide characters whose box is 10 points high."""
    words: list[Word] = []
    left = x
    for word in text.split(" "):
        right = left + 5 * len(word)
        words.append(Word(word, left, y, right, y + 10, style))
        left = right + 5
    return Line(words, hyphen=text.endswith("-"), order=order, page=1)


def letters(items: Iterable[Line | Table | Paragraph]) -> Counter[str]:
    """How often each visible character stands in `items`."""
    found: Counter[str] = Counter()
    for item in items:
        if isinstance(item, Table):
            found.update("".join(cell for row in item.rows for cell in row))
        elif isinstance(item, Paragraph):
            found += letters(item.lines)
        else:
            found.update(item.text)
            found.update(item.marker or "")
    del found[" "]
    return found


styles = st.sampled_from([BODY, BOLD, CODE, Style(16.0, bold=True), Style(7.0)])
texts = st.text("abcXYZ19", min_size=1, max_size=12)
lines = st.lists(
    st.builds(
        line,
        st.lists(texts, min_size=1, max_size=5).map(" ".join),
        st.integers(0, 12).map(lambda step: 40.0 * step),
        st.integers(0, 60).map(lambda step: 12.0 * step),
        styles,
    ),
    max_size=40,
)
rules = st.lists(
    st.builds(
        lambda at, start, length: Rule(at, start, start + length),
        st.integers(0, 20).map(lambda step: 30.0 * step),
        st.integers(0, 20).map(lambda step: 30.0 * step),
        st.integers(1, 600).map(float),
    ),
    max_size=12,
)


@given(lines, rules, rules)
def test_every_character_of_every_line_comes_out_exactly_once(
    page: list[Line], across: list[Rule], down: list[Rule]
) -> None:
    for order, item in enumerate(page):
        item.order = order
    before = letters(page)
    items = lay_out(page, across=across, down=down)
    assert letters(items) == before
    assert letters(group_lines(items)) == before


@given(lines, st.lists(st.builds(lambda x, y: Box(x, y, x + 4, y + 4), st.floats(0, 500),
                                 st.floats(0, 700)), max_size=8))  # fmt: skip
def test_bullets_take_no_other_text_away(page: list[Line], shapes: list[Box]) -> None:
    before = letters(page)
    kept = attach_bullets(page, shapes)
    after = letters(kept)
    assert before - after == Counter()


@given(lines)
def test_reading_order_is_a_permutation(page: list[Line]) -> None:
    for order, item in enumerate(page):
        item.order = order
    ordered = reading_order(page)
    assert sorted(map(id, ordered)) == sorted(map(id, page))
    assert sorted(map(id, by_rows(page))) == sorted(map(id, page))


@given(lines)
def test_a_paragraph_keeps_the_order_of_its_lines(page: list[Line]) -> None:
    place = {id(item): index for index, item in enumerate(page)}
    for paragraph in group_lines(page):
        assert isinstance(paragraph, Paragraph)
        places = [place[id(item)] for item in paragraph.lines]
        assert places == sorted(places)


def prose(x: float, count: int, start: int = 0) -> list[Line]:
    return [line("some words that fill it", x, 12.0 * n, order=start + n) for n in range(count)]


def test_a_gutter_lies_between_columns_of_prose() -> None:
    assert [round(x) for x in find_gutters(prose(0, 8) + prose(200, 8, 8))] == [158]
    assert find_gutters(prose(0, 16)) == []


def test_the_cells_of_a_table_are_no_columns() -> None:
    cells = [
        line(text, x, 12.0 * row, order=2 * row + side)
        for row in range(8)
        for side, (x, text) in enumerate(((0, "north"), (200, "12.5")))
    ]
    assert find_gutters(cells) == []


def test_touching_rules_are_one() -> None:
    assert merged([Rule(10, 0, 50), Rule(10.4, 49, 90), Rule(10, 200, 210)]) == [
        Rule(10, 0, 90),
        Rule(10, 200, 210),
    ]


def test_a_frame_without_inner_rules_is_no_grid() -> None:
    frame = ([Rule(0, 0, 100), Rule(50, 0, 100)], [Rule(0, 0, 50), Rule(100, 0, 50)])
    assert find_grids(*frame) == []
    assert len(find_grids(frame[0], [*frame[1], Rule(40, 0, 50)])) == 1


def test_a_table_goes_on_only_on_the_next_page_and_with_the_same_columns() -> None:
    def part(rows: list[list[str]], page: int, right: float = 300.0) -> Table:
        return Table(rows, Box(50, 0, right, 100), page=page)

    head = ["Name", "Price"]
    joined = join_tables([part([head, ["a", "1"]], 1), part([head, ["b", "2"]], 2)])
    assert [item.rows for item in joined] == [[head, ["a", "1"], ["b", "2"]]]
    assert len(join_tables([part([head], 1), part([["x", "y", "z"]], 2)])) == 2
    assert len(join_tables([part([head], 1), part([["b", "2"]], 3)])) == 2
    assert len(join_tables([part([head], 1), part([["b", "2"]], 2, right=500.0)])) == 2


@pytest.mark.parametrize(
    ("pieces", "elsewhere", "joined"),
    [
        (["capabili-", "ties"], "", "capabilities"),
        (["self-", "service"], "a self-service shop", "self-service"),
        (["Jean-", "Paul"], "", "Jean-Paul"),
        (["long-", "term"], "a long road and each term", "long-term"),
        (["over-", "view"], "an overview of a view over it", "overview"),
        (["1990-", "1995"], "", "1990-1995"),
        (["soft\xad", "ware"], "", "software"),
        (["a dash -", "and more"], "", "a dash - and more"),
    ],
)
def test_a_hyphen_at_a_line_end_is_undone_unless_it_belongs_there(
    pieces: Sequence[str], elsewhere: str, joined: str
) -> None:
    known = vocabulary([elsewhere])
    assert join_lines([(piece, piece[-1] in "-\xad") for piece in pieces], known) == joined


@given(st.lists(st.tuples(st.text("ab -", min_size=1), st.booleans()), max_size=6))
def test_joining_lines_loses_nothing_but_hyphens(pieces: list[tuple[str, bool]]) -> None:
    joined = join_lines(pieces)
    before = Counter("".join(text for text, _ in pieces))
    after = Counter(joined)
    assert {char: before[char] for char in "ab"} == {char: after[char] for char in "ab"}


@pytest.mark.parametrize(
    ("text", "marker", "ordered"),
    [
        ("• apples", "•", False),
        ("- apples", "-", False),
        ("1. apples", "1.", True),
        ("(a) apples", "(a)", True),
        ("iv) apples", "iv)", True),
        ("☐ apples", "☐", False),
        ("[12] A. Author", "[12]", True),
    ],
)
def test_list_markers_are_known(text: str, marker: str, ordered: bool) -> None:
    found = list_marker(text)
    assert found is not None
    assert (found.text, found.ordered) == (marker, ordered)


@pytest.mark.parametrize("text", ["apples", "1990 was good", "e.g. this", "-5 degrees", "A man"])
def test_ordinary_words_are_no_list_markers(text: str) -> None:
    assert list_marker(text) is None


@pytest.mark.parametrize(
    ("text", "depth"),
    [("1 Scope", 1), ("2.3 Terms", 2), ("4.1.2. Rules", 3), ("IV. Results", 1), ("A.1 Forms", 2),
     ("Chapter 3 Birds", 1), ("Appendix B Tables", 1), ("I saw it", None), ("Scope", None),
     ("A man", None)],
)  # fmt: skip
def test_section_numbers_give_their_depth(text: str, depth: int | None) -> None:
    found = section_number(text)
    assert (found.depth if found else None) == depth


def heading(size: float, depth: int | None = None, **more: object) -> Heading:
    look = {"bold": True, "caps": False, "italic": False, "color": 0, "font": "F", **more}
    bare = bool(look.pop("bare", False))
    return Heading(Kind(size, **look), depth, 1, bare)  # type: ignore[arg-type]


def test_levels_follow_size_and_numbers() -> None:
    assert levels_of([heading(20), heading(14), heading(12), heading(14)]) == [1, 2, 3, 2]
    numbered = [heading(12, 1), heading(12, 2), heading(12, 3), heading(12, 1)]
    assert levels_of(numbered) == [1, 2, 3, 1]
    assert levels_of([heading(20), heading(12, 1), heading(12, 2)]) == [1, 2, 3]


def test_of_two_equal_looks_the_one_that_opens_sections_is_higher() -> None:
    upper, lower = heading(10, italic=True), heading(10)
    assert levels_of([heading(14), upper, lower, heading(14), upper, lower]) == [1, 2, 3, 1, 2, 3]


def test_a_subtitle_opens_no_level_of_its_own() -> None:
    found = levels_of([heading(24), heading(18, bare=True), heading(14), heading(14)])
    assert found == [1, 1, 2, 2]


@given(st.lists(st.tuples(st.sampled_from([8, 10, 12, 20]), st.sampled_from([None, 1, 2, 9])),
                min_size=1))  # fmt: skip
def test_levels_stay_between_1_and_6(given: list[tuple[float, int | None]]) -> None:
    assert set(levels_of([heading(size, depth) for size, depth in given])) <= set(range(1, 7))


def test_depths_of_list_items_follow_their_left_edges() -> None:
    items = [
        Paragraph([line("x", left, 0)], marker_left=left) if left >= 0 else None
        for left in (0.0, 20.0, 21.0, 40.0, 0.0, -1, 20.0)
    ]
    assert depths(items) == [0, 1, 1, 2, 0, 0, 0]


def test_lines_that_repeat_at_the_edge_of_pages_run() -> None:
    pages = [
        [line("Annual report", 0, 10), line(f"Text {n * n} of it", 0, 300), line(f"{n}", 0, 770)]
        for n in range(1, 6)
    ]
    gone = running_lines(pages, [800.0] * 5)
    kept = [item.text for page in pages for item in page if id(item) not in gone]
    assert kept == [f"Text {n * n} of it" for n in range(1, 6)]


def test_pages_of_nothing_but_repeated_text_keep_it() -> None:
    pages = [[line(f"Ticket {n}", 0, 10), line("Admit one", 0, 30)] for n in range(1, 5)]
    assert running_lines(pages, [800.0] * 4) == set()


def test_a_lone_number_that_does_not_count_pages_stays() -> None:
    pages = [[line("Text", 0, 300), line(number, 0, 770)] for number in ("42", "7", "1000")]
    assert running_lines(pages, [800.0] * 3) == set()


def test_code_keeps_its_indentation() -> None:
    code = [line("if x:", 50, 0, CODE), line("go()", 70, 12, CODE), line("end", 50, 24, CODE)]
    assert code_text(code, broken=[2]) == "if x:\n    go()\n\nend"


@given(st.lists(st.tuples(*[st.floats(-1e4, 1e4)] * 4), min_size=1))
def test_a_box_around_boxes_holds_them(edges: list[tuple[float, float, float, float]]) -> None:
    boxes = [Box(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in edges]
    outer = around(boxes)
    assert [box for box in boxes if not outer.holds(box.left, box.bottom)] == []
