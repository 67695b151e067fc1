"""How do pages that were read by OCR come between the others? Where they stand."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from rag_chunker.ocr.adapter import ocr_result_to_parsed_document
from rag_chunker.ocr.doubt import UNSURE, mean_confidence
from rag_chunker.ocr.headings import heading_levels
from rag_core.types import (
    Block,
    BlockType,
    OCRRegion,
    OCRResult,
    Page,
    ParsedDocument,
    Principal,
    RequestContext,
)

__all__ = ["UNSURE", "mean_confidence", "stitched"]

_WORTHLESS = frozenset({"garbled", "poor-ocr"})
"""Reasons for OCR that say that the page's own text is wrong; in others it is merely too little."""
_COVERED = 0.6
"""Part of a region's area that native text covers from which on it is that text."""
_LONGER_SIDE = 842.0
"""Of A4, in points: what the pixels of an image's longer side are taken for."""


def stitched(
    parsed: ParsedDocument, readings: Mapping[int, OCRResult], failed: Mapping[int, str]
) -> ParsedDocument:
    """The document with the text of the pages that an OCR engine has read.

    `readings` has the result of each page read, with boxes in the page's units; `failed` why
    others could not be. Their blocks stand in page order between the native ones. Native text of a
    page stays, and replaces what OCR made of it, unless it is the reason for OCR (`garbled`,
    `poor-ocr`). A page read no longer needs OCR and keeps the reason why it did; one that failed
    still does.

    On pages that need OCR, paragraphs in larger letters become headings where the engine tells
    their `line_height`, see `heading_levels`; text and order stay as they are.

    The metadata say what was done, each only where it applies: `ocr_engine`; `ocr_pages`, the
    pages read; `ocr_unsure_pages`, those of them with a mean confidence below `UNSURE`;
    `ocr_failed`, page number to reason.
    """
    if not readings and not failed:
        return parsed
    native: dict[int, list[Block]] = {}
    others: list[Block] = []
    for block in parsed.blocks:
        page = block.attributes.get("page")
        if isinstance(page, int) and page in readings:
            native.setdefault(page, []).append(block)
        else:
            others.append(block)
    pages = {page.number: page for page in parsed.pages}
    for number in readings:
        if number in pages and pages[number].reason in _WORTHLESS and readings[number].regions:
            native.pop(number, None)
    found = {
        number: _uncovered(result, native.get(number, []))
        for number, result in sorted(readings.items())
    }
    stay = [*others, *(block for blocks in native.values() for block in blocks)]
    levels = _levels(parsed, found, stay)
    read = {
        number: _page_blocks(parsed, result, levels.get(number, {}), native.get(number, []))
        for number, result in found.items()
    }
    return parsed.model_copy(
        update={
            "document": parsed.document.model_copy(
                update={"metadata": {**parsed.document.metadata, **_told(readings, failed)}}
            ),
            "blocks": tuple(_in_page_order(others, read)),
            "pages": tuple(_page(page, readings) for page in parsed.pages),
        }
    )


def _told(readings: Mapping[int, OCRResult], failed: Mapping[int, str]) -> dict[str, JsonValue]:
    unsure = [
        page
        for page, result in sorted(readings.items())
        if (confidence := mean_confidence(result)) is not None and confidence < UNSURE
    ]
    engines = sorted({result.engine for result in readings.values()})
    told: dict[str, JsonValue] = {
        "ocr_engine": ", ".join(engines),
        "ocr_pages": [*sorted(readings)],
        "ocr_unsure_pages": [*unsure],
        "ocr_failed": {str(page): reason for page, reason in sorted(failed.items())},
    }
    return {key: value for key, value in told.items() if value}


def _page(page: Page, readings: Mapping[int, OCRResult]) -> Page:
    return page.model_copy(update={"needs_ocr": False}) if page.number in readings else page


def _uncovered(result: OCRResult, native: Sequence[Block]) -> OCRResult:
    """What was read beside the page's own text."""
    boxes = [box for block in native if (box := _box(block)) is not None]
    regions = tuple(region for region in result.regions if not _is_covered(region, boxes))
    return result.model_copy(update={"regions": regions})


