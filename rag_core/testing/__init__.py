"""For authors of parsers, OCR engines and chunkers: the promises that their work is held to."""

from rag_core.testing.parser_contract import ParserContract

__all__ = ["ParserContract"]
