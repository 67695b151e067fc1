"""Documents with pages that need OCR, from bytes to blocks with a scripted engine."""

from collections.abc import Callable
from io import BytesIO

import pypdfium2
import pytest
from PIL import Image

from rag_chunker.pipeline import parse_document, read_document
from rag_chunker.rendering import page_image
from rag_core.errors import CorruptDocument, OCRError
from rag_core.spi import OCREngine
from rag_core.testing import ScriptedOCREngine
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


def _source(name: str) -> Source:
    return Source(
        document_id=DocumentId(f"acme/scans/{name}"),
        tenant_id=TenantId("acme"),
        corpus_id=CorpusId("scans"),
        uri=name,
    )


class _Engine(OCREngine):
    """Tells what it is shown: `read` gives the regions of each picture."""

    def __init__(self, see: Callable[[Image.Image], list[OCRRegion]]) -> None:
        self._see = see

    def read(self, image: bytes) -> OCRResult:
        with Image.open(BytesIO(image)) as picture:
            return OCRResult(engine="fake", regions=tuple(self._see(picture.convert("RGB"))))

    def version(self) -> str:
        return "fake 1"

    def health(self) -> Health:
        return Health(ok=True)


def _names_color(picture: Image.Image) -> list[OCRRegion]:
    """One region, `red` or `blue`, over the middle half of the picture."""
    width, height = picture.size
    red, _, blue = picture.getpixel((width // 2, height // 2))
    box = (width / 4, height / 4, width * 3 / 4, height * 3 / 4)
    return [OCRRegion(text="red" if red > blue else "blue", confidence=0.9, bbox=box)]


def _tiff(*colors: str) -> bytes:
    frames = [Image.new("RGB", (80, 60), color) for color in colors]
    packed = BytesIO()
    frames[0].save(packed, "TIFF", save_all=True, append_images=frames[1:])
    return packed.getvalue()


def _pdf(*colors: str, size: tuple[float, float] = (300, 400)) -> bytes:
    """A PDF of pages that are pictures."""
    with pypdfium2.PdfDocument.new() as document:
        for color in colors:
            page = document.new_page(*size)
            bitmap = pypdfium2.PdfBitmap.from_pil(Image.new("RGB", (20, 20), color))
            image = pypdfium2.PdfImage.new(document)
            image.set_bitmap(bitmap)
            image.set_matrix(pypdfium2.PdfMatrix().scale(*size))
            page.insert_obj(image)
            page.gen_content()
            page.close()
        packed = BytesIO()
        document.save(packed)
    return packed.getvalue()


def _pages(parsed: ParsedDocument) -> list[tuple[object, str]]:
    return [(block.attributes["page"], block.text) for block in parsed.blocks]


def test_an_image_is_handed_on_as_it_is() -> None:
    packed = BytesIO()
    Image.new("RGB", (20, 10), "white").save(packed, "PNG")
    data = packed.getvalue()
    parsed = read_document(_source("a.png"), data, ScriptedOCREngine({data: ["one", "two"]}))
    assert _pages(parsed) == [(1, "one"), (1, "two")]
    assert not parsed.pages[0].needs_ocr


def test_each_frame_of_a_tiff_is_read_with_its_number() -> None:
    parsed = read_document(_source("a.tiff"), _tiff("red", "blue", "red"), _Engine(_names_color))
    assert _pages(parsed) == [(1, "red"), (2, "blue"), (3, "red")]
    assert parsed.blocks[0].attributes["bbox"] == [20, 15, 60, 45]


def test_scanned_pages_of_a_pdf_are_rendered_and_boxes_are_in_points() -> None:
    parsed = read_document(_source("a.pdf"), _pdf("red", "blue"), _Engine(_names_color))
    assert _pages(parsed) == [(1, "red"), (2, "blue")]
    [left, top, right, bottom] = parsed.blocks[0].attributes["bbox"]
    assert (left, top, right, bottom) == pytest.approx((75, 100, 225, 300), abs=1)


def test_a_huge_page_is_rendered_with_fewer_dots() -> None:
    data = _pdf("red", size=(14_400, 14_400))
    image = page_image(parse_document(_source("a.pdf"), data), data, 1)
    with Image.open(BytesIO(image.data)) as picture:
        assert picture.width * picture.height <= 25_100_000
        assert picture.width * image.unit == pytest.approx(14_400, rel=0.01)


def test_a_page_that_cannot_be_read_costs_that_page() -> None:
    def stumbles(picture: Image.Image) -> list[OCRRegion]:
        [region] = _names_color(picture)
        if region.text == "blue":
            raise OCRError("too blue")
        return [region]

    parsed = read_document(_source("a.tiff"), _tiff("red", "blue", "red"), _Engine(stumbles))
    assert _pages(parsed) == [(1, "red"), (3, "red")]
    assert parsed.document.metadata["ocr_failed"] == {"2": "too blue"}
    assert [page.needs_ocr for page in parsed.pages] == [False, True, False]


def test_an_engine_that_breaks_its_promise_costs_a_page_too() -> None:
    def breaks(_: Image.Image) -> list[OCRRegion]:
        raise ZeroDivisionError("oh")

    parsed = read_document(_source("a.tiff"), _tiff("red"), _Engine(breaks))
    assert parsed.document.metadata["ocr_failed"] == {"1": "page 1: ZeroDivisionError: oh"}


def test_without_an_engine_pages_stay_flagged() -> None:
    parsed = read_document(_source("a.tiff"), _tiff("red"), None)
    assert parsed == parse_document(_source("a.tiff"), _tiff("red"))
    assert parsed.pages[0].needs_ocr


def test_native_text_is_never_shown_to_the_engine() -> None:
    def must_not_see(_: Image.Image) -> list[OCRRegion]:
        raise AssertionError("was asked")

    parsed = read_document(_source("a.md"), b"# Title\n\nText.\n", _Engine(must_not_see))
    assert [block.text for block in parsed.blocks] == ["Title", "Text."]


def test_a_page_that_is_not_there_cannot_be_rendered() -> None:
    data = _pdf("red")
    with pytest.raises(CorruptDocument, match="page 7"):
        page_image(parse_document(_source("a.pdf"), data), data, 7)
