"""An OCR engine that reads pages of one colour: quick, predictable, as bad as it is asked to be.

`page(n)` is a picture on which it reads `text_of(n)`; `page(trouble)` one that makes it fail.
It joins by entry point, as plug-ins do: see `installed`. The environment says what it is like.
"""

import os
import signal
import time
from io import BytesIO
from pathlib import Path

from PIL import Image

from rag_core.errors import OCRError
from rag_core.spi import OCREngine
from rag_core.types import Health, OCRRegion, OCRResult

NAME = "colour"
SETTINGS = LOG, VERSION, BROKEN, SECONDS = tuple(
    f"COLOUR_ENGINE_{name}" for name in ("LOG", "VERSION", "BROKEN", "SECONDS")
)
"""A file that gets a line for each page read; the version; why it cannot work; seconds a page."""

_STEP = 25
_TROUBLES = ("raises", "hangs", "crashes", "doubts", "blank", "lies")


def text_of(number: int) -> str:
    """Of page `number`, 0..99."""
    return f"This is page {number} of the scan."


def page(what: int | str) -> Image.Image:
    """A picture with page number 0..99 on it, or with trouble."""
    if isinstance(what, str):
        colour = (_STEP * _TROUBLES.index(what), 0, 250)
    else:
        colour = (what // 10 * _STEP, what % 10 * _STEP, 0)
    return Image.new("RGB", (60, 40), colour)


def png(what: int | str) -> bytes:
    """The page as an image file."""
    packed = BytesIO()
    page(what).save(packed, "PNG")
    return packed.getvalue()


def pdf(*pages: int | str) -> bytes:
    """A scan of several pages."""
    packed = BytesIO()
    first, *others = map(page, pages)
    first.save(packed, "PDF", save_all=True, append_images=others)
    return packed.getvalue()


def installed(site: Path) -> str:
    """Makes `site`, which then has to be on the path, the place where the plug-in is installed."""
    info = site / "colour_engine-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: colour-engine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[rag_chunker.ocr_engines]\n{NAME} = {__name__}:ColourEngine\n"
    )
    return str(site)


class ColourEngine(OCREngine):
    """Knows a page by its colour."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self.languages = languages

    def read(self, image: bytes) -> OCRResult:
        if LOG in os.environ:
            with open(os.environ[LOG], "a") as log:
                log.write(f"{os.getpid()}\n")
        time.sleep(float(os.environ.get(SECONDS, "0")))
        with Image.open(BytesIO(image)) as picture:
            red, green, blue = picture.convert("RGB").getpixel(
                (picture.width // 2, picture.height // 2)
            )
        if blue < 125:
            return _result(text_of(10 * round(red / _STEP) + round(green / _STEP)), 0.95)
        return _trouble(_TROUBLES[round(red / _STEP)])

    def version(self) -> str:
        return f"{NAME} {os.environ.get(VERSION, '1')}"

    def health(self) -> Health:
        broken = os.environ.get(BROKEN, "")
        return Health(ok=not broken, detail=broken)


def _trouble(kind: str) -> OCRResult:
    match kind:
        case "raises":
            raise OCRError("the page is upside down: turn it")
        case "hangs":
            time.sleep(3600)
        case "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "doubts":
            return _result("Ths is hrd to raed.", 0.55)
        case "lies":
            return _result("not Unicode: \ud800", 0.9)
    return OCRResult(engine=NAME)


def _result(text: str, confidence: float) -> OCRResult:
    return OCRResult(engine=NAME, regions=(OCRRegion(text=text, confidence=confidence),))
