"""The text to embed: heading path and content, within a budget."""

from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.context import Contexts, embedding_text, heading_paths
from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.tokens import TiktokenCounter
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
    assert embedding_text(" ", ["", "\u200b\t"], "Run it.") == "Run it."


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


@given(
    st.none() | st.text(max_size=30),
    st.lists(st.text(max_size=40) | st.text("a'/ \n#1é漢", max_size=40), max_size=6),
    st.text(min_size=1, max_size=80) | st.text("a'/ \n#1é漢", min_size=1, max_size=80),
    st.integers(0, 60),
    st.sampled_from(["cl100k_base", "o200k_base"]),
)
def test_knowing_the_tokens_of_the_content_changes_nothing(
    title: str | None, path: list[str], content: str, budget: int, encoding: str
) -> None:
    counter = TiktokenCounter(encoding)
    contexts = Contexts(title, counter=counter, max_tokens=budget)
    context = contexts.of(path, content, counter.count(content))
    assert context == contexts.of(path, content)
    assert context == "" or counter.count(f"{context}\n\n{content}") <= budget


def test_a_heading_path_is_counted_once_for_all_chunks_below_it() -> None:
    class Watched(TiktokenCounter):
        counted: ClassVar[list[str]] = []

        def count(self, text: str) -> int:
            self.counted.append(text)
            return super().count(text)

    contexts = Contexts("Manual", counter=Watched(), max_tokens=600)
    for number in range(50):
        assert contexts.of(["Install"], f"Step {number}.", 3) == "Manual > Install"
    assert Watched.counted == ["Manual > Install\n\n"]


def test_a_heading_of_several_lines_stands_on_one() -> None:
    assert embedding_text("A\n B", ["A B", "C\tD\nE"], "Run it.") == "A B > C D E\n\nRun it."
