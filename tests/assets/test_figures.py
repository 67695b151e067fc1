"""The figures of a partition are those of its rows, and are counted where the rows lie."""

import duckdb
import pytest

from rag_assets.figures import chunks_by_depth, documents_by_type, token_figures
from rag_assets.store import chunks, documents


@pytest.fixture
def live() -> duckdb.DuckDBPyConnection:
    with duckdb.connect() as connection:
        connection.execute(chunks.schema())
        connection.execute(documents.schema())
        yield connection


def add_chunks(live: duckdb.DuckDBPyConnection, tokens: list[int], budget: int | None) -> None:
    for position, count in enumerate(tokens):
        live.execute(
            "INSERT INTO chunks BY NAME SELECT ? AS id, 'd' AS document_id, ? AS position, "
            "'x' AS content, ? AS token_count, '{}' AS metadata, 0 AS start_offset, "
            "1 AS end_offset, 0 AS overlap, ['a'] AS heading_path, 'body' AS kind",
            [str(position), position, count],
        )
    live.execute(
        "INSERT INTO chunked_documents BY NAME SELECT 'd' AS document_id, 'ok' AS status, "
        "false AS stale, ? AS n_chunks, ? AS max_tokens, now()::TIMESTAMP AS chunked_at, "
        "'r' AS run_id",
        [len(tokens), budget],
    )


def add_document(live: duckdb.DuckDBPyConnection, name: str, status: str, kind: str | None) -> None:
    live.execute(
        "INSERT INTO documents BY NAME SELECT ? AS document_id, ? AS source_uri, ? AS mime_type, "
        "? AS status, false AS stale, now()::TIMESTAMP AS parsed_at, 'r' AS run_id",
        [name, name, kind, status],
    )


def test_a_chunk_that_fills_the_budget_stands_left_of_it(live: duckdb.DuckDBPyConnection) -> None:
    add_chunks(live, [1, 32, 33, 511, 512, 513, 9_999], 512)
    figures = token_figures(live)
    assert figures.counts == (2, 1, *[0] * 13, 2, 2)
    assert (figures.chunks, figures.tokens, figures.p95) == (7, 11_601, 9_999)
    assert "the budget is 512" in figures.plot()


def test_without_a_budget_the_longest_chunk_is_the_scale(live: duckdb.DuckDBPyConnection) -> None:
    add_chunks(live, [10, 20], None)
    assert token_figures(live).budget == 20


def test_small_budgets_are_drawn_too(live: duckdb.DuckDBPyConnection) -> None:
    add_chunks(live, [1, 2, 3], 3)
    assert sum(token_figures(live).counts) == 3
    assert "data:image/png" in token_figures(live).plot()


def test_an_empty_partition_has_figures(live: duckdb.DuckDBPyConnection) -> None:
    assert token_figures(live).counts == (0,) * 17
    assert "0 body chunks" in token_figures(live).plot()
    assert chunks_by_depth(live) == "no chunks"
    assert documents_by_type(live) == "no documents"


def test_documents_are_counted_by_kind_and_status(live: duckdb.DuckDBPyConnection) -> None:
    add_document(live, "a/b/good.PDF", "ok", "application/pdf")
    add_document(live, "a/b/bad.pdf", "failed", None)
    add_document(live, "a/b/scan.pdf", "no_text", "application/pdf")
    add_document(live, "a/b/README", "ok", "text/plain")
    shown = documents_by_type(live)
    assert shown.startswith("![](data:image/png;base64,")
    assert shown.endswith("documents by kind  \n1 failed (red), 1 no text (grey), 2 ok (blue)")


def test_chunks_are_counted_by_depth(live: duckdb.DuckDBPyConnection) -> None:
    add_chunks(live, [1, 2], 512)
    assert chunks_by_depth(live).startswith("![](data:image/png;base64,")
