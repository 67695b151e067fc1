"""Simple components that keep their contracts, for tests of what stands on them."""

from collections.abc import Iterable, Mapping

from rag_core.errors import OCRError
from rag_core.spi import OCREngine
from rag_core.types import Health, OCRRegion, OCRResult

__all__ = ["FailingCounter", "ScriptedOCREngine", "WordCounter"]


class WordCounter:
    """A token counter whose tokens are words, so that budgets can be counted by eye."""

    def count(self, text: str) -> int:
        return len(text.split())

    def name(self) -> str:
        return "words"


class FailingCounter:
    """A token counter that counts words, and raises `error` from its `after`-th call on."""

    def __init__(self, error: Exception, *, after: int = 1) -> None:
        self._error = error
        self._calls_left = after - 1

    def count(self, text: str) -> int:
        if self._calls_left == 0:
            raise self._error
        self._calls_left -= 1
        return len(text.split())

    def name(self) -> str:
        return "failing"


class ScriptedOCREngine(OCREngine):
    """An OCR engine that knows its pictures by heart: bytes to lines of text or regions.

    Lines get the confidence 0.9 and no box. Raises `OCRError` for any other picture.
    """

    def __init__(self, pictures: Mapping[bytes, Iterable[str | OCRRegion]]) -> None:
        self._pictures = {
            image: tuple(_region(region) for region in regions)
            for image, regions in pictures.items()
        }

    def read(self, image: bytes) -> OCRResult:
        if image not in self._pictures:
            raise OCRError(f"no script for this picture of {len(image)} bytes; add it to pictures")
        return OCRResult(engine="scripted", regions=self._pictures[image])

    def version(self) -> str:
        return "scripted 1"

    def health(self) -> Health:
        return Health(ok=True, detail=f"knows {len(self._pictures)} pictures")


def _region(region: str | OCRRegion) -> OCRRegion:
    return OCRRegion(text=region, confidence=0.9) if isinstance(region, str) else region
