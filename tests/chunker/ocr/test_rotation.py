"""Pages that lie on their side or stand on their head, read by a scripted reader."""

import pytest
from PIL import Image

from rag_chunker.ocr.rotation import read_upright, turned_picture
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


class _Reader:
    """Sees the page as engines do: lines on their side read from top to bottom, and whatever
    stands on its head reads badly."""

    def __init__(self) -> None:
        self.passes = 0

    def __call__(self, picture: Image.Image) -> list[Seen]:
        self.passes += 1
        width, height = picture.width - 1, picture.height - 1
        corners = {(0, 0): 0, (width, 0): 90, (width, height): 180, (0, height): 270}
        turned = next(d for place, d in corners.items() if picture.getpixel(place) == (0, 0, 0))
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
