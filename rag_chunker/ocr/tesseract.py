"""Tesseract behind the port: a hundred languages, one pack of data each; small and fast."""

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from math import degrees, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_chunker.ocr.picture import read_picture
from rag_chunker.ocr.rotation import read_upright
from rag_chunker.ocr.seen import Quad, Seen, skew_of, turned_about
from rag_core.errors import ConfigError, OCRError
from rag_core.spi import OCREngine
from rag_core.types import Health, OCRResult

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["TesseractEngine", "tessdata_folder"]

NAME = "tesseract"
RULES = "2"
"""Goes up whenever the same picture may give other regions."""
_EM = 0.95
"""Size of the font as part of the height of a line's box, from its highest to its lowest ink."""
_SURE = 2.0
"""Confidence in an orientation from which it is believed; upright pages mostly have 5 and more."""
_LEAST_SKEW, _MOST_SKEW = radians(0.4), radians(20)
"""Of a page that is turned straight before it is read."""
_PACKS = frozenset({"eng", "deu", "jpn"})
"""Languages that there is a Python package `tessdata-fast-...` of."""
_FOLDERS = (
    f"{sys.prefix}/share/tessdata",  # where the tessdata packages of Python put theirs
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)


class TesseractEngine(OCREngine):
    """Reads the languages it is given (`eng`, `deu`, `rus`, ...: names of Tesseract's packs).

    Takes about 1 CPU second and 50 MB for a page; weak on noise and below 150 dpi. More languages
    take more time. Raises `ConfigError` for what cannot be a language's name.
    """

    def __init__(self, languages: tuple[str, ...] = ()) -> None:
        self.languages = languages or ("eng",)
        for language in self.languages:
            if not language.replace("_", "").isalnum():
                raise ConfigError(
                    f"{language!r} is no language of Tesseract; write names such as 'eng', 'deu', "
                    "'chi_sim'"
                )

    def read(self, image: bytes) -> OCRResult:
        """See `OCREngine.read`: paragraphs in reading order. A blank picture gives no region."""
        health = self.health()
        if not health.ok:
            raise OCRError(health.detail)
        regions = read_picture(image, self._read_upright, em=_EM)
        return OCRResult(engine=NAME, regions=regions, language="+".join(self.languages))

    def version(self) -> str:
        if find_spec("tesserocr") is None:
            return f"{NAME} not installed, rules {RULES}"
        import tesserocr

        library = tesserocr.tesseract_version().split()[1]
        return f"{NAME} {library} {'+'.join(self.languages)} rules {RULES}"

    def health(self) -> Health:
        if find_spec("tesserocr") is None:
            return Health(
                ok=False, detail=f"Tesseract needs tesserocr: {_how_to_get(self.languages)}"
            )
        folder = tessdata_folder(self.languages)
        missing = [
            name for name in self.languages if not (folder / f"{name}.traineddata").is_file()
        ]
        if missing:
            return Health(
                ok=False,
                detail=f"Tesseract has no data for {', '.join(missing)} in {folder}: "
                f"{_how_to_get(missing)}",
            )
        return Health(ok=True, detail=f"{self.version()}, data in {folder}")

    def _read_upright(self, picture: "Image") -> tuple[list[Seen], int]:
        return read_upright(picture, self._read, _turn(picture))

    def _read(self, picture: "Image") -> list[Seen]:
        try:
            with _api(tessdata_folder(self.languages), "+".join(self.languages)) as api:
                api.SetImage(picture)
                skew = skew_of(_lines(api.AnalyseLayout(), with_text=False))
                if _LEAST_SKEW <= abs(skew) <= _MOST_SKEW:
                    return _read_straight(api, picture, skew)
                api.Recognize()
                return list(_lines(api.GetIterator()))
        except (RuntimeError, ValueError) as error:
            raise OCRError(f"Tesseract fails: {error}") from error


