"""`ragctl inspect --document`: the stored chunks of a document of the warehouse, as one page."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rag_assets.store.layout import Warehouse
from rag_assets.stored_document import stored_document
from rag_chunker.cli import cli
from rag_core.errors import ConfigError, StoreError
from tests.assets.conftest import Project

TEXT = "# Pumps\n\n" + "A pump that runs dry is a pump that breaks. " * 40


@pytest.fixture(scope="module")
def stocked(shared_project: Project) -> Project:
    return _stocked(shared_project)


@pytest.fixture
def changing(project: Project) -> Project:
    return _stocked(project)


def _stocked(project: Project) -> Project:
    project.write(
        "acme/docs/corpus.toml",
        'acl_labels = ["staff"]\n[chunker]\nmax_tokens = 96\noverlap_tokens = 16\n',
    )
    project.write("acme/docs/deep/pumps.md", TEXT)
    project.write("acme/docs/bad.pdf", b"%PDF-1.7\nnot really")
    project.run("acme/docs")
    return project


def inspect(project: Project, *words: str) -> Result:
    environ = {"RAG_WAREHOUSE": str(project.warehouse)}
    return CliRunner().invoke(cli, ["inspect", *words], env=environ)


def chunkings(page: Path) -> list[dict]:
    found = re.search(r'id="data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])["chunkings"]


def test_the_page_shows_the_chunks_that_are_stored(stocked: Project, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = inspect(stocked, "--document", "acme/docs/deep/pumps.md", "-o", str(page))
    assert result.exit_code == 0, result.output
    shown = chunkings(page)
    assert [one["name"] for one in shown] == ["96/16", "48/8"]
    stored = stocked.query("SELECT id, token_count FROM chunks ORDER BY position")
    assert [(chunk[8], chunk[3]) for chunk in shown[0]["chunks"]] == stored


def test_a_stored_document_is_what_was_chunked(stocked: Project) -> None:
    found = stored_document(Warehouse(stocked.warehouse), "acme/docs/deep/pumps.md")
    text = found.parsed.text
    assert [
        c for c in found.chunking.chunks if c.content[c.overlap :] != text[c.start : c.end]
    ] == []
    assert {chunk.acl_labels for chunk in found.chunking.chunks} == {("staff",)}
    assert found.chunking.chunks[0].metadata == {"kind": "heading", "level": 1}


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("pumps.md", ConfigError, "look like tenant/corpus/path"),
        ("acme/docs", ConfigError, "look like tenant/corpus/path"),
        ("acme/other/pumps.md", StoreError, "holds no corpus acme/other"),
        ("../../acme/docs/x", StoreError, "holds no corpus"),
        ("acme/docs/deep/pump.md", StoreError, "did you mean 'acme/docs/deep/pumps.md'"),
        ("acme/docs/1234567890", StoreError, "SELECT document_id"),
        ("acme/docs/bad.pdf", StoreError, "could not be parsed: "),
    ],
)
def test_what_cannot_be_shown_says_why(
    stocked: Project, name: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as caught:
        stored_document(Warehouse(stocked.warehouse), name)
    assert says in str(caught.value)


def test_chunks_of_an_earlier_text_are_not_laid_over_a_newer_one(changing: Project) -> None:
    files = Warehouse(changing.warehouse).partition("acme", "docs")
    older = files.chunks.live.read_bytes()
    changing.write("acme/docs/deep/pumps.md", "# Pumps\n\nAll new.")
    changing.run("acme/docs")
    files.chunks.live.write_bytes(older)
    with pytest.raises(StoreError, match="text is newer than its chunks: materialize acme/docs"):
        stored_document(Warehouse(changing.warehouse), "acme/docs/deep/pumps.md")
    files.chunks.live.unlink()
    with pytest.raises(StoreError, match="not chunked yet: materialize acme/docs"):
        stored_document(Warehouse(changing.warehouse), "acme/docs/deep/pumps.md")


def test_the_last_good_version_is_shown_as_such(changing: Project, tmp_path: Path) -> None:
    changing.write("acme/docs/deep/pumps.md", b"\x00\x01\x02 no text any more")
    changing.run("acme/docs")
    page = str(tmp_path / "page.html")
    result = inspect(changing, "--document", "acme/docs/deep/pumps.md", "-o", page)
    assert result.exit_code == 0, result.output
    assert "this is the last good one" in result.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name a FILE, or a document of the warehouse with --document ID"),
        (("--document", "a/b/c", "--max-tokens", "9"), "--max-tokens does not go with --document"),
        (("--document", "a/b/c", __file__), "FILE does not go with --document"),
        (("--document", "a/b/c"), "holds no corpus a/b"),
    ],
)
def test_what_does_not_go_together_is_told(
    stocked: Project, words: tuple[str, ...], says: str
) -> None:
    result = inspect(stocked, *words)
    assert result.exit_code == (1 if "corpus" in says else 2)
    assert says in result.stderr
