"""Where are lines in a picture, and what do they say? RapidOCR's models tell, each when asked."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_chunker.ocr.gaps import joined, parts_of
from rag_chunker.ocr.rotation import Reading, Wanted
from rag_chunker.ocr.seen import Quad
from rag_chunker.ocr.threads import threads
from rag_core.errors import OCRError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["PictureLines"]

_MOST_AT_ONCE = 4
"""Lines that are read at the same time, each by a thread: every one takes some 25 MB."""


class PictureLines:
    """The lines in a picture: found at once, read on demand (see `rotation.FoundLines`).

    Raises `OCRError` for whatever goes wrong in the models.
    """

    def __init__(self, picture: "Image") -> None:
        import numpy as np

        pixels = np.asarray(picture)[:, :, ::-1]  # blue first, as OpenCV has it
        self._models = _models(threads())
        with _wrapped():
            # What is larger than 2,000 pixels is scaled down, for both models.
            self._pixels, _ = self._models.preprocess_img(np.ascontiguousarray(pixels))
            boxes = self._models(self._pixels).boxes
        self._boxes = [] if boxes is None else list(boxes)
        across = picture.width / self._pixels.shape[1]
        down = picture.height / self._pixels.shape[0]
        self.quads: list[Quad] = [_quad(box, across, down) for box in self._boxes]

    def read(self, wanted: Sequence[Wanted]) -> list[Reading]:
        """See `rotation.FoundLines`. Each line is one thread's: two threads on two lines take a
        tenth less CPU time than two threads on each line, and are as soon done."""
        with _wrapped(), ThreadPoolExecutor(min(_MOST_AT_ONCE, threads())) as pool:
            return list(pool.map(self._read, wanted))

    def _read(self, one: Wanted) -> Reading:
        import numpy as np

        place, degrees = one
        line = np.rot90(_straight(self._pixels, self._boxes[place]), -degrees // 90)
        found = self._models.recognize_txt(list(map(np.ascontiguousarray, parts_of(line))))
        return joined(list(zip(found.txts, map(float, found.scores), strict=True)))


@contextmanager
def _wrapped() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # of OpenCV, ONNX Runtime and RapidOCR
        raise OCRError(f"RapidOCR fails: {type(error).__name__}: {error}") from error


def _quad(box: Any, across: float, down: float) -> Quad:
    a, b, c, d = ((float(x) * across, float(y) * down) for x, y in box)
    return a, b, c, d


def _straight(pixels: Any, box: Any) -> Any:
    """The part of the picture inside the four corners, as an upright rectangle."""
    import cv2
    import numpy as np

    corners = np.asarray(box, np.float32)
    a, b, c, d = corners
    width = max(1, int(max(np.linalg.norm(a - b), np.linalg.norm(c - d))))
    height = max(1, int(max(np.linalg.norm(a - d), np.linalg.norm(b - c))))
    target = np.asarray([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    return cv2.warpPerspective(
        pixels,
        cv2.getPerspectiveTransform(corners, target),
        (width, height),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )


@cache
def _models(count: int) -> Any:
    """A RapidOCR that finds lines when it is called, and reads lines with `recognize_txt`.

    Settings as measured on 28 pages: without the angle classifier (it turns good lines round); 960
    pixels for the detector (a third less time, the same text); lines recognized one by one (half
    the memory, the same time), short ones without being filled up to 320 pixels (on 60 words and
    numbers the same text, with 0.994 confidence in place of 0.988).
    """
    import rapidocr
    from omegaconf import flag_override

    models = Path(rapidocr.__file__).parent / "models"
    reader = rapidocr.RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.use_rec": False,
            "Global.log_level": "critical",
            "Det.limit_type": "max",
            "Det.limit_side_len": 960,
            "Rec.rec_batch_num": 1,
            "Rec.rec_img_shape": [3, 48, 96],
        }
    )
    with flag_override(reader.cfg, "allow_objects", True):
        reader.cfg.Det.session = _session(models / "PP-OCRv6_det_small.onnx", count)
        reader.cfg.Rec.session = _session(models / "PP-OCRv6_rec_small.onnx", 1)
    return reader


def _session(model: Path, count: int) -> Any:
    """A model in memory. Its threads sleep while they wait: spinning took a third of the CPU time
    on a busy machine and saved none of the other. Its memory is kept from line to line, which
    saves a quarter of the CPU time and costs nothing at the peak. (Taking subnormal numbers for 0
    saves nothing, and would do so for all of Python's on the same thread.)"""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = count
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # no two lines have the same width
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
