"""What was read comes back exactly; a failure keeps the last good reading of the same content."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.store import ocr_pages
from rag_assets.store.layout import Warehouse
from rag_assets.store.ocr_pages import FailedPage, PlacedPage, Readings, ReadPage
from rag_assets.store.staging import Staging, staged
from rag_core.errors import StoreError
from rag_core.types import OCRRegion, OCRResult

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
EDGE = st.floats(-1e6, 1e6, allow_nan=False)
REGION = st.builds(
    OCRRegion,
    text=TEXT,
    confidence=st.floats(0, 1),
    bbox=st.none() | st.tuples(EDGE, EDGE, EDGE, EDGE),
    page=st.none() | st.integers(1, 9),
    line_height=st.none() | st.floats(0.1, 1e4),
)


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[Staging]:
    file = Warehouse(tmp_path).partition("t", "c").ocr_pages
    with staged(file, ocr_pages.schema(), run_id="run") as staging:
        yield staging


def place(document: str = "d", number: int = 1, content: str = "h", key: str = "k") -> PlacedPage:
    return PlacedPage(document, number, "no-text", content, key)


def reading(*regions: OCRRegion | str, engine: str = "e") -> OCRResult:
    made = [OCRRegion(text=r, confidence=0.9) if isinstance(r, str) else r for r in regions]
    return OCRResult(engine=engine, regions=tuple(made))


def readings(staging: Staging, content: str = "h", document: str = "d") -> Readings | None:
    return ocr_pages.readings(staging.connection, [document]).get((document, content))


@given(st.lists(REGION, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_what_was_read_comes_back_as_it_was(staging: Staging, regions: list[OCRRegion]) -> None:
    result = reading(*regions)
    ocr_pages.replace(staging, [ReadPage(place(), result, "e 1")])
    assert readings(staging) == Readings({1: result}, {})


def test_what_was_read_before_letters_were_measured_is_still_read(staging: Staging) -> None:
    ocr_pages.replace(staging, [ReadPage(place(), reading("old"), "e 1")])
    staging.connection.execute(
        "UPDATE ocr_pages SET regions = ?",
        ['[{"text": "old", "confidence": 0.9, "bbox": null, "page": 1}]'],
    )
    old = OCRRegion(text="old", confidence=0.9, page=1)
    assert readings(staging) == Readings({1: reading(old)}, {})


def test_a_page_is_there_once_however_often_it_is_read(staging: Staging) -> None:
    for text in ("first", "second"):
        ocr_pages.replace(staging, [ReadPage(place(), reading(text), "e 1")])
    assert readings(staging) == Readings({1: reading("second")}, {})
    assert len(ocr_pages.known(staging.connection)) == 1


def test_a_failure_keeps_what_was_read_of_the_same_content_only(staging: Staging) -> None:
    ocr_pages.replace(staging, [ReadPage(place(), reading("words"), "e 1")])
    ocr_pages.replace(staging, [], [FailedPage(place(key="new"), "OCRError", "broken")])
    assert readings(staging) == Readings({1: reading("words")}, {})
    known = ocr_pages.known(staging.connection)["d", 1]
    assert (known.status, known.key, known.error) == ("failed", "k", "broken")
    ocr_pages.replace(staging, [], [FailedPage(place(content="edited"), "OCRError", "torn")])
    assert readings(staging) is None
    assert readings(staging, "edited") == Readings({}, {1: "torn"})
    ocr_pages.replace(staging, [ReadPage(place(content="edited"), reading("new"), "e 1")])
    assert readings(staging, "edited") == Readings({1: reading("new")}, {})


def test_a_copy_has_the_words_of_the_page_with_its_key(staging: Staging) -> None:
    copies = [place("b", 3), place("c", 3)]
    ocr_pages.replace(
        staging,
        [ReadPage(place("a", 3), reading("words"), "e 1"), ReadPage(place(), reading("x"), "e 1")],
        copies=[],
    )
    ocr_pages.delete(staging, [("d", 1)])
    ocr_pages.replace(staging, [], copies=copies)
    assert [readings(staging, document=one.document_id) for one in copies] == [
        Readings({3: reading("words")}, {})
    ] * 2


def test_the_digest_changes_with_the_words_and_not_with_failures(staging: Staging) -> None:
    def digest() -> str | None:
        return ocr_pages.digests(staging.connection).get(("d", "h"))

    assert digest() is None
    ocr_pages.replace(staging, [ReadPage(place(), reading("words"), "e 1")])
    first = digest()
    assert first is not None
    ocr_pages.replace(staging, [ReadPage(place(number=3), reading(), "e 1")])
    ocr_pages.replace(staging, [], [FailedPage(place(number=2), "OCRError", "broken")])
    assert digest() == first
    ocr_pages.replace(staging, [ReadPage(place(number=2, key="k2"), reading("more"), "e 1")])
    assert digest() not in (None, first)


def test_pages_that_are_deleted_are_gone(staging: Staging) -> None:
    pages = [ReadPage(place(number=n), reading(str(n)), "e 1") for n in (1, 2, 3)]
    ocr_pages.replace(staging, pages)
    assert ocr_pages.delete(staging, [("d", 1), ("d", 3), ("d", 9)]) == 2
    assert readings(staging) == Readings({2: reading("2")}, {})


def test_doubtful_and_empty_pages_are_counted(staging: Staging) -> None:
    doubtful = OCRRegion(text="hrd", confidence=0.5)
    results = [reading(doubtful), reading(), reading("fine"), reading(engine="")]
    pages = [ReadPage(place(number=n), result, "e 1") for n, result in enumerate(results, 1)]
    ocr_pages.replace(staging, pages)
    assert ocr_pages.doubtful(staging.connection) == [("d", 1, 0.5)]
    assert ocr_pages.count_empty(staging.connection) == 1
    statuses = [page.status for _, page in sorted(ocr_pages.known(staging.connection).items())]
    assert statuses == ["ok", "empty", "ok", "no_images"]


def test_text_that_is_no_unicode_is_refused_before_it_is_written() -> None:
    with pytest.raises(StoreError, match="'e' must give Unicode"):
        ocr_pages.must_be_storable(reading("\ud800"))
