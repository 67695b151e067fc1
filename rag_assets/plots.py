"""How does a figure become a picture that Dagster's UI shows at once? As a small PNG in Markdown.

The UI shows Markdown of up to 999 characters in place, and hides longer ones behind a link. So
the pictures have four colours, straight edges and little writing: all else stands in the text
below them. The background is transparent, for light and dark pages.
"""

import base64
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

__all__ = ["LONGEST_SHOWN", "histogram", "stacked_bars"]

LONGEST_SHOWN = 999
"""Characters of Markdown that the UI shows without a click (Dagster 1.13, `expandSmallValues`)."""

_BACKGROUND, _GREY, _BLUE, _RED = range(4)
_PALETTE = (0, 0, 0, 128, 128, 136, 79, 122, 230, 220, 60, 50)
_COLOURS = {"blue": _BLUE, "red": _RED, "grey": _GREY}
_WIDTH = 384  # pixels: the column of values on the page of an asset, at a window of 1,500
_CHARACTER = 6  # pixels: the built-in bitmap font is 6 wide and 11 high
_LINE = 11
_ROW = 14  # pixels from one horizontal bar to the next
_MOST_ROWS = 7
_OTHER = "other"
_SHORTEST_CAPTION = 40  # characters that are left of it in any case


def histogram(
    counts: Sequence[int], marked: int, mark: str, step: float, unit: str, caption: str
) -> str:
    """Markdown with upright bars, a red line named `mark` in front of bar number `marked`, and a
    caption.

    `step` is the width of a bar in `unit`. All counts 0, or none, gives the caption alone.
    """
    if not any(counts):
        return caption
    left, top, bottom = 34, 16, 108
    image, draw = _canvas(bottom + 3 + _LINE)
    pitch = (_WIDTH - left - 2) // len(counts)
    for index, count in enumerate(counts):
        height = _scaled(count, max(counts), bottom - top)
        _bar(draw, left + index * pitch + 1, bottom - height, pitch - 1, height, _BLUE)
    _bar(draw, left, bottom, pitch * len(counts), 1, _GREY)
    _text(draw, left - 4, top - 4, _short(max(counts)), align=1.0)
    for index in (0, marked // 2):
        _text(draw, left + index * pitch, bottom + 3, f"{index * step:.0f}", align=0.5)
    at = left + marked * pitch
    _bar(draw, at, 2, 1, bottom + 1, _RED)
    _text(draw, at - 4, 0, mark, align=1.0, colour=_RED)
    end = f"{marked * step:.0f}"
    _text(draw, at - _CHARACTER * len(end) // 2, bottom + 3, f"{end} {unit}")
    return _markdown(image, caption)


def stacked_bars(
    rows: Mapping[str, Mapping[str, int]], colours: Mapping[str, str], caption: str
) -> str:
    """Markdown with a lying bar per row, made up of the counts by key, and a caption.

    `colours` says `blue`, `red` or `grey` for each key, in the order in which a bar shows them.
    The first rows are shown, as many as there is room for, and the others as one. No rows give
    the caption alone.
    """
    if not rows:
        return caption
    for most in range(_MOST_ROWS, 1, -1):
        shown = _lying_bars(_merged(rows, most), colours, caption)
        if len(shown) <= LONGEST_SHOWN:
            break
    return shown


def _merged(rows: Mapping[str, Mapping[str, int]], most: int) -> dict[str, Mapping[str, int]]:
    if len(rows) <= most:
        return dict(rows)
    kept = {name: rows[name] for name in list(rows)[: most - 1] if name != _OTHER}
    other: Counter[str] = Counter()
    for name in rows.keys() - kept.keys():
        other.update(rows[name])
    return kept | {_OTHER: other}


def _lying_bars(
    rows: Mapping[str, Mapping[str, int]], colours: Mapping[str, str], caption: str
) -> str:
    longest = 8 if len(rows) < 5 else 5  # characters of a name: writing makes a picture large
    left = _CHARACTER * min(longest, max(map(len, rows))) + 6
    right = _CHARACTER * 5
    largest = max(1, *(sum(counts.values()) for counts in rows.values()))
    image, draw = _canvas(_ROW * len(rows))
    for index, (name, counts) in enumerate(rows.items()):
        _text(draw, 0, index * _ROW, name[:longest])
        at, so_far = left, 0
        for key, colour in colours.items():
            so_far += counts.get(key, 0)
            end = left + _scaled(so_far, largest, _WIDTH - left - right)
            _bar(draw, at, index * _ROW + 1, end - at, _ROW - 4, _COLOURS[colour])
            at = end
        _text(draw, at + 4, index * _ROW, _short(so_far))
    return _markdown(image, caption)


def _short(count: int) -> str:
    """At most four characters: 999, 1.2k, 999k, 12M; the exact number stands elsewhere."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.{1 if count < 9.95 * size else 0}f}{unit}"
    return str(count)


def _scaled(value: int, largest: int, pixels: int) -> int:
    """Pixels for a value; at least one for whatever is not 0."""
    return max(round(pixels * value / largest), min(value, 1))


def _canvas(height: int) -> "tuple[Image.Image, ImageDraw.ImageDraw]":
    from PIL import Image, ImageDraw

    image = Image.new("P", (_WIDTH, height), _BACKGROUND)
    image.putpalette(_PALETTE)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"  # no greys at the edges
    return image, draw


def _bar(draw: "ImageDraw.ImageDraw", x: int, y: int, width: int, height: int, colour: int) -> None:
    if width > 0 and height > 0:
        draw.rectangle((x, y, x + width - 1, y + height - 1), fill=colour)


def _text(
    draw: "ImageDraw.ImageDraw",
    x: int,
    y: int,
    text: str,
    align: float = 0.0,
    colour: int = _GREY,
) -> None:
    """`align`: how much of the text stands left of `x`."""
    from PIL import ImageFont

    width = _CHARACTER * len(text)
    x = min(max(round(x - align * width), 0), _WIDTH - width)
    draw.text((x, y), text, fill=colour, font=ImageFont.load_default_imagefont())


def _markdown(image: "Image.Image", caption: str) -> str:
    data = io.BytesIO()
    image.save(data, "PNG", bits=2, optimize=True, transparency=_BACKGROUND)
    encoded = base64.b64encode(data.getvalue()).decode()
    picture = f"![](data:image/png;base64,{encoded})\n\n"
    return picture + shortened(caption, max(LONGEST_SHOWN - len(picture), _SHORTEST_CAPTION))


def shortened(text: str, longest: int) -> str:
    """At most so many characters, with an ellipsis where some are missing."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
