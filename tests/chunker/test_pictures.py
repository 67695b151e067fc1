"""Image files: their frames, upright, within limits."""

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from rag_chunker import pictures
from rag_chunker.pictures import frame, frame_sizes, to_png
from rag_core.errors import CorruptDocument, DocumentTooLarge

_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)


def _file(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    packed = BytesIO()
    picture.save(packed, kind, **options)
    return packed.getvalue()


def _header_of_png(width: int, height: int) -> bytes:
    """A PNG of which only the header is there."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"")
    body = b"IDAT" + data
    chunks = [(13, header), (len(data), body), (0, b"IEND")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", size) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for size, chunk in chunks
    )


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
def test_every_kind_can_be_opened(kind: str) -> None:
    data = _file(Image.new("RGB", (30, 20), "red"), kind)
    assert frame_sizes(data) == [(30, 20)]
    assert (frame(data, 1).mode, frame(data, 1).size) == ("RGB", (30, 20))


def test_too_many_pixels_are_refused_unseen_with_count_and_limit() -> None:
    for read in (frame_sizes, lambda data: frame(data, 1)):
        with pytest.raises(DocumentTooLarge, match=r"480,000,000 pixels, at most 100,000,000"):
            read(_header_of_png(24_000, 20_000))


def test_pillows_own_limit_is_left_as_it_was() -> None:
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(DocumentTooLarge):
        frame_sizes(_header_of_png(24_000, 20_000))
    assert before == Image.MAX_IMAGE_PIXELS
    assert frame_sizes(_header_of_png(10_000, 10_000)) == [(10_000, 10_000)]


def test_each_page_of_a_tiff_is_a_frame() -> None:
    pages = [Image.new("RGB", (10 * n, 20), (n, 0, 0)) for n in (1, 2, 3)]
    data = _file(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    assert frame_sizes(data) == [(10, 20), (20, 20), (30, 20)]
    assert [frame(data, n).getpixel((0, 0)) for n in (1, 2, 3)] == [(n, 0, 0) for n in (1, 2, 3)]


def test_too_many_frames_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Image.new("1", (8, 8))
    data = _file(page, "TIFF", save_all=True, append_images=[page] * 3)
    monkeypatch.setattr(pictures, "MAX_FRAMES", 4)
    assert len(frame_sizes(data)) == 4
    monkeypatch.setattr(pictures, "MAX_FRAMES", 3)
    with pytest.raises(DocumentTooLarge, match="more than 3 frames"):
        frame_sizes(data)


def test_an_animation_is_one_page() -> None:
    pages = [Image.new("RGB", (10, 10), color) for color in ("red", "green", "blue")]
    data = _file(pages[0], "GIF", save_all=True, append_images=pages[1:])
    assert frame_sizes(data) == [(10, 10)]


@pytest.mark.parametrize(("orientation", "corner"), [(1, (0, 0)), (3, (29, 19)), (6, (19, 0))])
def test_a_photo_is_turned_as_its_camera_was(orientation: int, corner: tuple[int, int]) -> None:
    photo = Image.new("RGB", (30, 20), "white")
    photo.paste("black", (0, 0, 8, 8))
    exif = Image.Exif()
    exif[0x0112] = orientation
    for kind in ("JPEG", "TIFF", "PNG", "WEBP"):
        data = _file(photo, kind, exif=exif)
        assert frame_sizes(data) == [frame(data, 1).size]
        assert sum(frame(data, 1).getpixel(corner)) < 100


def test_what_is_transparent_is_paper() -> None:
    ink = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
    ink.putpixel((5, 5), (0, 0, 0, 255))
    read = frame(_file(ink), 1)
    assert (read.getpixel((0, 0)), read.getpixel((5, 5))) == (_WHITE, _BLACK)


def test_white_ink_on_nothing_stays_visible() -> None:
    ink = Image.new("RGBA", (10, 10), (255, 255, 255, 0))
    ink.putpixel((5, 5), (255, 255, 255, 255))
    read = frame(_file(ink), 1)
    assert (read.getpixel((0, 0)), read.getpixel((5, 5))) == (_BLACK, _WHITE)


def test_deep_greys_keep_their_contrast() -> None:
    deep = Image.new("I;16", (4, 1))
    for x, value in enumerate((1000, 20_000, 40_000, 60_000)):
        deep.putpixel((x, 0), value)
    read = frame(_file(deep), 1)
    levels = [read.getpixel((x, 0))[0] for x in range(4)]
    assert levels == sorted(set(levels))


@pytest.mark.parametrize("data", [b"", b"no image", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"II*\0"])
def test_what_is_no_image_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        frame_sizes(data)


def test_a_cut_off_image_is_corrupt_when_it_is_shown() -> None:
    data = _file(Image.effect_noise((200, 200), 60))
    assert frame_sizes(data[: len(data) // 2]) == [(200, 200)]
    with pytest.raises(CorruptDocument):
        frame(data[: len(data) // 2], 1)


def test_a_frame_that_is_not_there_is_corrupt() -> None:
    with pytest.raises(CorruptDocument, match="no frame 2"):
        frame(_file(Image.new("L", (5, 5))), 2)


def test_a_png_comes_back_as_it_was() -> None:
    picture = Image.effect_noise((20, 20), 60).convert("RGB")
    assert frame(to_png(picture), 1).tobytes() == picture.tobytes()
