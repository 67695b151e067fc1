"""The blocks of PDFs stay as good as they were measured to be."""

import pytest
from pdf_quality import SMALL_SET, Score, alike, measure, pairs, plain

FLOORS = {
    "plain": {"H": 0.97, "HL": 0.92, "rows": 0.95, "list": 0.95, "para": 0.94, "code": 0.9},
    "tagged": {"H": 0.99, "HL": 0.99, "rows": 0.98, "list": 0.98, "para": 0.98, "code": 0.9},
}
"""A little below what was measured on the small set."""


@pytest.mark.parametrize("kind", ["plain", "tagged"])
def test_no_measure_falls_below_its_floor(kind: str) -> None:
    total = measure(SMALL_SET / kind, SMALL_SET / "truth")["total"]
    fallen = {m: total.f1(m) for m, floor in FLOORS[kind].items() if total.f1(m) < floor}
    assert fallen == {}


def test_a_wrong_text_is_not_counted_as_right() -> None:
    assert not alike(plain("Risks and mitigations"), plain("Related work"), 0.88)
    assert alike(plain("1.2 Scope of this work"), plain("Scope of  this work"), 0.88)


def test_a_wanted_text_is_matched_at_most_once() -> None:
    assert pairs(["goals", "goals", "other"], ["goals", "aims"], 0.88) == [(0, 0)]


def test_scores_of_files_add_up() -> None:
    one, other = Score(pages=2, seconds=1.0), Score(pages=4, seconds=2.0)
    one.tallies["H"].right = one.tallies["H"].found = one.tallies["H"].wanted = 3
    other.tallies["H"].wanted = 3
    one.add(other)
    assert (one.speed, one.f1("H")) == (2.0, 6 / 9)
