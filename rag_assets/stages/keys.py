"""Is what the store holds still up to date? A key hashes all that decides a stage's result."""

import json
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, entry_points, version

from rag_assets.corpus_config import CHUNKERS_GROUP, OCR_ENGINES_GROUP, CorpusConfig
from rag_assets.store.documents import StoredDocument
from rag_chunker.parsing import parser_for, parser_version
from rag_chunker.parsing.registry import BUILT_IN
from rag_chunker.parsing.registry import ENTRY_POINT_GROUP as PARSERS_GROUP
from rag_core.errors import ParseError
from rag_core.spi import OCREngine
from rag_core.types import Source

__all__ = ["ChunkKeys", "PageKeys", "ParseKeys", "code_version", "parse_key"]

PARSE_STAGE = 1
"""Raised when the stage itself, not a parser, stores something else for the same bytes; also when
the same bytes under the same name are taken for another kind of document."""
OCR_STAGE = 1
"""Raised when the same engine is given other pictures of the same pages."""
CHUNK_STAGE = 1
"""Raised when chunking the same blocks under the same settings gives other chunks, when the same
label rules give other labels, or when a document's text gets another key."""


def parse_key(source: Source, data: bytes) -> str:
    """Of the bytes and the parser that reads them. Raises `ParseError` if there is no parser."""
    return _hash(PARSE_STAGE, sha256(data).hexdigest(), parser_version(source, data))


class ParseKeys:
    """The keys that stored documents would get now, from what the store knows, without their bytes.

    Asks each parser for its version once: make a new one for each run.
    """

    def __init__(self) -> None:
        self._readers: dict[str, str | None] = {}

    def are_current(self, document: StoredDocument) -> bool:
        """Whether parsing the same bytes again would give the same."""
        if document.key is None or document.content_hash is None or document.mime_type is None:
            return False
        if document.mime_type not in self._readers:
            self._readers[document.mime_type] = _reader_of(document.mime_type)
        reader = self._readers[document.mime_type]
        if reader is None:
            return False
        # What `_hash` makes of the three, written out: this is asked of every document, every run.
        written = f'[{PARSE_STAGE}, "{document.content_hash}", {reader}]'
        return document.key == sha256(written.encode()).hexdigest()


def _reader_of(media_type: str) -> str | None:
    """What `parser_version` says, as JSON; None if there is no parser any more."""
    try:
        return json.dumps(f"{media_type} {parser_for(media_type).version()}")
    except ParseError:
        return None


class PageKeys:
    """The keys of pages that an engine reads."""

    def __init__(self, engine: OCREngine, languages: tuple[str, ...]) -> None:
        name = f"{type(engine).__module__}.{type(engine).__qualname__}"
        self._read_by = [OCR_STAGE, name, engine.version(), languages]

    def key(self, content_hash: str, media_type: str, page: int, *, images_only: bool) -> str:
        """Of what is read on a page of this document, or in the pictures on it."""
        return _hash(*self._read_by, content_hash, media_type, page, images_only)


class ChunkKeys:
    """The keys of one corpus' chunked documents."""

    def __init__(self, config: CorpusConfig) -> None:
        settings = [CHUNK_STAGE, config.settings_key(), _release_of(config.chunker.name)]
        self._settings = json.dumps(settings).removesuffix("]")
        self._config = config
        self._ends: dict[tuple[tuple[str, ...], bool], str] = {}

    def key(self, text_key: str, labels: tuple[str, ...], stale: bool) -> str:
        """Of the document's text, the chunker with its settings, and the labels."""
        if (labels, stale) not in self._ends:
            self._ends[labels, stale] = json.dumps([labels, stale]).removeprefix("[")
        # What `_hash` makes of all four, written out: this is asked of every document, every run.
        written = f'{self._settings}, "{text_key}", {self._ends[labels, stale]}'
        return sha256(written.encode()).hexdigest()

    def basis(self, *identities: str) -> str:
        """Of all that the keys of all documents depend on, given files of these identities."""
        release = version("rag-chunker")
        return _hash(self._settings, self._config.model_dump_json(), release, *identities)


def code_version() -> str:
    """Changes with each release of ours, of each parser, of each installed plug-in, and of the OCR
    libraries, also when they come or go: then every document is worth a look, though most keys will
    turn out the same."""
    plug_ins = {
        f"{entry.dist.name} {entry.dist.version}"
        for group in (PARSERS_GROUP, CHUNKERS_GROUP, OCR_ENGINES_GROUP)
        for entry in entry_points(group=group)
        if entry.dist is not None
    }
    stages = (PARSE_STAGE, OCR_STAGE, CHUNK_STAGE)
    readers = [_release(package) for package in ("rapidocr", "onnxruntime", "tesserocr")]
    return _hash(*stages, version("rag-chunker"), _parsers(), sorted(plug_ins), readers)


def _parsers() -> list[str | None]:
    """Media type and version of our own; a plug-in counts by its package, and is not loaded."""
    plug_ins = entry_points(group=PARSERS_GROUP).names
    return [_reader_of(media_type) for media_type in sorted(BUILT_IN.keys() - plug_ins)]


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
