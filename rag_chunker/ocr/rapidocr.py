"""RapidOCR behind the port: PP-OCRv6 with the models that its wheel brings, nothing downloaded."""

from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from rag_chunker.ocr.picture import read_picture
from rag_chunker.ocr.seen import Quad, Seen
from rag_chunker.ocr.threads import threads
from rag_core.errors import ConfigError, OCRError
from rag_core.spi import OCREngine
from rag_core.types import Health, OCRResult

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["RapidOcrEngine"]

NAME = "rapidocr"
RULES = "2"
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
        return OCRResult(engine=NAME, regions=read_picture(image, _read, em=_EM))

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


def _read(picture: "Image") -> list[Seen]:
    """What the models see. They are loaded once a process, and read one picture at a time."""
    import numpy as np

    pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])  # blue first, as OpenCV has it
    try:
        with _ONE_AT_A_TIME:
            found = _models(threads())(pixels)
    except Exception as error:  # of OpenCV, ONNX Runtime and RapidOCR
        raise OCRError(f"RapidOCR fails: {type(error).__name__}: {error}") from error
    if found.boxes is None:
        return []
    return [
        Seen(text, float(score), _quad(corners))
        for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True)
    ]


def _quad(corners: Any) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d


_ONE_AT_A_TIME = Lock()


@cache
def _models(count: int) -> Any:
    """Settings as measured on 28 pages: without the angle classifier (it turns good lines round);
    960 pixels for the detector (a third less time, the same text); lines recognized one by one
    (half the memory, the same time). All scores are wanted, also for choosing the rotation."""
    import rapidocr
    from omegaconf import flag_override

    models = Path(rapidocr.__file__).parent / "models"
    reader = rapidocr.RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.log_level": "critical",
            "Global.text_score": 0.0,
            "Det.limit_type": "max",
            "Det.limit_side_len": 960,
            "Rec.rec_batch_num": 1,
        }
    )
    with flag_override(reader.cfg, "allow_objects", True):
        reader.cfg.Det.session = _session(models / "PP-OCRv6_det_small.onnx", count)
        reader.cfg.Rec.session = _session(models / "PP-OCRv6_rec_small.onnx", count)
    return reader


def _session(model: Path, count: int) -> Any:
    """A model in memory. Its threads sleep while they wait: spinning took a third of the CPU time
    on a busy machine and saved none of the other. Its memory is kept from line to line, which
    saves a quarter of the CPU time and costs nothing at the peak."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = count
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # no two lines have the same width
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
