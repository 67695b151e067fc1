"""Is what the store holds still up to date? A key hashes all that decides a stage's result."""

import json
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, entry_points, version

from rag_assets.corpus_config import CHUNKERS_GROUP, OCR_ENGINES_GROUP, CorpusConfig
from rag_chunker.parsing import parser_for, parser_version
from rag_core.spi import OCREngine
from rag_core.types import Source

__all__ = ["ChunkKeys", "code_version", "page_key", "parse_key", "parse_key_of"]

PARSE_STAGE = 1
"""Raised when the stage itself, not a parser, stores something else for the same bytes."""
OCR_STAGE = 1
"""Raised when the same engine is given other pictures of the same pages."""
CHUNK_STAGE = 1
"""Raised when chunking the same blocks under the same settings gives other chunks."""


def parse_key(source: Source, data: bytes) -> str:
    """Of the bytes and the parser that reads them. Raises `ParseError` if there is no parser."""
    return _hash(PARSE_STAGE, sha256(data).hexdigest(), parser_version(source, data))


def parse_key_of(content_hash: str, media_type: str) -> str:
    """The same from what the store knows of a document, without its bytes.

    Raises `UnsupportedMediaType` if there is no parser any more.
    """
    return _hash(PARSE_STAGE, content_hash, f"{media_type} {parser_for(media_type).version()}")


def page_key(
    content_hash: str,
    media_type: str,
    page: int,
    engine: OCREngine,
    languages: tuple[str, ...],
    *,
    images_only: bool,
) -> str:
    """Of what an engine reads on a page of this document, or in the pictures on it."""
    name = f"{type(engine).__module__}.{type(engine).__qualname__}"
    read_by = [OCR_STAGE, name, engine.version(), languages]
    return _hash(*read_by, content_hash, media_type, page, images_only)


class ChunkKeys:
    """The keys of one corpus' chunked documents."""

    def __init__(self, config: CorpusConfig) -> None:
        self._settings = [CHUNK_STAGE, config.settings_key(), _release_of(config.chunker.name)]

    def key(self, text_key: str, labels: tuple[str, ...], stale: bool) -> str:
        """Of the document's text, the chunker with its settings, and the labels."""
        return _hash(*self._settings, text_key, labels, stale)


def code_version() -> str:
    """Changes with each release of ours, of each installed plug-in, and of the OCR libraries, also
    when they come or go: then every document is worth a look, though most keys will turn out the
    same."""
    plug_ins = {
        f"{entry.dist.name} {entry.dist.version}"
        for group in ("rag_chunker.parsers", CHUNKERS_GROUP, OCR_ENGINES_GROUP)
        for entry in entry_points(group=group)
        if entry.dist is not None
    }
    stages = (PARSE_STAGE, OCR_STAGE, CHUNK_STAGE)
    readers = [_release(package) for package in ("rapidocr", "onnxruntime", "tesserocr")]
    return _hash(*stages, version("rag-chunker"), sorted(plug_ins), readers)


def _release(package: str) -> str:
    """Its version; nothing if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _release_of(chunker: str) -> str:
    """The version of the package that a plug-in comes from; our own has `CHUNK_STAGE`."""
    for entry in entry_points(group=CHUNKERS_GROUP, name=chunker):
        if entry.dist is not None:
            return f"{entry.dist.name} {entry.dist.version}"
    return ""


def _hash(*parts: object) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()
