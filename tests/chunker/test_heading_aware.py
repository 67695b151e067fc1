"""The default chunker on random documents: every promise of its contract, and its own."""

import asyncio
import os
import subprocess
import sys
from itertools import pairwise

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st
from odd_documents import CL100K, COUNTERS, O200K, blocks, chunkers, documents, prose

from rag_chunker import HeadingAwareChunker
from rag_core.errors import ChunkError, RagError
from rag_core.testing import (
    FailingCounter,
    WordCounter,
    make_context,
    make_document,
    make_table,
)
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, Chunk, ParsedDocument

CTX = make_context("staff")


def words(budget: int, overlap: int = 0) -> HeadingAwareChunker:
    return HeadingAwareChunker(budget, overlap, WordCounter())


def contents(chunker: HeadingAwareChunker, *made: Block | str) -> list[str | None]:
    return [chunk.content for chunk in chunker.chunk_now(CTX, make_document(made))]


def is_heading(chunk: Chunk) -> bool:
    return chunk.metadata["kind"] == "heading"


# Of any document and any settings


@given(chunkers, documents)
def test_no_body_chunk_is_over_the_budget_and_every_count_is_exact(chunker, parsed):
    chunks = chunker.chunk_now(CTX, parsed)
    count = chunker.token_counter.count
    assert [c for c in chunks if c.token_count != max(count(c.content), 0)] == []
    assert [c for c in chunks if not is_heading(c) and c.token_count > chunker.max_tokens] == []


@given(chunkers, documents)
def test_new_text_is_a_slice_and_every_visible_character_comes_back_once(chunker, parsed):
    chunks = chunker.chunk_now(CTX, parsed)
    text = parsed.text
    assert [c for c in chunks if c.content[c.overlap :] != text[c.start : c.end]] == []
    edges = [0, *(edge for c in chunks for edge in (c.start, c.end)), len(text)]
    assert edges == sorted(edges)
    gaps = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert [gap for gap in gaps if not is_blank(gap)] == []


@given(chunkers, documents)
def test_no_chunk_is_blank_and_none_has_white_space_at_its_edges(chunker, parsed):
    chunks = chunker.chunk_now(CTX, parsed)
    assert [c for c in chunks if is_blank(parsed.text[c.start : c.end])] == []
    assert [c for c in chunks if c.content != c.content.strip()] == []


@given(chunkers, documents)
def test_a_chunk_belongs_to_the_heading_it_stands_under(chunker, parsed):
    chunks = chunker.chunk_now(CTX, parsed)
    assert [c.position for c in chunks] == [*range(len(chunks))]
    wrong = []
    open_headings: list[Chunk] = []
    for chunk in chunks:
        if is_heading(chunk):
            while open_headings and (
                open_headings[-1].metadata["level"] >= chunk.metadata["level"]
            ):
                open_headings.pop()
        expected = open_headings[-1].id if open_headings else None
        if chunk.parent_id != expected:
            wrong.append(chunk)
        if is_heading(chunk):
            open_headings.append(chunk)
    assert wrong == []


@given(chunkers, documents)
def test_a_heading_is_one_chunk_of_its_own(chunker, parsed):
    expected = [
        (block.text.strip(), {"kind": "heading", "level": block.level})
        for block in parsed.blocks
        if block.type is BlockType.heading and not is_blank(block.text)
    ]
    chunks = chunker.chunk_now(CTX, parsed)
    assert [(c.content, c.metadata) for c in chunks if is_heading(c)] == expected
    assert [c for c in chunks if not is_heading(c) and c.metadata != {"kind": "body"}] == []


@given(chunkers, documents)
def test_an_overlap_repeats_the_end_of_its_section_or_the_header_of_its_table(chunker, parsed):
    section, foreign = 0, []
    chunks = chunker.chunk_now(CTX, parsed)
    count = chunker.token_counter.count
    for chunk in chunks:
        if is_heading(chunk):
            section = chunk.end
        repeated = chunk.content[: chunk.overlap]
        headers = headers_at(parsed, chunk.start)
        is_header = repeated[:-1] in headers and repeated.endswith("\n")
        start = chunk.start - len(repeated)
        is_tail = start >= section and parsed.text[start : chunk.start] == repeated
        short = count(repeated.rstrip()) <= chunker.overlap_tokens
        if repeated and not is_header and not (is_tail and short):
            foreign.append((repeated, chunk))
    assert foreign == []


def headers_at(parsed: ParsedDocument, offset: int) -> list[str]:
    """The header row of the table that `offset` lies in."""
    found = [s.index for s in parsed.spans if s.start <= offset < s.end]
    return [str(parsed.blocks[i].attributes.get("table_header")).strip() for i in found]


@given(chunkers, documents)
def test_ids_are_distinct_and_the_same_input_gives_the_same_chunks(chunker, parsed):
    chunks = chunker.chunk_now(CTX, parsed)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    again = ParsedDocument.model_validate(parsed.model_dump())
    assert asyncio.run(chunker.chunk(CTX, again)) == chunks


