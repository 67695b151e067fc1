"""Long lines in parts: cut between words or not at all, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from rag_chunker.ocr.gaps import joined, parts_of

np = pytest.importorskip("numpy")
pytest.importorskip("cv2")


def _line(words: list[int], gap: int = 14, noise: int = 0) -> Image.Image:
    """A line 48 pixels high: each word so many letters, each letter a bar of 10 pixels."""
    width = sum(14 * letters - 4 for letters in words) + gap * (len(words) - 1) + 20
    image = Image.new("RGB", (width, 48), "white")
    brush, x = ImageDraw.Draw(image), 10
    for letters in words:
        for _ in range(letters):
            brush.rectangle((x, 12, x + 9, 36), fill="black")
            x += 14
        x += gap - 4
    if noise:
        grain = Image.effect_noise(image.size, noise).convert("RGB")
        image = Image.blend(image, grain, 0.3)
    return image


@pytest.mark.parametrize("noise", [0, 40])
def test_a_long_line_is_cut_between_words(noise: int) -> None:
    pixels = np.asarray(_line([5] * 16, noise=noise))
    parts = parts_of(pixels)
    assert len(parts) == 2
    edges = parts[0][12:37, -4:], parts[1][12:37, :4]
    assert [edge.min() for edge in edges if edge.min() < 100] == []
    assert np.array_equal(np.hstack(parts), pixels)


def test_a_very_long_line_is_cut_more_than_once() -> None:
    pixels = np.asarray(_line([5] * 60))
    parts = parts_of(pixels)
    assert [part.shape for part in parts if part.shape[1] > 18 * 48] == []
    assert np.array_equal(np.hstack(parts), pixels)


@pytest.mark.parametrize("words", [[5] * 8, [90], [20, 80, 20]])
def test_a_short_line_or_one_without_a_gap_in_the_middle_stays_whole(words: list[int]) -> None:
    assert len(parts_of(np.asarray(_line(words)))) == 1


def test_a_line_of_one_colour_stays_whole() -> None:
    assert len(parts_of(np.full((20, 900, 3), 255, np.uint8))) == 1


def test_real_letters_are_not_parted() -> None:
    font = ImageFont.load_default(40)
    text = "minimum illumination will fill all hall lights, killing interim lull times at will"
    image = Image.new("RGB", (round(font.getlength(text)) + 20, 52), "white")
    ImageDraw.Draw(image).text((10, 2), text, font=font, fill="black")
    cut = parts_of(np.asarray(image))[0].shape[1] - 10
    ends = [font.getlength(text[:place]) for place in range(len(text)) if text[place] == " "]
    assert min(abs(cut - end) for end in ends) < font.getlength(" ")


@given(st.binary(min_size=300, max_size=300))
def test_no_pixel_is_lost_whatever_they_are(row: bytes) -> None:
    pixels = np.frombuffer(row * 4, np.uint8).reshape(4, 100, 3)
    assert np.array_equal(np.hstack(parts_of(pixels)), pixels)


@pytest.mark.parametrize(
    ("readings", "text", "confidence"),
    [
        ([("one two", 1.0), ("three", 1.0)], "one two three", 1.0),
        ([("one ", 0.5), ("it", 0.8)], "one it", 0.6),
        ([("この列は", 0.9), ("上から", 0.9)], "この列は上から", 0.9),
        ([("", 0.0), ("end", 0.9)], "end", 0.9),
        ([("", 0.0), ("", 0.0)], "", 0.0),
        ([("one", 0.9)], "one", 0.9),
    ],
)
def test_parts_are_joined_by_a_space_where_the_script_has_them(
    readings: list[tuple[str, float]], text: str, confidence: float
) -> None:
    assert joined(readings) == (text, pytest.approx(confidence))
