"""Which regions are headings, told from the size of their letters."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rag_chunker.ocr.doubt import UNSURE
from rag_chunker.ocr.headings import CLEARLY_LARGER, heading_levels
from rag_chunker.ocr.registry import engine_named
from rag_core.types import Block, BlockType, OCRRegion
from tests.bench.page_images import ENGLISH, SPECS, PageSpec, draw, to_bytes


def _page(*parts: tuple[str, float]) -> Image.Image:
    """Texts below each other, each in its size in points."""
    page = Image.new("L", (1240, 300 * len(parts)), 255)
    top = 60
    for text, points in parts:
        paper = (8.27, 1.5)
        part = draw(PageSpec("part", (text,), dpi=150, points=points, paper=paper, margin=0.2))
        ink = part.point(lambda value: 255 - value).getbbox()
        page.paste(part.crop((0, ink[1], part.width, ink[3])), (90, top))
        top += ink[3] - ink[1] + 30
    return page


_TEXT = "The pump station stands at the lower end of the valley, where the river leaves the rocks."


def _region(text: str, size: float | None = 10, confidence: float = 0.97) -> OCRRegion:
    return OCRRegion(text=text, confidence=confidence, line_height=size)


def _heading(text: str, level: int, page: int = 1) -> Block:
    return Block(type=BlockType.heading, text=text, level=level, attributes={"page": page})


def _levels(
    regions: Sequence[OCRRegion], pages: Sequence[int] = (), native: Sequence[Block] = ()
) -> dict[str, int]:
    levels = heading_levels(regions, pages or [1] * len(regions), native)
    assert len(levels) == len(regions)
    found = zip(regions, levels, strict=True)
    return {region.text: level for region, level in found if level is not None}


_MANUAL = [
    _region("Operating manual", 22.3),
    _region("Safety", 14.6),
    _region(_TEXT, 10.4),
    _region("Spare parts", 13.9),
    _region(_TEXT, 9.6),
]


def test_larger_letters_make_headings_ranked_by_size() -> None:
    assert _levels(_MANUAL) == {"Operating manual": 1, "Safety": 2, "Spare parts": 2}


def test_what_may_be_an_error_of_measuring_makes_none() -> None:
    nearly = [_region("Safety", 10 * CLEARLY_LARGER - 0.1), _region("Spare parts", 8)]
    assert _levels([*nearly, _region(_TEXT), _region(_TEXT, 11)]) == {}


def test_without_sizes_nothing_is_a_heading() -> None:
    assert _levels([region.model_copy(update={"line_height": None}) for region in _MANUAL]) == {}
    assert _levels([]) == {}
    assert _levels([_region("Safety", None), *_MANUAL[2:3]]) == {}


def test_what_is_in_doubt_opens_no_section() -> None:
    title = _region("Sofcty", 20, UNSURE - 0.01)
    assert _levels([title, _region(_TEXT)]) == {}


def test_large_print_in_which_much_is_set_is_text() -> None:
    small_print = [_region(_TEXT, 8)] * 3
    address = [_region(f"{number} Harbour Road, Kristiansand", 10) for number in range(5)]
    assert _levels([*address, *small_print]) == {}


def test_a_sentence_or_a_number_in_large_letters_is_no_heading() -> None:
    long = "Before you open the housing, close the inlet valve, switch off the power and wait long."
    for text in (long, "4471", "12 %"):
        assert _levels([_region(text, 20), _region(_TEXT), _region(_TEXT)]) == {}


def test_a_letterhead_on_every_page_is_no_heading() -> None:
    page = [_region("Acme Pumps", 20), _region(_TEXT)]
    title = _region("Report", 15)
    regions, pages = [*page, title, *page, *page], [1, 1, 1, 2, 2, 3, 3]
    assert _levels(regions, pages) == {"Report": 1}


def test_section_numbers_tell_levels_as_in_pdf() -> None:
    regions = [
        _region("1. Scope", 14),
        _region(_TEXT),
        _region("1.1. Pumps", 14),
        _region(_TEXT),
        _region("2. Safety", 14),
        _region(_TEXT),
    ]
    assert _levels(regions) == {"1. Scope": 1, "1.1. Pumps": 2, "2. Safety": 1}


def test_below_the_title_of_a_document_with_text_of_its_own() -> None:
    native = [_heading("Application", 1), _heading("Building", 2)]
    expected = {"Operating manual": 2, "Safety": 3, "Spare parts": 3}
    assert _levels(_MANUAL, [2] * 5, native) == expected


def test_beside_the_chapters_of_a_document_with_several() -> None:
    native = [_heading("Wells", 1), _heading("Pumps", 1, page=3)]
    expected = {"Operating manual": 1, "Safety": 2, "Spare parts": 2}
    assert _levels(_MANUAL, [2] * 5, native) == expected


def test_a_scanned_cover_stands_above_nothing_and_below_nothing() -> None:
    assert _levels(_MANUAL[:3], [1] * 3, [_heading("Wells", 1, page=2)])["Operating manual"] == 1


def test_numbers_go_on_from_those_of_native_headings() -> None:
    native = [_heading("Manual", 1), _heading("3. Care", 2), _heading("3.1. Seals", 3)]
    regions = [_region("3.2. Motors", 14), _region(_TEXT)]
    assert _levels(regions, [2, 2], native) == {"3.2. Motors": 3}


def test_levels_end_at_six() -> None:
    native = [_heading("Title", 6), _heading("1.1. Deep", 6)]
    for text in ("Pumps", "1.1.1.1. Seals"):
        assert _levels([_region(text, 20), _region(_TEXT)], [2, 2], native) == {text: 6}


@given(
    st.lists(
        st.builds(
            OCRRegion,
            text=st.text(max_size=40) | st.sampled_from(["Safety", "1.2. Scope", "- item"]),
            confidence=st.floats(0, 1),
            line_height=st.none() | st.floats(0.1, 300),
        ),
        max_size=15,
    )
)
def test_whatever_was_read_has_levels_or_none(regions: list[OCRRegion]) -> None:
    levels = heading_levels(regions, [1 + place // 4 for place in range(len(regions))])
    assert len(levels) == len(regions)
    headings = [both for both in zip(regions, levels, strict=True) if both[1] is not None]
    assert [level for _, level in headings if not 1 <= level <= 6] == []
    assert [region for region, _ in headings if region.line_height is None] == []
    assert [region for region, _ in headings if region.confidence < UNSURE] == []


@pytest.fixture(params=["rapidocr", "tesseract"])
def engine(request: pytest.FixtureRequest) -> str:
    health = engine_named(request.param).health()
    if not health.ok:
        pytest.skip(health.detail)
    return str(request.param)


def test_no_line_of_a_page_in_one_size_is_a_heading(engine: str) -> None:
    [spec] = [spec for spec in SPECS if spec.name == "three columns"]
    regions = engine_named(engine).read(to_bytes(draw(spec))).regions
    assert None not in {region.line_height for region in regions}
    assert _levels(regions) == {}


def test_titles_of_a_page_are(engine: str) -> None:
    titles = ("Operating manual", "Safety", "Monthly checks")
    picture = _page(
        (titles[0], 20), (titles[1], 14.5), (ENGLISH[0], 11), (titles[2], 14.5), (ENGLISH[2], 11)
    )
    found = _levels(engine_named(engine).read(to_bytes(picture)).regions)
    assert found == dict(zip(titles, (1, 2, 2), strict=True))
