"""What the view `chunk_context` gives to an embedder is what `rag_chunker.embedding_text` gives."""

import pytest

from rag_chunker import TiktokenCounter, embedding_text
from tests.assets.conftest import Project

_LONG = "Conditions of delivery, warranty and return for customers of the north " * 6
_ROWS = "SELECT title, heading_path, content, embedding_text, embedding_tokens FROM chunk_context"


def rows(project: Project) -> list[tuple]:
    found = project.query(_ROWS)
    assert found
    return found


def differing(project: Project, encoding: str = "cl100k_base") -> list[tuple]:
    """Rows whose text to embed is not that of the function, or is over its budget."""
    counter = TiktokenCounter(encoding)
    return [
        (title, path, given)
        for title, path, content, given, budget in rows(project)
        if given != embedding_text(title, path, content, counter=counter, max_tokens=budget)
        or counter.count(given) > budget
    ]


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_nothing_to_embed_is_over_the_budget_that_the_corpus_states(
    project: Project, encoding: str
) -> None:
    project.write(
        "acme/docs/corpus.toml",
        f'[chunker]\nmax_tokens = 48\noverlap_tokens = 8\nencoding = "{encoding}"\n'
        "embedding_tokens = 60\n",
    )
    body = "A pump that runs dry is a pump that breaks. " * 9
    project.write(
        "acme/docs/a.md",
        f"# Manual\n\n{body}\n\n## {_LONG}\n\n{body}\n\n### 'quoted' end\n\n{body}\n\n短い。",
    )
    project.run("acme/docs")
    assert differing(project, encoding) == []
    contexts = {row[3].removesuffix(row[2]).rstrip("\n") for row in rows(project)}
    assert {context[-1:] for context in contexts} >= {"l", "…", "d"}, contexts


def test_a_new_title_or_budget_is_a_change_for_whoever_embeds(project: Project) -> None:
    def last_changes() -> list[str]:
        (run,) = project.query("SELECT last_run FROM corpus_summary")[0]
        found = project.query("SELECT change FROM chunk_changes WHERE run_id = ?", run)
        return [change for (change,) in found]

    text = "---\ntitle: {}\n---\n# Pumps\n\nThey run dry."
    project.write("acme/docs/a.md", text.format("Old"))
    project.run("acme/docs")
    project.write("acme/docs/a.md", text.format("New"))
    project.run("acme/docs")
    assert last_changes() == ["update"]
    assert project.query("SELECT embedding_text FROM chunk_context") == [
        ("New > Pumps\n\nThey run dry.",)
    ]
    short = "[chunker]\nmax_tokens = 5\noverlap_tokens = 0\nembedding_tokens = 8"
    project.write("acme/docs/corpus.toml", short)
    project.run("acme/docs")
    assert last_changes() == ["update"]
    assert project.query("SELECT embedding_text FROM chunk_context") == [
        ("Pumps\n\nThey run dry.",)
    ]
