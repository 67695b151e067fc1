"""RapidOCR behind the port: PP-OCRv6 with the models that its wheel brings, nothing downloaded."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING

from rag_chunker.ocr.picture import read_picture
from rag_chunker.ocr.ppocr import PictureLines
from rag_chunker.ocr.rotation import read_lines_upright
from rag_chunker.ocr.seen import Seen
from rag_core.errors import ConfigError, OCRError
from rag_core.spi import OCREngine
from rag_core.types import Health, OCRResult

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["RapidOcrEngine"]

NAME = "rapidocr"
RULES = "3"
"""Goes up whenever the same picture may give other regions."""
_PACKAGES = ("rapidocr", "onnxruntime")
_INSTALL = "pip install 'rag-chunker[ocr]'"
_EM = 0.8
"""Size of the font as part of the height of a line's box, which stands off the letters."""
_UNREAD = frozenset(
    {"amh", "ara", "bel", "ben", "bul", "fas", "heb", "hin", "hye", "kan", "kat", "kaz", "khm"}
    | {"kor", "lao", "mal", "mar", "mkd", "mya", "nep", "pan", "rus", "sin", "srp", "tam", "tel"}
    | {"tgk", "tha", "ukr", "urd", "yid"}
)
"""Languages (ISO 639-3, as Tesseract names them) whose script the model's 18,708 symbols lack."""


class RapidOcrEngine(OCREngine):
    """Reads Latin, Greek, Chinese and Japanese; also noisy, skewed and low-resolution pages.

    Takes about 3 CPU seconds and 500 MB for a page. `languages` are only checked: the model reads
    all of its own at once. Raises `ConfigError` for a language of another script.
    """

    def __init__(self, languages: tuple[str, ...] = ()) -> None:
        unread = sorted(_UNREAD.intersection(languages))
        if unread:
            raise ConfigError(
                f"RapidOCR reads Latin, Greek, Chinese and Japanese, not {', '.join(unread)}; "
                "choose the engine 'tesseract' for this corpus"
            )
        self.languages = languages

    def read(self, image: bytes) -> OCRResult:
        """See `OCREngine.read`: paragraphs in reading order. A blank picture gives no region."""
        if not self.health().ok:
            raise OCRError(self.health().detail)
        with _ONE_AT_A_TIME:
            regions = read_picture(image, _read, em=_EM)
        return OCRResult(engine=NAME, regions=regions)

    def version(self) -> str:
        try:
            return f"{NAME} {version_of('rapidocr')} rules {RULES}"
        except PackageNotFoundError:
            return f"{NAME} not installed, rules {RULES}"

    def health(self) -> Health:
        missing = [name for name in _PACKAGES if find_spec(name) is None]
        if missing:
            return Health(
                ok=False,
                detail=f"RapidOCR needs {' and '.join(missing)}: {_INSTALL}",
            )
        return Health(ok=True, detail=f"RapidOCR {version_of('rapidocr')}")


_ONE_AT_A_TIME = Lock()
"""Pictures: a second one would double the memory and be no sooner done."""


def _read(picture: "Image") -> tuple[list[Seen], int]:
    return read_lines_upright(picture, PictureLines)
