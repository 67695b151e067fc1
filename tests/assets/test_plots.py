"""Every plot is a picture that decodes, shows in place, and draws what it was told."""

import base64
import io
import re

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rag_assets.plots import LONGEST_SHOWN, histogram, stacked_bars

COLOURS = {"ok": "blue", "failed": "red", "empty": "grey"}
BLUE, RED, GREY = (79, 122, 230, 255), (220, 60, 50, 255), (128, 128, 136, 255)
counts = st.integers(0, 10**9)


def picture(markdown: str) -> Image.Image:
    found = re.match(r"!\[\]\(data:image/png;base64,([A-Za-z0-9+/=]+)\)\n\n", markdown)
    assert found, markdown[:60]
    image = Image.open(io.BytesIO(base64.b64decode(found[1], validate=True)))
    return image.convert("RGBA")


def pixels(image: Image.Image, colour: tuple[int, ...]) -> list[tuple[int, int]]:
    places = ((x, y) for x in range(image.width) for y in range(image.height))
    return [place for place in places if image.getpixel(place) == colour]


@given(
    st.lists(counts, min_size=17, max_size=17).filter(any),
    st.integers(1, 1_000_000),
    st.text(max_size=300),
)
def test_any_histogram_decodes_and_shows_in_place(bars: list[int], budget: int, text: str) -> None:
    shown = histogram(bars, 16, "budget", budget / 16, "tokens", text)
    assert len(shown) <= LONGEST_SHOWN
    assert picture(shown).width < 400


@given(
    st.dictionaries(
        st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12),
        st.fixed_dictionaries(dict.fromkeys(COLOURS, counts)),
        min_size=1,
        max_size=40,
    )
)
def test_any_stacked_bars_decode_and_show_in_place(rows: dict[str, dict[str, int]]) -> None:
    shown = stacked_bars(rows, COLOURS, "documents")
    assert len(shown) <= LONGEST_SHOWN
    assert picture(shown).width < 400


def test_bars_stand_in_proportion_and_left_of_the_budget() -> None:
    image = picture(histogram([50, 100, 1, 0, 0], 4, "budget", 128, "tokens", ""))
    columns: dict[int, int] = {}
    for x, _ in pixels(image, BLUE):
        columns[x] = columns.get(x, 0) + 1
    assert sorted(set(columns.values())) == [1, 46, 92]
    budget = {x for x, y in pixels(image, RED) if y == image.height - 14}
    assert len(budget) == 1
    assert max(columns) < min(budget)


def test_what_is_over_the_budget_stands_right_of_it() -> None:
    image = picture(histogram([0, 0, 0, 0, 3], 4, "budget", 128, "tokens", ""))
    line = next(x for x, y in pixels(image, RED) if y == image.height - 14)
    assert [x for x, _ in pixels(image, BLUE) if x <= line] == []
    assert pixels(image, BLUE)


def test_a_bar_is_made_up_in_proportion() -> None:
    image = picture(stacked_bars({"pdf": {"ok": 30, "failed": 10}}, COLOURS, ""))
    ratio = len(pixels(image, BLUE)) / len(pixels(image, RED))
    assert 2.9 < ratio < 3.1


def test_what_has_no_room_is_summed_as_other() -> None:
    rows = {"a": {"ok": 1}, "other": {"ok": 1}} | {f"kind{n}": {"ok": 1} for n in range(10)}
    blue = pixels(picture(stacked_bars(rows, COLOURS, "")), BLUE)
    widths = [sum(y == row for _, y in blue) for row in sorted({y for _, y in blue})]
    one, *_, rest = widths
    assert len(widths) == 6 * 10  # rows of ten pixels: a, four more, and all else
    assert abs(rest / one - 7) < 0.3  # `other` itself included


def test_nothing_gives_the_caption_alone() -> None:
    assert histogram([0, 0], 1, "budget", 1, "tokens", "no chunks") == "no chunks"
    assert stacked_bars({}, COLOURS, "no documents") == "no documents"
