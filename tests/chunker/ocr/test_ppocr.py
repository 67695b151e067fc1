"""The real models: pages at all four turns, and how many lines they are asked to read for them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PIL import Image

from rag_chunker.ocr.ppocr import PictureLines
from rag_chunker.ocr.registry import engine_named
from rag_chunker.ocr.rotation import Reading, Wanted, read_lines_upright
from rag_core.types import OCRResult
from tests.bench.ocr import edits
from tests.bench.page_images import PageSpec, draw, to_bytes

if not engine_named("rapidocr").health().ok:
    pytest.skip(engine_named("rapidocr").health().detail, allow_module_level=True)

_SMALL = PageSpec("", paper=(3.6, 1.3), margin=0.2, dpi=150)
PAGES = [
    replace(_SMALL, name="one word", paragraphs=("Total",), points=20),
    replace(_SMALL, name="a number", paragraphs=("4711-B",)),
    replace(
        _SMALL,
        name="three lines",
        paragraphs=("Invoice number 4471", "Pay before June", "No. 7"),
        points=9,
    ),
    replace(
        _SMALL,
        name="short words",
        paragraphs=("one", "two", "No", "Yes", "7", "12"),
        points=9,
        paper=(1.5, 2.5),
    ),
    replace(
        _SMALL,
        name="two columns",
        paragraphs=(
            "Close the inlet valve before you open the housing, and wait for ten minutes or more.",
            "Check the seal on the shaft every month. A few drops an hour are normal.",
        ),
        columns=2,
        points=8,
        paper=(3.6, 1.6),
    ),
]


def _read(page: PageSpec) -> OCRResult:
    return engine_named("rapidocr").read(to_bytes(draw(page)))


def _text(page: PageSpec) -> str:
    return " ".join(region.text for region in _read(page).regions)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_turned_page_is_read_as_well_as_an_upright_one(page: PageSpec) -> None:
    true = " ".join(page.paragraphs)
    upright = edits(_text(page), true)
    assert upright <= 0.03 * len(true)
    worse = {turn: edits(_text(replace(page, turn=turn)), true) for turn in (90, 180, 270)}
    assert {turn: count for turn, count in worse.items() if count > upright + 1} == {}


def test_a_page_on_its_head_costs_two_lines_more_than_an_upright_one() -> None:
    asked: list[Wanted] = []

    class Counted(PictureLines):
        def read(self, wanted: Sequence[Wanted]) -> list[Reading]:
            asked.extend(wanted)
            return super().read(wanted)

    more: dict[int, int] = {}
    for turn in (0, 90, 180, 270):
        asked.clear()
        page = draw(replace(PAGES[-1], turn=turn)).convert("RGB")
        seen, _ = read_lines_upright(page, Counted)
        more[turn] = len(asked) - len(seen)
    assert more == {0: 0, 90: 2, 180: 2, 270: 4}


def test_boxes_are_in_pixels_of_the_turned_picture_however_large_it_is() -> None:
    page = replace(PAGES[2], dpi=600, turn=180)
    picture = draw(page)
    assert max(picture.size) > 2000
    boxes = [region.bbox for region in engine_named("rapidocr").read(to_bytes(picture)).regions]
    bottom = max(box[3] for box in boxes if box)
    right = max(box[2] for box in boxes if box)
    assert bottom == pytest.approx(picture.height - 0.2 * 600, abs=40)
    assert right == pytest.approx(picture.width - 0.2 * 600, abs=40)


def test_a_picture_of_nothing_has_no_lines() -> None:
    lines = PictureLines(Image.new("RGB", (300, 200), "white"))
    assert (list(lines.quads), lines.read([])) == ([], [])
