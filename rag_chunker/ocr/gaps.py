"""Where may a long line be cut, so that each part is read for less? In its gaps between words."""

from typing import Any

from rag_chunker.layout.lines import NO_SPACES

__all__ = ["joined", "parts_of"]

_LONG = 18.0
"""Times its height: a line that is cut. Recognizing the same pixels took a fifth less CPU time in
halves of lines 1,100 to 1,600 pixels wide than whole (48 high): what the network computes for them
fits the caches. Over 199 such lines in 60 fonts, sizes and noises 22 were read better and 25 worse
by a letter or two, those of the benchmark's 22 pages all the same."""
_HEIGHT = 48
"""Pixels: what a line is scaled to before its gaps are measured."""
_NARROWEST = 10
"""Of these pixels: words are 12 and more apart, letters up to 6."""
_EMPTY = 0.2
"""How far from the plainest towards the fullest columns one may be that is still a gap."""
_TOLD_APART = 1.6
"""Times as full as the plainest columns are the fullest, at least, where there are gaps at all."""


def parts_of(line: Any) -> list[Any]:
    """The parts from left to right of an upright line (rows x columns x colours), itself if it is
    short or has no clear gap in its middle third. Each pixel is in one part."""
    parts: list[Any] = []
    pending = [line]
    while pending:
        part = pending.pop()
        cut = _cut(part) if part.shape[1] > _LONG * part.shape[0] else None
        if cut is None:
            parts.append(part)
        else:
            pending += [part[:, cut:], part[:, :cut]]
    return parts


def joined(readings: list[tuple[str, float]]) -> tuple[str, float]:
    """The text of all parts, and the mean confidence of their characters."""
    text, total = "", 0.0
    for part, confidence in readings:
        open_gap = text and part and not NO_SPACES.search(text[-1] + part[0])
        text = f"{text.rstrip()} {part.lstrip()}" if open_gap else text + part
        total += confidence * len(part)
    count = sum(len(part) for part, _ in readings)
    return text, total / count if count else 0.0


def _cut(line: Any) -> int | None:
    """The middle of the widest gap in the middle third of a line; None without a clear one."""
    import cv2
    import numpy as np

    scale = _HEIGHT / line.shape[0]
    width = round(line.shape[1] * scale)
    grey = cv2.resize(line.mean(axis=2), (width, _HEIGHT), interpolation=cv2.INTER_AREA)
    inner = grey[_HEIGHT // 12 : -_HEIGHT // 12]  # without the letters of the lines beside it
    fullness = np.convolve(inner.std(axis=0), np.ones(3) / 3, "same")
    plain, full = np.percentile(fullness, [3, 75])
    if full < _TOLD_APART * plain:
        return None
    best, end, run = 0, 0, 0
    for column in range(width // 3, 2 * width // 3):
        run = run + 1 if fullness[column] < plain + _EMPTY * (full - plain) else 0
        if run > best:
            best, end = run, column + 1
    return round((end - best / 2) / scale) if best >= _NARROWEST else None
