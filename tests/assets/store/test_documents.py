"""Documents come back exactly; a failure costs one document and nothing that was good of it."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.store import documents
from rag_assets.store.documents import FailedDocument, ParsedRow
from rag_assets.store.layout import StoreFile, Warehouse
from rag_assets.store.reading import open_live
from rag_assets.store.staging import Staging, staged
from rag_core.errors import StoreError
from rag_core.types import Block, BlockType, Document, Page, ParsedDocument

TENANT = "O'Brien; DROP TABLE x"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOAT | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
BODY = st.sampled_from([kind for kind in BlockType if kind is not BlockType.heading])
ATTRIBUTES = st.dictionaries(TEXT, JSON, max_size=3)
BLOCK = st.one_of(
    st.builds(Block, type=BODY, text=TEXT, attributes=ATTRIBUTES),
    st.builds(Block, type=st.just(BlockType.heading), text=TEXT, level=st.integers(1, 6)),
)
SIZE = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
PAGE = st.builds(
    Page,
    number=st.integers(1, 2**31 - 1),
    width=SIZE,
    height=SIZE,
    needs_ocr=st.booleans(),
    reason=st.none() | TEXT,
)


def document(name: str, **fields: object) -> Document:
    given = {
        "id": f"{TENANT}/c/{name}",
        "tenant_id": TENANT,
        "corpus_id": "c",
        "source_uri": name,
        "mime_type": "text/plain",
        "content_hash": "0",
    }
    return Document.model_validate(given | fields)


PARSED = st.builds(
    ParsedDocument,
    document=st.builds(
        lambda name, title, metadata: document(name, title=title, metadata=metadata),
        TEXT,
        st.none() | TEXT,
        ATTRIBUTES,
    ),
    blocks=st.lists(BLOCK, max_size=6).map(tuple),
    pages=st.lists(PAGE, max_size=3).map(tuple),
)


def simple(name: str, *texts: str) -> ParsedDocument:
    blocks = tuple(Block(type=BlockType.paragraph, text=text) for text in texts)
    return ParsedDocument(document=document(name), blocks=blocks)


@pytest.fixture
def file(tmp_path: Path) -> StoreFile:
    return Warehouse(tmp_path).partition(TENANT, "c").documents


@pytest.fixture
def staging(file: StoreFile) -> Iterator[Staging]:
    with staged(file, documents.schema(), run_id="r1") as staging:
        yield staging


def rows(staging: Staging, sql: str) -> list[tuple[object, ...]]:
    return staging.connection.execute(sql).fetchall()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PARSED, max_size=4, unique_by=lambda parsed: parsed.document.id))
def test_documents_come_back_as_they_were_stored(
    staging: Staging, batch: list[ParsedDocument]
) -> None:
    assert documents.replace(staging, [ParsedRow(parsed, "k") for parsed in batch]) == []
    ids = [parsed.document.id for parsed in batch]
    found = {parsed.document.id: parsed for parsed in documents.read(staging.connection, ids)}
    assert found == {parsed.document.id: parsed for parsed in batch}


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(PARSED)
def test_stored_offsets_give_each_block_in_the_documents_text(
    staging: Staging, parsed: ParsedDocument
) -> None:
    documents.replace(staging, [ParsedRow(parsed, "k")])
    staging.connection.execute("SET VARIABLE id = ?", [parsed.document.id])
    found = rows(
        staging,
        "SELECT index, start_offset, end_offset FROM blocks WHERE start_offset IS NOT NULL "
        "AND document_id = getvariable('id') ORDER BY index",
    )
    assert found == [(span.index, span.start, span.end) for span in parsed.spans]


def keys(staging: Staging) -> dict[str, str | None]:
    with staging.snapshot() as cursor:
        found = documents.stored(cursor, "!/", members=False)
        return {one.document_id: one.key for one in found}


def test_a_new_version_replaces_the_old_one_and_nothing_else(staging: Staging) -> None:
    documents.replace(staging, [ParsedRow(simple("a", "1", "2"), "k"), ParsedRow(simple("b"), "k")])
    documents.replace(staging, [ParsedRow(simple("a", "3"), "k2")])
    a, b = f"{TENANT}/c/a", f"{TENANT}/c/b"
    assert keys(staging) == {a: "k2", b: "k"}
    assert list(documents.read(staging.connection, [a, b, "nowhere"])) == [
        simple("a", "3"),
        simple("b"),
    ]
    assert rows(staging, "SELECT text FROM blocks") == [("3",)]


def test_a_failed_document_keeps_its_last_good_version_and_is_tried_again(
    staging: Staging,
) -> None:
    good = simple("a", "1")
    documents.replace(staging, [ParsedRow(good, "k")])
    for _ in range(2):
        documents.fail(
            staging,
            [
                FailedDocument(good.document.id, "a", "CorruptDocument", "torn \ud800"),
                FailedDocument(f"{TENANT}/c/new", "new", "ParseTimeout", "slow"),
            ],
        )
    sql = "SELECT source_uri, status, stale, error_kind, error, key FROM documents ORDER BY 1"
    assert rows(staging, sql) == [
        ("a", "failed", True, "CorruptDocument", "torn ?", "k"),
        ("new", "failed", False, "ParseTimeout", "slow", None),
    ]
    assert set(keys(staging).values()) == {None}
    ids = [good.document.id, f"{TENANT}/c/new"]
    assert list(documents.read(staging.connection, ids)) == [good]
    documents.replace(staging, [ParsedRow(good, "k")])
    assert rows(staging, sql)[0] == ("a", "ok", False, None, None, "k")


@pytest.mark.parametrize(
    "bad",
    [
        Block(type=BlockType.paragraph, text="\ud800"),
        Block(type=BlockType.paragraph, text="x", attributes={"n": math.nan}),
        Block(type=BlockType.paragraph, text="x", attributes={"\udfff": 1}),
    ],
)
def test_what_cannot_be_stored_costs_one_document(staging: Staging, bad: Block) -> None:
    broken = ParsedDocument(document=document("bad"), blocks=(bad,))
    failed = documents.replace(staging, [ParsedRow(simple("a", "1"), "k"), ParsedRow(broken, "k")])
    assert [(row.document_id, row.error_kind) for row in failed] == [
        (f"{TENANT}/c/bad", "StoreError")
    ]
    documents.fail(staging, failed)
    assert keys(staging) == {f"{TENANT}/c/a": "k", f"{TENANT}/c/bad": None}


def test_what_is_stored_comes_by_id_files_and_members_apart(staging: Staging) -> None:
    names = ["b", "a.zip", "a.zip!/m", "a.zip b", "é", "\U0001f600"]
    documents.replace(staging, [ParsedRow(simple(name), "k") for name in names])
    documents.fail(staging, [FailedDocument(f"{TENANT}/c/b", "b", "CorruptDocument", "torn")])
    with staging.snapshot() as cursor:
        files = list(documents.stored(cursor, "!/", members=False))
        members = list(documents.stored(cursor, "!/", members=True))
    found = [one.document_id.removeprefix(f"{TENANT}/c/") for one in files]
    assert found == sorted(found) == ["a.zip", "a.zip b", "b", "é", "\U0001f600"]
    assert [one.document_id for one in members] == [f"{TENANT}/c/a.zip!/m"]
    assert files[2][1:] == ("0", "text/plain", None, "CorruptDocument", "torn")


def test_a_snapshot_shows_what_was_there_while_the_next_version_changes(file: StoreFile) -> None:
    with staged(file, documents.schema(), run_id="r1") as staging:
        documents.replace(staging, [ParsedRow(simple(name), "k") for name in "abc"])
        staging.publish()
    with staged(file, documents.schema(), run_id="r2") as following:
        with following.snapshot() as cursor:
            seen = documents.stored(cursor, "!/", members=False)
            first = next(seen).document_id
            documents.delete(following, [f"{TENANT}/c/{name}" for name in "abc"])
            rest = [one.document_id for one in seen]
        following.publish()
    assert [first, *rest] == [f"{TENANT}/c/{name}" for name in "abc"]


def test_deleted_documents_leave_nothing(staging: Staging) -> None:
    batch = [ParsedRow(simple(name, "x"), "k") for name in ("a", "b")]
    documents.replace(staging, batch)
    assert documents.delete(staging, [f"{TENANT}/c/a", "nowhere"]) == 1
    assert rows(staging, "SELECT DISTINCT document_id FROM blocks") == [(f"{TENANT}/c/b",)]
    assert list(keys(staging)) == [f"{TENANT}/c/b"]


def test_a_document_of_another_tenant_is_refused(staging: Staging) -> None:
    other = ParsedDocument(document=document("a", tenant_id="evil"))
    with pytest.raises(StoreError, match="belongs to evil/c"):
        documents.replace(staging, [ParsedRow(other, "k")])
    assert keys(staging) == {}


def test_a_block_longer_than_duckdbs_default_line_is_stored(
    staging: Staging, file: StoreFile
) -> None:
    long = simple("a", "ü" * 9_000_000)
    documents.replace(staging, [ParsedRow(long, "k")])
    staging.publish()
    with open_live(file) as connection:
        (found,) = documents.read(connection, [long.document.id])
    assert found == long


def test_the_status_tells_empty_from_unread() -> None:
    page = Page(number=1, width=1, height=1, needs_ocr=True)
    scan = ParsedDocument(document=document("scan"), pages=(page,))
    found = [ParsedRow(parsed, "k").status for parsed in (simple("a", "x"), simple("b", " "), scan)]
    assert found == ["ok", "empty", "no_text"]
