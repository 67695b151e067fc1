"""How do OpenDocument texts and presentations become blocks? A module a question below."""

from rag_chunker.parsing.odt.parser import OdtParser
from rag_chunker.parsing.odt.slides import OdpParser

__all__ = ["OdpParser", "OdtParser"]
