"""What every OCR engine promises: subclass `OCRContract`, give it an engine and pictures."""

import pickle
import zlib
from collections.abc import Mapping

import pytest

from rag_core.errors import OCRError
from rag_core.spi import OCREngine
from rag_core.text import is_blank
from rag_core.types import OCRResult

_HEADER = b"IHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x02\x00\x00\x00"
_NO_PICTURES = {
    "nothing": b"",
    "text": b"Invoice number 4471",
    "noise": bytes(range(256)) * 4,
    "PNG without pixels": b"\x89PNG\r\n\x1a\n",
    "PNG of 4 billion pixels": b"\x89PNG\r\n\x1a\n\x00\x00\x00\r"
    + _HEADER
    + zlib.crc32(_HEADER).to_bytes(4, "big"),
}


class OCRContract:
    """Promises that an OCR engine keeps.

        class TestMyEngine(OCRContract):
            @pytest.fixture(scope="class")
            @classmethod
            def engine(cls):
                return MyEngine()

            @pytest.fixture(scope="class")
            @classmethod
            def pictures(cls):
                return {Path("invoice.png").read_bytes(): ["Invoice", "4471"]}

            @pytest.fixture(scope="class")
            @classmethod
            def blank(cls):
                return Path("blank.png").read_bytes()

    `pictures` are image files with words that must be read on each, in reading order; two of
    different sizes are enough, since each is read only once or twice. `blank` is one without any
    text.
    """

    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls) -> OCREngine:
        """Override: the engine under test."""
        raise NotImplementedError("override the fixture `engine`")

    @pytest.fixture(scope="class")
    @classmethod
    def pictures(cls) -> Mapping[bytes, list[str]]:
        """Override: image files, and words on each in reading order."""
        raise NotImplementedError("override the fixture `pictures`")

    @pytest.fixture(scope="class")
    @classmethod
    def blank(cls) -> bytes:
        """Override: an image file without text."""
        raise NotImplementedError("override the fixture `blank`")

    @pytest.fixture(scope="class")
    @classmethod
    def results(
        cls, engine: OCREngine, pictures: Mapping[bytes, list[str]]
    ) -> list[tuple[OCRResult, list[str]]]:
        assert pictures, "give at least one picture"
        return [(engine.read(image), words) for image, words in pictures.items()]

    def test_words_are_read_in_order(self, results: list[tuple[OCRResult, list[str]]]) -> None:
        for result, words in results:
            text = " ".join(region.text for region in result.regions)
            places = [text.find(word) for word in words]
            assert -1 not in places, f"{words} are not all in {text!r}"
            assert places == sorted(places), f"{words} are in another order in {text!r}"

    def test_regions_are_visible_text(self, results: list[tuple[OCRResult, list[str]]]) -> None:
        texts = [region.text for result, _ in results for region in result.regions]
        assert [text for text in texts if is_blank(text)] == []
        assert [text for text in texts if "\0" in text or not _is_unicode(text)] == []

    def test_boxes_have_an_area_and_start_inside(
        self, results: list[tuple[OCRResult, list[str]]]
    ) -> None:
        boxes = [region.bbox for result, _ in results for region in result.regions if region.bbox]
        flat = [box for box in boxes if not (box[0] < box[2] and box[1] < box[3])]
        assert flat == []
        assert [box for box in boxes if box[2] <= 0 or box[3] <= 0] == []

    def test_letters_are_measured_in_the_unit_of_their_box(
        self, results: list[tuple[OCRResult, list[str]]]
    ) -> None:
        regions = [region for result, _ in results for region in result.regions]
        too_large = [
            (region.line_height, region.bbox)
            for region in regions
            if region.line_height is not None
            and region.bbox is not None
            and region.line_height
            > 2 * max(region.bbox[2] - region.bbox[0], region.bbox[3] - region.bbox[1])
        ]
        assert too_large == []

    def test_the_result_names_its_engine(self, results: list[tuple[OCRResult, list[str]]]) -> None:
        names = {result.engine for result, _ in results}
        assert len(names) == 1
        assert names != {""}

    def test_a_blank_picture_has_no_regions(self, engine: OCREngine, blank: bytes) -> None:
        assert engine.read(blank).regions == ()

    @pytest.mark.parametrize("kind", _NO_PICTURES)
    def test_what_is_no_picture_is_an_ocr_error(self, engine: OCREngine, kind: str) -> None:
        with pytest.raises(OCRError) as error:
            engine.read(_NO_PICTURES[kind])
        assert error.value.message

    def test_a_picture_reads_the_same_again_even_after_an_error(
        self,
        engine: OCREngine,
        results: list[tuple[OCRResult, list[str]]],
        pictures: Mapping[bytes, list[str]],
    ) -> None:
        with pytest.raises(OCRError):
            engine.read(b"")
        assert engine.read(next(iter(pictures))) == results[0][0]

    def test_its_version_is_stable(self, engine: OCREngine) -> None:
        assert engine.version()
        assert engine.version() == engine.version()

    def test_it_is_healthy_and_says_so(self, engine: OCREngine) -> None:
        health = engine.health()
        assert health.ok, health.detail

    def test_a_copy_sent_to_another_process_is_the_same_engine(self, engine: OCREngine) -> None:
        assert pickle.loads(pickle.dumps(engine)).version() == engine.version()  # noqa: S301


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)
