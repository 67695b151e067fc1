"""The contract of all chunkers: the default one keeps it, and each promise bites."""

import asyncio
import itertools
import time
from collections.abc import Callable

import pytest

from rag_chunker import HeadingAwareChunker, TiktokenCounter
from rag_core.errors import ChunkError
from rag_core.spi import Chunker
from rag_core.testing import SlicingChunkerContract, WordCounter
from rag_core.types import Chunk, Health, ParsedDocument, RequestContext


class TestHeadingAwareChunker(SlicingChunkerContract):
    @pytest.fixture(
        params=[
            HeadingAwareChunker(),
            HeadingAwareChunker(24, 8),
            HeadingAwareChunker(60, 0, TiktokenCounter("o200k_base")),
            HeadingAwareChunker(20, 5, WordCounter()),
        ],
        ids=["default", "small", "o200k", "words"],
    )
    def chunker(self, request: pytest.FixtureRequest) -> Chunker:
        return request.param


Change = Callable[[RequestContext, ParsedDocument, list[Chunk]], list[Chunk]]


class Broken(Chunker):
    """A chunker that keeps every promise but the one that `change` breaks."""

    def __init__(self, change: Change = lambda ctx, parsed, chunks: chunks) -> None:
        self._good = HeadingAwareChunker(24, 8, WordCounter())
        self.max_tokens, self.token_counter = 24, WordCounter()
        self._change = change

    async def chunk(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]:
        return self._change(ctx, parsed, await self._good.chunk(ctx, parsed))

    async def health(self) -> Health:
        return await self._good.health()


class Blocking(Broken):
    async def chunk(self, ctx, parsed):
        if sum(len(block.text or "") for block in parsed.blocks) > 15_000:
            time.sleep(0.5)
        return await self._good.chunk(ctx, parsed)


class Careless(Broken):
    """Lets every caller in."""

    async def chunk(self, ctx, parsed):
        own = parsed.document.model_copy(update={"tenant_id": ctx.tenant_id})
        return await self._good.chunk(ctx, parsed.model_copy(update={"document": own}))


class Unmapped(Broken):
    def __init__(self, error: type[Exception], when: str) -> None:
        super().__init__()
        self._error, self._when = error, when

    async def chunk(self, ctx, parsed):
        try:
            if self._when == "odd" and "\ud800" in parsed.text:
                raise self._error("surrogates")
            return await self._good.chunk(ctx, parsed)
        except ChunkError as error:
            if self._when == "malformed" and "tenant" not in str(error):
                raise self._error(str(error)) from error
            raise
        except TypeError as error:
            raise ChunkError(str(error)) from error


class Shared(Broken):
    """Keeps the state of a call where the next call finds it."""

    async def chunk(self, ctx, parsed):
        self._parsed = parsed
        await asyncio.sleep(0)
        if self._parsed.document.tenant_id != ctx.tenant_id:
            return await self._good.chunk(ctx, parsed)
        return await self._good.chunk(ctx, self._parsed)


class Silent(Broken):
    async def health(self):
        return None


def each(**changes) -> Change:
    """Gives every chunk these values; a function gets the chunk and its document."""

    def change(ctx, parsed, chunks):
        return [
            chunk.model_copy(
                update={
                    name: value(chunk, parsed) if callable(value) else value
                    for name, value in changes.items()
                }
            )
            for chunk in chunks
        ]

    return change


def body(chunk: Chunk) -> bool:
    return chunk.metadata["kind"] == "body"


def repeat_an_id(ctx, parsed, chunks):
    same = next(filter(body, chunks), None)
    return [c.model_copy(update={"id": same.id}) if body(c) else c for c in chunks]


def one_id_for_all_documents(ctx, parsed, chunks):
    new = {chunk.id: f"chunk-{chunk.position}" for chunk in chunks}
    return [
        c.model_copy(update={"id": new[c.id], "parent_id": new.get(c.parent_id)}) for c in chunks
    ]


def parents_that_come_later(ctx, parsed, chunks):
    last = chunks[-1].id if chunks else None
    return [c.model_copy(update={"parent_id": last}) if body(c) else c for c in chunks]


def headings_under_the_heading_before(ctx, parsed, chunks):
    before, changed = None, []
    for chunk in chunks:
        changed.append(chunk if body(chunk) else chunk.model_copy(update={"parent_id": before}))
        before = before if body(chunk) else chunk.id
    return changed


def never_empty(ctx, parsed, chunks):
    if chunks:
        return chunks
    owner = {"document_id": parsed.document.id, "tenant_id": ctx.tenant_id}
    return [
        Chunk(id="0", position=0, content="-", token_count=1, metadata={"kind": "body"}, **owner)
    ]


_calls = itertools.count()


def new_metadata_each_time(ctx, parsed, chunks):
    metadata = {"kind": "body", "call": next(_calls)}
    return [c.model_copy(update={"metadata": metadata}) if body(c) else c for c in chunks]


def scribble(ctx, parsed, chunks):
    for block in parsed.blocks:
        block.attributes["seen"] = True
    return chunks


def drop_a_body(ctx, parsed, chunks):
    kept = [c for c in chunks if not (body(c) and c.position == len(chunks) - 1)]
    return kept or chunks


