"""What does one page look like? Its picture, or the pictures on it, for an OCR engine to read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rag_chunker.layout.geometry import Box
from rag_chunker.pictures import frame, to_png
from rag_core.errors import CorruptDocument
from rag_core.types import ParsedDocument

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfPage

__all__ = ["DPI", "PageImage", "images_of_page", "page_image"]

DPI = 200
"""Of a rendered PDF page: at 150 clean pages are read without an error, 200 leave small print a
reserve."""
_MOST_PIXELS = 25_000_000
"""Of a rendered page: A2 at 200 dpi has 15 million. Larger pages get fewer dots per inch."""
_PDF = "application/pdf"
_LEAST_SIDE, _LEAST_SHARE = 36.0, 0.03
"""Points, and part of the page: a picture with words to read, rather than a logo or an icon."""


class PageImage(NamedTuple):
    """A page as an image file."""

    data: bytes
    unit: float
    """Length of a pixel in the units of `Page.width`: points for a PDF, pixels for an image."""


def page_image(parsed: ParsedDocument, data: bytes, number: int) -> PageImage:
    """The picture of page `number` (1-based) of the document that `data` are the bytes of.

    A page of a PDF is rendered by PDFium (which is not thread-safe) with its form fields; of an
    image file it is the frame, an image of one frame being handed on as it is. Raises
    `CorruptDocument` if it cannot be shown, `DocumentTooLarge` as the parser would.
    """
    if parsed.document.mime_type == _PDF:
        return _rendered(data, number)
    if len(parsed.pages) == 1:
        return PageImage(data, 1.0)
    return PageImage(to_png(frame(data, number)), 1.0)


def images_of_page(parsed: ParsedDocument, data: bytes, number: int) -> PageImage | None:
    """Page `number` (1-based) of a PDF with nothing on it but its larger pictures, each where it
    stands; None if it has none, or the document is no PDF. Raises as `page_image` does."""
    if parsed.document.mime_type != _PDF:
        return None
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data) as document:
            page = document[number - 1]
            boxes = _large_images(page)
            if not boxes:
                page.close()
                return None
            picture, unit = _picture(page)
            page.close()
    except (pypdfium2.PdfiumError, IndexError, ValueError, MemoryError) as error:
        raise _unshown(number, error) from error
    return PageImage(to_png(_without_the_rest(picture, boxes, unit)), unit)


def _rendered(data: bytes, number: int) -> PageImage:
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data) as document:
            if document.get_formtype():
                document.init_forms()
            page = document[number - 1]
            picture, unit = _picture(page)
            page.close()
    except (pypdfium2.PdfiumError, IndexError, ValueError, MemoryError) as error:
        raise _unshown(number, error) from error
    return PageImage(to_png(picture), unit)


def _picture(page: "PdfPage") -> "tuple[Image, float]":
    """The page, and the length of a pixel in points."""
    width, height = page.get_size()
    scale = min(DPI / 72, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    return page.render(scale=scale).to_pil().convert("RGB"), 1.0 / scale


def _large_images(page: "PdfPage") -> list[Box]:
    """In points from the top left corner of the page as it is shown."""
    from rag_chunker.parsing.pdf.frame import frame_of
    from rag_chunker.parsing.pdf.shapes import image_boxes

    frame = frame_of(page.raw)
    least = _LEAST_SHARE * frame.width * frame.height
    return [
        box
        for box in image_boxes(page.raw, frame)
        if min(box.width, box.height) >= _LEAST_SIDE and box.width * box.height >= least
    ]


def _without_the_rest(page: "Image", boxes: Sequence[Box], unit: float) -> "Image":
    from PIL import Image

    paper = Image.new("RGB", page.size, "white")
    for box in boxes:
        left, top, right, bottom = (round(edge / unit) for edge in box)
        part = (max(0, left), max(0, top), min(page.width, right), min(page.height, bottom))
        if part[0] < part[2] and part[1] < part[3]:
            paper.paste(page.crop(part), part)
    return paper


def _unshown(number: int, error: Exception) -> CorruptDocument:
    return CorruptDocument(f"page {number} cannot be rendered ({error}): export the document again")
