"""The values that travel: what they refuse and what they promise."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_chunker import HeadingAwareChunker
from rag_core.testing import make_context, make_document
from rag_core.text import is_blank
from rag_core.types import (
    Block,
    BlockType,
    Chunk,
    OCRRegion,
    Page,
    ParsedDocument,
    Principal,
    Source,
)

CHUNK = {"id": "c", "document_id": "d", "tenant_id": "t", "position": 0, "token_count": 1}


def test_values_are_frozen_and_refuse_unknown_fields():
    with pytest.raises(ValidationError, match="frozen"):
        make_context().tenant_id = "other"
    with pytest.raises(ValidationError, match="extra"):
        Principal(id="p", labels=("a",))


def test_labels_are_sorted_and_distinct():
    assert Principal(id="p", acl_labels=("b", "a", "b")).acl_labels == ("a", "b")
    assert Chunk(**CHUNK, content="x", acl_labels=("b", "a", "b")).acl_labels == ("a", "b")


def test_a_principal_without_labels_gives_none():
    assert Principal(id="p").acl_labels == ()


@pytest.mark.parametrize("level", [0, 7, -1])
def test_levels_run_from_1_to_6(level):
    with pytest.raises(ValidationError):
        Block(type=BlockType.heading, text="T", level=level)


@pytest.mark.parametrize("kind", BlockType)
def test_exactly_headings_have_a_level(kind):
    is_heading = kind is BlockType.heading
    assert Block(type=kind, text="T", level=1 if is_heading else None).type is kind
    with pytest.raises(ValidationError, match="does not go with"):
        Block(type=kind, text="T", level=None if is_heading else 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda text, attributes: Block.trusted(BlockType.table_row, text, attributes),
        lambda text, attributes: Block.trusted_rows([text], attributes)[0],
    ],
)
def test_a_trusted_block_is_like_a_checked_one_in_all_respects(make):
    attributes = {"table": 0, "table_header": "Part | Price"}
    trusted = make("Seal | 3", attributes)
    checked = Block(type=BlockType.table_row, text="Seal | 3", attributes=attributes)
    assert trusted == checked
    assert repr(trusted) == repr(checked)
    assert trusted.model_dump() == checked.model_dump()
    assert trusted.model_dump_json() == checked.model_dump_json()
    assert Block.model_validate_json(trusted.model_dump_json()) == trusted
    assert pickle.loads(pickle.dumps(trusted)) == checked
    assert copy.deepcopy(trusted) == checked
    assert copy.copy(trusted) == checked
    assert trusted.model_dump(exclude_unset=True) == checked.model_dump()
    assert (trusted.model_fields_set, trusted.model_extra) == (set(Block.model_fields), None)
    assert Block.model_validate(trusted) is trusted
    assert not hasattr(trusted, "colour")
    assert trusted.model_copy(update={"text": "Bolt"}).text == "Bolt"
    with pytest.raises(ValidationError, match="frozen"):
        trusted.text = "changed"


def test_a_trusted_document_is_like_a_checked_one():
    blocks = Block.trusted_rows(["Part | Price", "Seal | 3"], {"table": 0})
    checked = make_document(blocks)
    trusted = ParsedDocument.trusted(checked.document, iter(blocks))
    assert trusted == checked
    assert trusted.model_dump() == checked.model_dump()
    assert (trusted.text, trusted.spans) == (checked.text, checked.spans)
    assert pickle.loads(pickle.dumps(trusted)) == checked
    assert trusted.model_copy(update={"pages": ()}) == checked


def test_a_trusted_heading_is_like_a_checked_one():
    trusted = Block.trusted_heading("Wells", 2, {"page": 3})
    checked = Block(type=BlockType.heading, text="Wells", level=2, attributes={"page": 3})
    assert trusted == checked
    assert trusted.model_dump_json() == checked.model_dump_json()


def test_a_copy_of_a_trusted_block_shares_nothing_that_changes():
    one, other = (Block.trusted(BlockType.paragraph, "text", {}) for _ in range(2))
    one.model_copy(update={"text": "new"}).model_fields_set.clear()
    assert other.model_fields_set == {"type", "text", "level", "attributes"}


def test_a_chunk_needs_content_or_a_reference_to_it():
    with pytest.raises(ValidationError, match="content"):
        Chunk(**CHUNK)
    assert Chunk(**CHUNK, content_ref="s3://b/k").content is None


def test_a_chunk_does_not_end_before_it_starts():
    with pytest.raises(ValidationError, match="behind"):
        Chunk(**CHUNK, content="x", start=2, end=1)


@pytest.mark.parametrize("name", ["position", "token_count", "start", "end", "overlap"])
def test_numbers_of_a_chunk_are_not_negative(name):
    with pytest.raises(ValidationError, match=name):
        Chunk(**{**CHUNK, "content": "x", name: -1})


def test_confidence_and_page_numbers_have_their_ranges():
    for values in ({"confidence": 1.1}, {"confidence": -0.1}, {"confidence": 1, "page": 0}):
        with pytest.raises(ValidationError):
            OCRRegion(text="x", **values)
    with pytest.raises(ValidationError):
        Page(number=0, width=1, height=1)


def test_a_source_hashes_the_bytes_of_its_document():
    source = Source(document_id="d", tenant_id="t", corpus_id="c", uri="file:///d")
    document = source.document(b"abc", mime_type="text/plain", title="T")
    assert document.content_hash.startswith("ba7816bf")
    assert (document.source_uri, document.title, document.metadata) == ("file:///d", "T", {})


def block(kind: BlockType, text: str) -> Block:
    return Block(type=kind, text=text, level=1 if kind is BlockType.heading else None)


blocks = st.lists(st.builds(block, st.sampled_from(BlockType), st.text(max_size=8)), max_size=8)


@given(blocks)
def test_spans_give_back_the_text_of_every_block_that_is_not_blank(made):
    parsed = make_document(made)
    found = {span.index: parsed.text[span.start : span.end] for span in parsed.spans}
    assert found == {i: b.text for i, b in enumerate(made) if not is_blank(b.text)}


@given(blocks)
def test_text_is_the_blocks_and_the_breaks_between_them(made):
    visible = [b for b in made if not is_blank(b.text)]
    expected = ""
    for before, following in zip([None, *visible], visible, strict=False):
        tight = before and before.type is following.type and following.type in TIGHT
        expected += "" if before is None else "\n" if tight else "\n\n"
        expected += following.text
    assert make_document(made).text == expected


TIGHT = {BlockType.list_item, BlockType.table_row}


def test_the_default_chunker_gives_chunks_like_checked_ones():
    parsed = make_document(["# Guide", "Some text."])
    for chunk in HeadingAwareChunker().chunk_now(make_context("staff"), parsed):
        checked = Chunk(**chunk.model_dump())
        assert chunk == checked
        assert repr(chunk) == repr(checked)
        assert Chunk.model_validate_json(chunk.model_dump_json()) == chunk
        assert pickle.loads(pickle.dumps(chunk)) == checked