@given(st.integers(4, 60), st.sampled_from([CL100K, O200K]), documents)
def test_a_grapheme_cluster_is_torn_only_where_it_is_over_the_budget(budget, counter, parsed):
    text = parsed.text
    cuts = {c.end for c in HeadingAwareChunker(budget, 0, counter).chunk_now(CTX, parsed)}
    torn = [
        (cluster, counter.count(cluster))
        for start, cluster in ((m.start(), m[0]) for m in regex.finditer(r"\X", text))
        if not cluster[0].isspace() and not cuts.isdisjoint(range(start + 1, start + len(cluster)))
        if len(cluster.strip()) > 1 and counter.count(cluster) <= budget
    ]
    assert torn == []


@given(chunkers, documents)
def test_a_chunk_is_full_where_the_next_block_does_not_fit(chunker, parsed):
    assume(chunker.token_counter.name() != "odd")
    text, count = parsed.text, chunker.token_counter.count
    chunks = chunker.chunk_now(CTX, parsed)
    half_empty = []
    for chunk, following in pairwise(chunks):
        if is_heading(chunk) or is_heading(following):
            continue
        whole = next(
            (s for s in parsed.spans if s.start <= following.start < s.end), parsed.spans[0]
        )
        if text[whole.start : following.start].strip():
            continue  # the next piece is a part of a block
        longer = chunk.content + text[chunk.end : whole.end].rstrip()
        if count(longer) <= chunker.max_tokens:
            half_empty.append((chunk, longer))
    assert half_empty == []


@given(documents, st.sampled_from(COUNTERS), st.integers(1, 3), st.integers(0, 2))
def test_a_tiny_budget_is_kept_or_refused_for_one_character(parsed, counter, budget, overlap):
    assume(overlap < budget)
    chunker = HeadingAwareChunker(budget, overlap, counter)
    chunks, refused = [], ""
    try:
        chunks = chunker.chunk_now(CTX, parsed)
    except ChunkError as error:
        refused = str(error)
    over = [c for c in chunks if not is_heading(c) and counter.count(c.content) > budget]
    assert over == []
    assert not refused or "alone is over the budget" in refused


# Ids


def ids_by_path(chunks: list[Chunk]) -> dict[tuple[str, ...], list[str]]:
    """Ids of the chunks under each heading path."""
    by_id = {chunk.id: chunk for chunk in chunks}
    grouped: dict[tuple[str, ...], list[str]] = {}
    for chunk in chunks:
        path: tuple[str, ...] = (chunk.content,) if is_heading(chunk) else ()
        parent = chunk.parent_id
        while parent is not None:
            path = (by_id[parent].content, *path)
            parent = by_id[parent].parent_id
        grouped.setdefault(path, []).append(chunk.id)
    return grouped


@given(chunkers, blocks, prose, st.data())
def test_an_edit_changes_no_id_under_another_heading_path(chunker, made, added, data):
    at = data.draw(st.integers(0, len(made)))
    before = ids_by_path(chunker.chunk_now(CTX, make_document(made)))
    after = ids_by_path(chunker.chunk_now(CTX, make_document([*made[:at], added, *made[at:]])))
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert len(changed) <= 1


