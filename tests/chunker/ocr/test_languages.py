"""Languages may be named as people name them."""

import pytest

from rag_chunker.ocr.languages import engine_name
from rag_chunker.ocr.registry import engine_named
from rag_chunker.ocr.tesseract import TesseractEngine
from rag_core.errors import ConfigError


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("en", "eng"),
        ("DE", "deu"),
        ("pt-BR", "por"),
        ("zh", "chi_sim"),
        ("zh-TW", "chi_tra"),
        ("eng", "eng"),
        ("chi_tra", "chi_tra"),
        ("deu_frak", "deu_frak"),
        ("xx", "xx"),
    ],
)
def test_short_codes_are_the_same_as_the_names_of_packs(code: str, name: str) -> None:
    assert engine_name(code) == name


def test_an_engine_gets_each_language_once_under_its_own_name() -> None:
    engine = engine_named("tesseract", ("en", "de", "eng"))
    assert isinstance(engine, TesseractEngine)
    assert engine.languages == ("eng", "deu")


def test_a_language_that_an_engine_cannot_read_is_refused_by_either_name() -> None:
    with pytest.raises(ConfigError, match="rus"):
        engine_named("rapidocr", ("ru",))
