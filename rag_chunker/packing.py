"""How to fill a budget? Spans of a text become packs that hold as much as the budget allows.

The loop that fills a budget is written once, in `_Packing.run`; where a text may be cut stands in
`cuts.py`; how long a slice is, in `ruler.py`.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rag_chunker.cuts import (
    Level,
    first_fitting,
    grapheme_starts,
    longest_prefix,
    sentences,
    word_starts,
)
from rag_chunker.ruler import Ruler
from rag_core.text import is_blank

__all__ = ["Pack", "Unit", "pack"]

_LONG = 16
"""Characters a token from which text that may be cut anywhere is not counted as a whole: a rest of
megabytes would be counted again for every piece that is cut off."""

_LIKELY = 8
"""Characters a token up to which a section is first counted as a whole: most sections are short."""


_VISIBLE = re.compile(r"\S")


class Unit(NamedTuple):
    """A span of the text that is kept whole where the budget allows it."""

    start: int
    end: int
    """The span starts and ends with something that is not white space."""
    levels: tuple[Level, ...] = ()
    """How it may be split where it is over the budget, coarsest first."""
    header: str | None = None
    """Header row of the table that goes on with this unit; repeated where it opens a pack."""
    part: bool = False
    """True for what a split gave: it may fill a pack that what stood before it left half empty."""
    opens_sentence: bool = True


class Pack(NamedTuple):
    """One filled budget: `prefix + text[start:end]`."""

    prefix: str
    """Repeats earlier text: the tail of the pack before, or a table's header row and a newline."""
    start: int
    end: int
    tokens: int
    """Count of the whole, at most the budget."""


def pack(
    text: str,
    start: int,
    end: int,
    units: Iterable[Unit],
    *,
    ruler: Ruler,
    budget: int,
    overlap: int,
) -> Iterator[Pack]:
    """Fills packs of at most `budget` tokens with one section, `text[start:end]`.

    `units` are the section's parts in order; they are asked for only where they do not fit
    together. A pack after the first starts with the longest tail of the one before that holds at
    most `overlap` tokens and leaves room for the first new unit (or with a table's header row).
    Between the new parts of two packs stands nothing visible. Raises `ValueError` if a single code
    point is over the budget.
    """
    if end - start <= _LIKELY * budget:
        tokens = ruler.count(start, end)
        if tokens <= budget:
            if not is_blank(text[start:end]):
                yield Pack("", start, end, tokens)
            return
    yield from _Packing(text, units, ruler, budget, overlap).run()


@dataclass(slots=True)
class _Draft:
    """The pack being filled."""

    units: list[Unit]
    prefix: str
    repeated: Unit | None
    """The prefix as a span of the text, unless it is a table's header row."""
    tokens: int
    """Count of the whole."""

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end


