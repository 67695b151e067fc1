"""Partition keys: safe, readable, and never the same for two corpora."""

from itertools import combinations
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.partition_key import LONGEST_SEGMENT, decode, encode, encode_name
from rag_core.errors import ConfigError

ODD_BUT_ALLOWED = [
    ("acme/eu", "q1, 2024.docs"),
    ("Ünïcode GmbH", "план"),
    ("a b", "100%"),
    ("x:y", "#1?&="),
    ("acme%2Feu", "docs"),
    ("../../etc", "x"),
    ("/abs", "x"),
    ("a/../b", "..\\..\\x"),
    ("t1", "C:\\x"),
    ('o\'brien & "sons"', "x'; DROP TABLE chunks; --"),
    ("...", "a...b"),
    ("a|b*[c]", " edge "),
    ("日本語の規程", "שלום"),
    ("👩‍👩‍👧 emoji", "v1.2."),
    ("acme", "eu/docs"),
    ("acme/eu", "docs"),
]
FORBIDDEN = [",", "...", "[", "]", " ", "|", "*", "\\", ":", "'", '"', "?", "#", "&", ";"]

names = st.text(min_size=1, max_size=20)


def accepted(name: str) -> bool:
    try:
        encode_name(name)
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize(("tenant", "corpus"), ODD_BUT_ALLOWED)
def test_odd_names_come_back_exactly(tenant: str, corpus: str) -> None:
    key = encode(tenant, corpus)
    assert decode(key) == (tenant, corpus)
    assert key.count("/") == 1
    assert [bad for bad in FORBIDDEN if bad in key] == []
    assert {".", ".."}.isdisjoint(key.split("/"))


def test_two_corpora_never_share_a_key() -> None:
    keys = {pair: encode(*pair) for pair in ODD_BUT_ALLOWED}
    assert [(a, b) for a, b in combinations(keys, 2) if keys[a] == keys[b]] == []


def test_ordinary_names_stay_readable() -> None:
    assert encode("acme", "handbook_v1.2-final") == "acme/handbook_v1.2-final"
    assert encode("Müller", "就業規則") == "Müller/就業規則"


@pytest.mark.parametrize("name", ["caf\u00e9", "\ud55c\uad6d\uc5b4", "\u1eaf"])
def test_composed_and_decomposed_names_stay_apart_even_when_normalised(name: str) -> None:
    spellings = {normalize("NFC", name), normalize("NFD", name)}
    keys = [encode_name(spelling) for spelling in spellings]
    assert len(keys) == 2
    assert len({normalize("NFC", key) for key in keys}) == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        (" \u200b", "invisible"),
        (".", "folder"),
        ("..", "folder"),
        ("__HIVE_DEFAULT_PARTITION__", "NULL"),
        ("nul\0byte", "control character"),
        ("tab\t", "control character"),
        ("line\nbreak", "control character"),
        ("\x85", "control character"),
        ("\udcff", "UTF-8"),
        ("x" * (LONGEST_SEGMENT + 1), "bytes"),
        ("日" * 81, "bytes"),
    ],
)
def test_unusable_names_are_refused_with_the_reason(name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        encode(name, "x")
    with pytest.raises(ConfigError, match=reason):
        encode("x", name)


@pytest.mark.parametrize(
    "key", ["", "acme", "a/b/c", "/x", "acme/", "a b/c", "%61/b", "a%2f/b", "a/%FF", "a/..", "a/%"]
)
def test_only_canonical_keys_are_read(key: str) -> None:
    with pytest.raises(ConfigError):
        decode(key)


@given(names, names)
def test_every_accepted_pair_comes_back_and_is_safe(tenant: str, corpus: str) -> None:
    if not (accepted(tenant) and accepted(corpus)):
        return
    key = encode(tenant, corpus)
    assert decode(key) == (tenant, corpus)
    assert [bad for bad in FORBIDDEN if bad in key] == []
    assert key.isprintable()
    assert normalize("NFC", key) == key
