"""The stages of one document, put together."""

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.pipeline import chunk_now, chunks_of, parse_document
from rag_core.errors import ChunkError, UnsupportedMediaType
from rag_core.spi import Chunker
from rag_core.testing.builders import make_context, make_document
from rag_core.types import (
    Chunk,
    CorpusId,
    DocumentId,
    Health,
    ParsedDocument,
    RequestContext,
    Source,
    TenantId,
)

_DATA = b"# Title\n\nSome words.\n"


def _source(name: str = "a.md") -> Source:
    return Source(
        document_id=DocumentId(f"acme/docs/{name}"),
        tenant_id=TenantId("acme"),
        corpus_id=CorpusId("docs"),
        uri=name,
    )


def test_bytes_become_blocks_and_chunks() -> None:
    parsed, chunks = chunks_of(make_context(), _source(), _DATA, HeadingAwareChunker())
    assert [block.text for block in parsed.blocks] == ["Title", "Some words."]
    assert [chunk.content for chunk in chunks] == ["Title", "Some words."]


def test_the_stages_one_by_one_give_the_same() -> None:
    parsed = parse_document(_source(), _DATA)
    chunks = chunk_now(make_context(), parsed, HeadingAwareChunker())
    assert (parsed, chunks) == chunks_of(make_context(), _source(), _DATA, HeadingAwareChunker())


def test_a_chunker_that_can_only_be_awaited_is_awaited() -> None:
    class Awaited(Chunker):
        async def chunk(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]:
            return await HeadingAwareChunker().chunk(ctx, parsed)

        async def health(self) -> Health:
            return Health(ok=True)

    awaited = chunks_of(make_context(), _source(), _DATA, Awaited())
    assert awaited == chunks_of(make_context(), _source(), _DATA, HeadingAwareChunker())


def test_another_process_gives_the_same_chunks() -> None:
    arguments = (make_context(), _source(), _DATA, HeadingAwareChunker())
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(chunks_of, *arguments).result(60) == chunks_of(*arguments)


def test_failures_name_the_document_and_survive_pickling() -> None:
    with pytest.raises(UnsupportedMediaType) as unsupported:
        parse_document(_source("a.bin"), bytes(range(256)))
    assert pickle.loads(pickle.dumps(unsupported.value)).document == "acme/docs/a.bin"
    with pytest.raises(ChunkError) as foreign:
        chunks_of(make_context(tenant="other"), _source(), _DATA, HeadingAwareChunker())
    assert foreign.value.document == "acme/docs/a.md"


def test_needs_neither_orchestrator_nor_database() -> None:
    code = (
        "import sys, rag_chunker.pipeline\n"
        "print([m for m in ('dagster', 'duckdb', 'rag_assets') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.stdout == b"[]\n"


def test_a_subclass_that_chunks_otherwise_is_asked():
    class Silent(HeadingAwareChunker):
        async def chunk(self, ctx, parsed):
            return []

    assert chunk_now(make_context(), make_document(["text"]), Silent()) == []
