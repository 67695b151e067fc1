"""An OCR result as a document, and through the chunker like any other."""

import asyncio
import hashlib

from hypothesis import given
from hypothesis import strategies as st

import rag_chunker
from rag_chunker import HeadingAwareChunker, ocr_result_to_parsed_document
from rag_core.testing import WordCounter, make_context
from rag_core.text import is_blank
from rag_core.types import (
    BlockType,
    CorpusId,
    DocumentId,
    OCRRegion,
    OCRResult,
    ParsedDocument,
)

_CTX = make_context("finance", tenant="acme")


def _adapted(result: OCRResult, uri: str = "s3://bucket/scan.png") -> ParsedDocument:
    return ocr_result_to_parsed_document(
        _CTX,
        result,
        document_id=DocumentId("scan-001"),
        corpus_id=CorpusId("invoices"),
        source_uri=uri,
    )


def _result(*texts: str) -> OCRResult:
    return OCRResult(
        engine="fake", regions=tuple(OCRRegion(text=text, confidence=0.9) for text in texts)
    )


_REGIONS = st.builds(
    OCRRegion,
    text=st.text(max_size=60),
    confidence=st.floats(0, 1),
    bbox=st.none() | st.tuples(*[st.floats(0, 5000)] * 4),
    page=st.none() | st.integers(1, 500),
)
_RESULTS = st.builds(
    OCRResult,
    engine=st.text(min_size=1, max_size=10),
    regions=st.lists(_REGIONS, max_size=12).map(tuple),
    language=st.none() | st.just("deu"),
)


def test_a_region_becomes_a_paragraph_with_its_provenance() -> None:
    region = OCRRegion(text="Total 42", confidence=0.97, bbox=(1, 2, 30.5, 4), page=3)
    [block] = _adapted(OCRResult(engine="fake", regions=(region,))).blocks
    assert (block.type, block.text, block.level) == (BlockType.paragraph, "Total 42", None)
    assert block.attributes == {
        "engine": "fake",
        "ocr_confidence": 0.97,
        "bbox": [1.0, 2.0, 30.5, 4.0],
        "page": 3,
    }


def test_what_a_region_does_not_know_its_block_does_not_claim() -> None:
    [block] = _adapted(_result("Total 42")).blocks
    assert block.attributes == {"engine": "fake", "ocr_confidence": 0.9}


def test_the_document_is_the_callers_and_its_tenant_is_the_requests() -> None:
    document = _adapted(_result("Total 42")).document
    assert (document.id, document.tenant_id, document.corpus_id, document.source_uri) == (
        "scan-001",
        "acme",
        "invoices",
        "s3://bucket/scan.png",
    )


def test_the_media_type_follows_the_name() -> None:
    expected = {
        "s3://bucket/scan.png": "image/png",
        "https://files.example/a.b/photo.JPG?signature=x.gif": "image/jpeg",
        "scan.tiff": "image/tiff",
        "scan.webp": "image/webp",
        "letters/2024.pdf": "application/pdf",
        "upload": "application/octet-stream",
        "": "application/octet-stream",
    }
    found = {uri: _adapted(_result(), uri).document.mime_type for uri in expected}
    assert found == expected


def test_a_media_type_that_is_given_stays() -> None:
    parsed = ocr_result_to_parsed_document(
        _CTX,
        _result("x"),
        document_id=DocumentId("d"),
        corpus_id=CorpusId("c"),
        source_uri="scan.png",
        mime_type="image/bmp",
    )
    assert parsed.document.mime_type == "image/bmp"


def test_the_content_hash_is_of_the_texts_and_tells_their_borders() -> None:
    assert _adapted(_result("ü")).document.content_hash == (
        hashlib.sha256(rb'["\u00fc"]').hexdigest()
    )
    hashes = [_result("ab", "c"), _result("a", "bc"), _result("abc"), _result(), _result("")]
    assert len({_adapted(result).document.content_hash for result in hashes}) == len(hashes)


def test_the_engines_language_is_metadata() -> None:
    assert _adapted(OCRResult(engine="fake", language="deu")).document.metadata == {
        "language": "deu"
    }
    assert _adapted(OCRResult(engine="fake")).document.metadata == {}


def test_no_regions_give_no_blocks_and_no_chunks() -> None:
    parsed = _adapted(_result())
    assert parsed.blocks == ()
    assert HeadingAwareChunker(token_counter=WordCounter()).chunk_now(_CTX, parsed) == []


def test_regions_go_through_the_chunker_like_any_text() -> None:
    parsed = _adapted(_result("Invoice 7", " \n", "Total 42 euros.", "Thank you."))
    chunks = asyncio.run(HeadingAwareChunker().chunk(_CTX, parsed))
    assert [chunk.content for chunk in chunks] == ["Invoice 7\n\nTotal 42 euros.\n\nThank you."]
    [chunk] = chunks
    assert (chunk.tenant_id, chunk.acl_labels, chunk.metadata) == (
        "acme",
        ("finance",),
        {"kind": "body"},
    )


@given(_RESULTS)
def test_every_region_is_one_block_in_its_place(result: OCRResult) -> None:
    parsed = _adapted(result)
    assert [block.text for block in parsed.blocks] == [region.text for region in result.regions]
    back = [
        OCRRegion(
            text=block.text,
            confidence=block.attributes["ocr_confidence"],
            bbox=block.attributes.get("bbox"),
            page=block.attributes.get("page"),
        )
        for block in parsed.blocks
    ]
    assert tuple(back) == result.regions
    assert ParsedDocument.model_validate_json(parsed.model_dump_json()) == parsed


@given(_RESULTS, st.integers(1, 12))
def test_chunks_lose_no_word_of_any_region(result: OCRResult, budget: int) -> None:
    parsed = _adapted(result)
    chunker = HeadingAwareChunker(budget, 0, token_counter=WordCounter())
    chunks = chunker.chunk_now(_CTX, parsed)
    assert [chunk for chunk in chunks if is_blank(chunk.content or "")] == []
    kept = "".join(_visible(chunk.content or "") for chunk in chunks)
    told = "".join(_visible(region.text) for region in result.regions)
    assert kept == told


def _visible(text: str) -> str:
    """A piece of control characters alone is blank, and no chunk."""
    return "".join(char for char in text if not is_blank(char))


def test_the_adapter_is_public() -> None:
    assert "ocr_result_to_parsed_document" in rag_chunker.__all__
