"""Can these bytes be opened as a PDF? Open, metadata and close, with errors of ours."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rag_core.errors import CorruptDocument, DocumentTooLarge, EncryptedDocument

MAX_PAGES = 10_000
"""At 40 pages a CPU second that is four minutes of work."""

Handle = Any
"""A PDFium handle: an opaque ctypes pointer."""


@contextmanager
def open_pdf(data: bytes) -> Iterator[Handle]:
    """The PDFium document of `data`, closed on leaving.

    Raises `EncryptedDocument` if it needs a password to be read (a mere owner's password does
    not), `CorruptDocument` if PDFium cannot read it or it has no page, `DocumentTooLarge` above
    `MAX_PAGES`.
    """
    import pypdfium2  # noqa: F401  initialises PDFium, once
    import pypdfium2.raw as pdfium

    handle = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not handle:
        raise _refusal(pdfium.FPDF_GetLastError(), data)
    try:
        pages = pdfium.FPDF_GetPageCount(handle)
        if pages == 0:
            raise CorruptDocument("this PDF has no pages; export it again")
        if pages > MAX_PAGES:
            raise DocumentTooLarge(f"{pages} pages, at most {MAX_PAGES}: split the document")
        yield handle
    finally:
        pdfium.FPDF_CloseDocument(handle)


def _refusal(code: int, data: bytes) -> Exception:
    import pypdfium2.raw as pdfium

    if code == pdfium.FPDF_ERR_PASSWORD:
        return EncryptedDocument("the PDF is encrypted with a password: save it without one")
    if code == pdfium.FPDF_ERR_SECURITY:
        return EncryptedDocument(
            "the PDF is encrypted in a way that cannot be read (no password handler): save it "
            "without protection"
        )
    if not data:
        return CorruptDocument("the file is empty")
    return CorruptDocument("not a readable PDF (damaged or cut off?): export or download it again")


def metadata(handle: Handle) -> dict[str, str]:
    """What the document says about itself: `Title`, `Author`, ... without the empty ones."""
    import pypdfium2.raw as pdfium

    keys = ("Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate")
    found = {key: utf16(pdfium.FPDF_GetMetaText, handle, key.encode()) for key in keys}
    return {key: value.strip() for key, value in found.items() if value.strip()}


MAX_STRING_BYTES = 1 << 20
"""Of one title, alternative text or field value; longer ones are not read."""


def utf16(function: Any, *arguments: Any) -> str:
    """The string that a PDFium getter of UTF-16 gives: it is asked for its length first."""
    size = function(*arguments, None, 0)
    if size <= 2 or size > MAX_STRING_BYTES:
        return ""
    buffer = (ctypes.c_ushort * ((size + 1) // 2))()
    function(*arguments, buffer, size)
    text = bytes(buffer)[: size - 2].decode("utf-16-le", errors="ignore")
    return text.replace("\x00", "").replace("\ufeff", "")
