"""How does a book become blocks? `EpubParser`, and one module for each question below."""

from rag_chunker.parsing.epub.parser import EpubParser

__all__ = ["EpubParser"]
