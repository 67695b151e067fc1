"""The OCR engines keep the contract, the scripted fake included."""

from collections.abc import Mapping
from functools import cache

import pytest
from PIL import Image

from rag_chunker.ocr.registry import engine_named
from rag_core.spi import OCREngine
from rag_core.testing import OCRContract, ScriptedOCREngine
from tests.bench.page_images import PageSpec, draw, to_bytes


@cache
def _pictures() -> dict[bytes, list[str]]:
    """Of this test's own making: a page, and one that stands on its head."""
    size = {"paper": (3.6, 1.3), "margin": 0.2, "dpi": 150}
    invoice = draw(PageSpec("invoice", ("Invoice number 4471", "Pay before June"), **size))
    letter = draw(PageSpec("letter", ("Dear reader of scans",), points=14, turn=180, **size))
    return {
        to_bytes(invoice): ["Invoice", "4471", "Pay", "June"],
        to_bytes(letter, "JPEG"): ["Dear", "reader", "scans"],
    }


@cache
def _blank() -> bytes:
    return to_bytes(Image.new("RGB", (400, 300), "white"))


class _Drawn(OCRContract):
    @pytest.fixture(scope="class")
    @classmethod
    def pictures(cls) -> Mapping[bytes, list[str]]:
        return _pictures()

    @pytest.fixture(scope="class")
    @classmethod
    def blank(cls) -> bytes:
        return _blank()


def _installed(name: str) -> OCREngine:
    engine = engine_named(name)
    if not engine.health().ok:
        pytest.skip(engine.health().detail)
    return engine


class TestRapidOcr(_Drawn):
    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls) -> OCREngine:
        return _installed("rapidocr")


class TestTesseract(_Drawn):
    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls) -> OCREngine:
        return _installed("tesseract")


class TestScripted(_Drawn):
    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls) -> OCREngine:
        return ScriptedOCREngine({**_pictures(), _blank(): []})
