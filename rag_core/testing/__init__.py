"""For authors of parsers, OCR engines and chunkers: the promises that their work is held to.

Contracts are classes for pytest to subclass; builders make small documents; fakes are simple
components that keep their contract. Needs pytest.
"""

from rag_core.testing.builders import make_context, make_document, make_table
from rag_core.testing.chunker_contract import ChunkerContract, SlicingChunkerContract
from rag_core.testing.fakes import FailingCounter, ScriptedOCREngine, WordCounter
from rag_core.testing.ocr_contract import OCRContract
from rag_core.testing.parser_contract import ParserContract

__all__ = [
    "ChunkerContract",
    "FailingCounter",
    "OCRContract",
    "ParserContract",
    "ScriptedOCREngine",
    "SlicingChunkerContract",
    "WordCounter",
    "make_context",
    "make_document",
    "make_table",
]
