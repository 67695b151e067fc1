"""Which characters do these bytes stand for? One way for every text format."""

import codecs
import re

from rag_core.errors import CorruptDocument

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes, *, declared: str | None = None) -> tuple[str, str]:
    """The text of `data` and the name of its encoding.

    In this order: byte order mark, UTF-8 if it fits, the `declared` encoding if it fits, then
    charset-normalizer's best guess. Line ends become `\\n`; byte order marks, NULs and lone
    surrogates go. Raises `CorruptDocument` if nothing fits.
    """
    text, encoding = _decode(data, declared)
    return clean(text), encoding


def clean(text: str) -> str:
    """Line ends as `\\n`, without NULs, lone surrogates and byte order marks."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNWANTED.sub("", text)


_UNWANTED = re.compile("[\x00\ud800-\udfff\ufeff]")


def _decode(data: bytes, declared: str | None) -> tuple[str, str]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace"), encoding
    for candidate in filter(None, ("utf-8", declared)):
        try:
            return data.decode(candidate), candidate
        except (UnicodeDecodeError, LookupError):
            continue
    return _guess(data)


def _guess(data: bytes) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        raise CorruptDocument("no encoding fits these bytes: is it a text file at all?")
    return str(best), best.encoding
