"""How does an OpenDocument text become blocks? `OdtParser`, and a module a question below."""

from rag_chunker.parsing.odt.parser import OdtParser

__all__ = ["OdtParser"]
