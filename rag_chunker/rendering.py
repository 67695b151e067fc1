"""What does one page look like? Its picture, for an OCR engine to read."""

from typing import NamedTuple

from rag_chunker.pictures import frame, to_png
from rag_core.errors import CorruptDocument
from rag_core.types import ParsedDocument

__all__ = ["DPI", "PageImage", "page_image"]

DPI = 200
"""Of a rendered PDF page: at 150 clean pages are read without an error, 200 leave small print a
reserve."""
_MOST_PIXELS = 25_000_000
"""Of a rendered page: A2 at 200 dpi has 15 million. Larger pages get fewer dots per inch."""
_PDF = "application/pdf"


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


def _rendered(data: bytes, number: int) -> PageImage:
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data) as document:
            if document.get_formtype():
                document.init_forms()
            page = document[number - 1]
            width, height = page.get_size()
            scale = min(DPI / 72, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
            picture = page.render(scale=scale).to_pil().convert("RGB")
            page.close()
    except (pypdfium2.PdfiumError, IndexError, ValueError, MemoryError) as error:
        raise CorruptDocument(
            f"page {number} cannot be rendered ({error}): export the document again"
        ) from error
    return PageImage(to_png(picture), 1.0 / scale)
