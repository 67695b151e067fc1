"""What an engine is shown of a page: all of it, or only the pictures between the text."""

from io import BytesIO

import pytest
from PIL import Image, ImageDraw

from rag_chunker.pipeline import parse_document, read_page
from rag_chunker.rendering import images_of_page, page_image
from rag_chunker.stitching import stitched
from rag_core.errors import CorruptDocument
from rag_core.spi import OCREngine
from rag_core.types import (
    CorpusId,
    DocumentId,
    Health,
    OCRRegion,
    OCRResult,
    ParsedDocument,
    Source,
    TenantId,
)
from tests.chunker.parsing.pdf_writer import Pdf, PdfPage

ABOVE, BELOW = "Words above the picture are native text.", "So are those below it, in full."


class OnePicture(OCREngine):
    """Sees where on the page there is anything dark, and calls it a label."""

    def read(self, image: bytes) -> OCRResult:
        with Image.open(BytesIO(image)) as picture:
            dark = picture.convert("L").point(lambda grey: 255 if grey < 200 else 0)
            box = dark.getbbox()
        regions = () if box is None else (OCRRegion(text="label", confidence=0.9, bbox=box),)
        return OCRResult(engine="one picture", regions=regions)

    def version(self) -> str:
        return "1"

    def health(self) -> Health:
        return Health(ok=True)


def put(page: PdfPage, x: float, y: float, width: float, height: float) -> None:
    """A picture with a black frame."""
    picture = Image.new("L", (100, 60), 255)
    ImageDraw.Draw(picture).rectangle((0, 0, 99, 59), outline=0, width=4)
    page.images.append((100, 60, picture.tobytes()))
    bottom = page.height - y - height
    name = f"X{len(page.images) - 1}"
    page.raw(f"q {width} 0 0 {height} {x} {bottom} cm /{name} Do Q".encode())


def document(*pictures: tuple[float, float, float, float], rotate: int = 0) -> bytes:
    pdf = Pdf()
    page = pdf.page(rotate=rotate)
    page.text(60, 100, ABOVE, 12)
    for box in pictures:
        put(page, *box)
    page.text(60, 500, BELOW, 12)
    return pdf.data()


def parsed(data: bytes) -> ParsedDocument:
    source = Source(
        document_id=DocumentId("d"), tenant_id=TenantId("t"), corpus_id=CorpusId("c"), uri="d.pdf"
    )
    return parse_document(source, data)


def test_of_pictures_between_text_only_they_are_shown() -> None:
    data = document((100, 200, 300, 180))
    assert not parsed(data).pages[0].needs_ocr
    result = read_page(parsed(data), data, 1, OnePicture(), images_only=True)
    (region,) = result.regions
    assert region.bbox == pytest.approx((100, 200, 400, 380), abs=1.5)
    assert region.page == 1


def test_what_was_read_in_a_picture_stands_between_the_text_around_it() -> None:
    data = document((100, 200, 300, 180))
    result = read_page(parsed(data), data, 1, OnePicture(), images_only=True)
    whole = stitched(parsed(data), {1: result}, {})
    assert [block.text for block in whole.blocks] == [ABOVE, "label", BELOW]


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_pictures_are_found_on_turned_pages(rotate: int) -> None:
    data = document((100, 200, 300, 180), rotate=rotate)
    (region,) = read_page(parsed(data), data, 1, OnePicture(), images_only=True).regions
    assert region.bbox is not None
    left, top, right, bottom = region.bbox
    sides = (300, 180) if rotate == 180 else (180, 300)
    assert (right - left, bottom - top) == pytest.approx(sides, abs=3)


@pytest.mark.parametrize("pictures", [(), ((60, 20, 30, 30),), ((60, 20, 90, 36),)])
def test_a_page_without_pictures_or_with_a_logo_is_not_read_at_all(
    pictures: tuple[tuple[float, float, float, float], ...],
) -> None:
    data = document(*pictures)
    assert images_of_page(parsed(data), data, 1) is None
    result = read_page(parsed(data), data, 1, OnePicture(), images_only=True)
    assert result == OCRResult(engine="")


def test_words_of_a_text_file_are_no_pictures() -> None:
    source = Source(
        document_id=DocumentId("d"), tenant_id=TenantId("t"), corpus_id=CorpusId("c"), uri="d.txt"
    )
    assert images_of_page(parse_document(source, b"words"), b"words", 1) is None


def test_a_page_that_is_not_there_cannot_be_rendered() -> None:
    data = document((100, 200, 300, 180))
    for render in (page_image, images_of_page):
        with pytest.raises(CorruptDocument, match="page 7 cannot be rendered"):
            render(parsed(data), data, 7)
