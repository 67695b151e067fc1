"""Pages read by OCR, stitched between the native ones."""

from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.stitching import mean_confidence, stitched
from rag_core.testing import make_document
from rag_core.types import Block, BlockType, OCRRegion, OCRResult, Page, ParsedDocument


def _block(text: str, page: int | None, box: list[float] | None = None) -> Block:
    attributes = {"page": page, "bbox": box}
    known = {key: value for key, value in attributes.items() if value is not None}
    return Block(type=BlockType.paragraph, text=text, attributes=known)


def _page(number: int, reason: str | None = None) -> Page:
    return Page(number=number, width=600, height=800, needs_ocr=reason is not None, reason=reason)


def _result(*texts: str, page: int = 1, confidence: float = 0.9) -> OCRResult:
    regions = [
        OCRRegion(
            text=text,
            confidence=confidence,
            page=page,
            bbox=(50, 100 * row + 100, 550, 100 * row + 150),
        )
        for row, text in enumerate(texts)
    ]
    return OCRResult(engine="fake", regions=tuple(regions))


def _texts(parsed: ParsedDocument) -> list[str]:
    return [block.text for block in parsed.blocks]


_NATIVE = make_document(
    [_block("one", 1), _block("three", 3), _block("three again", 3)],
    pages=[_page(1), _page(2, "no-text"), _page(3), _page(4, "no-text")],
)


def test_pages_come_where_they_stand() -> None:
    readings = {4: _result("four", page=4), 2: _result("two", "two again", page=2)}
    parsed = stitched(_NATIVE, readings, {})
    assert _texts(parsed) == ["one", "two", "two again", "three", "three again", "four"]
    assert [block.attributes.get("page") for block in parsed.blocks] == [1, 2, 2, 3, 3, 4]


def test_a_page_read_needs_no_more_ocr_and_one_that_failed_does() -> None:
    parsed = stitched(_NATIVE, {2: _result("two", page=2)}, {4: "the engine stopped"})
    assert [page.needs_ocr for page in parsed.pages] == [False, False, False, True]
    assert [page.reason for page in parsed.pages] == [None, "no-text", None, "no-text"]
    assert parsed.document.metadata == {
        "ocr_engine": "fake",
        "ocr_pages": [2],
        "ocr_failed": {"4": "the engine stopped"},
    }


def test_pages_of_doubtful_text_are_named() -> None:
    readings = {2: _result("two", page=2, confidence=0.79), 4: _result("four", page=4)}
    assert stitched(_NATIVE, readings, {}).document.metadata["ocr_unsure_pages"] == [2]


def test_nothing_read_changes_nothing() -> None:
    assert stitched(_NATIVE, {}, {}) is _NATIVE


def test_a_blank_page_is_read_and_gives_no_block() -> None:
    parsed = stitched(_NATIVE, {2: OCRResult(engine="fake")}, {})
    assert _texts(parsed) == _texts(_NATIVE)
    assert not parsed.pages[1].needs_ocr


def test_native_text_of_a_scan_stays_and_replaces_what_ocr_made_of_it() -> None:
    stamp = _block("RECEIVED 4 MAY", 1, [60, 205, 540, 248])
    document = make_document([stamp], pages=[_page(1, "scan-with-stamp")])
    parsed = stitched(document, {1: _result("above", "RECE1VED 4 HAY", "below")}, {})
    assert _texts(parsed) == ["above", "RECEIVED 4 MAY", "below"]


def test_garbled_text_goes_if_ocr_finds_better() -> None:
    document = make_document([_block("\ue000\ue001", 1)], pages=[_page(1, "garbled")])
    assert _texts(stitched(document, {1: _result("clear")}, {})) == ["clear"]
    assert _texts(stitched(document, {1: OCRResult(engine="fake")}, {})) == ["\ue000\ue001"]


def test_what_is_no_page_stays_where_it_was() -> None:
    document = make_document([_block("before", None), _block("two", 2)], pages=[_page(1, "x")])
    assert _texts(stitched(document, {1: _result("one")}, {})) == ["before", "one", "two"]


def _sized(*regions: tuple[str, float], page: int = 1) -> OCRResult:
    """Texts with the size of their letters."""
    plain = _result(*(text for text, _ in regions), page=page)
    sized = [
        region.model_copy(update={"line_height": size})
        for region, (_, size) in zip(plain.regions, regions, strict=True)
    ]
    return plain.model_copy(update={"regions": tuple(sized)})


