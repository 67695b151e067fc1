"""Which text do a page's form fields and typewriter notes show? PDFium's text leaves it out."""

from collections.abc import Iterator

from rag_chunker.layout.geometry import Box
from rag_chunker.layout.lines import Line, Style, Word
from rag_chunker.parsing.pdf.frame import Frame
from rag_chunker.parsing.pdf.opening import Handle, utf16

MAX_ANNOTATIONS = 5_000
"""Of one page; the rest is not looked at."""

_HIDDEN = 1 << 1 | 1 << 5
"""Annotation flags Hidden and NoView: ISO 32000-1, table 165."""
_LARGEST = 12.0
"""Points; a field higher than a line of this size has several lines."""


def field_lines(page: Handle, frame: Frame) -> list[Line]:
    """One line for each filled text or choice field and each free-text note, where it stands.

    Comments that a viewer shows only on demand are left out.
    """
    import pypdfium2.raw as pdfium

    found: list[Line] = []
    for index in range(min(MAX_ANNOTATIONS, max(0, pdfium.FPDFPage_GetAnnotCount(page)))):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            found += _lines_of(annotation, frame)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    return found


def _lines_of(annotation: Handle, frame: Frame) -> Iterator[Line]:
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFAnnot_GetSubtype(annotation)
    key = {pdfium.FPDF_ANNOT_WIDGET: b"V", pdfium.FPDF_ANNOT_FREETEXT: b"Contents"}.get(kind)
    if key is None or pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
        return
    rect = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(annotation, rect):
        return
    box = frame.box(rect.left, rect.bottom, rect.right, rect.top)
    texts = utf16(pdfium.FPDFAnnot_GetStringValue, annotation, key).splitlines()
    height = min(_LARGEST, box.height / max(1, len(texts)))
    for number, text in enumerate(texts):
        if text.strip():
            top = box.top + number * height
            yield _line(text, Box(box.left, top, box.right, top + height))


def _line(text: str, box: Box) -> Line:
    style = Style(max(1.0, round(0.8 * box.height, 1)))
    width = box.width / len(text)
    left = box.left
    found: list[Word] = []
    for word in text.split():
        right = left + width * len(word)
        found.append(Word(word, left, box.top, right, box.bottom, style))
        left = right + width
    return Line(found)
