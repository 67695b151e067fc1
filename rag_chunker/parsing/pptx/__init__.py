"""How does a slide deck become blocks? `PptxParser`, and one module for each question below."""

from rag_chunker.parsing.pptx.parser import PptxParser

__all__ = ["PptxParser"]
