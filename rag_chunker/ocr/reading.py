"""In which order are the lines of a picture read, and which of them make one paragraph?"""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from rag_chunker.layout.columns import by_rows, reading_order
from rag_chunker.layout.geometry import Box
from rag_chunker.layout.hyphens import join_lines, vocabulary
from rag_chunker.layout.lines import Line, Style, Word
from rag_chunker.layout.paragraphs import Paragraph, group_lines
from rag_chunker.layout.spacing import same_row
from rag_chunker.ocr.seen import Seen, bounds, skew_of, turned
from rag_core.types import OCRRegion

__all__ = ["LEAST_CONFIDENCE", "regions_of"]

LEAST_CONFIDENCE = 0.5
"""Of a line that is kept; what engines are less sure of is mostly no text at all."""

_EM = 10.0
"""The layout is laid out as if running text were set in 10 points: what a picture's pixels measure
is unknown."""
_ALIKE = (0.65, 1.35)
"""Times the usual height of a line: within it, lines are of one size and only their letters differ
(`nose` is lower than `Judgy`)."""
_WIDE = 1.5
"""In em: the gap between pieces that belong to one row of a table or form, not to one sentence."""
_BROKEN = re.compile(r"[^\W\d_][-\u2010\u00ad]$")


def regions_of(seen: Sequence[Seen], places: Sequence[Seen], *, em: float) -> tuple[OCRRegion, ...]:
    """Paragraphs in reading order, each one region with the mean confidence of its characters.

    Columns are read one after the other, lines of a paragraph joined and hyphens at their ends
    undone where the words say so; a row whose pieces stand far apart stays a region of its own.
    A skewed page is laid out straight. `seen` are the pieces on the page turned upright, `places`
    the same ones where they stand in the picture: regions have their boxes. `em` is the size of the
    font as part of the height of the engine's line boxes.
    """
    chosen = [
        (piece, place)
        for piece, place in zip(seen, places, strict=True)
        if piece.text.strip() and piece.confidence >= LEAST_CONFIDENCE
    ]
    if not chosen:
        return ()
    kept = [piece for piece, _ in chosen]
    if 2 * sum(piece.height > piece.width for piece in kept) > len(kept):
        return _in_vertical_lines(chosen)
    straight = turned(kept, -skew_of(kept))
    usual = median(piece.height for piece in straight for _ in piece.text) * em
    lines = [_line(piece, usual, em) for piece in straight]
    pieces = {id(line): place for line, (_, place) in zip(lines, chosen, strict=True)}
    for order, line in enumerate(by_rows(lines)):
        line.order = order
    ordered = [item for item in reading_order(lines) if isinstance(item, Line)]
    known = vocabulary(line.text for line in ordered if not line.hyphen)
    groups = [
        group
        for paragraph in group_lines(ordered)
        if isinstance(paragraph, Paragraph)
        for group in _without_spread_rows(paragraph.lines)
    ]
    return tuple(
        _region(
            join_lines([(line.text, line.hyphen) for line in group], known),
            [pieces[id(line)] for line in group],
        )
        for group in groups
    )


def _in_vertical_lines(chosen: Sequence[tuple[Seen, Seen]]) -> tuple[OCRRegion, ...]:
    """Chinese and Japanese columns of characters, from the right."""
    from_right = sorted(chosen, key=lambda both: -bounds([both[0].quad]).right)
    return tuple(_region(piece.text.strip(), [place]) for piece, place in from_right)


def _line(piece: Seen, usual: float, em: float) -> Line:
    box = bounds([piece.quad])
    size = piece.height * em
    if _ALIKE[0] * usual <= size <= _ALIKE[1] * usual:
        size = usual
    scale = _EM / usual
    style = Style(max(size * scale, 0.1))
    words = _words(piece.text, Box(*(edge * scale for edge in box)), style)
    return Line(words, _BROKEN.search(piece.text) is not None, page=1)


def _words(text: str, box: Box, style: Style) -> list[Word]:
    """The words of a line, as if all its characters were of one width."""
    step = box.width / len(text)
    return [
        Word(
            match[0],
            box.left + match.start() * step,
            box.top,
            box.left + match.end() * step,
            box.bottom,
            style,
        )
        for match in re.finditer(r"\S+", text)
    ]


def _without_spread_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of a paragraph in parts: each row with wide gaps is one, and what is between."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and line.column == rows[-1][-1].column and same_row(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    groups: list[list[Line]] = []
    open_group = False
    for row in rows:
        spread = any(
            right.left - left.box.right > _WIDE * left.size for left, right in pairwise(row)
        )
        if open_group and not spread:
            groups[-1] += row
        else:
            groups.append(row)
        open_group = not spread
    return groups


def _region(text: str, pieces: Sequence[Seen]) -> OCRRegion:
    weights = [len(piece.text) for piece in pieces]
    total = sum(piece.confidence * weight for piece, weight in zip(pieces, weights, strict=True))
    return OCRRegion(
        text=text,
        confidence=min(1.0, max(0.0, round(total / sum(weights), 4))),
        bbox=tuple(round(edge, 1) for edge in bounds([piece.quad for piece in pieces])),
    )
