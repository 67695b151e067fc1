"""Which characters do these bytes stand for? One way for every text format."""

import codecs
import re
from collections.abc import Iterable
from importlib import import_module
from unicodedata import category

from rag_core.errors import CorruptDocument

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARKS = tuple(mark for mark, _ in _BOMS)
_SEVEN_BIT = ("iso-2022", "iso2022", "csiso2022", "utf-7", "hz")
"""Encodings whose bytes are valid ASCII, so that trying UTF-8 first would hide them."""
_IN_PRACTICE = {
    **dict.fromkeys(("ascii", "iso8859-1", "cp1252", "x-user-defined"), "windows-1252"),
    "iso8859-9": "windows-1254",
    **dict.fromkeys(("iso8859-11", "tis-620"), "windows-874"),
}
"""What is declared as one of these is Windows' larger set (WHATWG Encoding Standard)."""
_SWITCHES = ((b"\x1b$B", "iso-2022-jp"), (b"\x1b$@", "iso-2022-jp"), (b"\x1b$)C", "iso-2022-kr"))
"""How 7-bit text says that two bytes are a character from here on."""


def decode(data: bytes, *, declared: str | None = None) -> tuple[str, str]:
    """The text of `data` and the name of its encoding.

    In this order: byte order mark; 7-bit text that switches to two bytes a character; UTF-16
    without a mark, if the zero bytes say so; UTF-8 if it fits, but for stray bytes; the `declared`
    encoding if it fits; a guess from letter frequencies. Line ends become `\\n`; byte order marks,
    NULs and lone surrogates go. Never invents U+FFFD. Raises `CorruptDocument` if the bytes are no
    text at all.
    """
    text, encoding = _decode(data, declared)
    return clean(text), encoding


def clean(text: str) -> str:
    """Line ends as `\\n`, without NULs, lone surrogates and byte order marks."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        # Looking for one character takes a thirtieth of the time that replacing it does.
        return text.replace("\0", "") if "\0" in text else text
    return _UNWANTED.sub("", text) if _has_unwanted(text) else text


def is_clean(text: str) -> bool:
    """True only if `clean` leaves this text as it is. Much faster than `clean` itself."""
    if text.isascii():
        return "\0" not in text and "\r" not in text
    return text.isprintable()


def is_binary(data: bytes) -> bool:
    """True if `data` is no text in any encoding: too many control characters or NULs.

    Looks at the first 64 KiB. Text of every encoding in use has next to no control bytes, or they
    part its fields and all is good UTF-8; random bytes have one in ten. Stray NULs are no proof:
    exports of databases contain them.
    """
    head = data[:_SAMPLE]
    if head.startswith(_MARKS) or not _is_control_heavy(head):
        return False
    return _utf16(head, control_heavy=True) is None


_SAMPLE = 65536
_UNWANTED = re.compile("[\x00\ud800-\udfff\ufeff]")
_CONTROLS = bytes({*range(1, 32), 127} - set(b"\t\n\v\f\r\b\x1a\x1b"))


def _decode(data: bytes, declared: str | None) -> tuple[str, str]:
    if data.startswith(_MARKS):
        mark, encoding = next(each for each in _BOMS if data.startswith(each[0]))
        return _without_broken_end(data[len(mark) :], encoding), encoding
    if declared and b"\x1b" in data and declared.lower().startswith(_SEVEN_BIT):
        text = _strictly(data, declared)
        if text is not None:
            return text, declared
    for switch, encoding in _SWITCHES if b"\x1b" in data else ():  # one byte is found at once
        if switch in data and (text := _strictly(data, encoding)) is not None:
            return text, encoding
    head = data[:_SAMPLE]
    control_heavy = _is_control_heavy(head)
    wide = _utf16(head, control_heavy=control_heavy)
    if wide:
        return _without_broken_end(data, wide), wide
    if control_heavy:
        raise CorruptDocument("these bytes are no text in any encoding: is it a binary file?")
    return _single_or_multi_byte(data, declared)


def _single_or_multi_byte(data: bytes, declared: str | None) -> tuple[str, str]:
    text = _strictly(data, "utf-8")
    if text is None and (b"\xed" in data or b"\xc0\x80" in data):
        text = _surrogates_joined(data)
    if text is not None:
        return text, "utf-8"
    if _is_mostly_utf8(data):
        return _without_broken_end(data, "utf-8"), "utf-8"
    for name in _candidates(data, declared):
        text = _strictly(data, name)
        if text is None:
            text = _as_on_the_web(data, name)
        if text is not None:
            return text, name
    return data.decode("windows-1252", errors=_AS_LATIN), "windows-1252"


def _candidates(data: bytes, declared: str | None) -> Iterable[str]:
    from turbohtml.detect import detect  # 31 of 38 short samples right; charset-normalizer 23

    if declared:
        yield _in_practice(declared)
    guess = detect(data).encoding
    if guess:
        yield guess.lower()


def _in_practice(declared: str) -> str:
    try:
        known = codecs.lookup(declared).name
    except (LookupError, ValueError):
        known = declared.lower()
    return _IN_PRACTICE.get(known, declared)


def _strictly(data: bytes, encoding: str) -> str | None:
    """The text if every byte fits, else None."""
    try:
        if encoding == "windows-1252":
            return data.decode(encoding, errors=_AS_LATIN)
        text, _ = codecs.getdecoder(encoding)(data)
    except (UnicodeError, LookupError, ValueError):
        return None
    return text if isinstance(text, str) else None


def _as_on_the_web(data: bytes, encoding: str) -> str | None:
    """As `_strictly`, by the decoders of the WHATWG Encoding Standard: they read what a name is
    used for, such as Microsoft's signs in Shift_JIS and all of GB 18030 in GB 2312."""
    import_module("turbohtml.detect")  # registers them
    try:
        text, _ = codecs.getdecoder(f"whatwg-{encoding}")(data)
    except (LookupError, ValueError):
        return None
    return None if "\ufffd" in text else text


