"""Packing units into a budget, without documents."""

from hypothesis import given
from hypothesis import strategies as st
from odd_documents import COUNTERS, texts

from rag_chunker.cuts import lines, sentences
from rag_chunker.packing import Pack, Unit, pack
from rag_chunker.ruler import Ruler
from rag_core.testing import WordCounter
from rag_core.text import is_blank


def packs(text: str, units: list[Unit], budget: int, overlap: int = 0, counter=None) -> list[Pack]:
    ruler = Ruler(text, counter or WordCounter())
    limits = {"ruler": ruler, "budget": budget, "overlap": overlap}
    return list(pack(text, 0, len(text), units, **limits)) if units else []


def units_of(parts: list[str]) -> tuple[str, list[Unit]]:
    parts = [part.strip() for part in parts if part.strip()]
    units, offset = [], 0
    for part in parts:
        units.append(Unit(offset, offset + len(part), (lines, sentences)))
        offset += len(part) + 2
    return "\n\n".join(parts), units


@given(
    st.lists(texts, max_size=8), st.integers(4, 80), st.floats(0, 0.99), st.sampled_from(COUNTERS)
)
def test_packs_keep_the_budget_and_every_visible_character(parts, budget, share, counter):
    text, units = units_of(parts)
    filled = packs(text, units, budget, int(share * budget), counter)
    assert [p for p in filled if counter.count(p.prefix + text[p.start : p.end]) != p.tokens] == []
    assert [p for p in filled if p.tokens > budget] == []
    edges = [0, *(edge for p in filled for edge in (p.start, p.end)), len(text)]
    assert edges == sorted(edges)
    gaps = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert [gap for gap in gaps if not is_blank(gap)] == []


def test_a_unit_of_few_tokens_stays_whole_however_long_it_is():
    text = "x" * 5000 + "\n\n" + "y" * 5000
    whole = [Unit(0, 5000, (lines, sentences)), Unit(5002, 10002, (lines, sentences))]
    assert [(p.start, p.end) for p in packs(text, whole, 4)] == [(0, 10002)]


def test_a_part_fills_a_pack_that_is_not_half_full():
    text = "a\n\nb c d e f g h."
    units = [Unit(0, 1, (sentences,)), Unit(3, len(text), (sentences,))]
    assert [text[p.start : p.end] for p in packs(text, units, 4)] == ["a", "b c d e", "f g h."]


def test_units_are_not_asked_for_where_all_of_them_fit():
    def never():
        raise AssertionError("asked")
        yield

    assert list(pack("a b", 0, 3, never(), ruler=Ruler("a b", WordCounter()), budget=2, overlap=0))


class Recorder(WordCounter):
    seen = 0

    def count(self, text: str) -> int:
        self.seen += len(text)
        return super().count(text)


def test_a_plain_counter_reads_the_text_a_few_times_only():
    counter = Recorder()
    text, units = units_of([f"Sentence number {n} has a few words." for n in range(4000)])
    packs(text, units, 200, 20, counter)
    assert counter.seen < 12 * len(text)
    counter.seen = 0
    packs("word " * 40_000, [Unit(0, 199_999, (sentences,))], 200, 20, counter)
    assert counter.seen < 12 * 200_000
