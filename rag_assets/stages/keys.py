"""Is what the store holds still up to date? A key hashes all that decides a stage's result."""

import json
from hashlib import sha256

from rag_assets.corpus_config import CorpusConfig
from rag_chunker.parsing import parser_version
from rag_core.types import Source

__all__ = ["chunk_key", "parse_key"]

PARSE_STAGE = 1
"""Raised when the stage itself, not a parser, stores something else for the same bytes."""
CHUNK_STAGE = 1
"""Raised when chunking the same blocks under the same settings gives other chunks."""


def parse_key(source: Source, data: bytes) -> str:
    """Of the bytes and the parser that reads them. Raises `ParseError` if there is no parser."""
    return _hash(PARSE_STAGE, sha256(data).hexdigest(), parser_version(source, data))


def chunk_key(parsed_key: str, config: CorpusConfig, labels: tuple[str, ...], stale: bool) -> str:
    """Of the parsed document, the chunker with its settings, and the labels."""
    return _hash(CHUNK_STAGE, parsed_key, config.settings_key(), labels, stale)


def _hash(*parts: object) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()