def _levels(
    parsed: ParsedDocument, found: Mapping[int, OCRResult], native: Sequence[Block]
) -> dict[int, dict[int, int]]:
    """Page number and place of a region to its level, of those that are headings.

    Only on pages that need OCR: pictures on others have labels, not sections.
    """
    units = {page.number: _unit(parsed, page) for page in parsed.pages if page.needs_ocr}
    places = [
        (number, place, _in_unit(region, units[number]))
        for number, result in found.items()
        if number in units
        for place, region in enumerate(result.regions)
    ]
    regions, pages = [region for *_, region in places], [number for number, *_ in places]
    levels: dict[int, dict[int, int]] = {}
    for (number, place, _), level in zip(
        places, heading_levels(regions, pages, native), strict=True
    ):
        if level is not None:
            levels.setdefault(number, {})[place] = level
    return levels


def _unit(parsed: ParsedDocument, page: Page) -> float:
    """In points: pages of an image may differ in resolution, but are of one size on paper."""
    is_image = parsed.document.mime_type.startswith("image/")
    return _LONGER_SIDE / (max(page.width, page.height) or _LONGER_SIDE) if is_image else 1.0


def _in_unit(region: OCRRegion, unit: float) -> OCRRegion:
    if region.line_height is None or unit == 1.0:
        return region
    return region.model_copy(update={"line_height": region.line_height * unit})


def _page_blocks(
    parsed: ParsedDocument,
    result: OCRResult,
    levels: Mapping[int, int],
    native: Sequence[Block],
) -> list[Block]:
    """The blocks of one page: those read, and the native ones among them from top to bottom."""
    read = [
        _heading(block, levels[place]) if place in levels else block
        for place, block in enumerate(_adapted(parsed, result).blocks)
    ]
    for block in native:
        read.insert(_place(block, read), block)
    return read


def _heading(block: Block, level: int) -> Block:
    return Block(type=BlockType.heading, text=block.text, level=level, attributes=block.attributes)


def _adapted(parsed: ParsedDocument, result: OCRResult) -> ParsedDocument:
    document = parsed.document
    return ocr_result_to_parsed_document(
        RequestContext(tenant_id=document.tenant_id, principal=Principal(id="stitching")),
        result,
        document_id=document.id,
        corpus_id=document.corpus_id,
        source_uri=document.source_uri,
        mime_type=document.mime_type,
    )


def _place(block: Block, among: Sequence[Block]) -> int:
    """Before the first block that stands lower on the page; first without a box."""
    box = _box(block)
    if box is None:
        return 0
    for index, other in enumerate(among):
        placed = _box(other)
        if placed is not None and placed[1] > box[1]:
            return index
    return len(among)


def _box(block: Block) -> tuple[float, float, float, float] | None:
    match block.attributes.get("bbox"):
        case [int() | float() as left, int() | float() as top, right, bottom] if isinstance(
            right, int | float
        ) and isinstance(bottom, int | float):
            return left, top, right, bottom
    return None


def _is_covered(region: OCRRegion, boxes: Sequence[tuple[float, float, float, float]]) -> bool:
    if region.bbox is None:
        return False
    left, top, right, bottom = region.bbox
    area = (right - left) * (bottom - top)
    shared = sum(
        max(0.0, min(right, box[2]) - max(left, box[0]))
        * max(0.0, min(bottom, box[3]) - max(top, box[1]))
        for box in boxes
    )
    return area > 0 and shared >= _COVERED * area


def _in_page_order(others: Sequence[Block], read: Mapping[int, Sequence[Block]]) -> Iterator[Block]:
    waiting = sorted(read, reverse=True)
    for block in others:
        page = block.attributes.get("page")
        while waiting and isinstance(page, int) and page > waiting[-1]:
            yield from read[waiting.pop()]
        yield block
    while waiting:
        yield from read[waiting.pop()]
