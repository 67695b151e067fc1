"""Every invariant bites, and only the run's own documents are read again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets import quality
from rag_assets.store import chunks, documents
from rag_assets.store.layout import PartitionFiles, Warehouse
from rag_assets.store.staging import Staging, staged
from rag_core.types import Block, BlockType, Chunk, Document, ParsedDocument


class Words:
    def count(self, text: str) -> int:
        return len(text.split())

    def name(self) -> str:
        return "words"


def parsed(name: str, *words: str) -> ParsedDocument:
    blocks = [
        Block(type=BlockType.heading, level=1, text="Top"),
        Block(type=BlockType.paragraph, text=words[0]),
        Block(type=BlockType.heading, level=2, text="Söb 👩‍👩‍👧"),
        *(Block(type=BlockType.list_item, text=word) for word in words[1:]),
    ]
    return ParsedDocument(
        document=Document(
            id=f"acme/o%27b/{name}",
            tenant_id="acme",
            corpus_id="o'b",
            source_uri=name,
            mime_type="text/plain",
            content_hash="0",
        ),
        blocks=tuple(blocks),
    )


def chunked(document: ParsedDocument, key: str = "k") -> chunks.ChunkedDocument:
    found: list[Chunk] = []
    above: dict[int, str] = {}
    for span in document.spans:
        block = document.blocks[span.index]
        heading = block.level is not None
        parents = [above[n] for n in sorted(above) if not block.level or n < block.level]
        found.append(
            Chunk(
                id=f"{document.document.id}#{span.index}",
                document_id=document.document.id,
                tenant_id="acme",
                position=len(found),
                parent_id=parents[-1] if parents else None,
                content=block.text,
                token_count=Words().count(block.text),
                acl_labels=("a", "b"),
                metadata={"kind": "heading", "level": block.level} if heading else {"kind": "body"},
                start=span.start,
                end=span.end,
            )
        )
        if block.level:
            above[block.level] = found[-1].id
    return chunks.ChunkedDocument(
        document_id=document.document.id,
        key=key,
        chunks=found,
        acl_labels=("b", "a"),
        max_tokens=3,
        tokenizer="words",
    )


DOCUMENTS = [
    parsed("one", "uno dos tres", "quatro\u00a0cinco", "\x00six"),
    parsed("two", "eins", "zwei", "drei"),
]


@pytest.fixture
def partition(tmp_path: Path) -> PartitionFiles:
    partition = Warehouse(tmp_path / "it's").partition("acme", "o'b")
    with staged(partition.documents, documents.schema(), run_id="r1") as staging:
        documents.replace(staging, [documents.ParsedRow(d, "k") for d in DOCUMENTS])
        staging.publish()
    return partition


@pytest.fixture
def staging(partition: PartitionFiles) -> Iterator[Staging]:
    with staged(partition.chunks, chunks.schema(), run_id="r1") as staging:
        chunks.begin(staging)
        chunks.replace(staging, [chunked(d) for d in DOCUMENTS])
        yield staging


def broken(results: list[quality.InvariantResult]) -> dict[str, tuple[quality.Offender, ...]]:
    return {result.name: result.offenders for result in results if not result.passed}


def test_good_chunks_pass_and_all_are_looked_at(
    partition: PartitionFiles, staging: Staging
) -> None:
    results = quality.check(
        staging, partition.documents, Words(), current_keys=[(DOCUMENTS[0].document.id, "k")]
    )
    assert broken(results) == {}
    assert {result.name: result.checked for result in results if result.checked != 10} == {}
    assert [result.name for result in results] == [i.name for i in quality.invariants()]
    assert [i for i in quality.invariants() if not i.description.endswith(".")] == []


ONE = "document_id = 'acme/o%27b/one'"
BITES = [
    ("one_partition", "UPDATE chunks SET document_id = 'other/o%27b/one' WHERE position = 0"),
    ("known_document", "UPDATE chunks SET document_id = 'acme/o%27b/gone' WHERE position = 4"),
    ("known_document", f"DELETE FROM chunked_documents WHERE {ONE}"),
    ("distinct_ids", "UPDATE chunks SET id = 'same' WHERE position = 4"),
    ("distinct_ids", "INSERT INTO chunked_documents SELECT * FROM chunked_documents LIMIT 1"),
    ("positions", f"UPDATE chunks SET position = 9 WHERE position = 4 AND {ONE}"),
    ("positions", f"DELETE FROM chunks WHERE position = 4 AND {ONE}"),
    ("parents", "UPDATE chunks SET parent_id = 'nowhere' WHERE position = 1"),
    ("parents", "UPDATE chunks SET parent_id = NULL WHERE position = 2"),
    ("parents", f"UPDATE chunks SET parent_id = document_id || '#0' WHERE position = 4 AND {ONE}"),
    ("parents", f"UPDATE chunks SET parent_id = document_id || '#1' WHERE position = 2 AND {ONE}"),
    ("parents", f"UPDATE chunks SET parent_id = document_id || '#2' WHERE position = 0 AND {ONE}"),
    ("heading_path", "UPDATE chunks SET heading_path = ['Tip'] WHERE position = 1"),
    ("heading_path", "UPDATE chunks SET heading_path = NULL WHERE position = 0"),
    ("content", "UPDATE chunks SET content_ref = 's3://x' WHERE position = 1"),
    ("content", "UPDATE chunks SET content = NULL WHERE position = 1"),
    ("content", "UPDATE chunks SET content = '' WHERE position = 1"),
    ("budget", "UPDATE chunks SET token_count = 4 WHERE position = 1"),
    ("labels", "UPDATE chunks SET acl_labels = ['a'] WHERE position = 1"),
    ("labels", "UPDATE chunks SET acl_labels = ['b', 'a'] WHERE position = 1"),
    ("labels", "UPDATE chunks SET acl_labels = NULL WHERE position = 1"),
    ("labels", "UPDATE chunks SET acl_labels = ['a', NULL, 'b'] WHERE position = 1"),
    ("metadata", """UPDATE chunks SET metadata = '{"kind":"body","x":1}' WHERE position = 1"""),
    ("metadata", """UPDATE chunks SET metadata = '{"kind":"heading"}' WHERE position = 0"""),
    ("metadata", "UPDATE chunks SET level = 2 WHERE position = 0"),
    ("change_log", "DELETE FROM chunk_changes WHERE sequence = 1"),
    ("change_log", "UPDATE chunk_changes SET change = 'delete' WHERE sequence = 1"),
    ("change_log", f"DELETE FROM chunks WHERE position = 4 AND {ONE}"),
    ("slices", f"UPDATE chunks SET content = 'dos uno tres' WHERE position = 1 AND {ONE}"),
    ("slices", f"UPDATE chunks SET end_offset = end_offset - 1 WHERE position = 1 AND {ONE}"),
    ("slices", f"DELETE FROM chunks WHERE position = 4 AND {ONE}"),
    ("slices", f"DELETE FROM chunks WHERE position = 1 AND {ONE}"),
    ("slices", f"UPDATE chunks SET overlap = 1 WHERE position = 1 AND {ONE}"),
    ("token_count", "UPDATE chunks SET token_count = 2 WHERE position = 1"),
    ("up_to_date", f"UPDATE chunked_documents SET key = 'old' WHERE {ONE}"),
    ("up_to_date", f"DELETE FROM chunked_documents WHERE {ONE}"),
]


@pytest.mark.parametrize(("name", "corruption"), BITES)
def test_a_corrupted_row_is_named(
    partition: PartitionFiles, staging: Staging, name: str, corruption: str
) -> None:
    staging.connection.execute(corruption)
    keys = [(document.document.id, "k") for document in DOCUMENTS]
    results = quality.check(
        staging, partition.documents, Words(), current_keys=keys, everything=True
    )
    offenders = broken(results)
    assert name in offenders
    assert [o for o in offenders[name] if not o.what or not o.document_id] == []


def test_each_invariant_is_bitten_by_a_corrupted_row() -> None:
    assert {i.name for i in quality.invariants()} - {name for name, _ in BITES} == set()


def test_a_repeated_slice_is_named(partition: PartitionFiles, staging: Staging) -> None:
    staging.connection.execute(
        "INSERT INTO chunks SELECT * REPLACE (id || 'x' AS id, 5 AS position) FROM chunks "
        f"WHERE position = 1 AND {ONE}"
    )
    found = broken(quality.check(staging, partition.documents, Words()))
    assert [o.what for o in found["slices"]] == ["repeats the text's characters from 5 to 17"]


def test_only_up_to_date_is_a_warning() -> None:
    assert [i.name for i in quality.invariants() if i.severity == "warning"] == ["up_to_date"]


def test_what_another_run_made_is_not_read_again(partition: PartitionFiles) -> None:
    with staged(partition.chunks, chunks.schema(), run_id="r1") as staging:
        chunks.begin(staging)
        chunks.replace(staging, [chunked(d) for d in DOCUMENTS])
        chunks.finish(staging)
        staging.publish()
    with staged(partition.chunks, chunks.schema(), run_id="r2") as staging:
        chunks.begin(staging)
        chunks.replace(staging, [chunked(DOCUMENTS[0], key="k2")])
        read: list[str] = []

        def texts(ids: list[str]) -> list[ParsedDocument]:
            read.extend(ids)
            return [d for d in DOCUMENTS if d.document.id in ids]

        results = quality.check(staging, partition.documents, Words(), texts=texts)
    assert broken(results) == {}
    assert read == ["acme/o%27b/one"]
    assert {result.checked for result in results} == {5}


def test_a_document_that_failed_to_chunk_is_listed_and_no_offence(
    partition: PartitionFiles, staging: Staging
) -> None:
    chunks.fail(staging, [chunks.FailedChunking("acme/o%27b/one", "ChunkError", "no")])
    keys = [("acme/o%27b/one", "newer"), ("acme/o%27b/two", "k")]
    assert broken(quality.check(staging, partition.documents, Words(), current_keys=keys)) == {}


def test_many_chunks_are_recounted_by_sample(partition: PartitionFiles, staging: Staging) -> None:
    results = quality.check(staging, partition.documents, Words(), recount=5)
    tokens = next(r for r in results if r.name == "token_count")
    assert 0 < tokens.checked < 10
