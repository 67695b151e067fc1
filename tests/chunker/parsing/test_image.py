"""Images are documents whose pages wait for OCR."""

from io import BytesIO

import pytest
from PIL import Image

from rag_chunker.parsing import parse
from rag_core.errors import CorruptDocument
from rag_core.types import CorpusId, DocumentId, Page, ParsedDocument, Source, TenantId

_KINDS = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
    "GIF": "image/gif",
}


def _parsed(data: bytes, name: str = "scan") -> ParsedDocument:
    source = Source(
        document_id=DocumentId("acme/scans/scan"),
        tenant_id=TenantId("acme"),
        corpus_id=CorpusId("scans"),
        uri=name,
    )
    return parse(source, data)


def _file(kind: str) -> bytes:
    packed = BytesIO()
    Image.new("RGB", (30, 20), "white").save(packed, kind)
    return packed.getvalue()


@pytest.mark.parametrize("kind", _KINDS)
def test_an_image_is_a_page_that_needs_ocr_whatever_its_name(kind: str) -> None:
    parsed = _parsed(_file(kind), "scan.dat")
    assert parsed.document.mime_type == _KINDS[kind]
    assert parsed.pages == (Page(number=1, width=30, height=20, needs_ocr=True, reason="image"),)
    assert parsed.blocks == ()


def test_a_damaged_image_names_its_document() -> None:
    with pytest.raises(CorruptDocument) as error:
        _parsed(_file("PNG")[:20], "scan.png")
    assert error.value.document == "acme/scans/scan"


def test_an_empty_image_says_so() -> None:
    with pytest.raises(CorruptDocument, match="the file is empty"):
        _parsed(b"", "scan.png")
