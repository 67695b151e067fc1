"""The measures of OCR measure what they say, and engines keep columns, skew and sides in order."""

import random

import pytest

from rag_chunker.ocr.registry import BUILT_IN, engine_named
from tests.bench.ocr import alike, edits, score, word_f1
from tests.bench.page_images import ENGLISH, PageSpec, draw, to_bytes

_TWO_COLUMNS = PageSpec(
    "two columns",
    ENGLISH[1:4],
    dpi=150,
    points=8,
    columns=2,
    skew=2,
    turn=90,
    paper=(5, 2.6),
    margin=0.3,
)


@pytest.mark.parametrize("name", BUILT_IN)
def test_columns_of_a_skewed_page_on_its_side_are_read_in_order(name: str) -> None:
    health = engine_named(name).health()
    if not health.ok:
        pytest.skip(health.detail)
    read = score(name, _TWO_COLUMNS, to_bytes(draw(_TWO_COLUMNS)))
    assert read.cer < 0.03
    assert read.f1 > 0.97
    assert read.order > 0.97


def test_edits_are_those_of_the_plain_algorithm() -> None:
    def plain(a: str, b: str) -> int:
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            new = [i]
            for j, y in enumerate(b, 1):
                new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
            row = new
        return row[-1]

    draws = random.Random(1)
    pairs = [
        tuple("".join(draws.choices("abc", k=draws.randrange(12))) for _ in range(2))
        for _ in range(500)
    ]
    assert [(a, b) for a, b in pairs if edits(a, b) != plain(a, b)] == []


def test_order_does_not_count_for_words_but_for_edits() -> None:
    true, across = "one two three four", "three four one two"
    assert word_f1(across, true) == 1
    assert edits(across, true) > 5


def test_a_paragraph_cut_in_two_is_not_whole() -> None:
    assert alike(ENGLISH[0].replace("rocks", "r0cks"), ENGLISH[0])
    assert not alike(ENGLISH[0][: len(ENGLISH[0]) // 2], ENGLISH[0])
