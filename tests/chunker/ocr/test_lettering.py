"""The size of letters, measured by their ink."""

import pytest
from PIL import Image, ImageDraw, ImageFont

from rag_chunker.ocr.lettering import with_sizes
from rag_chunker.ocr.seen import Quad, Seen, turned_about
from tests.bench.page_images import PageSpec, draw

_WIDTH, _HEIGHT = 900, 200


def _picture(text: str, size: float, *, ink: int = 0, paper: int = 255) -> Image.Image:
    picture = Image.new("L", (_WIDTH, _HEIGHT), paper)
    font = ImageFont.load_default(size)
    ImageDraw.Draw(picture).text((60, 60), text, font=font, fill=ink)
    return picture


def _seen(text: str, *, loose: float = 0) -> Seen:
    """A box around the line at (60, 60), with white space around it."""
    left, top, right, bottom = 50, 50 - loose, _WIDTH - 50, 130 + loose
    quad: Quad = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Seen(text, 0.9, quad)


def _size(text: str, picture: Image.Image, seen: Seen | None = None) -> float | None:
    return with_sizes([seen or _seen(text)], picture)[0].size


@pytest.mark.parametrize("size", [16, 24, 40])
@pytest.mark.parametrize(
    "text",
    ["Safety", "nose on a scarf", "ACME PUMPS", "Monthly checks, page 4", "2026-0417", "sum, zero"],
)
def test_letters_of_one_size_measure_alike_whatever_they_are(text: str, size: float) -> None:
    assert _size(text, _picture(text, size)) == pytest.approx(size, rel=0.15)


def test_how_loose_the_engines_box_is_does_not_matter() -> None:
    picture = _picture("Opening the housing", 30)
    sizes = {_size("", picture, _seen("Opening the housing", loose=loose)) for loose in (0, 9, 40)}
    assert len(sizes) == 1


def test_white_letters_on_black_and_grey_ones_measure_like_black_ones() -> None:
    text = "Opening the housing"
    expected = _size(text, _picture(text, 30))
    assert _size(text, _picture(text, 30, ink=255, paper=0)) == expected
    assert _size(text, _picture(text, 30, ink=150, paper=190)) == pytest.approx(expected, rel=0.07)


def test_a_rule_below_does_not_count() -> None:
    picture = _picture("Opening the housing", 30)
    expected = _size("Opening the housing", picture)
    ImageDraw.Draw(picture).line((50, 112, _WIDTH, 112), width=3)
    assert _size("Opening the housing", picture) == expected


def test_a_skewed_line_measures_like_a_straight_one() -> None:
    text, center = "Opening the housing", (_WIDTH / 2, _HEIGHT / 2)
    straight = _picture(text, 30)
    skewed = straight.rotate(-4, Image.Resampling.BICUBIC, fillcolor=255)
    [seen] = turned_about([_seen(text)], 0.0698, center, center)
    assert _size(text, skewed, seen) == pytest.approx(_size(text, straight), rel=0.1)


def test_what_has_no_ink_or_is_too_small_is_not_measured() -> None:
    blank = Image.new("L", (_WIDTH, _HEIGHT), 255)
    assert _size("nothing", blank) is None
    assert _size("a", blank, Seen("a", 0.9, ((0, 0), (3, 0), (3, 3), (0, 3)))) is None
    assert _size("grey", _picture("grey", 30, ink=200, paper=205)) is None
    assert with_sizes([], blank) == []


@pytest.mark.parametrize("noise", [0, 20, 60])
def test_letters_under_noise_measure_right_or_not_at_all(noise: float) -> None:
    text, paper = "Opening the housing", (6.0, 1.0)
    line = PageSpec("line", (text,), dpi=150, points=14, paper=paper, margin=0.2, noise=noise)
    left, top, right, bottom = 20, 22, 360, 75
    quad: Quad = ((left, top), (right, top), (right, bottom), (left, bottom))
    [piece] = with_sizes([Seen(text, 0.9, quad)], draw(line))
    assert piece.size is None if noise > 50 else piece.size == pytest.approx(29.2, rel=0.15)
