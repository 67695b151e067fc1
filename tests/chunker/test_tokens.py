"""Token counters: exact, offline, and the same encodings as tiktoken's own."""

import gzip
import pickle
import subprocess
import sys
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_documents import CL100K, O200K, PASSAGE, TOUCHY, texts

from rag_chunker import AdditiveTokenCounter, TiktokenCounter, TokenCounter
from rag_chunker import tokens as tokens_module
from rag_core.errors import ConfigError
from rag_core.testing import WordCounter

SHIPPED = ["cl100k_base", "o200k_base"]
both = pytest.mark.parametrize("counter", [CL100K, O200K], ids=SHIPPED)
touchy = st.lists(st.sampled_from(TOUCHY), min_size=2, max_size=12).map("".join)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_encoding_equals_tiktokens_own(name, monkeypatch):
    from tiktoken_ext import openai_public

    loaded = []

    def ranks_by_hash(url, expected_hash=None):
        loaded.append(expected_hash)
        return tokens_module._ranks(name)

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", ranks_by_hash)
    theirs = getattr(openai_public, name)()
    ours = tokens_module._encoding(name)
    assert loaded == [tokens_module._SHIPPED[name].sha256]
    assert ours._pat_str == theirs["pat_str"]
    assert ours._special_tokens == theirs["special_tokens"]
    assert ours.n_vocab == theirs.get("explicit_n_vocab", ours.n_vocab)


@pytest.mark.parametrize("name", SHIPPED)
def test_ranks_stand_in_order_so_that_lengths_can_be_listed(name):
    ranks = tokens_module._ranks(name)
    assert list(ranks.values()) == list(range(len(ranks)))


def test_a_damaged_vocabulary_is_refused(monkeypatch, tmp_path):
    packed = files("rag_chunker").joinpath("vocab", "cl100k_base.tiktoken.gz").read_bytes()
    (tmp_path / "vocab").mkdir()
    damaged = gzip.compress(gzip.decompress(packed).replace(b"IQ== 0", b"IQ== 1", 1), 1)
    (tmp_path / "vocab" / "cl100k_base.tiktoken.gz").write_bytes(damaged)
    monkeypatch.setattr(tokens_module, "files", lambda package: tmp_path)
    with pytest.raises(ConfigError, match="damaged"):
        tokens_module._ranks.__wrapped__("cl100k_base")


def test_no_network_is_needed():
    program = (
        "import sys\n"
        "def refuse(event, args):\n"
        "    if event.startswith('socket.'): raise AssertionError(event)\n"
        "sys.addaudithook(refuse)\n"
        "from rag_chunker import HeadingAwareChunker, TiktokenCounter\n"
        "from rag_core.testing import make_context, make_document\n"
        "parsed = make_document(['# Guide', 'Hello world'])\n"
        f"for name in {SHIPPED}:\n"
        "    chunker = HeadingAwareChunker(token_counter=TiktokenCounter(name))\n"
        "    chunks = chunker.chunk_now(make_context(), parsed)\n"
        "    print([chunk.token_count for chunk in chunks])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"TIKTOKEN_CACHE_DIR": ""},
        capture_output=True,
        text=True,
    )
    assert result.stdout.split("\n") == ["[1, 2]", "[1, 2]", ""], result.stderr


def test_an_unknown_encoding_is_refused_at_once():
    with pytest.raises(ConfigError, match=r"unknown encoding 'gpt-9'; known: .*cl100k_base"):
        TiktokenCounter("gpt-9")


def test_an_encoding_that_cannot_be_fetched_tells_how_to_provide_it(monkeypatch):
    import tiktoken

    def offline(name):
        raise OSError("no route to host")

    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    with pytest.raises(ConfigError, match="TIKTOKEN_CACHE_DIR") as caught:
        TiktokenCounter("p50k_base")
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("\ud800", 1), ("漢字", 3)],
)
def test_counts_of_cl100k(text, tokens):
    assert CL100K.count(text) == tokens


def test_text_that_spells_a_special_token_counts_as_text():
    assert CL100K.count("<|endoftext|>") > 1
    assert O200K.count("<|endofprompt|>") > 1


def test_protocols_tell_additive_counters_from_others():
    assert isinstance(CL100K, AdditiveTokenCounter)
    assert isinstance(WordCounter(), TokenCounter)
    assert not isinstance(WordCounter(), AdditiveTokenCounter)


def test_a_counter_travels_to_a_worker_process():
    again = pickle.loads(pickle.dumps(O200K))
    assert (again.name(), again.count("Größe")) == ("o200k_base", O200K.count("Größe"))


@both
@given(texts)
def test_token_ends_count_the_bytes_of_the_text(counter, text):
    text = text.encode(errors="ignore").decode()
    ends = counter.token_ends(text)
    assert len(ends) == counter.count(text)
    assert list(ends) == sorted(set(ends))
    assert (ends[-1] if ends else 0) == len(text.encode())


def test_token_ends_refuse_lone_surrogates():
    with pytest.raises(UnicodeEncodeError):
        CL100K.token_ends("a\ud800")


@both
@given(st.one_of(touchy, touchy, texts), st.one_of(touchy, texts))
def test_counts_add_up_at_joints(counter, left, right):
    text = left + right
    wrong = [
        (text[:at], text[at:])
        for at in (found.start() for found in counter.joints.finditer(text))
        if at > 0 and text[at:].strip()
        if counter.count(text) != counter.count(text[:at]) + counter.count(text[at:])
    ]
    assert wrong == []


@both
def test_prose_of_many_scripts_has_joints_close_to_each_other(counter):
    offsets = [found.start() for found in counter.joints.finditer(PASSAGE)]
    gaps = [later - offset for offset, later in pairwise(offsets)]
    assert max(gaps) < 100
