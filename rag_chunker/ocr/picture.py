"""How is a whole picture read? Decoded, in strips if it is long, the right way up, laid out."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rag_chunker.ocr.lettering import with_sizes
from rag_chunker.ocr.reading import regions_of
from rag_chunker.ocr.rotation import turned_picture
from rag_chunker.ocr.seen import Seen, scaled, turned_back
from rag_chunker.pictures import frame
from rag_core.errors import OCRError, ParseError
from rag_core.types import OCRRegion

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["read_picture"]

_MOST_PIXELS = 25_000_000
"""A4 at 500 dpi; a larger picture is scaled down to it, which costs no letter."""
_LONG = 2.5
"""Times its width: how high a picture is that is read in strips. An engine that scales the longer
side to what its network takes would see nothing of a long screenshot."""
_STRIP = 1.4
"""Times the width: the height of a strip, about that of a page."""


def read_picture(
    image: bytes,
    read: Callable[["Image"], tuple[list[Seen], int]],
    *,
    em: float,
) -> tuple[OCRRegion, ...]:
    """The paragraphs of an image file's first frame, in reading order.

    `read` sees pieces of lines the right way up, and says by how many degrees clockwise it turned
    the picture for that (see `rotation`); `em` is the size of the font as part of the height of
    their boxes. Boxes are in pixels of the frame as it is shown. Raises `OCRError` for what is no
    image or a too large one, and what `read` raises.
    """
    try:
        picture = frame(image, 1)
    except ParseError as error:
        raise OCRError(error.message) from error
    scale = max(1.0, (picture.width * picture.height / _MOST_PIXELS) ** 0.5)
    if scale > 1.0:
        picture = picture.resize((round(picture.width / scale), round(picture.height / scale)))
    found: list[OCRRegion] = []
    for top, strip in _strips(picture):
        seen, degrees = read(strip)
        seen = with_sizes(seen, turned_picture(strip, degrees))
        places = turned_back(seen, degrees, strip.width, strip.height)
        found += regions_of(seen, scaled(places, scale, top), em=em)
    return tuple(found)


def _strips(picture: "Image") -> Iterator[tuple[int, "Image"]]:
    """(its top, strip): the whole picture, or the strips of a long one, cut where least stands."""
    width, height = picture.size
    if height <= _LONG * width:
        yield 0, picture
        return
    ink = _ink_of_rows(picture)
    step = max(round(_STRIP * width), 64)
    top = 0
    while height - top > 1.5 * step:
        nearest = range(top + step, top + step * 2 // 3, -1)
        cut = min(nearest, key=lambda row: max(ink[row - 2 : row + 2]))
        yield top, picture.crop((0, top, width, cut))
        top = cut
    yield top, picture.crop((0, top, width, height))


def _ink_of_rows(picture: "Image") -> bytes:
    """How much each row changes from left to right, 0..255."""
    from PIL import ImageChops
    from PIL.Image import Resampling

    grey = picture.convert("L")
    changes = ImageChops.difference(grey, ImageChops.offset(grey, 1, 0))
    strong = changes.point(lambda value: 255 if value > 24 else 0)
    return strong.resize((1, picture.height), Resampling.BOX).tobytes()
