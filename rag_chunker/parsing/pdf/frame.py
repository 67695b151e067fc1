"""Where is a point of PDF space on the page as it is seen? Crop box and rotation undone."""

from dataclasses import dataclass

from rag_chunker.layout.geometry import Box
from rag_chunker.parsing.pdf.opening import Handle


@dataclass(frozen=True, slots=True)
class Frame:
    """The visible part of a page in PDF units, and by how many quarter turns it is turned."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int
    """0..3, clockwise."""

    @property
    def width(self) -> float:
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def turned_to(self, turns: int) -> "Frame":
        """The same page, turned by `turns` in all."""
        return Frame(self.left, self.bottom, self.right, self.top, turns % 4)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle of PDF space (y upwards) as seen (y downwards)."""
        if self.turns == 0:
            return Box(left - self.left, self.top - top, right - self.left, self.top - bottom)
        if self.turns == 1:
            return Box(bottom - self.bottom, left - self.left, top - self.bottom, right - self.left)
        if self.turns == 2:
            return Box(
                self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
            )
        return Box(self.top - top, self.right - right, self.top - bottom, self.right - left)

    def unbox(self, box: Box) -> tuple[float, float, float, float]:
        """(left, bottom, right, top) in PDF space of a box as seen: the inverse of `box`."""
        left, top, right, bottom = box
        if self.turns == 0:
            return left + self.left, self.top - bottom, right + self.left, self.top - top
        if self.turns == 1:
            return top + self.left, left + self.bottom, bottom + self.left, right + self.bottom
        if self.turns == 2:
            return self.right - right, top + self.bottom, self.right - left, bottom + self.bottom
        return self.right - bottom, self.top - right, self.right - top, self.top - left


def frame_of(page: Handle) -> Frame:
    """The frame of a loaded page."""
    import pypdfium2.raw as pdfium

    seen = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, seen)
    turns = max(0, pdfium.FPDFPage_GetRotation(page)) % 4
    if seen.right > seen.left and seen.top > seen.bottom:
        return Frame(seen.left, seen.bottom, seen.right, seen.top, turns)
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    right, top = (height, width) if turns % 2 else (width, height)
    return Frame(0.0, 0.0, right, top, turns)
