"""How do the stages fit together for one document? Bytes, blocks, chunks.

Top-level functions of plain values: they run as they are in a worker process.
"""

from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.parsing import parse
from rag_chunker.rendering import images_of_page, page_image
from rag_chunker.stitching import stitched
from rag_core.errors import OCRError, RagError
from rag_core.spi import Chunker, OCREngine
from rag_core.types import Chunk, OCRRegion, OCRResult, ParsedDocument, RequestContext, Source

__all__ = ["chunk_now", "chunks_of", "parse_document", "read_document", "read_page", "read_pages"]


def parse_document(source: Source, data: bytes) -> ParsedDocument:
    """The document's blocks. Raises `ParseError` or one of its kinds, naming the document."""
    return parse(source, data)


def read_document(source: Source, data: bytes, engine: OCREngine | None) -> ParsedDocument:
    """The document's blocks, with the text of the pages that need OCR in its place.

    A page that cannot be read costs that page: it stays flagged, `metadata["ocr_failed"]` says why,
    and the others go on. Without an engine all flagged pages stay so. See `stitched`. Raises
    `ParseError` or one of its kinds, naming the document.
    """
    parsed = parse_document(source, data)
    return parsed if engine is None else read_pages(parsed, data, engine)


def read_pages(parsed: ParsedDocument, data: bytes, engine: OCREngine) -> ParsedDocument:
    """`read_document` for a document that is parsed already; `data` are its bytes. Never raises."""
    readings: dict[int, OCRResult] = {}
    failed: dict[int, str] = {}
    for page in parsed.pages:
        if page.needs_ocr:
            try:
                readings[page.number] = read_page(parsed, data, page.number, engine)
            except RagError as error:
                failed[page.number] = error.message
    return stitched(parsed, readings, failed)


def read_page(
    parsed: ParsedDocument,
    data: bytes,
    number: int,
    engine: OCREngine,
    *,
    images_only: bool = False,
) -> OCRResult:
    """What an engine reads on page `number` (1-based), with boxes in the page's units.

    With `images_only` it is shown nothing but the pictures on the page of a PDF, and not asked at
    all where there are none of a size worth reading: the result then names no engine. Raises
    `OCRError`, or `ParseError` or one of its kinds if the page cannot be rendered, naming the
    document.
    """
    try:
        image = (images_of_page if images_only else page_image)(parsed, data, number)
        if image is None:
            return OCRResult(engine="")
        result = engine.read(image.data)
    except RagError as error:
        raise type(error)(error.message, document=parsed.document.id) from error
    except Exception as error:  # any engine may be plugged in
        raise OCRError(
            f"page {number}: {type(error).__name__}: {error}", document=parsed.document.id
        ) from error
    regions = tuple(_on_page(region, number, image.unit) for region in result.regions)
    return result.model_copy(update={"regions": regions})


def _on_page(region: OCRRegion, number: int, unit: float) -> OCRRegion:
    box = region.bbox and tuple(round(edge * unit, 1) for edge in region.bbox)
    height = region.line_height and (round(region.line_height * unit, 2) or None)
    return region.model_copy(update={"page": number, "bbox": box, "line_height": height})


def chunk_now(ctx: RequestContext, parsed: ParsedDocument, chunker: Chunker) -> list[Chunk]:
    """The document's chunks, for a caller without an event loop. Raises `ChunkError`.

    The default chunker runs in the caller's own thread: an interrupt then ends it at once, where
    another thread would first have to come to its end.
    """
    if isinstance(chunker, HeadingAwareChunker) and _chunks_as_the_default(chunker):
        return chunker.chunk_now(ctx, parsed)
    import asyncio

    return asyncio.run(chunker.chunk(ctx, parsed))


def _chunks_as_the_default(chunker: HeadingAwareChunker) -> bool:
    """False for a subclass with a `chunk` of its own, which has to be asked."""
    return type(chunker).chunk is HeadingAwareChunker.chunk


def chunks_of(
    ctx: RequestContext, source: Source, data: bytes, chunker: Chunker
) -> tuple[ParsedDocument, list[Chunk]]:
    """Both: the blocks, and the chunks made of them. Raises `ParseError` or `ChunkError`."""
    parsed = parse_document(source, data)
    return parsed, chunk_now(ctx, parsed, chunker)
