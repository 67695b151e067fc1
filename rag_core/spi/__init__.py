"""What a plug-in implements: one module and one abstract class for each kind of component."""

from rag_core.spi.chunker import Chunker
from rag_core.spi.ocr import OCREngine
from rag_core.spi.parser import Parser

__all__ = ["Chunker", "OCREngine", "Parser"]
