"""Of which level is a heading? Looks ranked, section numbers and nesting heeded."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Kind(NamedTuple):
    """A look that headings of one level share."""

    size: float
    bold: bool
    caps: bool
    italic: bool
    color: int
    font: str


class Heading(NamedTuple):
    """What decides the level of one heading."""

    kind: Kind
    depth: int | None
    """Of its section number; None without one."""
    page: int
    bare: bool = False
    """It directly follows another heading."""


def levels_of(headings: Sequence[Heading]) -> list[int]:
    """A level, 1..6, for each heading of a document, in its order.

    Kinds rank by size, weight, caps; those of one size and weight by which comes first below a
    higher one. Section numbers overrule ranks: a number's depth counts from the level of the
    highest kind that is numbered. The highest kinds share level 1 if they stand at
    the start below each other, once each: title and subtitle.
    """
    ranked = _ranked(headings)
    level_of: dict[Kind, int] = {}
    base: int | None = None
    level = 0
    titles = _title_kinds(headings, ranked)
    numbers: dict[Kind, list[int | None]] = {}
    for heading in headings:
        numbers.setdefault(heading.kind, []).append(heading.depth)
    for group in ranked:
        given = [depth for kind in group for depth in numbers[kind]]
        depths = [depth for depth in given if depth is not None]
        if depths and 2 * len(depths) >= len(given):
            if base is None:
                base = level + 1 - min(depths)
            level = max(level, base + min(depths))
            level_of.update((kind, base + min(depths)) for kind in group)
            level = max(level, base + max(depths))
            continue
        level += not (level and group <= titles)
        level_of.update((kind, level) for kind in group)
    return [_clamped(h, level_of, base) for h in headings]


def _clamped(heading: Heading, level_of: dict[Kind, int], base: int | None) -> int:
    level = level_of[heading.kind]
    if base is not None and heading.depth is not None:
        level = base + heading.depth
    return max(1, min(6, level))


def _title_kinds(headings: Sequence[Heading], ranked: Sequence[set[Kind]]) -> set[Kind]:
    """The highest kinds as long as they occur once, at the start, one directly below another."""
    counts = Counter(heading.kind for heading in headings)
    start: set[Kind] = set()
    for place, heading in enumerate(headings):
        if (place and not heading.bare) or heading.depth is not None:
            break
        start.add(heading.kind)
    titles: set[Kind] = set()
    for group in ranked:
        if any(counts[kind] > 1 or kind not in start for kind in group):
            break
        titles |= group
    return titles


def _ranked(headings: Sequence[Heading]) -> list[set[Kind]]:
    """Groups of kinds that are one level, the highest first."""
    kinds = sorted({heading.kind for heading in headings}, key=rank)
    groups: list[set[Kind]] = []
    start = 0
    for end in range(1, len(kinds) + 1):
        if end < len(kinds) and _are_tied(kinds[start], kinds[end]):
            continue
        groups += _by_nesting(headings, kinds[start:end])
        start = end
    return groups


def _are_tied(one: Kind, other: Kind) -> bool:
    """Whether two kinds differ in neither size nor weight; fonts are scaled by a few per cent."""
    return abs(one.size - other.size) <= 0.03 * one.size and one.bold == other.bold


def _by_nesting(headings: Sequence[Heading], tied: Sequence[Kind]) -> list[set[Kind]]:
    """Kinds of one size and weight: those that open sections of higher kinds come first."""
    looks = sorted({(kind.italic, kind.caps, kind.color) for kind in tied})
    if len(looks) == 1:
        return [set(tied)]
    opens: Counter[tuple[bool, bool, int]] = Counter()
    inside = {(kind, (kind.italic, kind.caps, kind.color)) for kind in tied}
    names = dict(inside)
    before: Kind | None = None
    for heading in headings:
        if heading.kind in names and (before is None or before not in names):
            opens[names[heading.kind]] += 1
        before = heading.kind
    totals = Counter(names[h.kind] for h in headings if h.kind in names)
    looks.sort(key=lambda look: (-opens[look] / totals[look], look[0], not look[1]))
    return [{kind for kind in tied if names[kind] == look} for look in looks]


def rank(kind: Kind) -> tuple[float, bool, bool, bool, int, str]:
    """What kinds are sorted by, the highest first."""
    size = -round(kind.size * 2) / 2
    return (size, not kind.bold, kind.italic, not kind.caps, kind.color, kind.font)