def _surrogates_joined(data: bytes) -> str | None:
    """UTF-8 as Java and some databases write it: what lies beyond U+FFFF as two surrogates, a NUL
    as two bytes. None if it is something else. A lone surrogate goes."""
    try:
        text = data.replace(b"\xc0\x80", b"").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def _without_broken_end(data: bytes, encoding: str) -> str:
    """Decoded; a stray byte is read as Windows-1252, a torn character at the end goes."""
    decoder = codecs.getincrementaldecoder(encoding)(errors=_AS_LATIN)
    return decoder.decode(data)


def _stray_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if not error.encoding.startswith(("utf-8", "utf8", "charmap", "cp1252", "windows")):
        return "", error.end
    wrong = error.object[error.start : error.start + 1]
    letter = wrong.decode("latin-1")
    if not error.encoding.startswith(("charmap", "cp1252", "windows")):
        letter = wrong.decode("windows-1252", errors="ignore")
    return letter, error.start + 1


_AS_LATIN = "rag_chunker.stray_byte"
codecs.register_error(_AS_LATIN, _stray_byte)


def _is_mostly_utf8(data: bytes) -> bool:
    """True if many more bytes belong to UTF-8 sequences than are stray."""
    good = sum(len(found) for found in _SEQUENCES.findall(data))
    high = len(data) - len(data.translate(None, _HIGH))
    return good > 4 * (high - good)


_HIGH = bytes(range(128, 256))
_SEQUENCES = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


def _has_unwanted(text: str) -> bool:
    """What the pattern finds, in a tenth of its time."""
    if "\0" in text or "\ufeff" in text:
        return True
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:  # a lone surrogate
        return True
    return False


def _is_control_heavy(head: bytes) -> bool:
    filled = head.translate(None, b"\0") if b"\0" in head else head
    controls = len(filled) - len(filled.translate(None, _CONTROLS))
    if len(filled) < len(head) / 2 or controls > len(filled) / 4:
        return True
    return controls > len(filled) / 50 and not (filled is head and _is_utf8(filled))


def _is_utf8(head: bytes) -> bool:
    """Whether it fits, but for a character torn at the end. Text that has control characters as
    marks (separators of fields, colours) does, and has no NULs; binary content does not."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _utf16(head: bytes, *, control_heavy: bool) -> str | None:
    """The UTF-16 variant that `head` is written in without a byte order mark, if it is.

    Latin text has a zero byte at every other place. Other scripts have few zeros (spaces, line
    ends) but many control bytes, and make sense in one byte order only. Zero bytes in text that
    is good UTF-8 without them are stray.
    """
    if b"\0" not in head and not control_heavy:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) >= 0.4 * (len(head) // 2) and min(even, odd) * 50 < max(even, odd):
        encoding = "utf-16-be" if even > odd else "utf-16-le"
        return encoding if _share_of_no_text(head, encoding) <= 0.02 else None
    stray = not control_heavy and _strictly(head.replace(b"\0", b""), "utf-8") is not None
    if len(head) < 24 or stray:
        return None
    shares = {name: _share_of_no_text(head, name) for name in ("utf-16-le", "utf-16-be")}
    best = min(shares, key=lambda name: shares[name])
    return best if shares[best] == 0 else None


def _share_of_no_text(head: bytes, encoding: str) -> float:
    text = head[: len(head) // 2 * 2].decode(encoding, errors="replace")
    wrong = sum(char not in "\t\n\r\f" and category(char) in _NO_TEXT for char in text)
    return wrong / max(len(text), 1)


_NO_TEXT = frozenset({"Cc", "Cn", "Co", "Cs", "So"})
"""`So` has U+FFFD, and text of one sign in fifty symbols is no text in UTF-16 by chance."""
