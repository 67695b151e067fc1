"""One document: bytes to blocks to chunks. No Dagster, no database.

Importing this package loads no tokenizer, parser or OCR engine: they load at first use.
"""

from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.sentence import split_sentences
from rag_chunker.tokens import AdditiveTokenCounter, TiktokenCounter, TokenCounter

__all__ = [
    "AdditiveTokenCounter",
    "HeadingAwareChunker",
    "TiktokenCounter",
    "TokenCounter",
    "split_sentences",
]
