"""A slice's count read off the ruler is the count of the slice, always."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_documents import CL100K, COUNTERS, O200K, PASSAGE, TOUCHY, texts

from rag_chunker import TiktokenCounter
from rag_chunker import ruler as ruler_module
from rag_chunker.ruler import Ruler

touchy = st.lists(st.sampled_from(TOUCHY), min_size=1, max_size=30).map("".join)
mixed = st.lists(st.one_of(touchy, texts), min_size=1, max_size=4).map("".join)


def visible_ends(text: str) -> list[int]:
    return [at for at in range(1, len(text) + 1) if not text[at - 1].isspace()]


def slices(data: st.DataObject, text: str) -> list[tuple[int, int]]:
    """Some slices of `text` that end with something visible."""
    ends = visible_ends(text)
    if not ends:
        return []
    drawn = data.draw(
        st.lists(st.tuples(st.integers(0, len(text)), st.sampled_from(ends)), max_size=12)
    )
    return [(start, end) for start, end in drawn if start < end]


@pytest.mark.parametrize("counter", [CL100K, O200K], ids=["cl100k", "o200k"])
@settings(max_examples=60)
@given(text=mixed, data=st.data())
def test_a_slice_counts_as_if_it_stood_alone(counter, text, data):
    ruler = Ruler(text, counter)
    asked = slices(data, text)
    assert [s for s in asked if ruler.count(*s) != counter.count(text[s[0] : s[1]])] == []


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name())
@given(text=mixed, prefix=texts, data=st.data())
def test_a_slice_behind_a_prefix_counts_as_the_two_joined(counter, text, prefix, data):
    ruler = Ruler(text, counter)
    asked = slices(data, text)
    assert [
        s
        for s in asked
        if ruler.count_behind(prefix, *s) != counter.count(prefix + text[s[0] : s[1]])
    ] == []


@pytest.mark.parametrize("segment", [1, 50, 1000])
def test_the_length_of_segments_does_not_matter(segment, monkeypatch):
    monkeypatch.setattr(ruler_module, "_SEGMENT", segment)
    text = PASSAGE * 3
    ruler = Ruler(text, CL100K)
    asked = [(start, end) for end in visible_ends(text)[::37] for start in range(0, end, 41)]
    assert [s for s in asked if ruler.count(*s) != CL100K.count(text[s[0] : s[1]])] == []


class Recorder(TiktokenCounter):
    """Remembers how many characters it was asked to tokenize."""

    seen = 0

    def count(self, text: str) -> int:
        self.seen += len(text)
        return super().count(text)

    def token_ends(self, text: str):
        self.seen += len(text)
        return super().token_ends(text)


def test_a_text_is_tokenized_about_once_however_many_slices_are_asked_for():
    counter, text = Recorder(), "Some words of ordinary prose, and so on. " * 3000
    ruler = Ruler(text, counter)
    for start in range(0, len(text) - 5000, 100):
        ruler.count(start, start + 5000 - start % 41 - 1)
    assert counter.seen < 1.5 * len(text)
