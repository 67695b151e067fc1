"""One page of a stored document is read: what runs in the worker processes of the OCR stage.

A document's bytes come by a file, not with each of its pages: a scan of 500 pages would else be
sent 500 times. What pages of one document share is loaded once a worker, as is the engine.
"""

import pickle
from functools import lru_cache
from pathlib import Path

from rag_chunker.pipeline import read_page
from rag_core.spi import OCREngine
from rag_core.types import OCRResult, ParsedDocument

__all__ = ["hand_over", "read_stored_page", "take_back"]

_BYTES = ".bytes"


def hand_over(parsed: ParsedDocument, data: bytes, path: Path) -> None:
    """Write what `read_stored_page` needs to know of a document: its bytes, type and pages.

    Each document needs a path of its own, never used before. Raises `OSError`.
    """
    path.with_suffix(_BYTES).write_bytes(data)
    path.write_text(parsed.model_dump_json(), encoding="utf-8")


def take_back(path: Path) -> None:
    """Remove it again."""
    path.with_suffix(_BYTES).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def read_stored_page(engine: bytes, path: str, number: int, images_only: bool) -> OCRResult:
    """What the pickled `engine` reads on page `number` of the document handed over at `path`, or
    in the pictures on that page.

    Raises as `rag_chunker.pipeline.read_page` does.
    """
    parsed, data = _document(path)
    return read_page(parsed, data, number, _engine(engine), images_only=images_only)


@lru_cache(maxsize=1)
def _document(path: str) -> tuple[ParsedDocument, bytes]:
    parsed = ParsedDocument.model_validate_json(Path(path).read_text(encoding="utf-8"))
    return parsed, Path(path).with_suffix(_BYTES).read_bytes()


@lru_cache(maxsize=1)
def _engine(pickled: bytes) -> OCREngine:
    engine: OCREngine = pickle.loads(pickled)  # noqa: S301 (from our parent)
    return engine