_BODY = "Whoever comes to the yard signs the list at the gate and wears a helmet all the time."
_SCAN = _sized(("Site rules", 20), (_BODY, 10), (_BODY, 10.4), page=2)


def _headings(parsed: ParsedDocument) -> dict[str, int | None]:
    return {block.text: block.level for block in parsed.blocks if block.type is BlockType.heading}


def test_larger_letters_on_a_page_read_become_headings_and_keep_what_else_is_known() -> None:
    parsed = stitched(_NATIVE, {2: _SCAN}, {})
    [heading] = [block for block in parsed.blocks if block.type is BlockType.heading]
    assert (heading.text, heading.level) == ("Site rules", 1)
    assert heading.attributes == {
        "engine": "fake",
        "ocr_confidence": 0.9,
        "bbox": [50, 100, 550, 150],
        "page": 2,
    }


def test_headings_read_come_below_the_title_of_the_document() -> None:
    title = Block(type=BlockType.heading, text="Handbook", level=1, attributes={"page": 1})
    document = make_document([title, *_NATIVE.blocks], pages=_NATIVE.pages)
    assert _headings(stitched(document, {2: _SCAN}, {})) == {"Handbook": 1, "Site rules": 2}


def test_labels_of_pictures_between_text_are_no_headings() -> None:
    document = make_document([_block("one", 1)], pages=[_page(1), _page(2)])
    assert _headings(stitched(document, {2: _SCAN}, {})) == {}


def test_an_engine_that_tells_no_sizes_gives_paragraphs() -> None:
    assert _headings(stitched(_NATIVE, {2: _result("Site rules", _BODY, page=2)}, {})) == {}


def test_sizes_are_compared_over_pages_of_other_resolutions() -> None:
    pages = [
        Page(number=1, width=1240, height=1754, needs_ocr=True),
        Page(number=2, width=2480, height=3508, needs_ocr=True),
    ]
    document = make_document([], pages=pages)
    image = document.document.model_copy(update={"mime_type": "image/tiff"})
    readings = {
        1: _sized(("Site rules", 40), (_BODY, 20)),
        2: _sized((f"{_BODY} Again.", 40), ("Visitors", 80), page=2),
    }
    found = stitched(document.model_copy(update={"document": image}), readings, {})
    assert _headings(found) == {"Site rules": 1, "Visitors": 1}


_REGIONS = st.lists(
    st.tuples(
        st.text("Ab 1.", min_size=1, max_size=30), st.none() | st.floats(1, 90), st.floats(0, 1)
    ),
    max_size=8,
)


@given(st.dictionaries(st.integers(1, 4), _REGIONS))
def test_headings_change_no_text_and_no_order(
    read: dict[int, list[tuple[str, float | None, float]]],
) -> None:
    document = make_document([_block("one", 1), _block("three", 3)], pages=_SCANNED)
    sized, plain = (
        {page: _read(page, regions, with_sizes=on) for page, regions in read.items()}
        for on in (True, False)
    )
    promoted, paragraphs = stitched(document, sized, {}), stitched(document, plain, {})
    assert _texts(promoted) == _texts(paragraphs)
    assert [b.attributes for b in promoted.blocks] == [b.attributes for b in paragraphs.blocks]


def _read(
    page: int, regions: list[tuple[str, float | None, float]], *, with_sizes: bool
) -> OCRResult:
    return OCRResult(
        engine="fake",
        regions=tuple(
            OCRRegion(
                text=text,
                confidence=confidence,
                page=page,
                line_height=size if with_sizes else None,
            )
            for text, size, confidence in regions
        ),
    )


_SCANNED = [_page(number, "no-text") for number in range(1, 5)]


def test_the_mean_confidence_is_of_characters() -> None:
    regions = (OCRRegion(text="aaa", confidence=1), OCRRegion(text="b", confidence=0.5))
    assert mean_confidence(OCRResult(engine="fake", regions=regions)) == 0.875
    assert mean_confidence(OCRResult(engine="fake")) is None


@given(st.lists(st.integers(1, 9), max_size=12).map(sorted), st.sets(st.integers(1, 9)))
def test_no_page_is_lost_and_all_stay_in_order(native: list[int], scanned: set[int]) -> None:
    pages = [_page(n, "no-text" if n in scanned else None) for n in range(1, 10)]
    document = make_document([_block(f"n{n}", n) for n in native], pages=pages)
    readings = {n: _result(f"o{n}", page=n) for n in scanned}
    found = [block.attributes["page"] for block in stitched(document, readings, {}).blocks]
    assert found == sorted([*native, *scanned])
