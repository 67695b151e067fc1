"""What stands on one page? Text, tables and bullets, read and released page by page."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line
from rag_chunker.layout.page import lay_out
from rag_chunker.parsing.pdf.characters import PageText, Spacing, read_text
from rag_chunker.parsing.pdf.fonts import Looks
from rag_chunker.parsing.pdf.frame import Frame, frame_of
from rag_chunker.parsing.pdf.ocr_need import reason_for_ocr
from rag_chunker.parsing.pdf.opening import Handle
from rag_chunker.parsing.pdf.shapes import Shapes, read_shapes


@dataclass(eq=False)
class PageContent:
    """One page's lines and tables in reading order, and what is known about the page."""

    number: int
    shown: Frame
    """As a viewer shows the page."""
    upright: Frame
    """As most of its text is upright; boxes of lines and tables are seen in it."""
    items: list[Line | Table] = field(default_factory=list)
    characters: int = 0
    reason: str | None = None
    """Why it needs OCR; None if it does not."""


@contextmanager
def loaded_page(document: Handle, index: int) -> Iterator[tuple[Handle, Handle]]:
    """Page and text page of a document, both closed on leaving; nothing if it is damaged."""
    import pypdfium2.raw as pdfium

    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        yield None, None
        return
    try:
        text_page = pdfium.FPDFText_LoadPage(page)
        try:
            yield page, text_page
        finally:
            if text_page:
                pdfium.FPDFText_ClosePage(text_page)
    finally:
        pdfium.FPDF_ClosePage(page)


def read_page(
    document: Handle, index: int, looks: Looks, spacing: Spacing, limit: int
) -> PageContent:
    """The content of page number `index` (0-based); at most `limit` characters of it."""
    looks.new_page()
    with loaded_page(document, index) as (page, text_page):
        if page is None or not text_page:
            nothing = Frame(0.0, 0.0, 0.0, 0.0, 0)
            return PageContent(index + 1, nothing, nothing, reason="damaged-page")
        shown = frame_of(page)
        text = read_text(text_page, shown, looks, spacing, limit)
        turns = max(text.lines, key=lambda turns: _amount(text.lines[turns]), default=shown.turns)
        upright = shown.turned_to(turns)
        shapes = read_shapes(page, upright)
        reason = _reason(text, shapes, text_page)
        content = PageContent(index + 1, shown, upright, characters=text.counts.visible)
        content.reason = reason
        content.items = _items(text, shapes, upright, index + 1)
    return content


def _amount(lines: list[Line]) -> int:
    return sum(len(word.text) for line in lines for word in line.words)


def _reason(text: PageText, shapes: Shapes, text_page: Handle) -> str | None:
    counts = text.counts
    suspicious = counts.bad >= 0.03 * counts.visible > 0
    return reason_for_ocr(
        counts,
        image_share=shapes.image_share,
        paths=shapes.paths,
        unmapped_share=_unmapped_share(text_page, counts.visible) if suspicious else 0.0,
    )


def _unmapped_share(text_page: Handle, visible: int) -> float:
    import pypdfium2.raw as pdfium

    unmapped = sum(
        pdfium.FPDFText_HasUnicodeMapError(text_page, index) == 1
        for index in range(pdfium.FPDFText_CountChars(text_page))
    )
    return unmapped / visible


def _items(text: PageText, shapes: Shapes, upright: Frame, number: int) -> list[Line | Table]:
    lines = text.lines.get(upright.turns, [])
    items = lay_out(lines, across=shapes.across, down=shapes.down, shapes=shapes.bullets)
    for turns, turned in text.lines.items():
        if turns != upright.turns:
            items += [_turned_back(line, upright.turned_to(turns), upright) for line in turned]
    for item in items:
        item.page = number
        if isinstance(item, Line):
            item.compact()
    return items


def _turned_back(line: Line, seen: Frame, upright: Frame) -> Line:
    """A line of another direction, with its words' boxes in the page's main direction."""
    for word in line.words:
        word.left, word.top, word.right, word.bottom = upright.box(*seen.unbox(word.box))
    line.column = -1
    return line
