"""One document: bytes to blocks to chunks. No Dagster, no database.

Importing this package loads no tokenizer, parser or OCR engine: they load at first use. The public
names themselves load when they are first asked for, so that `ragctl --help` does not wait for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_chunker.context import embedding_text, heading_paths
    from rag_chunker.heading_aware import HeadingAwareChunker
    from rag_chunker.ocr.adapter import ocr_result_to_parsed_document
    from rag_chunker.sentence import split_sentences
    from rag_chunker.tokens import AdditiveTokenCounter, TiktokenCounter, TokenCounter

__all__ = [
    "AdditiveTokenCounter",
    "HeadingAwareChunker",
    "TiktokenCounter",
    "TokenCounter",
    "embedding_text",
    "heading_paths",
    "ocr_result_to_parsed_document",
    "split_sentences",
]

_HOMES = {
    "AdditiveTokenCounter": "rag_chunker.tokens",
    "HeadingAwareChunker": "rag_chunker.heading_aware",
    "TiktokenCounter": "rag_chunker.tokens",
    "TokenCounter": "rag_chunker.tokens",
    "embedding_text": "rag_chunker.context",
    "heading_paths": "rag_chunker.context",
    "ocr_result_to_parsed_document": "rag_chunker.ocr.adapter",
    "split_sentences": "rag_chunker.sentence",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
