"""corpus.toml: what it sets, and how its mistakes are told."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus_config import CorpusConfig, Defaults, parse_corpus_config
from rag_assets.glob import matches
from rag_core.errors import ConfigError

FULL = """
acl_labels = ["staff", "all", "staff"]
include = ["**/*.md", "hr/**"]
exclude = ["**/drafts/**"]
shards = 4

[[labels]]
path = "hr/**"
acl_labels = ["hr", "board"]

[[labels]]
path = "hr/public/*.md"
acl_labels = ["everyone"]

[[labels]]
path = "**/secret-*"
acl_labels = []

[chunker]
max_tokens = 256
encoding = "o200k_base"

[ocr]
engine = "tesseract"
languages = ["deu", "chi_sim", "zh-Hans"]
images_in_text_pages = true
"""


def parse(text: str, defaults: Defaults | None = None) -> CorpusConfig:
    return parse_corpus_config(
        text.encode(), name="acme/hr/corpus.toml", defaults=defaults or Defaults()
    )


def test_without_a_file_nobody_may_see_the_documents() -> None:
    config = parse("")
    assert config.labels_for("any/file.md") == ()
    assert (config.chunker.name, config.chunker.max_tokens) == ("heading_aware", 512)
    assert (config.chunker.overlap_tokens, config.chunker.encoding) == (64, "cl100k_base")
    assert config.accepts("any/file.md")


def test_labels_are_sorted_and_distinct() -> None:
    assert parse(FULL).labels_for("index.md") == ("all", "staff")


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ("hr/pay/2026.md", ("board", "hr")),
        ("hr/public/holidays.md", ("everyone",)),
        ("hr/public/old/holidays.md", ("board", "hr")),
        ("hr/public/secret-plan", ()),
        ("HR/pay.md", ("all", "staff")),
    ],
)
def test_the_last_matching_rule_replaces_the_labels(path: str, labels: tuple[str, ...]) -> None:
    assert parse(FULL).labels_for(path) == labels


def test_exclude_wins_over_include() -> None:
    config = parse(FULL)
    paths = ["a.md", "b.txt", "hr/b.txt", "hr/drafts/b.txt", "drafts/a.md"]
    assert [path for path in paths if config.accepts(path)] == ["a.md", "hr/b.txt"]


def test_a_rule_holds_for_both_unicode_spellings_of_a_path() -> None:
    config = parse('[[labels]]\npath = "café/**"\nacl_labels = ["x"]')
    assert config.labels_for("cafe\u0301/menu.md") == ("x",)
    assert config.labels_for("caf\u00e9/menu.md") == ("x",)


def test_defaults_come_from_the_environment_and_the_file_wins() -> None:
    defaults = Defaults.from_environment(
        {"RAG_MAX_TOKENS": "300", "RAG_OVERLAP_TOKENS": "10", "RAG_ENCODING": "o200k_base"}
    )
    config = parse("[chunker]\nmax_tokens = 200", defaults)
    assert (config.chunker.max_tokens, config.chunker.overlap_tokens) == (200, 10)
    assert config.chunker.encoding == "o200k_base"
    assert Defaults.from_environment({"RAG_MAX_TOKENS": ""}) == Defaults()


@pytest.mark.parametrize(
    ("environ", "parts"),
    [
        ({"RAG_MAX_TOKENS": "many"}, ["RAG_MAX_TOKENS", "many", "whole number"]),
        ({"RAG_MAX_TOKENS": "64"}, ["RAG_OVERLAP_TOKENS = 64", "RAG_MAX_TOKENS = 64"]),
        ({"RAG_OVERLAP_TOKENS": "-1"}, ["RAG_OVERLAP_TOKENS = -1", "0 or more"]),
        ({"RAG_ENCODING": "cl100k"}, ["RAG_ENCODING", "cl100k_base"]),
    ],
)
def test_a_wrong_variable_is_named(environ: dict[str, str], parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        Defaults.from_environment(environ)
    assert [part for part in parts if part not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("max_token = 1", ["'max_token'", "at the top", "allowed: acl_labels"]),
        ("exlude = []", ["did you mean 'exclude'"]),
        ("[chunker]\nmax_tokns = 1", ["[chunker]", "did you mean 'max_tokens'"]),
        ('[chunker]\nacl_labels = ["x"]', ["above the first [section]"]),
        ('[[labels]]\npath = "**"\nacl_labels = []\nfoo = 1', ["[labels #1]", "allowed: acl_"]),
        ('[[labels]]\npath = "**"', ["labels #1.acl_labels is missing"]),
        ("[chunker]\nmax_tokens = 40", ["overlap_tokens = 64", "max_tokens = 40"]),
        ("[chunker]\nmax_tokens = 8\noverlap_tokens = 8", ["overlap_tokens = 8", "max_tokens = 8"]),
        ("[chunker]\nembedding_tokens = 500", ["embedding_tokens = 500", "max_tokens = 512"]),
        ("[chunker]\nmax_tokens = 0", ["chunker.max_tokens = 0", "1 or more"]),
        ("[chunker]\noverlap_tokens = -3", ["chunker.overlap_tokens = -3", "0 or more"]),
        ('[chunker]\nmax_tokens = "512"', ['"512"', "without quotes"]),
        ("[chunker]\nmax_tokens = true", ["chunker.max_tokens = true", "whole number"]),
        ('[chunker]\nname = "semantic"', ["semantic", "allowed: ", "heading_aware"]),
        ('[chunker]\nencoding = "cl100k"', ["chunker.encoding", "cl100k_base", "o200k_base"]),
        ("chunker = 3", ["chunker = 3", "[section]"]),
        ('acl_labels = "hr"', ["acl_labels", 'list such as ["a", "b"]']),
        ('acl_labels = ["a", 1, " b"]', ["acl_labels #2", "acl_labels #3"]),
        ('acl_labels = [""]', ["acl_labels #1"]),
        ('include = ["/abs/**"]', ["include #1", "without the leading '/'"]),
        ('exclude = ["hr/"]', ["exclude #1", "'hr/**'"]),
        ("exclude = ['a\\b']", ["backslash"]),
        ('exclude = ["../other/**"]', ["'..'"]),
        ('[ocr]\nengine = "magic"', ["ocr.engine", "rapidocr", "tesseract"]),
        ('[ocr]\nlanguages = ["e n"]', ["ocr.languages #1", "language code"]),
        ("shards = 0", ["shards = 0", "1 or more"]),
        ("shards = 5000", ["shards = 5000", "1024 or less"]),
        ("ok = 1\nbad = \n", ["valid TOML", "line 2"]),
        ("x = " + "[" * 20_000, ["too deeply"]),
        ("shards = " + "9" * 5_000, ["valid TOML"]),
    ],
)
def test_every_mistake_is_named_with_what_is_allowed(text: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert [p for p in ["acme/hr/corpus.toml: ", *parts] if p not in str(caught.value)] == []


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    data = b'\xef\xbb\xbfacl_labels = ["x"]\r\nshards = 2\r\n'
    assert parse_corpus_config(data, name="c", defaults=Defaults()).shards == 2
    with pytest.raises(ConfigError, match="UTF-8"):
        parse_corpus_config('x = "ä"'.encode("latin-1"), name="c", defaults=Defaults())


def test_the_settings_key_changes_with_the_chunker_and_with_nothing_else() -> None:
    plain = parse("").settings_key()
    assert parse('acl_labels = ["x"]\n[ocr]\nengine = "tesseract"').settings_key() == plain
    changed = [
        parse(f"[chunker]\n{line}").settings_key()
        for line in (
            "max_tokens = 511",
            "overlap_tokens = 63",
            'encoding = "o200k_base"',
            "embedding_tokens = 512",
        )
    ]
    assert len({plain, *changed}) == 5
    assert parse("").ocr_key() != parse('[ocr]\nlanguages = ["de"]').ocr_key()


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.md", ["a.md", ".md", "a\nb.md"], ["x/a.md", "a.MD", "a.md.txt"]),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt"]),
        ("hr/**", ["hr/a", "hr/x/y"], ["hrx/a", "x/hr/a"]),
        ("**", ["a", "a/b"], []),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], ["a/c", "a/b/x"]),
        ("[ab]?.md", ["a1.md", "bß.md"], ["c1.md", "a.md"]),
        ("#1 'x' %20.md", ["#1 'x' %20.md"], ["#1 'x'  .md"]),
    ],
)
def test_globs_match_like_pathlib(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(path, pattern)] == []
    assert [path for path in no if matches(path, pattern)] == []


part = st.sampled_from(["a", "b", "*", "**"])


@given(st.lists(part, min_size=1, max_size=6), st.lists(st.sampled_from("ab"), max_size=8))
def test_double_stars_match_as_a_search_of_all_ways_does(
    pattern: list[str], names: list[str]
) -> None:
    def search(pattern: list[str], names: list[str]) -> bool:
        if not pattern:
            return not names
        if pattern[0] == "**":
            return any(search(pattern[1:], names[i:]) for i in range(len(names) + 1))
        return bool(names) and pattern[0] in {"*", names[0]} and search(pattern[1:], names[1:])

    if names:
        assert matches("/".join(names), "/".join(pattern)) is search(pattern, names)


def test_a_hostile_glob_costs_no_time() -> None:
    started = time.perf_counter()
    assert not matches("a" * 5_000, "*a" * 12 + "b")
    assert not matches("/".join("a" * 5_000), "**/a/" * 12 + "b")
    assert time.perf_counter() - started < 2
