"""Which bullet belongs to which line? Shapes and lone glyphs find the text they were drawn for."""

from bisect import bisect_left
from collections.abc import Sequence

from rag_chunker.layout.geometry import Box
from rag_chunker.layout.lines import Line
from rag_chunker.layout.markers import is_lone_bullet

_REACH = 3.5
"""In em of the text: how far left of its line a bullet stands at most."""


def attach_bullets(lines: Sequence[Line], shapes: Sequence[Box]) -> list[Line]:
    """The lines without lone bullets; each line with a bullet at its left has it as `marker`."""
    bullets = [(line.box, line.text) for line in lines if is_lone_bullet(line.text)]
    bullets += [(shape, "•") for shape in shapes]
    if not bullets:
        return list(lines)
    rest = sorted(
        (line for line in lines if not is_lone_bullet(line.text)), key=lambda line: line.box.middle
    )
    middles = [line.box.middle for line in rest]
    kept: list[Line] = []
    for box, glyph in bullets:
        owner = _owner(box, rest, middles)
        if owner is not None and owner.marker is None:
            owner.marker, owner.marker_left = glyph, box.left
    for line in lines:
        if is_lone_bullet(line.text):
            continue
        kept.append(line)
    return kept


def _owner(bullet: Box, lines: Sequence[Line], middles: Sequence[float]) -> Line | None:
    """The line right of a bullet at its height, else the one closely below it."""
    reach = 2.2 * max(bullet.height, 8.0)
    start = bisect_left(middles, bullet.middle - reach)
    below: Line | None = None
    best: Line | None = None
    for line in lines[start:]:
        if line.box.middle > bullet.middle + reach:
            break
        distance = line.left - bullet.right
        if not -0.2 * line.size <= distance <= _REACH * line.size:
            continue
        if line.box.top - 1 <= bullet.middle <= line.box.bottom + 1:
            if best is None or line.left < best.left:
                best = line
        elif below is None and line.box.middle > bullet.middle:
            below = line
    return best or (below if bullet.height > 6 else None)
