"""What every chunker promises: subclass `ChunkerContract`, give it a chunker."""

import asyncio
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol, cast

import pytest

from rag_core.errors import ChunkError
from rag_core.spi import Chunker
from rag_core.testing.builders import make_context, make_document, make_table
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, Chunk, Health, ParsedDocument, RequestContext

__all__ = ["ChunkerContract", "SlicingChunkerContract"]


class ChunkerContract:
    """Promises that a chunker keeps for any document.

    class TestMyChunker(ChunkerContract):
        @pytest.fixture
        def chunker(self):
            return MyChunker()
    """

    @pytest.fixture
    def chunker(self) -> Chunker:
        """Override: the chunker under test."""
        raise NotImplementedError("override the fixture `chunker`")

    def test_chunks_carry_the_documents_id_and_the_requests_tenant(self, chunker: Chunker) -> None:
        for tenant in ("acme", "nordlicht"):
            parsed = make_document(["# Title", "Words."], document_id="d-1", tenant=tenant)
            chunks = _chunk(chunker, parsed, make_context(tenant=tenant))
            owners = {(chunk.document_id, chunk.tenant_id) for chunk in chunks}
            assert owners == {("d-1", tenant)}

    def test_a_document_of_another_tenant_is_refused(self, chunker: Chunker) -> None:
        parsed = make_document(["# Title", "Words."], tenant="nordlicht")
        assert isinstance(_outcome(chunker, parsed, make_context(tenant="acme")), ChunkError)

    def test_labels_are_those_of_the_principal(self, chunker: Chunker) -> None:
        for labels in ((), ("staff",), ("board", "staff")):
            ctx = make_context(*labels)
            for parsed, chunks in _chunked(chunker, ctx):
                wrong = [chunk for chunk in chunks if chunk.acl_labels != ctx.principal.acl_labels]
                assert wrong == [], parsed.document.id

    def test_positions_count_from_0(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            positions = [chunk.position for chunk in chunks]
            assert positions == [*range(len(chunks))], parsed.document.id

    def test_ids_are_distinct(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            ids = [chunk.id for chunk in chunks]
            assert [one for one in set(ids) if ids.count(one) > 1] == [], parsed.document.id

    def test_ids_of_two_documents_differ(self, chunker: Chunker) -> None:
        blocks = ["# Title", "The same words."]
        first, second = (
            _chunk(chunker, make_document(blocks, document_id=name)) for name in ("d-1", "d-2")
        )
        assert {chunk.id for chunk in first} & {chunk.id for chunk in second} == set()

    def test_a_parent_comes_before_its_children(self, chunker: Chunker) -> None:
        for _, chunks in _chunked(chunker):
            earlier: set[str | None] = {None}
            orphans = []
            for chunk in chunks:
                if chunk.parent_id not in earlier:
                    orphans.append(chunk)
                earlier.add(chunk.id)
            assert orphans == []

    def test_the_parent_of_a_heading_is_a_heading_of_a_smaller_level(
        self, chunker: Chunker
    ) -> None:
        for _, chunks in _chunked(chunker):
            levels = {chunk.id: _level(chunk) for chunk in chunks}
            children = [c for c in chunks if _level(c) and c.parent_id in levels]
            assert [c for c in children if not 0 < levels[c.parent_id or c.id] < _level(c)] == []

    def test_kind_is_heading_with_a_level_or_body(self, chunker: Chunker) -> None:
        for _, chunks in _chunked(chunker):
            kinds = [(chunk.metadata.get("kind"), _level(chunk)) for chunk in chunks]
            headings = [("heading", level) for level in range(1, 7)]
            assert [kind for kind in kinds if kind not in (("body", 0), *headings)] == []

    def test_content_or_a_reference_to_it_is_set(self, chunker: Chunker) -> None:
        for _, chunks in _chunked(chunker):
            assert [c for c in chunks if c.content is None and c.content_ref is None] == []

    def test_a_document_without_words_gives_no_chunks(self, chunker: Chunker) -> None:
        assert _chunk(chunker, make_document()) == []
        assert _chunk(chunker, make_document(["", " \n\t", "\u200b\u00ad\ufeff"])) == []

    def test_the_same_document_gives_the_same_chunks(self, chunker: Chunker) -> None:
        again = dict(_by_id(chunker))
        assert [name for name, chunks in _by_id(chunker) if again[name] != chunks] == []

    def test_calls_at_the_same_time_do_not_disturb_each_other(self, chunker: Chunker) -> None:
        documents = [*_documents()] * 2

        async def together() -> list[list[Chunk]]:
            calls = (chunker.chunk(make_context("staff"), parsed) for parsed in documents)
            return await asyncio.gather(*calls)

        alone = dict(_by_id(chunker))
        expected = [alone[parsed.document.id] for parsed in documents]
        assert asyncio.run(together()) == expected

    def test_the_document_stays_as_it_was(self, chunker: Chunker) -> None:
        for parsed in _documents():
            before = parsed.model_dump()
            _chunk(chunker, parsed)
            assert parsed.model_dump() == before

    def test_an_odd_document_gives_chunks_or_a_chunk_error(self, chunker: Chunker) -> None:
        outcomes = {name: _outcome(chunker, parsed) for name, parsed in _odd_documents()}
        assert {name: got for name, got in outcomes.items() if not _is_allowed(got)} == {}

    def test_a_malformed_document_gives_a_chunk_error(self, chunker: Chunker) -> None:
        broken = Block.model_construct(
            type=BlockType.paragraph, text=cast(str, None), level=None, attributes={}
        )
        parsed = make_document().model_copy(update={"blocks": (broken,)})
        assert isinstance(_outcome(chunker, parsed), ChunkError)

    def test_chunking_does_not_block_the_event_loop(self, chunker: Chunker) -> None:
        shares: list[float] = []
        while len(shares) < 3 and min(shares, default=1.0) >= 0.6:  # the machine may be busy
            shares.append(asyncio.run(_longest_pause(chunker)))
        assert min(shares) < 0.6, f"the loop stood still for these shares of the time: {shares}"

    def test_health_answers(self, chunker: Chunker) -> None:
        assert isinstance(asyncio.run(chunker.health()), Health)


class _Counter(Protocol):
    def count(self, text: str) -> int: ...


class SlicingChunkerContract(ChunkerContract):
    """Further promises, of a chunker whose chunks are slices of the document within a budget:
    `content[overlap:] == parsed.text[start:end]`."""

    def limits(self, chunker: Chunker) -> tuple[int, _Counter]:
        """Budget and token counter of the chunker; override where they are named otherwise."""
        return chunker.max_tokens, chunker.token_counter  # type: ignore[attr-defined]

    def test_new_text_is_a_slice_of_the_document(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            text = parsed.text
            assert [c for c in chunks if _content(c)[c.overlap :] != text[c.start : c.end]] == []

    def test_every_visible_character_comes_back_once_in_order(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            edges = [0, *(edge for c in chunks for edge in (c.start, c.end)), len(parsed.text)]
            assert edges == sorted(edges)
            gaps = [parsed.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
            assert [gap for gap in gaps if not is_blank(gap)] == []

    def test_token_count_is_the_count_of_the_content(self, chunker: Chunker) -> None:
        _, counter = self.limits(chunker)
        for _, chunks in _chunked(chunker):
            assert [c for c in chunks if c.token_count != counter.count(_content(c))] == []

    def test_no_body_chunk_is_over_the_budget(self, chunker: Chunker) -> None:
        budget, counter = self.limits(chunker)
        for _, chunks in _chunked(chunker):
            bodies = [chunk for chunk in chunks if not _level(chunk)]
            assert [c for c in bodies if counter.count(_content(c)) > budget] == []

    def test_no_chunk_is_blank(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            new = [(chunk, parsed.text[chunk.start : chunk.end]) for chunk in chunks]
            assert [chunk for chunk, text in new if is_blank(text)] == []

    def test_content_has_no_white_space_at_its_edges(self, chunker: Chunker) -> None:
        for _, chunks in _chunked(chunker):
            assert [c for c in chunks if _content(c) != _content(c).strip()] == []

    def test_a_heading_stands_alone_and_nothing_crosses_it(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            spans = [s for s in parsed.spans if parsed.blocks[s.index].type is BlockType.heading]
            crossing = [
                chunk
                for chunk in chunks
                for span in spans
                if chunk.start < span.end and span.start < chunk.end and not _level(chunk)
            ]
            assert crossing == []
            assert len([chunk for chunk in chunks if _level(chunk)]) == len(spans)

    def test_an_overlap_repeats_its_own_section(self, chunker: Chunker) -> None:
        for parsed, chunks in _chunked(chunker):
            section = 0
            foreign = []
            for chunk in chunks:
                if _level(chunk):
                    section = chunk.end
                repeated = _content(chunk)[: chunk.overlap].strip()
                if repeated not in parsed.text[section : chunk.start]:
                    foreign.append(chunk)
            assert foreign == []


def _chunk(
    chunker: Chunker, parsed: ParsedDocument, ctx: RequestContext | None = None
) -> list[Chunk]:
    return asyncio.run(chunker.chunk(ctx or make_context("staff"), parsed))


def _chunked(
    chunker: Chunker, ctx: RequestContext | None = None
) -> Iterator[tuple[ParsedDocument, list[Chunk]]]:
    for parsed in _documents():
        yield parsed, _chunk(chunker, parsed, ctx)


def _by_id(chunker: Chunker) -> Iterator[tuple[str, list[Chunk]]]:
    return ((parsed.document.id, chunks) for parsed, chunks in _chunked(chunker))


def _outcome(chunker: Chunker, parsed: ParsedDocument, ctx: RequestContext | None = None) -> object:
    """What the call gives: chunks, or the error that it raises."""
    try:
        return _chunk(chunker, parsed, ctx)
    except Exception as error:  # to be judged by the caller, whatever it is
        return error


def _is_allowed(outcome: object) -> bool:
    return isinstance(outcome, list | ChunkError)


def _level(chunk: Chunk) -> int:
    """Of a heading chunk; 0 for any other."""
    level = chunk.metadata.get("level")
    return level if chunk.metadata.get("kind") == "heading" and isinstance(level, int) else 0


def _content(chunk: Chunk) -> str:
    return chunk.content or ""


_SENTENCES = "The pump starts by itself. Wait until it hums! Is the valve open? Then go on. " * 20
_WORD = "x" * 3000


def _documents() -> Iterator[ParsedDocument]:
    """Ordinary documents, each short, with what chunkers trip over."""
    rows = [[f"part-{number}", f"shelf {number}", str(number)] for number in range(40)]
    code = "\n".join(f"def f{number}():\n    return {number}\n" for number in range(60))
    yield make_document(["Only one paragraph."], document_id="one-paragraph")
    yield make_document(["# Only a heading"], document_id="only-a-heading")
    yield make_document(
        ["Before.", "### Deep first", "a", "# Top", "###### Deepest", "b", "## Up", "## Twin", "c"],
        document_id="levels-that-jump",
    )
    yield make_document(
        ["# Same", "Same.", "Same.", "# Same", "Same.", "## Same", "Same."],
        document_id="the-same-again",
    )
    yield make_document(
        ["# Long", _SENTENCES, "Short.", "## Next", _SENTENCES, " ", "## Empty", "# End", _WORD],
        document_id="long-sections",
    )
    yield make_document(
        [
            "# Parts",
            "Listed here.",
            *make_table(["Part", "Place", "Count"], *rows),
            "## Code",
            Block(type=BlockType.code, text=code, attributes={"language": "python"}),
            *(Block(type=BlockType.list_item, text=f"item {number}") for number in range(100)),
        ],
        document_id="tables-code-and-lists",
    )
    yield make_document(
        [
            *["# 手册", "这是第一句。这是第二句！" * 60, "## ภาษาไทย", "ภาษาไทยไม่มีช่องว่าง" * 50],
            *["## שלום", "👩\u200d👩\u200d👧🇩🇪🇫🇷e\u0301" * 60, "\u200b", "a\u2028b\u0085c\r\nd"],
        ],
        document_id="many-scripts",
    )


def _odd_documents() -> Iterator[tuple[str, ParsedDocument]]:
    yield "lone surrogates", make_document(["# \ud800", "a\udfffb " * 50])
    yield "control characters", make_document(["# \x00\x1b", "\x00 \x07" * 50])
    yield "one long word", make_document(["x" * 100_000])
    yield "marks without a letter", make_document(["\u0301" * 2000])
    yield "special tokens", make_document(["<|endoftext|> <|fim_prefix|>" * 20])
    yield "odd attributes", make_document([_row({"table": None, "table_header": 7})] * 3)
    yield (
        "a header of its own size",
        make_document([_row({"table": 0, "table_header": "wide " * 3000})] * 200),
    )
    yield "a hundred levels", make_document([f"{'#' * (1 + n % 6)} h{n}" for n in range(100)])


def _row(attributes: dict[str, object]) -> Block:
    return Block.model_validate(
        {"type": BlockType.table_row, "text": "a | b", "attributes": attributes}
    )


async def _longest_pause(chunker: Chunker) -> float:
    """The longest time that the event loop stood still while a document was chunked, as a share
    of the whole time; 0 if the chunker is too fast to tell."""
    for size in (10, 80, 640):
        parsed = make_document(["# Long", *[f"{number} {_SENTENCES}" for number in range(size)]])
        beats = [time.perf_counter()]
        call = asyncio.create_task(chunker.chunk(make_context(), parsed))
        while not call.done():
            await asyncio.sleep(0.001)
            beats.append(time.perf_counter())
        await call
        spent = beats[-1] - beats[0]
        if spent > 0.1:
            return max(later - beat for beat, later in pairwise(beats)) / spent
    return 0.0