def test_ids_are_the_same_in_every_process():
    program = (
        "from rag_chunker import HeadingAwareChunker as H\n"
        "from rag_core.testing import *\n"
        "d = make_document(['# A', 'b c. d e. f', '## A', 'é', 'é', *make_table('ab', 'cd')])\n"
        "print([c.id for c in H(3, 1, WordCounter()).chunk_now(make_context(), d)])\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_ids_depend_on_tenant_document_path_level_content_and_count():
    def ids(*made, **owner):
        ctx = make_context(tenant=owner.get("tenant", "acme"))
        return [c.id for c in words(9).chunk_now(ctx, make_document(made, **owner))]

    seen = [
        *ids("# A", "same"),
        *ids("# A", "same", tenant="other"),
        *ids("# A", "same", document_id="other"),
        *ids("## A", "same")[:1],
        *ids("# B", "same"),
        *ids("# A", "else")[1:],
        *ids("# A", "same", "# A", "same")[2:],
    ]
    assert len(set(seen)) == len(seen)


def test_an_id_does_not_depend_on_the_position():
    short = words(9).chunk_now(CTX, make_document(["# A", "one", "# B", "two"]))
    longer = words(9).chunk_now(CTX, make_document(["zero", "# A", "one", "more", "# B", "two"]))
    assert [c.id for c in short[2:]] == [c.id for c in longer[3:]]


# By eye, a word being a token


def test_blocks_share_a_chunk_until_the_next_would_exceed_the_budget():
    assert contents(words(4), "a b", "c d", "e") == ["a b\n\nc d", "e"]


def test_the_tail_of_a_chunk_starts_the_next_one_at_a_sentence():
    assert contents(words(8, 4), "One two. Three four five.", "Six seven eight nine.") == [
        "One two. Three four five.",
        "Three four five.\n\nSix seven eight nine.",
    ]


def test_the_tail_starts_at_a_word_where_no_sentence_is_short_enough():
    assert contents(words(5, 2), "a b c d e", "f g") == ["a b c d e", "d e\n\nf g"]


def test_the_overlap_makes_room_for_the_next_block():
    assert contents(words(5, 4), "a b c d e", "f g h i") == ["a b c d e", "e\n\nf g h i"]
    assert contents(words(5, 4), "a b c d e", "f g h i j") == ["a b c d e", "f g h i j"]


def test_no_overlap_crosses_a_heading():
    assert contents(words(4, 3), "a b", "# T", "c d", "## U", "e") == ["a b", "T", "c d", "U", "e"]


def test_a_large_block_is_split_between_sentences():
    assert contents(words(4), "One two. Three four. Five six seven. Eight.") == [
        "One two. Three four.",
        "Five six seven. Eight.",
    ]


def test_a_large_sentence_is_split_between_words():
    assert contents(words(3), "a b c d e f g") == ["a b c", "d e f", "g"]


def test_a_large_word_is_split_between_grapheme_clusters():
    chunker = HeadingAwareChunker(40, 0, CL100K)
    family = "👩‍👩‍👧‍👦"
    parts = contents(chunker, family * 20)
    assert "".join(parts) == family * 20
    assert [part for part in parts if part.strip(family) or len(part) % len(family)] == []


def test_a_table_that_goes_on_repeats_its_header_row():
    table = make_table(["Part", "Place"], *(["p", str(n)] for n in range(4)))
    assert contents(words(12), *table) == [
        "Part | Place\np | 0\np | 1\np | 2",
        "Part | Place\np | 3",
    ]


def test_a_header_row_of_more_than_a_third_of_the_budget_is_not_repeated():
    table = make_table(["Part", "Place"], ["p", "1"], ["p", "2"])
    assert contents(words(6), *table) == ["Part | Place\np | 1", "p | 2"]


def test_the_header_of_one_table_is_not_repeated_in_another():
    first = make_table(["Part", "Place"], *(["p", str(n)] for n in range(2)), number=0)
    second = make_table(["Name", "Town"], *(["n", str(n)] for n in range(3)), number=1)
    assert contents(words(12), *first, *second) == [
        "Part | Place\np | 0\np | 1\nName | Town",
        "Name | Town\nn | 0\nn | 1\nn | 2",
    ]


def test_code_is_split_between_lines():
    code = Block(type=BlockType.code, text="a = 1\nb = 2\nc = 3. d")
    assert contents(words(6), code) == ["a = 1\nb = 2", "c = 3. d"]


def test_a_heading_longer_than_the_budget_stays_whole():
    assert contents(words(2), "# a b c d e", "f") == ["a b c d e", "f"]


def test_blank_blocks_are_dropped():
    assert contents(words(5), "a", " \n", "\u200b", "b", "# \u200d") == ["a\n\nb"]


def test_overlap_alone_makes_no_chunk():
    assert contents(words(3, 2), "a b c", "\u200b", " ") == ["a b c"]


# Errors and edges


@pytest.mark.parametrize(
    ("budget", "overlap", "names"),
    [
        (0, 0, "max_tokens"),
        (-1, 0, "max_tokens"),
        (8, -1, "overlap"),
        (8, 8, "overlap"),
        (8, 9, "overlap"),
    ],
)
def test_settings_that_make_no_sense_are_refused(budget, overlap, names):
    with pytest.raises(ValueError, match=names):
        HeadingAwareChunker(budget, overlap)


@pytest.mark.parametrize("after", [1, 2, 5])
@pytest.mark.parametrize(
    "error", [KeyError("k"), RecursionError(), RagError("no"), OSError(5, "io")]
)
def test_whatever_a_counter_raises_becomes_a_chunk_error(error, after):
    chunker = HeadingAwareChunker(4, 2, FailingCounter(error, after=after))
    with pytest.raises(ChunkError, match="d-1") as caught:
        chunker.chunk_now(CTX, make_document(["# A", "b c d e. f g.", "h i j"], document_id="d-1"))
    assert caught.value.__cause__ is error


def test_health_tells_why_the_counter_fails():
    answer = asyncio.run(HeadingAwareChunker(4, 2, FailingCounter(OSError("gone"))).health())
    assert (answer.ok, "gone" in answer.detail) == (False, True)
    assert asyncio.run(HeadingAwareChunker().health()).ok


def test_the_defaults_are_those_of_the_reference():
    chunker = HeadingAwareChunker()
    settings = (chunker.max_tokens, chunker.overlap_tokens, chunker.token_counter.name())
    assert settings == (512, 64, "cl100k_base")


def test_lone_surrogates_pass_through_as_they_are():
    assert "".join(contents(HeadingAwareChunker(8, 0), "\ud800" * 50)) == "\ud800" * 50


def test_importing_the_package_loads_nothing_heavy():
    heavy = ["tiktoken", "dagster", "duckdb", "numpy", "PIL", "onnxruntime", "sentencex", "regex"]
    program = f"import sys, rag_chunker; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stderr
