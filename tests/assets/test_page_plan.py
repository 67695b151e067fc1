"""What is read: every page once, and nothing that is known already."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.stages.keys import PageKeys
from rag_assets.stages.page_plan import plan_for
from rag_assets.store.documents import PageToRead
from rag_assets.store.ocr_pages import KnownPage, PlacedPage
from rag_core.testing import ScriptedOCREngine

KEYS = PageKeys(ScriptedOCREngine({}), ("eng",))

pages = st.builds(
    PageToRead,
    document_id=st.sampled_from("abcd"),
    source_uri=st.just("x"),
    mime_type=st.just("application/pdf"),
    content_hash=st.sampled_from(["h1", "h2", "h3"]),
    n_pages=st.just(3),
    number=st.integers(1, 3),
    reason=st.sampled_from(["no-text", None]),
)
corpora = st.lists(pages, max_size=12, unique_by=lambda page: (page.document_id, page.number))
outcomes = st.sampled_from(["ok", "empty", "failed"])


def places_of(found: list[PageToRead]) -> list[PlacedPage]:
    plan = plan_for(found, {}, KEYS, force=False)
    read = [place for document in plan.to_read.values() for place in document.pages]
    return read + plan.copies


def known_as(place: PlacedPage, status: str) -> KnownPage:
    return KnownPage(status, place.content_hash, place.key, None, None)


@given(corpora)
def test_of_equal_pages_one_is_read(found: list[PageToRead]) -> None:
    plan = plan_for(found, {}, KEYS, force=False)
    read = [place.key for document in plan.to_read.values() for place in document.pages]
    assert [key for key, times in Counter(read).items() if times > 1] == []
    assert {place.key for place in plan.copies} <= set(read)
    assert len(read) + len(plan.copies) == len(found)


@given(corpora, st.lists(outcomes, min_size=12, max_size=12))
def test_what_was_read_stays_and_what_failed_is_tried_again(
    found: list[PageToRead], how: list[str]
) -> None:
    known = {
        place.id: known_as(place, status)
        for place, status in zip(places_of(found), how, strict=False)
    }
    plan = plan_for(found, known, KEYS, force=False)
    good = {name for name, page in known.items() if page.status != "failed"}
    read = {place.id for document in plan.to_read.values() for place in document.pages}
    assert plan.unchanged == len(good)
    assert read.isdisjoint(good)
    assert read | {place.id for place in plan.copies} | good == known.keys()


@given(corpora)
def test_by_force_everything_is_read(found: list[PageToRead]) -> None:
    known = {place.id: known_as(place, "ok") for place in places_of(found)}
    assert plan_for(found, known, KEYS, force=True) == plan_for(found, {}, KEYS, force=False)


@given(corpora)
def test_without_an_engine_what_was_read_stays(found: list[PageToRead]) -> None:
    known = {place.id: known_as(place, "ok") for place in places_of(found)}
    assert plan_for(found, known, None, force=False).unchanged == len(found)
    unread = plan_for(found, {}, None, force=False)
    assert sum(len(document.pages) for document in unread.to_read.values()) == len(found)
    assert unread.copies == []
