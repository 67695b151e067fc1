"""What stands on one page? Text, tables and tags, read and released page by page."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from rag_chunker.layout.bullets import attach_bullets
from rag_chunker.layout.direction import (
    mirror_across,
    mirror_box,
    mirror_down,
    mirror_lines,
    runs_leftward,
)
from rag_chunker.layout.geometry import Box
from rag_chunker.layout.grids import Table
from rag_chunker.layout.letterspaced import join_letters
from rag_chunker.layout.lines import Line
from rag_chunker.layout.page import lay_out
from rag_chunker.layout.underscores import write_underscores
from rag_chunker.parsing.pdf.characters import read_text
from rag_chunker.parsing.pdf.fonts import Looks
from rag_chunker.parsing.pdf.forms import field_lines
from rag_chunker.parsing.pdf.frame import Frame, frame_of
from rag_chunker.parsing.pdf.ocr_need import reason_for_ocr
from rag_chunker.parsing.pdf.opening import Handle
from rag_chunker.parsing.pdf.outline import mark_titles
from rag_chunker.parsing.pdf.shapes import Shapes, read_shapes
from rag_chunker.parsing.pdf.structure import read_structure
from rag_chunker.parsing.pdf.tagged import TaggedPart, Trust, read_tagged
from rag_chunker.parsing.pdf.text_lines import PageText, Spacing
from rag_core.errors import DocumentTooLarge

MAX_CHARACTERS = 20_000_000
"""Of a document: some 7,000 full pages. Measured: 36 MB of memory for each million characters,
so that 20 million stay well below a worker's 2 GB."""


@dataclass(eq=False)
class PageContent:
    """One page's lines and tables in reading order, and what is known about the page."""

    number: int
    """1-based."""
    shown: Frame
    """As a viewer shows the page."""
    upright: Frame
    """As most of its text is upright; boxes of lines and tables are seen in it."""
    mirrored: bool = False
    """Boxes are seen in a mirror too, because its text runs from right to left."""
    items: list[Line | Table] = field(default_factory=list)
    tagged: list[TaggedPart] = field(default_factory=list)
    """The same content as the structure tree has it; empty without one."""
    reason: str | None = None
    """Why it needs OCR; None if it does not."""

    def shown_box(self, box: Box) -> list[JsonValue]:
        """A box of its content as [left, top, right, bottom] on the page as shown."""
        if self.mirrored:
            box = mirror_box(box, self.upright.width)
        if self.upright != self.shown:
            box = self.shown.box(*self.upright.unbox(box))
        return [round(edge, 1) for edge in box]