def split_no_more(ctx, parsed, chunks):
    """Joins two bodies in a row."""
    for k, (a, b) in enumerate(itertools.pairwise(chunks)):
        if body(a) and body(b) and b.parent_id == a.parent_id and a.token_count > 12:
            content = a.content[: a.overlap] + parsed.text[a.start : b.end]
            tokens = len(content.split())
            joined = a.model_copy(update={"content": content, "end": b.end, "token_count": tokens})
            rest = [c.model_copy(update={"position": c.position - 1}) for c in chunks[k + 2 :]]
            return [*chunks[:k], joined, *rest]
    return chunks


def blank_ones(ctx, parsed, chunks):
    """An empty chunk at the end."""
    if not chunks:
        return chunks
    last = chunks[-1]
    new = {"id": f"{last.id}-blank", "position": len(chunks), "content": "", "start": last.end}
    new |= {"token_count": 0, "metadata": {"kind": "body"}, "overlap": 0, "end": last.end}
    return [*chunks, last.model_copy(update=new)]


def take_the_space_too(ctx, parsed, chunks):
    def wider(c):
        if parsed.text[c.end : c.end + 1] != "\n":
            return c
        return c.model_copy(update={"content": c.content + "\n", "end": c.end + 1})

    return [wider(c) for c in chunks]


def swallow_a_heading(ctx, parsed, chunks):
    """Headings without children become bodies."""
    parents = {chunk.parent_id for chunk in chunks}
    return [
        c if c.id in parents else c.model_copy(update={"metadata": {"kind": "body"}})
        for c in chunks
    ]


def overlap_from_elsewhere(ctx, parsed, chunks):
    for k, c in enumerate(chunks):
        if body(c) and c.overlap == 0 and c.token_count < 20:
            new = {"content": f"alien {c.content}", "overlap": 6, "token_count": c.token_count + 1}
            return [*chunks[:k], c.model_copy(update=new), *chunks[k + 1 :]]
    return chunks


PROMISES = {
    "chunks_carry_the_documents_id_and_the_requests_tenant": Broken(each(document_id="other")),
    "a_document_of_another_tenant_is_refused": Careless(),
    "labels_are_those_of_the_principal": Broken(each(acl_labels=("everyone",))),
    "positions_count_from_0": Broken(each(position=lambda c, _: c.position + 1)),
    "ids_are_distinct": Broken(repeat_an_id),
    "ids_of_two_documents_differ": Broken(one_id_for_all_documents),
    "a_parent_comes_before_its_children": Broken(parents_that_come_later),
    "the_parent_of_a_heading_is_a_heading_of_a_smaller_level": Broken(
        headings_under_the_heading_before
    ),
    "kind_is_heading_with_a_level_or_body": Broken(
        each(metadata=lambda c, _: {"kind": "text"} if body(c) else c.metadata)
    ),
    "content_or_a_reference_to_it_is_set": Broken(
        each(content=None, start=0, end=0, overlap=0, token_count=0)
    ),
    "a_document_without_words_gives_no_chunks": Broken(never_empty),
    "the_same_document_gives_the_same_chunks": Broken(new_metadata_each_time),
    "calls_at_the_same_time_do_not_disturb_each_other": Shared(),
    "the_document_stays_as_it_was": Broken(scribble),
    "an_odd_document_gives_chunks_or_a_chunk_error": Unmapped(KeyError, "odd"),
    "a_malformed_document_gives_a_chunk_error": Unmapped(KeyError, "malformed"),
    "chunking_does_not_block_the_event_loop": Blocking(),
    "health_answers": Silent(),
    "new_text_is_a_slice_of_the_document": Broken(
        each(content=lambda c, _: c.content[: c.overlap] + c.content[c.overlap :].upper())
    ),
    "every_visible_character_comes_back_once_in_order": Broken(drop_a_body),
    "token_count_is_the_count_of_the_content": Broken(
        each(token_count=lambda c, _: c.token_count + 1)
    ),
    "no_body_chunk_is_over_the_budget": Broken(split_no_more),
    "no_chunk_is_blank": Broken(blank_ones),
    "content_has_no_white_space_at_its_edges": Broken(take_the_space_too),
    "a_heading_stands_alone_and_nothing_crosses_it": Broken(swallow_a_heading),
    "an_overlap_repeats_its_own_section": Broken(overlap_from_elsewhere),
}

WITH_ANOTHER = {
    "content_or_a_reference_to_it_is_set": {
        "every_visible_character_comes_back_once_in_order",
        "no_chunk_is_blank",
    },
    "the_same_document_gives_the_same_chunks": {"calls_at_the_same_time_do_not_disturb_each_other"},
}
"""Promises that cannot be broken alone: what is broken with them."""


SLOW = "chunking_does_not_block_the_event_loop"
"""Takes a long document: only tried with the chunker that breaks it and the one that does not."""


def failing(chunker: Chunker, *slow: str) -> set[str]:
    found = set()
    for promise in [*(promise for promise in PROMISES if promise != SLOW), *slow]:
        try:
            getattr(SlicingChunkerContract(), f"test_{promise}")(chunker)
        except AssertionError:
            found.add(promise)
    return found


def test_every_promise_has_a_chunker_that_breaks_it():
    inherited = {name for name in dir(SlicingChunkerContract) if name.startswith("test_")}
    assert inherited == {f"test_{promise}" for promise in PROMISES}


def test_the_chunker_that_breaks_nothing_passes():
    assert failing(Broken(), SLOW) == set()


@pytest.mark.parametrize("promise", PROMISES)
def test_a_chunker_that_breaks_a_promise_fails_exactly_that(promise):
    slow = [SLOW] if promise == SLOW else []
    assert failing(PROMISES[promise], *slow) == {promise, *WITH_ANOTHER.get(promise, ())}
