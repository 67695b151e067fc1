"""Whole pictures: long ones in strips, huge ones scaled down, boxes where they stand."""

from io import BytesIO

import pytest
from PIL import Image, ImageDraw

from rag_chunker.ocr import picture
from rag_chunker.ocr.picture import read_picture
from rag_chunker.ocr.seen import Seen
from rag_core.errors import OCRError


def _file(image: Image.Image) -> bytes:
    packed = BytesIO()
    image.save(packed, "PNG")
    return packed.getvalue()


class _Bars:
    """Reads each black bar as a line, told from its top and bottom row."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []

    def __call__(self, image: Image.Image) -> tuple[list[Seen], int]:
        self.sizes.append(image.size)
        column = image.convert("L").crop((60, 0, 61, image.height)).tobytes()
        dark = [row for row, value in enumerate(column) if value < 128]
        tops = [row for row in dark if row - 1 not in dark]
        bottoms = [row + 1 for row in dark if row + 1 not in dark]
        return [
            Seen(f"bar {bottom - top}", 0.99, ((50, top), (350, top), (350, bottom), (50, bottom)))
            for top, bottom in zip(tops, bottoms, strict=True)
        ], 0


def _bars(width: int, height: int, every: int = 80) -> Image.Image:
    image = Image.new("L", (width, height), 255)
    brush = ImageDraw.Draw(image)
    for top in range(40, height - 60, every):
        for left in range(50, 350, 20):  # letters, so to speak
            brush.rectangle((left, top, left + 13, top + 23), fill=0)
    return image


def test_a_long_picture_is_cut_between_its_lines() -> None:
    reader = _Bars()
    regions = read_picture(_file(_bars(400, 6000)), reader, em=0.8)
    bars = [word for region in regions for word in region.text.split() if word != "bar"]
    assert bars == ["24"] * len(range(40, 5940, 80))
    assert [height for _, height in reader.sizes if height > 1.5 * 1.4 * 400] == []
    tops = [region.bbox[1] for region in regions if region.bbox]
    assert tops == sorted(tops)
    assert tops[-1] > 5500


def test_a_page_is_read_whole() -> None:
    reader = _Bars()
    read_picture(_file(_bars(400, 560)), reader, em=0.8)
    assert reader.sizes == [(400, 560)]


def test_a_huge_picture_is_scaled_down_and_its_boxes_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "_MOST_PIXELS", 200 * 280)
    reader = _Bars()
    regions = read_picture(_file(_bars(400, 560)), reader, em=0.8)
    assert reader.sizes == [(200, 280)]
    assert regions[0].bbox is not None
    assert regions[0].bbox[1] == pytest.approx(40, abs=4)
    assert regions[-1].bbox is not None
    assert regions[-1].bbox[3] == pytest.approx(464, abs=4)


def test_what_is_no_picture_is_an_ocr_error() -> None:
    with pytest.raises(OCRError, match="not a readable image"):
        read_picture(b"text", _Bars(), em=0.8)
