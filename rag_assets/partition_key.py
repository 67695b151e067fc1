"""Which partition holds this tenant's corpus? `tenant/corpus`, each name percent-encoded.

Letters and digits of every script stay readable; whatever an orchestrator's partition syntax, a
URL, a file system or a shell could take for its own is written as `%XX` (RFC 3986, UTF-8 bytes).
The encoding is injective and canonical: two pairs of names never share a key, and only a key that
`encode` would write is one that `decode` reads.
"""

import re
from unicodedata import category, is_normalized
from urllib.parse import quote, unquote_to_bytes

from rag_core.errors import ConfigError
from rag_core.text import is_blank

__all__ = ["LONGEST_SEGMENT", "decode", "encode", "encode_name"]

LONGEST_SEGMENT = 240
"""Bytes of an encoded name. File systems allow 255; `tenant_id=` or `corpus_id=` goes in front."""


def encode(tenant: str, corpus: str) -> str:
    """The partition key of a corpus: two encoded names with exactly one `/` between them.

    Raises `ConfigError` for a name that cannot be one, see `encode_name`.
    """
    return f"{encode_name(tenant)}/{encode_name(corpus)}"


def decode(key: str) -> tuple[str, str]:
    """Tenant and corpus of a key: exactly what `encode` was given.

    Raises `ConfigError` for a string that `encode` does not write.
    """
    encoded = key.split("/")
    if len(encoded) != 2:
        raise ConfigError(f"{key!r} is no partition key: those look like tenant/corpus")
    try:
        tenant, corpus = (unquote_to_bytes(segment).decode() for segment in encoded)
    except UnicodeError as error:
        raise ConfigError(f"{key!r} is no partition key: it does not decode to UTF-8") from error
    expected = encode(tenant, corpus)
    if key != expected:
        raise ConfigError(f"{key!r} is no partition key: these names are written {expected!r}")
    return tenant, corpus


def encode_name(name: str) -> str:
    """One tenant's or corpus' name as a segment that is safe as a folder name, too.

    Names in composed and decomposed Unicode (NFC, NFD) stay apart, also on a file system that
    normalises. Raises `ConfigError` with the reason if the name is blank, `.` or `..`, holds a
    control character or a lone surrogate, or needs more than `LONGEST_SEGMENT` bytes.
    """
    _refuse_unusable(name)
    encoded = _UNSAFE_DOT.sub("%2E", "".join(map(_encode_char, name)))
    if not is_normalized("NFC", f"={encoded}"):
        encoded = quote(encoded, safe=_SAFE + "%")
    size = len(encoded.encode())
    if size > LONGEST_SEGMENT:
        raise ConfigError(
            f"the name {name[:20]!r}... needs {size} bytes when encoded, "
            f"{LONGEST_SEGMENT} are allowed: shorten it"
        )
    return encoded


_SAFE = "-_.@"
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""As `tenant_id=...` in a path, DuckDB 2.0.1 reads this as NULL, and the rows would be nobody's."""
_UNSAFE_DOT = re.compile(r"(?:(?<=\.)|^)\.|\.$")
"""A dot that could hide a file, climb to the parent, be dropped by Windows, or make up `...`."""


def _encode_char(char: str) -> str:
    # A mark or letter that composes with what stands before it is caught later, on the whole name.
    if not char.isascii() and category(char)[0] in "LMN":
        return char
    return quote(char, safe=_SAFE)


def _refuse_unusable(name: str) -> None:
    if name in {".", ".."}:
        raise ConfigError(f"{name!r} cannot be a name: it stands for a folder")
    if name == _NULL:
        raise ConfigError(f"{name!r} cannot be a name: partitioned files mean NULL by it")
    for char in name:
        kind = category(char)
        if kind == "Cc":
            raise ConfigError(f"the name {name!r} holds the control character {char!r}: rename it")
        if kind == "Cs":
            raise ConfigError(f"the name {name!r} is not valid Unicode (UTF-8): rename it")
    if is_blank(name):
        raise ConfigError(f"the name {name!r} is empty or invisible: rename it")
