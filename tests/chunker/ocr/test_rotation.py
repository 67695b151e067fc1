"""Pages that lie on their side or stand on their head, read by scripted readers."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rag_chunker.ocr.rotation import (
    Reading,
    Wanted,
    read_lines_upright,
    read_upright,
    turned_picture,
)
from rag_chunker.ocr.seen import Seen, turned_back

_SIZE = (60, 40)
_TRUE = [
    Seen("first line", 0.99, ((5, 5), (45, 5), (45, 11), (5, 11))),
    Seen("second line", 0.98, ((5, 15), (49, 15), (49, 21), (5, 21))),
]


def _page() -> Image.Image:
    """Told by its top left corner, which is black."""
    page = Image.new("RGB", _SIZE, "white")
    page.putpixel((0, 0), (0, 0, 0))
    return page


def _turn(picture: Image.Image) -> int:
    width, height = picture.width - 1, picture.height - 1
    corners = {(0, 0): 0, (width, 0): 90, (width, height): 180, (0, height): 270}
    return next(turn for place, turn in corners.items() if picture.getpixel(place) == (0, 0, 0))


class _Reader:
    """Sees the page as engines do: lines on their side read from top to bottom, and whatever
    stands on its head reads badly."""

    def __init__(self) -> None:
        self.passes = 0

    def __call__(self, picture: Image.Image) -> list[Seen]:
        self.passes += 1
        turned = _turn(picture)
        back = turned_back(_TRUE, (360 - turned) % 360, *picture.size)
        seen = [_in_picture_order(piece) for piece in back]
        if turned in (180, 270):
            seen = [piece._replace(text=piece.text[::-1], confidence=0.6) for piece in seen]
        return seen


def _in_picture_order(piece: Seen) -> Seen:
    xs, ys = [x for x, _ in piece.quad], [y for _, y in piece.quad]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    return piece._replace(quad=((left, top), (right, top), (right, bottom), (left, bottom)))


@pytest.mark.parametrize(("degrees", "passes"), [(0, 1), (90, 1), (180, 2), (270, 2)])
def test_a_page_is_read_the_right_way_up(degrees: int, passes: int) -> None:
    reader = _Reader()
    seen, turn = read_upright(turned_picture(_page(), degrees), reader)
    assert turn == (360 - degrees) % 360
    assert seen == _TRUE
    assert reader.passes == passes


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_right_guess_saves_all_other_passes(degrees: int) -> None:
    reader = _Reader()
    seen, turn = read_upright(turned_picture(_page(), degrees), reader, (360 - degrees) % 360)
    assert (seen, turn, reader.passes) == (_TRUE, (360 - degrees) % 360, 1)


def test_a_page_without_text_is_read_once() -> None:
    passes: list[Image.Image] = []
    assert read_upright(_page(), lambda picture: passes.append(picture) or []) == ([], 0)
    assert len(passes) == 1


class _Finder:
    """Finds the lines of a page as it is turned. Those read upside down give a third of their
    letters, with little confidence; `untold` ones are the same both ways."""

    def __init__(
        self, page: Sequence[Seen], *, vertical: bool = False, untold: Sequence[Seen] = ()
    ) -> None:
        self.page, self.vertical, self.untold = page, vertical, untold
        self.passes = 0
        self.wanted: list[Wanted] = []

    def __call__(self, picture: Image.Image) -> "_Lines":
        self.passes += 1
        return _Lines(self, picture)


class _Lines:
    def __init__(self, finder: _Finder, picture: Image.Image) -> None:
        self._finder, turned = finder, _turn(picture)
        self._upright = (360 - turned + (270 if finder.vertical else 0)) % 360
        back = turned_back(finder.page, (360 - turned) % 360, *picture.size)
        self.quads = [_in_picture_order(piece).quad for piece in back]

    def read(self, wanted: Sequence[Wanted]) -> list[Reading]:
        self._finder.wanted += wanted
        return [self._reading(self._finder.page[place], turn) for place, turn in wanted]

    def _reading(self, piece: Seen, turn: int) -> Reading:
        if turn == self._upright or piece in self._finder.untold:
            return piece.text, piece.confidence
        return piece.text[::-3], 0.6


def _page_of(count: int, confidence: float = 0.97) -> list[Seen]:
    rows = [(2 * row, 2 * row + 1) for row in range(count)]
    return [
        Seen(f"line {top} of this page", confidence, ((5, top), (45, top), (45, low), (5, low)))
        for top, low in rows
    ]


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_lines_are_read_the_right_way_up(degrees: int) -> None:
    finder = _Finder(_page_of(18))
    found = read_lines_upright(turned_picture(_page(), degrees), finder)
    assert found == (finder.page, (360 - degrees) % 360)


@pytest.mark.parametrize(("degrees", "more"), [(0, 0), (180, 2)])
def test_a_page_on_its_head_costs_two_lines_more_than_an_upright_one(
    degrees: int, more: int
) -> None:
    finder = _Finder(_page_of(18))
    read_lines_upright(turned_picture(_page(), degrees), finder)
    assert (finder.passes, len(finder.wanted)) == (1, 18 + more)
    assert len(set(finder.wanted)) == len(finder.wanted)


@pytest.mark.parametrize(("degrees", "asked"), [(90, 2), (270, 4)])
def test_lines_of_a_page_on_its_side_are_found_again_once_it_is_upright(
    degrees: int, asked: int
) -> None:
    finder = _Finder(_page_of(18))
    read_lines_upright(turned_picture(_page(), degrees), finder)
    assert (finder.passes, len(finder.wanted)) == (2, 18 + asked)


@pytest.mark.parametrize("degrees", [0, 180])
def test_vertical_writing_stays_vertical(degrees: int) -> None:
    column = ((40, 2), (44, 2), (44, 38), (40, 38))
    finder = _Finder([Seen("この列は上から下へ読む", 0.99, column)], vertical=True)
    seen, turn = read_lines_upright(turned_picture(_page(), degrees), finder)
    assert turn == (360 - degrees) % 360
    assert [piece.text for piece in seen] == ["この列は上から下へ読む"]
    assert seen[0].height > seen[0].width


def test_a_page_that_nobody_can_read_is_not_read_twice() -> None:
    page = [piece._replace(text="#") for piece in _page_of(18, confidence=0.3)]
    finder = _Finder(page, untold=page)
    assert read_lines_upright(_page(), finder) == (page, 0)
    assert len(finder.wanted) <= len(page) + 8


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_what_looks_like_a_line_in_a_photo_does_not_decide(degrees: int) -> None:
    texture = [Seen("~" * 9, 0.2, ((0, y), (59, y), (59, y + 1), (0, y + 1))) for y in (36, 38)]
    finder = _Finder([*_page_of(6), *texture], untold=texture)
    _, turn = read_lines_upright(turned_picture(_page(), degrees), finder)
    assert turn == (360 - degrees) % 360


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_page_of_short_words_is_read_the_right_way_up(degrees: int) -> None:
    words = [
        Seen("No", 0.97, ((5, 2), (14, 2), (14, 8), (5, 8))),
        Seen("7", 0.97, ((5, 12), (11, 12), (11, 18), (5, 18))),
        Seen("yes", 0.97, ((5, 22), (17, 22), (17, 28), (5, 28))),
    ]
    found = read_lines_upright(turned_picture(_page(), degrees), _Finder(words))
    assert found == (words, (360 - degrees) % 360)


def test_a_picture_without_lines_is_upright() -> None:
    assert read_lines_upright(_page(), _Finder([])) == ([], 0)


@given(
    st.lists(st.tuples(*[st.integers(0, 20)] * 2, *[st.integers(1, 19)] * 2), max_size=12),
    st.sampled_from([0, 90, 180, 270]),
)
def test_whatever_lines_there_are_each_comes_back_inside_the_turned_picture(
    boxes: list[tuple[int, int, int, int]], degrees: int
) -> None:
    page = [
        Seen(f"{place}", 0.95, ((x, y), (x + w, y), (x + w, y + h), (x, y + h)))
        for place, (x, y, w, h) in enumerate(boxes)
    ]
    picture = turned_picture(_page(), degrees)
    seen, turn = read_lines_upright(picture, _Finder(page, untold=page))
    width, height = turned_picture(picture, turn).size
    assert [piece.text for piece in seen] == [piece.text for piece in page]
    corners = [corner for piece in seen for corner in piece.quad]
    assert [(x, y) for x, y in corners if not (0 <= x <= width and 0 <= y <= height)] == []
    from_top_left = [(piece.quad[0], piece.quad[2]) for piece in seen]
    assert [(p, q) for p, q in from_top_left if p[0] > q[0] or p[1] > q[1]] == []
