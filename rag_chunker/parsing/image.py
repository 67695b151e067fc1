"""Images: one page for each frame, all of them waiting for OCR."""

from importlib.metadata import version as version_of

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.pictures import frame_sizes
from rag_core.spi import Parser
from rag_core.types import Page, ParsedDocument, Source

REASON = "image"
_SIGNATURES = {
    "image/png": (b"\x89PNG",),
    "image/jpeg": (b"\xff\xd8",),
    "image/tiff": (b"II", b"MM"),
    "image/webp": (b"RIFF",),
    "image/bmp": (b"BM",),
    "image/gif": (b"GIF8",),
}


class ImageParser(Parser):
    """Gives pages without blocks: the text of an image is for an OCR engine to read."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        """Pages with their size in pixels as shown, from the file's headers alone.

        Raises `CorruptDocument`, and `DocumentTooLarge` for too many pixels or frames.
        """
        with blamed_on(source):
            sizes = frame_sizes(data)
        pages = tuple(
            Page(number=number, width=size.width, height=size.height, needs_ocr=True, reason=REASON)
            for number, size in enumerate(sizes, 1)
        )
        return ParsedDocument(
            document=source.document(data, mime_type=_media_type(data)), pages=pages
        )

    def version(self) -> str:
        return f"image-1+pillow-{version_of('pillow')}"


def _media_type(data: bytes) -> str:
    """Of bytes that are known to be an image of one of these kinds."""
    return next(
        kind for kind, starts in _SIGNATURES.items() if any(data.startswith(s) for s in starts)
    )
