"""What do OCR engines call a language? `de` and `deu` are one; Tesseract knows the latter."""

__all__ = ["engine_name"]

_BY_TWO_LETTERS = {
    "af": "afr", "am": "amh", "ar": "ara", "az": "aze", "be": "bel", "bg": "bul", "bn": "ben",
    "bs": "bos", "ca": "cat", "cs": "ces", "cy": "cym", "da": "dan", "de": "deu", "el": "ell",
    "en": "eng", "eo": "epo", "es": "spa", "et": "est", "eu": "eus", "fa": "fas", "fi": "fin",
    "fr": "fra", "ga": "gle", "gl": "glg", "gu": "guj", "he": "heb", "hi": "hin", "hr": "hrv",
    "hu": "hun", "hy": "hye", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn", "ka": "kat",
    "kk": "kaz", "km": "khm", "kn": "kan", "ko": "kor", "la": "lat", "lo": "lao", "lt": "lit",
    "lv": "lav", "mk": "mkd", "ml": "mal", "mn": "mon", "mr": "mar", "ms": "msa", "mt": "mlt",
    "my": "mya", "nb": "nor", "ne": "nep", "nl": "nld", "nn": "nor", "no": "nor", "pa": "pan",
    "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "si": "sin", "sk": "slk", "sl": "slv",
    "sq": "sqi", "sr": "srp", "sv": "swe", "sw": "swa", "ta": "tam", "te": "tel", "tg": "tgk",
    "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "uz": "uzb", "vi": "vie", "yi": "yid",
    "zh": "chi_sim",
}  # fmt: skip
_TRADITIONAL = frozenset({"zh_tw", "zh_hk", "zh_mo", "zh_hant"})


def engine_name(code: str) -> str:
    """Of ISO 639-1 codes, also with a region (`en`, `pt-BR`), the name of Tesseract's pack; any
    other code as it is."""
    tag = code.lower().replace("-", "_")
    if tag in _TRADITIONAL:
        return "chi_tra"
    return _BY_TWO_LETTERS.get(tag.partition("_")[0], code)
