"""How does an OCR result become a document? Each region is one paragraph block."""

import hashlib
import json
from mimetypes import MimeTypes

from pydantic import JsonValue

from rag_core.types import (
    Block,
    BlockType,
    CorpusId,
    Document,
    DocumentId,
    OCRRegion,
    OCRResult,
    ParsedDocument,
    RequestContext,
)

__all__ = ["ocr_result_to_parsed_document"]


def ocr_result_to_parsed_document(
    ctx: RequestContext,
    ocr_result: OCRResult,
    *,
    document_id: DocumentId,
    corpus_id: CorpusId,
    source_uri: str,
    mime_type: str | None = None,
) -> ParsedDocument:
    """A document of the tenant in `ctx` with one paragraph block for each region, in order.

    A block's text is its region's, unchanged; its attributes are `engine`, `ocr_confidence`, and,
    where the region has them, `bbox` (in pixels of the picture) and `page`. A blank region keeps
    its place as a blank block, of which no chunk is made.

    `mime_type` is the picture's, by default told from the name in `source_uri`, or else
    `application/octet-stream`. The picture's bytes are not at hand here, so that `content_hash` is
    the sha256 of the regions' texts as a JSON array: the same texts give the same hash. A language
    that the engine names is `metadata["language"]`.
    """
    document = Document(
        id=document_id,
        tenant_id=ctx.tenant_id,
        corpus_id=corpus_id,
        source_uri=source_uri,
        mime_type=mime_type or _mime_type(source_uri),
        content_hash=_content_hash(ocr_result),
        metadata={} if ocr_result.language is None else {"language": ocr_result.language},
    )
    blocks = tuple(_block(region, ocr_result.engine) for region in ocr_result.regions)
    return ParsedDocument(document=document, blocks=blocks)


def _block(region: OCRRegion, engine: str) -> Block:
    attributes: dict[str, JsonValue] = {"engine": engine, "ocr_confidence": region.confidence}
    if region.bbox is not None:
        attributes["bbox"] = list(region.bbox)
    if region.page is not None:
        attributes["page"] = region.page
    return Block(type=BlockType.paragraph, text=region.text, attributes=attributes)


def _content_hash(result: OCRResult) -> str:
    texts = json.dumps([region.text for region in result.regions])  # ASCII, whatever they hold
    return hashlib.sha256(texts.encode()).hexdigest()


def _mime_type(uri: str) -> str:
    name = uri.partition("?")[0].rpartition("/")[2]
    found, _ = MimeTypes().guess_type(name, strict=False)  # its own table, not the machine's
    return found or "application/octet-stream"
