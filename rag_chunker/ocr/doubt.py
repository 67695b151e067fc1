"""What is an engine's confidence worth? Below which is text in doubt, below which is there none?"""

from rag_chunker.ocr.seen import Seen
from rag_core.types import OCRResult

__all__ = ["NOISE", "UNSURE", "is_noise", "mean_confidence"]

UNSURE = 0.8
"""Confidence below which text is doubtful: above it lines were right but for single letters."""
NOISE = 0.3
"""Confidence below which one or two letters alone are specks, rules, parts of a logo or a photo.

The only text that is dropped. On 24 pages and scans the engines see no piece so doubtful; on 15
photos, icons and screenshots they do, and all that is lost is such single letters. Longer pieces
are kept however doubtful: Tesseract has whole words right with a confidence of 0."""
_FEW = 2


def is_noise(piece: Seen) -> bool:
    """Whether a piece has no visible text, or next to none that the engine itself hardly
    believes."""
    text = piece.text.strip()
    return not text or (len(text) <= _FEW and piece.confidence < NOISE)


def mean_confidence(result: OCRResult) -> float | None:
    """Of all characters, 0..1; None without any."""
    total = sum(len(region.text) for region in result.regions)
    if not total:
        return None
    return sum(region.confidence * len(region.text) for region in result.regions) / total
