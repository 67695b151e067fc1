"""The port for OCR engines: a page image becomes regions of text."""

from abc import ABC, abstractmethod

from rag_core.types import Health, OCRResult


class OCREngine(ABC):
    """Reads the text in a picture."""

    @abstractmethod
    def read(self, image: bytes) -> OCRResult:
        """The regions of one picture (PNG, JPEG, ... as bytes), in reading order.

        Raises `OCRError`, and nothing else.
        """

    @abstractmethod
    def version(self) -> str:
        """Changes whenever the same picture may give other regions."""

    @abstractmethod
    def health(self) -> Health:
        """Whether the engine can work now, and what is missing if not. Never raises."""
