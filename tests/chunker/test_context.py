"""The text to embed: heading path and content, within a budget, as the warehouse gives it too."""

from importlib.resources import files

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.context import embedding_text, heading_paths
from rag_chunker.heading_aware import HeadingAwareChunker
from rag_core.testing.builders import make_context, make_document
from rag_core.testing.fakes import WordCounter


def test_a_heading_path_names_the_enclosing_headings_outermost_first() -> None:
    parsed = make_document(["before", "# A", "in A", "### B", "in B", "## C", "in C"])
    chunks = HeadingAwareChunker().chunk_now(make_context(), parsed)
    paths = heading_paths(chunks)
    assert [paths[chunk.id] for chunk in chunks] == [
        (),
        (),
        ("A",),
        ("A",),
        ("A", "B"),
        ("A",),
        ("A", "C"),
    ]


def test_title_and_path_come_before_a_blank_line_and_the_content() -> None:
    assert embedding_text("Manual", ["Install", "Linux"], "Run it.") == (
        "Manual > Install > Linux\n\nRun it."
    )


def test_a_title_that_is_the_outermost_heading_comes_once() -> None:
    assert embedding_text("Install", ["Install", "Linux"], "Run it.") == (
        "Install > Linux\n\nRun it."
    )


def test_content_without_context_stays_as_it_is() -> None:
    assert embedding_text(None, [], "Run it.") == "Run it."
    assert embedding_text(" ", [""], "Run it.") == "Run it."


def test_a_budget_drops_the_outermost_parts_first_then_shortens() -> None:
    def within(budget: int) -> str:
        return embedding_text(
            "T", ["one two", "three four"], "a b", counter=WordCounter(), max_tokens=budget
        )

    assert [within(budget) for budget in (9, 8, 6, 4)] == [
        "T > one two > three four\n\na b",
        "one two > three four\n\na b",
        "three four\n\na b",
        "three four\n\na b",
    ]
    assert within(3).endswith("…\n\na b")
    assert within(3).startswith("three")
    assert [within(budget) for budget in (2, 1, 0)] == ["a b"] * 3


@given(
    st.none() | st.text(max_size=30),
    st.lists(st.text(max_size=40), max_size=6),
    st.text(min_size=1, max_size=80),
    st.integers(0, 60),
)
def test_the_content_is_never_cut_and_a_budget_never_exceeded(
    title: str | None, path: list[str], content: str, budget: int
) -> None:
    counter = WordCounter()
    text = embedding_text(title, path, content, counter=counter, max_tokens=budget)
    assert text.endswith(content)
    assert text == content or counter.count(text) <= budget


@pytest.mark.parametrize(
    ("title", "path"),
    [
        (None, []),
        ("Manual", []),
        (None, ["Install"]),
        ("Manual", ["Install", "Linux"]),
        ("Install", ["Install", "Linux"]),
        ("Linux", ["Install", "Linux"]),
        ("", ["", "Linux"]),
        ("  ", ["\t", "\u00a0", " Linux "]),
        ("\u200b", ["Install"]),
    ],
)
def test_the_warehouse_gives_the_same_text(title: str | None, path: list[str]) -> None:
    sql = files("rag_assets.store").joinpath("sql")
    with duckdb.connect() as connection:
        connection.execute(sql.joinpath("chunks.sql").read_text("utf-8"))
        for table in ("chunks", "chunked_documents"):
            for column in ("tenant_id", "corpus_id"):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} VARCHAR DEFAULT 'x'")
        view, _, _ = sql.joinpath("views.sql").read_text("utf-8").partition(";")
        connection.execute(view)
        connection.execute(
            "INSERT INTO chunked_documents BY NAME SELECT 'd' AS document_id, $title AS title, "
            "'ok' AS status, false AS stale, 1 AS n_chunks, now() AS chunked_at, 'r' AS run_id",
            {"title": title},
        )
        connection.execute(
            "INSERT INTO chunks BY NAME SELECT 'c' AS id, 'd' AS document_id, 0 AS position, "
            "'Run it.' AS content, 3 AS token_count, '{}' AS metadata, 0 AS start_offset, "
            "7 AS end_offset, 0 AS overlap, $path::VARCHAR[] AS heading_path, 'body' AS kind",
            {"path": path},
        )
        row = connection.execute("SELECT embedding_text FROM chunk_context").fetchone()
    assert row == (embedding_text(title, path, "Run it."),)
