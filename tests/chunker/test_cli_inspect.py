"""`ragctl inspect` and the page that it writes: closed, complete, and safe to open."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rag_chunker.cli import cli
from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.inspector import Chunking, render
from rag_core.testing.builders import make_context, make_document
from rag_core.types import Block, BlockType, ParsedDocument

_HOSTILE = (
    "# </script><script>alert(1)</script>\n\n"
    "<!-- --> &amp; `</style>` \u2028 😀 <img src=x onerror=alert(2)>\n\n"
    "```html\n</script><script>alert(3)</script><!--\n```\n"
)


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text("# Guide\n\n" + "Some words of advice. " * 60, "utf-8")
    return path


def _inspect(*args: object) -> Result:
    return CliRunner().invoke(cli, ["inspect", *map(str, args)])


def _data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def _render(parsed: ParsedDocument, max_tokens: int = 64, overlap_tokens: int = 16) -> str:
    chunker = HeadingAwareChunker(max_tokens, overlap_tokens)
    chunks = chunker.chunk_now(make_context(tenant=parsed.document.tenant_id), parsed)
    return render(parsed, [Chunking(chunks, max_tokens, overlap_tokens, "cl100k_base")]).decode()


def test_writes_one_page_with_both_settings(guide: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = _inspect(guide, "-o", page, "--max-tokens", 128, "--overlap-tokens", 32)
    assert result.exit_code == 0
    assert result.stdout == f"{page}: 4 chunks under 128/32, 8 chunks under 64/16\n"
    names = [chunking["name"] for chunking in _data(page.read_text("utf-8"))["chunkings"]]
    assert names == ["128/32", "64/16"]


@pytest.mark.parametrize(
    ("compare", "names"), [("none", ["512/64"]), ("100/0", ["512/64", "100/0"])]
)
def test_compares_with_what_it_is_told(
    guide: Path, tmp_path: Path, compare: str, names: list[str]
) -> None:
    page = tmp_path / "page.html"
    assert _inspect(guide, "-o", page, "--compare", compare).exit_code == 0
    assert [one["name"] for one in _data(page.read_text("utf-8"))["chunkings"]] == names


@pytest.mark.parametrize("compare", ["64", "a/b", "32/32"])
def test_a_comparison_that_makes_no_sense_is_a_matter_of_usage(
    guide: Path, tmp_path: Path, compare: str
) -> None:
    result = _inspect(guide, "-o", tmp_path / "page.html", "--compare", compare)
    assert result.exit_code == 2
    assert not (tmp_path / "page.html").exists()


def test_never_writes_over_the_document(guide: Path) -> None:
    before = guide.read_bytes()
    assert _inspect(guide, "-o", guide).exit_code == 2
    assert guide.read_bytes() == before


def test_says_where_it_cannot_write(guide: Path, tmp_path: Path) -> None:
    result = _inspect(guide, "-o", tmp_path / "absent" / "page.html")
    assert result.exit_code == 1
    assert "absent/page.html: No such file or directory" in result.stderr


def test_a_document_without_text_still_gives_a_page(tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_bytes(b"")
    result = _inspect(tmp_path / "empty.md", "-o", tmp_path / "page.html")
    assert result.exit_code == 0
    assert "holds no text" in result.stderr
    assert _data((tmp_path / "page.html").read_text("utf-8"))["chunkings"][0]["chunks"] == []


def test_the_page_names_no_other_place(guide: Path, tmp_path: Path) -> None:
    _inspect(guide, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert re.findall(r"https?://|url\(|@import|<link|src=", page) == []


def test_nothing_of_a_document_becomes_markup(tmp_path: Path) -> None:
    path = tmp_path / "<b>evil.md"
    path.write_text(_HOSTILE, "utf-8")
    assert _inspect(path, "-o", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert len(re.findall(r"<script", page)) == 2
    assert len(re.findall(r"</script", page)) == 2
    assert "<img" not in page
    assert "<!--" not in page
    assert "</script><script>alert(3)" in _data(page)["text"]


def test_the_policy_admits_just_this_style_and_this_script() -> None:
    page = _render(make_document(["words"]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for tag in ("style", "script"):
        source = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert source is not None
        digest = base64.b64encode(hashlib.sha256(source[1].encode()).digest()).decode()
        assert f"sha256-{digest}" in policy[1]
    assert policy[1].startswith("default-src &#x27;none&#x27;;")


def test_offsets_on_the_page_count_as_javascript_does() -> None:
    parsed = make_document(["😀😀 first 🎉", "second 😀 half. " * 30, "third"])
    data = _data(_render(parsed))
    units = data["text"].encode("utf-16-le")
    for start, end, _, _, _, _, characters_from, characters_to, *_ in data["chunkings"][0][
        "chunks"
    ]:
        assert (
            units[2 * start : 2 * end].decode("utf-16-le")
            == (parsed.text[characters_from:characters_to])
        )
    for block, (_, start, end, *_) in zip(parsed.blocks, data["blocks"], strict=True):
        assert units[2 * start : 2 * end].decode("utf-16-le") == block.text


def test_lone_surrogates_survive() -> None:
    assert _data(_render(make_document(["a \ud800 b"])))["text"] == "a \ud800 b"


def test_a_chunk_names_the_pages_that_its_own_text_stands_on() -> None:
    blocks = [
        Block(type=BlockType.paragraph, text=f"Page {n} has words.", attributes={"page": n})
        for n in (2, 3, 4)
    ]
    chunks = _data(_render(make_document(blocks), 16, 0))["chunkings"][0]["chunks"]
    assert [chunk[-1] for chunk in chunks] == ["2–3", "4"]
