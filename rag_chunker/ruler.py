"""How many tokens is a slice of this text? Measured once, then read off.

A counter that declares where counts add up (`AdditiveTokenCounter`) tokenizes the text once, in
segments; a slice is then the distance between two marks on that ruler, plus the few characters at
its edges that lie outside a place where counts add up. For any other counter the slice is counted.
Both are exact.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple, cast

from rag_chunker.tokens import AdditiveTokenCounter, TokenCounter

__all__ = ["Ruler"]

_SEGMENT = 32_768
"""Characters that are tokenized together, at least: long enough to be fast, short enough that a
document of which nothing is asked yet costs nothing."""
_EDGE = 384
"""Characters to look for a place where counts add up before the slice is counted instead."""
_AHEAD = 64
"""Characters behind a place that may decide whether counts add up there."""


class _Segment(NamedTuple):
    start: int
    end: int
    before: int
    """Tokens in front of the segment."""
    ends: Sequence[int]
    """See `AdditiveTokenCounter.token_ends`."""
    ascii: bool


class Ruler:
    """Exact token counts of slices of one text."""

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self._text = text
        self._count = counter.count
        self._additive: AdditiveTokenCounter | None = None
        self._joints: re.Pattern[str] | None = None
        if hasattr(counter, "joints") and hasattr(counter, "token_ends"):
            self._additive = cast(AdditiveTokenCounter, counter)
            self._joints = self._additive.joints if _is_encodable(text) else None
        self._edges: dict[str, int] = {}
        """Counts of what lies between a joint and the edge of a slice: a full stop, mostly."""
        self._segments: list[_Segment] = []
        self._starts: list[int] = []
        self._marks: dict[int, int] = {}
        self._byte = (0, 0, 0)
        """Start of a segment, an offset in it, and the UTF-8 bytes between the two."""

    def count(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`, which ends with something visible."""
        if self._joints is None:
            return self._count(self._text[start:end])
        first = self._joint_after(start, end)
        last = None if first is None else self._joint_before(end, first)
        if first is None or last is None:
            return self._count(self._text[start:end])
        tokens = self._mark(last) - self._mark(first)
        if first > start:
            tokens += self._count_edge(start, first)
        if last < end:
            tokens += self._count_edge(last, end)
        return tokens

    def count_behind(self, prefix: str, start: int, end: int) -> int:
        """Tokens of `prefix + text[start:end]`, which ends with something visible."""
        if self._joints is not None and self._joints.match(prefix + self._text[start], len(prefix)):
            return self._count(prefix) + self.count(start, end)
        return self._count(prefix + self._text[start:end])

    def _count_edge(self, start: int, end: int) -> int:
        edge = self._text[start:end]
        tokens = self._edges.get(edge)
        if tokens is None:
            tokens = self._edges[edge] = self._count(edge)
        return tokens

    def _joint_after(self, start: int, end: int) -> int | None:
        """The first offset in `text[start:end]` at which counts add up."""
        assert self._joints is not None
        if start == 0 or self._joints.match(self._text, start):
            return start
        found = self._joints.search(self._text, start, min(start + _EDGE, end) + _AHEAD)
        return found.start() if found and found.start() < end else None

    def _joint_before(self, end: int, least: int) -> int | None:
        """The last offset in `text[least:end + 1]` at which counts add up."""
        if end == len(self._text):
            return end
        assert self._joints is not None
        for at in range(end, max(end - 3, least - 1), -1):
            if self._joints.match(self._text, at):
                return at
        for reach in (_EDGE // 16, _EDGE):
            last = None
            for found in self._joints.finditer(self._text, max(end - reach, least), end + _AHEAD):
                if found.start() > end:
                    break
                last = found.start()
            if last is not None:
                return last
        return None

    def _mark(self, at: int) -> int:
        """Tokens of `text[:at]`, where counts add up."""
        tokens = self._marks.get(at)
        if tokens is None:
            while not self._segments or self._segments[-1].end < at:
                self._measure()
            segment = self._segments[-1]
            if at < segment.start:
                segment = self._segments[bisect_right(self._starts, at) - 1]
            offset = at - segment.start if segment.ascii else self._byte_offset(segment, at)
            tokens = self._marks[at] = segment.before + bisect_right(segment.ends, offset)
        return tokens

    def _measure(self) -> None:
        """Tokenizes one more segment."""
        assert self._additive is not None
        assert self._joints is not None
        start, before = 0, 0
        if self._segments:
            last = self._segments[-1]
            start, before = last.end, last.before + len(last.ends)
        found = self._joints.search(self._text, min(start + _SEGMENT, len(self._text)))
        end = found.start() if found else len(self._text)
        piece = self._text[start:end]
        ends = self._additive.token_ends(piece)
        self._segments.append(_Segment(start, end, before, ends, piece.isascii()))
        self._starts.append(start)

    def _byte_offset(self, segment: _Segment, at: int) -> int:
        base, known, offset = self._byte
        if base != segment.start:
            known, offset = segment.start, 0
        if at >= known:
            offset += len(self._text[known:at].encode())
        else:
            offset -= len(self._text[at:known].encode())
        self._byte = (segment.start, at, offset)
        return offset


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