class _Packing:
    """One call of `pack`."""

    def __init__(
        self, text: str, units: Iterable[Unit], ruler: Ruler, budget: int, overlap: int
    ) -> None:
        self._text = text
        self._ruler = ruler
        self._budget = budget
        self._overlap = overlap
        self._waiting = [*units][::-1]
        """The next unit comes last."""
        self._rate = 4.0
        """Characters a token, as the last pack had it."""

    def run(self) -> Iterator[Pack]:
        last: _Draft | None = None
        while self._waiting:
            draft = self._begin(last)
            if self._waiting:
                self._fill(draft)
            self._rate = (len(draft.prefix) + draft.end - draft.start) / max(draft.tokens, 1)
            if is_blank(self._text[draft.start : draft.end]):
                last = None
            else:
                last = draft
                yield Pack(draft.prefix, draft.start, draft.end, draft.tokens)

    def _begin(self, last: _Draft | None) -> _Draft:
        """A draft with the first unit that waits, or with as much of it as fits."""
        while True:
            unit = self._waiting.pop()
            if not unit.levels:
                return self._begin_with_cut(unit, last)
            tokens = self._fits_alone(unit)
            if tokens is not None:
                return self._begin_with_whole(unit, tokens, last)
            self._split(unit)

    def _begin_with_whole(self, unit: Unit, tokens: int, last: _Draft | None) -> _Draft:
        draft = _Draft([unit], "", None, tokens)
        if last is not None and tokens < self._budget:
            draft.prefix, draft.repeated = self._prefix(last, unit, self._budget - tokens)
            if draft.prefix:
                draft.tokens = self._count_to(draft, unit.end)
        return draft

    def _begin_with_cut(self, unit: Unit, last: _Draft | None) -> _Draft:
        draft = _Draft([unit], "", None, 0)
        if last is not None:
            draft.prefix, draft.repeated = self._prefix(last, unit, self._budget // 2)
            if self._cut(draft):
                return draft
            draft.prefix, draft.repeated = "", None
        if not self._cut(draft):
            raise ValueError(
                f"the character {self._text[unit.start]!r} alone is over the budget of "
                f"{self._budget} tokens"
            )
        return draft

    def _fill(self, draft: _Draft) -> None:
        """Adds the waiting units that fit."""
        while self._waiting:
            self._add_fitting(draft)
            if not self._waiting or 2 * draft.tokens >= self._budget:
                return
            unit = self._waiting[-1]
            if not unit.part or self._fits_alone(unit) is not None:
                return
            self._waiting.pop()
            if unit.levels:
                self._split(unit)
                continue
            draft.units.append(unit)
            if not self._cut(draft):
                draft.units.pop()
                self._waiting.append(unit)
            return

    def _add_fitting(self, draft: _Draft) -> None:
        while self._add_likely(draft):
            pass

    def _add_likely(self, draft: _Draft) -> bool:
        """Adds what fits of the units that are likely to fit and one more; True if all did."""
        likely = draft.end + int((self._budget - draft.tokens) * self._rate)
        candidates: list[int] = []
        for unit in reversed(self._waiting):
            if self._is_long_rest(unit):
                break
            candidates.append(unit.end)
            if unit.end > likely:
                break
        counted: dict[int, int] = {}

        def fits(end: int) -> bool:
            counted[end] = self._count_to(draft, end)
            return counted[end] <= self._budget

        candidates.reverse()
        guess = 1 if candidates and candidates[0] > likely else 0
        end = first_fitting(candidates, fits, guess=guess)
        if end is None:
            return False
        while draft.end < end:
            draft.units.append(self._waiting.pop())
        draft.tokens = counted[end]
        return end == candidates[0] and bool(self._waiting)

    def _cut(self, draft: _Draft) -> bool:
        """Cuts the draft's last unit to what fits; the rest waits. False if nothing of it fits."""
        unit = draft.units[-1]
        begin = draft.start - len(draft.prefix)
        cut = longest_prefix(
            self._text,
            unit.start,
            unit.end,
            count_to=lambda to: self._count_to(draft, self._visible_end(unit.start, to)),
            room=self._budget,
            keep=self._budget // 2,
            guess=begin + int(0.97 * self._budget * self._rate),
            tear=unit.start == begin,  # rather in a pack of its own
        )
        if cut is None:
            return False
        draft.units[-1] = unit._replace(end=self._visible_end(unit.start, cut.at))
        draft.tokens = cut.tokens
        rest = _VISIBLE.search(self._text, cut.at, unit.end)
        if rest is not None:
            self._waiting.append(unit._replace(start=rest.start(), opens_sentence=False, part=True))
        return True

    def _visible_end(self, start: int, end: int) -> int:
        return start + len(self._text[start:end].rstrip())

    def _count_to(self, draft: _Draft, end: int) -> int:
        if draft.repeated is not None:
            return self._ruler.count(draft.repeated.start, end)
        if draft.prefix:
            return self._ruler.count_behind(draft.prefix, draft.start, end)
        return self._ruler.count(draft.start, end)

    def _fits_alone(self, unit: Unit) -> int | None:
        """The unit's tokens; None if it is over the budget."""
        if self._is_long_rest(unit):
            return None
        tokens = self._ruler.count(unit.start, unit.end)
        return tokens if tokens <= self._budget else None

    def _is_long_rest(self, unit: Unit) -> bool:
        """True for text without an inner boundary that is cut rather than counted as a whole."""
        return not unit.levels and unit.end - unit.start > _LONG * self._budget

    def _split(self, unit: Unit) -> None:
        """Lets the parts of `unit` wait: at its coarsest level that splits it, or just itself
        without levels."""
        levels = unit.levels
        while levels:
            level, levels = levels[0], levels[1:]
            spans = level(self._text, unit.start, unit.end)
            if len(spans) > 1:
                self._waiting += (
                    unit._replace(start=start, end=end, levels=levels, part=True)
                    for start, end in reversed(spans)
                )
                return
        self._waiting.append(unit._replace(levels=(), part=True))

    def _prefix(self, last: _Draft, unit: Unit, room: int) -> tuple[str, Unit | None]:
        """What is repeated before `unit`, in `room` tokens: the header row of its table if that
        takes no more than a third of the budget, else the tail of `last`."""
        whole = bool(unit.levels)
        if unit.header is not None:
            prefix = unit.header + "\n"
            header = self._ruler.count_behind(prefix, unit.start, unit.start + 1)
            needed = self._ruler.count_behind(prefix, unit.start, unit.end) if whole else 0
            if 3 * header <= self._budget and needed <= self._budget:
                return prefix, None
        limit = min(self._overlap, room)

        def fits(offset: int) -> bool:
            return self._ruler.count(offset, last.end) <= limit and not (
                whole and self._ruler.count(offset, unit.end) > self._budget
            )

        found = self._tail(last, limit, fits) if limit else None
        if found is None:
            return "", None
        start, opens = found
        repeated = Unit(start, last.end, opens_sentence=opens)
        return self._text[start : unit.start], repeated

    def _tail(
        self, last: _Draft, limit: int, fits: Callable[[int], bool]
    ) -> tuple[int, bool] | None:
        """Where the longest tail of `last` starts, and whether a sentence does: at a sentence's
        start, else at a word's, else (text without white space) at a grapheme cluster's."""
        spans = [*filter(None, [last.repeated]), *last.units]
        reach = last.end - int(limit * self._rate)
        starts = [span.start for span in spans if span.opens_sentence]
        whole = first_fitting(starts, fits, guess=bisect_left(starts, reach))
        after = last.end if whole is None else whole
        before = next((span for span in reversed(spans) if span.start < after), None)
        if before is not None:
            window = max(before.start, min(reach, before.end) - 8 * limit - 200)
            inner = [start for start, _ in sentences(self._text, window, before.end)][1:]
            sentence = first_fitting(inner, fits, guess=bisect_left(inner, reach))
            if sentence is not None:
                return sentence, True
        if whole is not None:
            return whole, True
        return self._ragged_tail(spans[-1], limit, reach, fits)

    def _ragged_tail(
        self, span: Unit, limit: int, reach: int, fits: Callable[[int], bool]
    ) -> tuple[int, bool] | None:
        window = max(span.start, reach - 8 * limit - 200)
        words = word_starts(self._text, window, span.end)
        word = first_fitting(words, fits, guess=bisect_left(words, reach))
        if word is not None:
            return word, False
        if words and self._ruler.count(words[-1], span.end) <= self._overlap:
            return None
        near = max(words[-1] if words else span.start, reach - 2 * limit)
        clusters = grapheme_starts(self._text, near, span.end)[1:]
        cluster = first_fitting(clusters, fits, guess=bisect_left(clusters, reach))
        return None if cluster is None else (cluster, False)
