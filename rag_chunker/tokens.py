"""How many tokens is a text? The counter protocol, and tiktoken behind it, offline."""

import gzip
import hashlib
import re
from array import array
from base64 import b64decode
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from rag_core.errors import ConfigError

if TYPE_CHECKING:
    import tiktoken

__all__ = ["AdditiveTokenCounter", "TiktokenCounter", "TokenCounter"]


@runtime_checkable
class TokenCounter(Protocol):
    """Anything that counts tokens: a tiktoken encoding, a HuggingFace tokenizer's wrapper, ..."""

    def count(self, text: str) -> int:
        """Number of tokens in `text`."""
        ...

    def name(self) -> str:
        """Identifies the tokenizer; part of the key that decides whether chunks are up to date."""
        ...


@runtime_checkable
class AdditiveTokenCounter(TokenCounter, Protocol):
    """A counter that knows where counts add up, so that no text is tokenized twice."""

    @property
    def joints(self) -> re.Pattern[str] | None:
        """Matches, without consuming anything, only at offsets `at` of a text where
        `count(text[i:j]) == count(text[i:at]) + count(text[at:j])` for all `i < at < j`, provided
        that `text[at:j]` holds something visible. None if that is known nowhere."""
        ...

    def token_ends(self, text: str) -> Sequence[int]:
        """For each token of `text`, the offset behind it in the UTF-8 bytes of `text`.

        Raises `UnicodeEncodeError` for text with lone surrogates, which has no such bytes.
        """
        ...


class TiktokenCounter:
    """Counts with one of OpenAI's encodings.

    `cl100k_base` and `o200k_base` ship with the package and need no network; any other encoding
    that tiktoken knows comes through tiktoken's own cache. Text that spells a special token counts
    as ordinary text; lone surrogates count as U+FFFD. The vocabulary loads at the first count.

    Raises `ConfigError` for an encoding that tiktoken does not know or cannot load.
    """

    def __init__(self, encoding: str = "cl100k_base") -> None:
        self._encoding_name = encoding
        if encoding not in _SHIPPED:
            _encoding(encoding)

    def count(self, text: str) -> int:
        return len(_encoding(self._encoding_name).encode_ordinary(text))

    def name(self) -> str:
        return self._encoding_name

    @property
    def joints(self) -> re.Pattern[str] | None:
        """See `AdditiveTokenCounter`.

        Follows from the two encodings' pre-tokenizer patterns: a run of letters or digits ends
        before white space and before punctuation (but for an apostrophe); newlines cling to what
        stands on their left, any other white space to what stands on its right; o200k's
        punctuation also swallows a `/` behind a newline. `tests/chunker/test_tokens.py` fuzzes it.
        """
        return _JOINTS.get(self._encoding_name)

    def token_ends(self, text: str) -> Sequence[int]:
        """See `AdditiveTokenCounter`."""
        text.encode()
        size = len(text.encode())
        ids = _encoding(self._encoding_name).encode_ordinary(text)
        if len(ids) < 2:
            return [size] * len(ids)
        lengths = itemgetter(*ids)(_token_lengths(self._encoding_name))
        return array("Q", accumulate(lengths))

    def __repr__(self) -> str:
        return f"TiktokenCounter({self._encoding_name!r})"


_HORIZONTAL = " \\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""White space, for Unicode and for the patterns, that ends no line."""
_ENDS_A_WORD = re.escape(
    '\n\r!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~。、，！？；：「」『』（）《》〈〉【】…—・“”‘’'
)
"""Listed one by one, so that no other Unicode version of "letter" can make it wrong."""
_JOINT = (
    rf"(?<=[^\W_])(?=[{_ENDS_A_WORD}])"
    rf"|(?<=\S)(?=[{_HORIZONTAL}])"
    rf"|(?<=\n)(?=[{_HORIZONTAL}]*\S)"
)
_JOINTS = {
    "cl100k_base": re.compile(_JOINT),
    "o200k_base": re.compile(_JOINT + "(?!/)"),
}


class _Shipped(NamedTuple):
    sha256: str
    """Of the unpacked vocabulary file, as tiktoken 0.14 expects it."""
    pattern: tuple[str, ...]
    special_tokens: dict[str, int]


_SHIPPED = {
    "cl100k_base": _Shipped(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        (
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        ),
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": _Shipped(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        (
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ),
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
}
"""The encodings in `vocab/` (MIT, published by OpenAI with tiktoken); a test holds them equal to
tiktoken's own definitions."""


@cache
def _encoding(name: str) -> "tiktoken.Encoding":
    if name not in _SHIPPED:
        return _tiktoken_encoding(name)
    import tiktoken

    return tiktoken.Encoding(
        name,
        pat_str="|".join(_SHIPPED[name].pattern),
        mergeable_ranks=_ranks(name),
        special_tokens=_SHIPPED[name].special_tokens,
    )


@cache
def _token_lengths(name: str) -> list[int]:
    """Bytes of each token of a shipped encoding, by its rank."""
    return [len(token) for token in _ranks(name)]


@cache
def _ranks(name: str) -> dict[bytes, int]:
    """The vocabulary of a shipped encoding, in the order of its ranks, which are 0..n-1."""
    packed = files("rag_chunker").joinpath("vocab", f"{name}.tiktoken.gz").read_bytes()
    vocabulary = gzip.decompress(packed)
    if hashlib.sha256(vocabulary).hexdigest() != _SHIPPED[name].sha256:
        raise ConfigError(f"the vocabulary of {name!r} is damaged: install rag-chunker again")
    return {
        b64decode(token): int(rank)
        for token, rank in (line.split() for line in vocabulary.splitlines() if line)
    }


def _tiktoken_encoding(name: str) -> "tiktoken.Encoding":
    import tiktoken

    known = tiktoken.list_encoding_names()
    if name not in known:
        raise ConfigError(f"unknown encoding {name!r}; known: {', '.join(sorted(known))}")
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:  # requests, urllib3 and file errors: tiktoken wraps none of them
        raise ConfigError(
            f"encoding {name!r} is neither shipped nor in tiktoken's cache, and cannot be fetched "
            f"({type(error).__name__}). Offline: put its file into a folder named by "
            "TIKTOKEN_CACHE_DIR, under the name that tiktoken gives it (sha1 of the file's URL); "
            f"or use one that ships: {', '.join(_SHIPPED)}"
        ) from error