class Reader:
    """Reads the pages of an open document one after the other."""

    def __init__(self, document: Handle, titles: Mapping[int, Sequence[str]]) -> None:
        """`titles` are the outline's, by 0-based page."""
        import pypdfium2.raw as pdfium

        self._document = document
        self._titles = titles
        self._tagged = bool(pdfium.FPDFCatalog_IsTagged(document))
        self._looks = Looks(tagged=self._tagged)
        self._spacing = Spacing()
        self._characters = 0
        self.count: int = pdfium.FPDF_GetPageCount(document)
        self.trust = Trust()

    def page(self, index: int) -> PageContent:
        """The content of page number `index`, 0-based.

        Raises `DocumentTooLarge` when the pages read so far hold too many characters.
        """
        self._looks.new_page()
        with _loaded(self._document, index) as (page, text_page):
            if not page or not text_page:
                nothing = Frame(0.0, 0.0, 0.0, 0.0, 0)
                return PageContent(index + 1, nothing, nothing, reason="damaged-page")
            return self._read(page, text_page, index + 1)

    def _read(self, page: Handle, text_page: Handle, number: int) -> PageContent:
        self._count(text_page, number)
        shown = frame_of(page)
        text = read_text(text_page, shown, self._looks, self._spacing)
        turns = max(text.lines, key=lambda turns: _amount(text.lines[turns]), default=shown.turns)
        content = PageContent(number, shown, shown.turned_to(turns))
        shapes = read_shapes(page, content.upright)
        content.reason = _reason(text, shapes, text_page)
        straight, turned = _in_one_frame(text, content.upright)
        join_letters(straight)
        write_underscores(straight, shapes.dashes)
        straight += field_lines(page, content.upright)
        if runs_leftward(straight):
            content.mirrored = True
            straight = mirror_lines(straight, content.upright.width)
            turned = mirror_lines(turned, content.upright.width)
            shapes = _mirrored(shapes, content.upright.width)
        main = attach_bullets(straight, shapes.bullets, shapes.discs)
        main = mark_titles(main, self._titles.get(number - 1, ()))
        for order, line in enumerate((*main, *turned)):
            line.order, line.page = order, number
        for line in turned:
            line.column = -1
        if self._tagged:
            content.tagged = read_tagged(read_structure(page), [*main, *turned], self.trust)
        content.items = [*lay_out(main, across=shapes.across, down=shapes.down), *turned]
        _compact(content)
        return content

    def _count(self, text_page: Handle, number: int) -> None:
        import pypdfium2.raw as pdfium

        self._characters += max(0, pdfium.FPDFText_CountChars(text_page))
        if self._characters > MAX_CHARACTERS:
            raise DocumentTooLarge(
                f"more than {MAX_CHARACTERS:,} characters by page {number}: split the document"
            )


@contextmanager
def _loaded(document: Handle, index: int) -> Iterator[tuple[Handle, Handle]]:
    """Page and text page of a document, both closed on leaving; None where it is damaged."""
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


def _amount(lines: list[Line]) -> int:
    return sum(len(word.text) for line in lines for word in line.words)


def _in_one_frame(text: PageText, upright: Frame) -> tuple[list[Line], list[Line]]:
    """(upright lines, lines of other directions), all boxes as seen in `upright`."""
    turned: list[Line] = []
    for turns, lines in text.lines.items():
        if turns == upright.turns:
            continue
        seen = upright.turned_to(turns)
        for line in lines:
            for word in line.words:
                word.left, word.top, word.right, word.bottom = upright.box(*seen.unbox(word.box))
            turned.append(Line(line.words, line.hyphen))
    return text.lines.get(upright.turns, []), turned


def _mirrored(shapes: Shapes, width: float) -> Shapes:
    return replace(
        shapes,
        across=mirror_across(shapes.across, width),
        down=mirror_down(shapes.down, width),
        bullets=[mirror_box(box, width) for box in shapes.bullets],
        discs=[mirror_box(box, width) for box in shapes.discs],
    )


def _compact(content: PageContent) -> None:
    """Lets go of words and their boxes: a long document has millions."""
    for item in content.items:
        item.page = content.number
        if isinstance(item, Line):
            item.compact()
    for part in content.tagged:
        for line in part.lines:
            line.compact()


def _reason(text: PageText, shapes: Shapes, text_page: Handle) -> str | None:
    counts = text.counts
    hidden = counts.invisible >= 0.8 * counts.visible > 0
    suspicious = counts.bad >= 0.03 * counts.visible > 0
    return reason_for_ocr(
        counts,
        letters=_letters(text) if hidden else counts.visible,
        image_share=shapes.image_share,
        paths=shapes.paths,
        unmapped_share=_unmapped_share(text_page, counts.visible) if suspicious else 0.0,
    )


def _letters(text: PageText) -> int:
    words = (word.text for line in text.all_lines() for word in line.words)
    return sum(char.isalpha() for word in words for char in word)


def _unmapped_share(text_page: Handle, visible: int) -> float:
    import pypdfium2.raw as pdfium

    unmapped = sum(
        pdfium.FPDFText_HasUnicodeMapError(text_page, index) == 1
        for index in range(pdfium.FPDFText_CountChars(text_page))
    )
    return float(unmapped / visible)
