"""The PDF parser on PDFium."""

from rag_chunker.parsing.pdf.parser import PdfParser

__all__ = ["PdfParser"]