def _read_straight(api: Any, picture: "Image", skew: float) -> list[Seen]:
    """What is seen on a skewed page once it is straight, as it stands on the skewed page: at 1.5
    degrees Tesseract loses every tenth word, at 4 the order of the lines too."""
    from PIL.Image import Resampling

    straight = picture.rotate(degrees(skew), Resampling.BICUBIC, expand=True, fillcolor="white")
    api.SetImage(straight)
    api.Recognize()
    centers = [(image.width / 2, image.height / 2) for image in (straight, picture)]
    return turned_about(_lines(api.GetIterator()), skew, *centers)


def tessdata_folder(languages: tuple[str, ...] = ()) -> Path:
    """Where the packs lie: `TESSDATA_PREFIX` if it is set, else the first of the usual folders
    that has all the languages, else the first that is there at all."""
    given = os.environ.get("TESSDATA_PREFIX")
    if given:
        return Path(given)
    there = [Path(folder) for folder in _FOLDERS if Path(folder).is_dir()]
    for folder in there:
        if all((folder / f"{name}.traineddata").is_file() for name in languages):
            return folder
    return there[0] if there else Path(_FOLDERS[0])


def _how_to_get(languages: Iterable[str]) -> str:
    packs = " ".join(f"tessdata-fast-{name}" for name in languages if name in _PACKS)
    debian = " ".join(f"tesseract-ocr-{name.replace('_', '-')}" for name in languages)
    by_pip = f"pip install tesserocr {packs}" if packs else "pip install tesserocr"
    return f"{by_pip}; or apt-get install {debian}; or set TESSDATA_PREFIX to your packs' folder"


def _api(folder: Path, languages: str, **options: Any) -> Any:
    """An open Tesseract, quiet; it loads its data in some 50 ms. Raises `RuntimeError`."""
    import tesserocr

    api = tesserocr.PyTessBaseAPI(path=f"{folder}/", lang=languages, **options)
    api.SetVariable("debug_file", os.devnull)
    return api


def _turn(picture: "Image") -> int:
    """By how many degrees clockwise the picture has to be turned, 0 if that cannot be told."""
    import tesserocr

    folder = tessdata_folder(("osd",))
    if not (folder / "osd.traineddata").is_file():
        return 0
    with _api(folder, "osd", psm=tesserocr.PSM.OSD_ONLY) as api:
        api.SetImage(picture)
        found = api.DetectOrientationScript()
    if not found or found["orient_conf"] < _SURE:
        return 0
    return (360 - int(found["orient_deg"])) % 360


def _lines(iterator: Any, *, with_text: bool = True) -> Iterator[Seen]:
    """The lines of a recognized page, or of one whose layout alone is known, without text."""
    import tesserocr

    level = tesserocr.RIL.TEXTLINE
    if iterator is None or iterator.Empty(level):
        return
    for line in tesserocr.iterate_level(iterator, level):
        box = None if line.Empty(level) else line.BoundingBox(level)
        if box is None:  # a picture or a rule
            continue
        quad = _quad(box, line.Baseline(level))
        if not with_text:
            yield Seen("", 0.0, quad)
        elif text := line.GetUTF8Text(level).strip():
            yield Seen(text, line.Confidence(level) / 100, quad)


def _quad(
    box: tuple[int, int, int, int], baseline: tuple[tuple[int, int], tuple[int, int]] | None
) -> Quad:
    """The corners of a line, along its baseline."""
    left, top, right, bottom = box
    (x1, y1), (x2, y2) = baseline or ((left, bottom), (right, bottom))
    fall = (y2 - y1) * (right - left) / (x2 - x1) if x2 > x1 else 0.0
    if abs(fall) >= bottom - top:
        fall = 0.0  # a baseline that does not fit its box
    at_left, at_right = max(0.0, -fall), max(0.0, fall)
    return (
        (left, top + at_left),
        (right, top + at_right),
        (right, bottom - at_left),
        (left, bottom - at_right),
    )
