"""How does a Word document become blocks? `DocxParser`, and one module for each question below."""

from rag_chunker.parsing.docx.parser import DocxParser

__all__ = ["DocxParser"]
