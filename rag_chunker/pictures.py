"""What is in an image file? Its frames and their sizes, upright, within limits on both."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple, cast

from rag_core.errors import CorruptDocument, DocumentTooLarge

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_FRAMES", "MAX_PIXELS", "FrameSize", "frame", "frame_sizes", "to_png"]

MAX_PIXELS = 100_000_000
"""Of one frame: A4 at 600 dpi has 35 million, the largest phone photos 200. 100 million take 300 MB
as colours."""
MAX_FRAMES = 500
"""Of one file."""

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
_ORIENTATION = 0x0112
_SUBFILE_TYPE = 0x00FE
_TRANSPOSED = (5, 6, 7, 8)


class FrameSize(NamedTuple):
    """One frame as it is shown, its EXIF orientation obeyed."""

    width: int
    """In pixels."""
    height: int


def frame_sizes(data: bytes) -> list[FrameSize]:
    """The size of each frame that is a page, read from the headers alone.

    Only TIFF files have more than one (their thumbnails do not count): the frames of an animation
    show one text again and again. Raises `CorruptDocument` for what is no image, and
    `DocumentTooLarge` above `MAX_PIXELS` or `MAX_FRAMES`.
    """
    with _opened(data) as picture:
        return [_size(picture) for _ in _pages(picture)]


def frame(data: bytes, number: int) -> "Image":
    """Frame `number` (1-based) in RGB, upright by its EXIF orientation, on white where transparent.

    Raises as `frame_sizes` does, `CorruptDocument` too if its pixels cannot be read.
    """
    from PIL import ImageOps

    with _opened(data) as picture:
        for count, _ in enumerate(_pages(picture), 1):
            if count == number:
                _size(picture)
                return _in_rgb(
                    ImageOps.exif_transpose(picture) if _exif_is_at_hand(picture) else picture
                )
    raise CorruptDocument(f"the image has no frame {number}: save it again")


def to_png(picture: "Image") -> bytes:
    """A picture as a PNG file, packed lightly: it is soon read again."""
    packed = BytesIO()
    picture.save(packed, "PNG", compress_level=1)
    return packed.getvalue()


_PILLOW = RLock()
"""Held while Pillow's own limit, which is the whole process's, is set aside for ours."""


@contextmanager
def _opened(data: bytes) -> Iterator["Image"]:
    """The open image; whatever Pillow raises inside is `CorruptDocument`."""
    from PIL import Image

    with _PILLOW:
        limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
        try:
            with Image.open(BytesIO(data), formats=_FORMATS) as picture:
                yield picture
        except (CorruptDocument, DocumentTooLarge):
            raise
        except Exception as error:  # Pillow raises a dozen kinds on damaged files
            raise CorruptDocument(
                f"not a readable image ({type(error).__name__}: {error}): save it again"
                if data
                else "the file is empty"
            ) from error
        finally:
            Image.MAX_IMAGE_PIXELS = limit


def _pages(picture: "Image") -> Iterator[int]:
    """Seeks one page after the other."""
    index = 0
    while True:
        if index == MAX_FRAMES:
            raise DocumentTooLarge(f"more than {MAX_FRAMES} frames: split the image file")
        if not _is_thumbnail(picture):
            yield index
        index += 1
        if picture.format != "TIFF":
            return
        try:
            picture.seek(index)
        except EOFError:
            return


def _is_thumbnail(picture: "Image") -> bool:
    tags = getattr(picture, "tag_v2", {})
    return bool(tags.get(_SUBFILE_TYPE, 0) & 1)


def _size(picture: "Image") -> FrameSize:
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise DocumentTooLarge(
            f"{width} x {height} = {width * height:,} pixels, at most {MAX_PIXELS:,}: scale it down"
        )
    turned = (
        picture.format != "TIFF"  # whose size Pillow gives as shown
        and _exif_is_at_hand(picture)
        and picture.getexif().get(_ORIENTATION) in _TRANSPOSED
    )
    return FrameSize(height, width) if turned else FrameSize(width, height)


def _exif_is_at_hand(picture: "Image") -> bool:
    """Pillow would decode a whole PNG to look for an orientation behind its pixels."""
    return picture.format != "PNG" or "exif" in picture.info


def _in_rgb(picture: "Image") -> "Image":
    if picture.mode.startswith("I;16") or picture.mode in ("I", "F"):
        return _in_eight_bits(picture).convert("RGB")
    if picture.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in picture.info:
        return _on_paper(picture.convert("RGBA"))
    return picture.convert("RGB")


def _in_eight_bits(picture: "Image") -> "Image":
    """Deep greys spread from black to white: converting them as they are would cut them off."""
    deep = picture.convert("F")
    low, high = cast("tuple[float, float]", deep.getextrema())
    scale = 255.0 / (high - low) if high > low else 0.0
    return deep.point(lambda value: value * scale - low * scale).convert("L")


def _on_paper(picture: "Image") -> "Image":
    """On white; on black if what is drawn is so light that it would vanish."""
    from PIL import Image, ImageStat

    alpha = picture.getchannel("A")
    drawn = ImageStat.Stat(picture.convert("L"), alpha)
    least_alpha = cast("tuple[int, int]", alpha.getextrema())[0]
    light = drawn.count[0] > 0 and drawn.mean[0] > 200 and least_alpha < 128
    paper = Image.new("RGBA", picture.size, "black" if light else "white")
    return Image.alpha_composite(paper, picture).convert("RGB")
