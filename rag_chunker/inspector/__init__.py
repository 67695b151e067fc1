"""One self-contained HTML page that shows a document and how it was chunked."""

from rag_chunker.inspector.page import render
from rag_chunker.inspector.view import Chunking, StoredDocument

__all__ = ["Chunking", "StoredDocument", "render"]
