"""Which bullet belongs to which line? Shapes and lone glyphs find the text they were drawn for."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from rag_chunker.layout.geometry import Box
from rag_chunker.layout.lines import Line
from rag_chunker.layout.markers import is_lone_bullet, is_lone_number

_REACH = 3.5
"""In em of the text: how far left of its line a bullet stands at most."""


def attach_bullets(
    lines: Sequence[Line], shapes: Sequence[Box], discs: Sequence[Box] = ()
) -> list[Line]:
    """The lines without lone bullets; each line with a bullet at its left has it as `marker`.
    `discs` are larger shapes, bullets only with a number inside."""
    lines = [_with_bullet_taken(line) for line in lines]
    lines = _with_numbers_taken(lines, [*shapes, *discs])
    lone = [line for line in lines if is_lone_bullet(line.text) or is_lone_number(line.text)]
    if not lone and not shapes:
        return list(lines)
    alone = {id(line) for line in lone}
    rest = sorted(
        (line for line in lines if id(line) not in alone), key=lambda line: line.box.middle
    )
    middles = [line.box.middle for line in rest]
    for mark in lone:
        number = is_lone_number(mark.text)
        owner = _owner(mark.box, rest, middles, below=not number)
        if owner is not None and owner.marker is None:
            owner.marker, owner.marker_left = mark.text, mark.left
        elif number:
            alone.discard(id(mark))
    for shape in shapes:
        owner = _owner(shape, rest, middles, below=shape.height > 6)
        if owner is not None and owner.marker is None:
            owner.marker, owner.marker_left = "•", shape.left
    return [line for line in lines if id(line) not in alone]


def _with_bullet_taken(line: Line) -> Line:
    """The line, with a bullet that it starts with, well apart from its text, as its marker."""
    if len(line.words) < 2 or not is_lone_bullet(line.words[0].text) or line.words[1].glued:
        return line
    first, second = line.words[0], line.words[1]
    if second.left - first.right < 0.35 * second.style.size:
        return line
    return _marked(line, first.left)


def _with_numbers_taken(lines: list[Line], shapes: Sequence[Box]) -> list[Line]:
    """The lines, with a number that stands in a shape before a line's text as its marker."""
    starts = [at for at, line in enumerate(lines) if _starts_with_number(line)]
    starts.sort(key=lambda at: lines[at].words[0].box.middle)
    middles = [lines[at].words[0].box.middle for at in starts]
    for shape in shapes if starts else ():
        first, behind = bisect_left(middles, shape.top), bisect_right(middles, shape.bottom)
        for at in starts[first:behind]:
            number = lines[at].words[0]
            is_inside = shape.left <= (number.left + number.right) / 2 <= shape.right
            if is_inside and lines[at].marker is None:
                lines[at] = _marked(lines[at], shape.left)
    return lines


def _starts_with_number(line: Line) -> bool:
    return line.marker is None and len(line.words) > 1 and line.words[0].text.isdecimal()


def _marked(line: Line, left: float) -> Line:
    """The line with its first word as marker, which starts at `left`."""
    marked = line.with_words(line.words[1:])
    marked.marker, marked.marker_left = line.words[0].text, left
    return marked


def _owner(
    bullet: Box, lines: Sequence[Line], middles: Sequence[float], *, below: bool
) -> Line | None:
    """The line right of a bullet at its height, else with `below` the one closely below it."""
    reach = 2.2 * max(bullet.height, 8.0)
    start = bisect_left(middles, bullet.middle - reach)
    under: Line | None = None
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
        elif under is None and line.box.middle > bullet.middle:
            under = line
    return best or (under if below else None)
