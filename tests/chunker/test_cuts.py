"""Where a text may be cut, and the finest cut that fits."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from odd_documents import texts

from rag_chunker.cuts import (
    cells,
    first_fitting,
    grapheme_starts,
    lines,
    longest_prefix,
    sentences,
    word_starts,
)


@pytest.mark.parametrize("level", [lines, cells, sentences])
@given(before=texts, text=texts, after=texts)
def test_a_level_loses_only_white_space(level, before, text, after):
    whole, start = before + text + after, len(before)
    spans = level(whole, start, start + len(text))
    edges = [start, *(edge for span in spans for edge in span), start + len(text)]
    assert edges == sorted(edges)
    gaps = [whole[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert [gap for gap in gaps if gap.strip()] == []
    assert [s for s in spans if whole[slice(*s)] != whole[slice(*s)].strip() or s[0] == s[1]] == []


def test_lines_end_at_line_breaks_and_cells_behind_their_separator():
    code, row = "a\n  b\r\n\nc", "one | two | | four"
    assert [code[a:b] for a, b in lines(code, 0, len(code))] == ["a", "b", "c"]
    assert [row[a:b] for a, b in cells(row, 0, len(row))] == ["one |", "two |", "|", "four"]


@given(st.lists(st.integers(), unique=True).map(sorted), st.integers(), st.integers(-3, 30))
def test_first_fitting_finds_the_first_from_any_guess(offsets, least, guess):
    expected = next((offset for offset in offsets if offset >= least), None)
    assert first_fitting(offsets, lambda offset: offset >= least, guess) == expected


def test_first_fitting_asks_little_when_the_guess_is_good():
    asked = []
    first_fitting(range(100_000), lambda n: asked.append(n) or n >= 5000, guess=5003)
    assert len(asked) < 8


@given(texts)
def test_words_start_where_white_space_ends(text):
    starts = word_starts(text, 0, len(text))
    assert starts == [
        at for at in range(1, len(text)) if text[at - 1].isspace() and not text[at].isspace()
    ]


@given(texts, st.integers(1, 60), st.integers(0, 200))
def test_the_longest_prefix_fits_and_tears_no_cluster(text, room, guess):
    if not text.strip():
        return
    text = text.strip() + "\n"
    end = len(text) - 1

    def count_to(at: int) -> int:
        return len(text[:at].encode(errors="surrogatepass"))

    cut = longest_prefix(text, 0, end, count_to=count_to, room=room, keep=room // 2, guess=guess)
    if cut is None:
        assert count_to(1) > room
        return
    assert cut.tokens == count_to(cut.at) <= room
    edges = {found.end() for found in regex.finditer(r"\X", text)}
    first_cluster = next(regex.finditer(r"\X", text)).end()
    assert cut.at in edges or cut.at < first_cluster or count_to(cut.at) < 0
    assert 0 < cut.at <= end


def test_a_prefix_ends_at_a_word_where_that_keeps_half_the_room():
    text = "some words " + "x" * 50

    def cut(room: int) -> str:
        found = longest_prefix(
            text, 0, len(text), count_to=lambda at: at, room=room, keep=room // 2, guess=room
        )
        return text[: found.at]

    assert cut(8) == "some"
    assert cut(15) == "some words"
    assert cut(30) == text[:30]


@given(texts)
def test_grapheme_starts_are_those_of_the_standard(text):
    assert grapheme_starts(text, 0, len(text)) == [m.start() for m in regex.finditer(r"\X", text)]
