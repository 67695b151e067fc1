"""Which OCR engine is meant? Built-in ones by table, others by entry point.

A distribution adds engines under the entry point group `rag_chunker.ocr_engines`: the entry's name
is the engine's, its value is called with the languages (a tuple of names such as `eng`, empty for
the engine's own choice) and gives a `rag_core.spi.OCREngine`. It takes precedence over a built-in
engine of the same name.
"""

from importlib import import_module
from importlib.metadata import entry_points

from rag_chunker.ocr.languages import engine_name
from rag_core.errors import ConfigError
from rag_core.spi import OCREngine

__all__ = ["BUILT_IN", "ENTRY_POINT_GROUP", "default_engine", "engine_named", "how_to_get_ocr"]

ENTRY_POINT_GROUP = "rag_chunker.ocr_engines"

BUILT_IN: dict[str, str] = {
    "rapidocr": "rag_chunker.ocr.rapidocr:RapidOcrEngine",
    "tesseract": "rag_chunker.ocr.tesseract:TesseractEngine",
}
"""Name to `module:class`, the better one first; imported when first asked for."""


def engine_named(name: str, languages: tuple[str, ...] = ()) -> OCREngine:
    """The engine called `name`, set to read `languages` (`en` is taken as `eng`). It may lack what
    it needs: its `health` says so. Raises `ConfigError` for an unknown name, or languages that it
    cannot read."""
    languages = tuple(dict.fromkeys(map(engine_name, languages)))
    plugins = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
    if name in plugins:
        engine: OCREngine = plugins[name].load()(languages)
        return engine
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        built_in: OCREngine = getattr(import_module(module), attribute)(languages)
        return built_in
    known = ", ".join(sorted({*BUILT_IN, *plugins}))
    raise ConfigError(f"no OCR engine {name!r}; known: {known}")


def default_engine(languages: tuple[str, ...] = ()) -> OCREngine | None:
    """The first built-in engine that can read these languages here and now; None if none can."""
    for name in BUILT_IN:
        try:
            engine = engine_named(name, languages)
        except ConfigError:  # other scripts than its own
            continue
        if engine.health().ok:
            return engine
    return None


def how_to_get_ocr() -> str:
    """For messages where no engine is installed."""
    return "no OCR engine is installed: pip install 'rag-chunker[ocr]'"
