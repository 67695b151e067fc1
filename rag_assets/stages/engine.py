"""Which OCR engine reads a corpus, and can it work now?"""

from rag_assets.corpus_config import OcrConfig
from rag_chunker.ocr.registry import BUILT_IN, default_engine, engine_named
from rag_core.errors import ConfigError, OCRError, RagError
from rag_core.spi import OCREngine

__all__ = ["usable_engine"]


def usable_engine(config: OcrConfig) -> OCREngine:
    """The engine that a corpus asks for, else the first that can read its languages.

    Raises `OCRError` that says what to install or to set if it cannot work, `ConfigError` for
    languages that it cannot read.
    """
    if config.engine is None:
        engine = default_engine(config.languages)
        if engine is None:
            raise OCRError(_what_is_missing(config.languages))
        return engine
    try:
        engine = engine_named(config.engine, config.languages)
        health = engine.health()
        engine.version()
    except RagError:
        raise
    except Exception as error:  # of a plug-in: anything
        raise OCRError(
            f"the OCR engine {config.engine!r} cannot be loaded ({type(error).__name__}: {error}); "
            "mend its package, or choose another engine in corpus.toml"
        ) from error
    if not health.ok:
        raise OCRError(health.detail)
    return engine


def _what_is_missing(languages: tuple[str, ...]) -> str:
    reasons = []
    for name in BUILT_IN:
        try:
            reasons.append(engine_named(name, languages).health().detail)
        except ConfigError as error:
            reasons.append(error.message)
    return "no OCR engine can read this corpus: " + "; or ".join(reasons)
