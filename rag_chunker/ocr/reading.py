"""In which order are the lines of a picture read, and which of them make one paragraph?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from statistics import median

from rag_chunker.layout.columns import by_rows, reading_order
from rag_chunker.layout.geometry import Box
from rag_chunker.layout.hyphens import join_lines, vocabulary
from rag_chunker.layout.lines import Line, Style, Word
from rag_chunker.layout.paragraphs import Paragraph, group_lines
from rag_chunker.layout.spacing import same_row
from rag_chunker.ocr.doubt import UNSURE, is_noise
from rag_chunker.ocr.seen import Seen, bounds, skew_of, turned
from rag_core.types import OCRRegion

__all__ = ["regions_of"]

_CLEAR = 0.5
"""Confidence from which on lines tell how the page is set, and join others: on pages without noise
no line has less, while single ones of Tesseract have 0.6 and merely a wrong letter or two."""
_EM = 10.0
"""The layout is laid out as if running text were set in 10 points: what a picture's pixels measure
is unknown."""
_ALIKE = (0.65, 1.35)
"""Times the usual height of a line's box: within it, lines are of one size and only their letters
differ (`nose` is lower than `Judgy`)."""
_SAME_SIZE = (0.75, 1.2)
"""The same for sizes measured by letters: those of one size came out at 0.87 to 1.19 times the
usual one, see `lettering`."""
_WIDE = 1.5
"""In em: the gap between pieces that belong to one row of a table or form, not to one sentence."""
_BROKEN = re.compile(r"[^\W\d_][-\u2010\u00ad]$")


def regions_of(seen: Sequence[Seen], places: Sequence[Seen], *, em: float) -> tuple[OCRRegion, ...]:
    """Paragraphs in reading order, each one region with the mean confidence of its characters.

    Columns are read one after the other, lines of a paragraph joined and hyphens at their ends
    undone where the words say so; a row whose pieces stand far apart stays a region of its own.
    A skewed page is laid out straight. Only noise is dropped, see `is_noise`; lines that are hardly
    legible are regions of their own where the mean of a paragraph would hide how doubtful they are.

    `seen` are the pieces on the page turned upright, `places` the same ones where they stand in the
    picture: regions have their boxes and the median size of their letters. `em` is the size of the
    font as part of the height of the engine's line boxes.
    """
    chosen = [both for both in zip(seen, places, strict=True) if not is_noise(both[0])]
    if not chosen:
        return ()
    kept = [piece for piece, _ in chosen]
    clear = [piece for piece in kept if piece.confidence >= _CLEAR] or kept
    if 2 * sum(piece.height > piece.width for piece in clear) > len(clear):
        return _in_vertical_lines(chosen)
    skew = skew_of(clear)
    straight = turned(kept, -skew)
    usual = median(piece.height for piece in turned(clear, -skew) for _ in piece.text)
    letters = _usual_letters(clear)
    lines = [_line(piece, _relative_size(piece, usual, letters), usual * em) for piece in straight]
    pieces = {id(line): place for line, (_, place) in zip(lines, chosen, strict=True)}
    for order, line in enumerate(by_rows(lines)):
        line.order = order
    ordered = [item for item in reading_order(lines) if isinstance(item, Line)]
    known = vocabulary(line.text for line in ordered if not line.hyphen)
    groups = [
        group
        for paragraph in group_lines(ordered)
        if isinstance(paragraph, Paragraph)
        for rows in _without_spread_rows(paragraph.lines)
        for group in _without_hidden_doubt(rows, pieces)
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
    return tuple(
        _region(piece.text.strip(), [place._replace(size=None)]) for piece, place in from_right
    )


def _usual_letters(seen: Sequence[Seen]) -> float | None:
    """The median size of all letters, as far as they could be measured."""
    sizes = [piece.size for piece in seen if piece.size is not None for _ in piece.text]
    return median(sizes) if sizes else None


def _relative_size(piece: Seen, usual: float, letters: float | None) -> float:
    """Times that of running text: 1 where the difference is one of letters, or of measuring."""
    if letters is None or piece.size is None:
        size, alike = piece.height / usual, _ALIKE
    else:
        size, alike = piece.size / letters, _SAME_SIZE
    return 1.0 if alike[0] <= size <= alike[1] else size


def _line(piece: Seen, size: float, usual: float) -> Line:
    box = bounds([piece.quad])
    scale = _EM / usual
    style = Style(max(size * _EM, 1.0))
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


def _without_hidden_doubt(
    lines: Sequence[Line], pieces: Mapping[int, Seen]
) -> Iterator[list[Line]]:
    """The lines of a paragraph in parts, so that no part hides lines that are hardly legible."""
    if _confidence([pieces[id(line)] for line in lines]) < UNSURE:
        yield list(lines)
        return
    for _, part in groupby(lines, lambda line: pieces[id(line)].confidence < _CLEAR):
        yield list(part)


def _region(text: str, pieces: Sequence[Seen]) -> OCRRegion:
    size = _usual_letters(pieces)
    return OCRRegion(
        text=text,
        confidence=min(1.0, max(0.0, round(_confidence(pieces), 4))),
        bbox=tuple(round(edge, 1) for edge in bounds([piece.quad for piece in pieces])),
        line_height=None if size is None else round(size, 1),
    )


def _confidence(pieces: Sequence[Seen]) -> float:
    """The mean of all characters."""
    total = sum(piece.confidence * len(piece.text) for piece in pieces)
    return total / sum(len(piece.text) for piece in pieces)
