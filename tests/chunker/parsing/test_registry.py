"""The entrance to the parsers: one function, one kind of error, nothing loaded before use."""

import subprocess
import sys

import pytest

from rag_chunker import parsing
from rag_chunker.parsing import parse, parser_for, parser_version, registry
from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseError, UnsupportedMediaType
from rag_core.spi import Parser
from rag_core.types import CorpusId, DocumentId, ParsedDocument, Source, TenantId


def source(name: str, mime_type: str | None = None) -> Source:
    return Source(
        document_id=DocumentId(f"t1/docs/{name}"),
        tenant_id=TenantId("t1"),
        corpus_id=CorpusId("docs"),
        uri=f"file:///data/t1/docs/{name}",
        mime_type=mime_type,
    )


@pytest.mark.parametrize(
    ("name", "data", "headings"),
    [
        ("A.MD", b"# Alpha\n\nalpha text one\n\n## Part\n\ntwo\n\n## Tail\n\nthree\n", 3),
        ("b.markdown", b"# Beta\n\nbeta text\n", 1),
        ("c.HTM", b"<h1>Gamma</h1><p>gamma text</p>", 1),
        ("README", b"plain readme text\n", 0),
    ],
)
def test_each_file_meets_the_right_parser(name: str, data: bytes, headings: int) -> None:
    blocks = parse(source(name), data).blocks
    assert len([block for block in blocks if block.level]) == headings
    assert blocks


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.md", b""),
        ("empty.txt", b""),
        ("spaces.txt", b" \n\t\n  \r\n"),
        ("nbsp.md", " \u00a0\n\u3000\n".encode()),
        ("bom.md", b"\xef\xbb\xbf"),
        ("empty.html", b"<html><body></body></html>"),
        ("zero-width.txt", "\u200b\n\n\u200b\u2060".encode()),
    ],
)
def test_an_empty_file_is_a_document_without_blocks(name: str, data: bytes) -> None:
    assert parse(source(name), data).blocks == ()


def test_a_given_media_type_overrides_the_name() -> None:
    parsed = parse(source("data.xyz", "text/html; charset=utf-8"), b"<h1>x</h1>")
    assert parsed.document.mime_type == "text/html"


@pytest.mark.parametrize("name", ["d.xyz", "e.bin"])
def test_a_refusal_names_the_document(name: str) -> None:
    with pytest.raises(UnsupportedMediaType) as caught:
        parse(source(name), bytes(range(256)) if name == "e.bin" else b"unknown")
    assert caught.value.document == f"t1/docs/{name}"
    with pytest.raises(UnsupportedMediaType, match=f"t1/docs/{name}"):
        parser_version(source(name), b"unknown" + bytes(range(256)))


def test_an_unknown_media_type_lists_the_known_ones() -> None:
    with pytest.raises(UnsupportedMediaType, match="text/markdown"):
        parse(source("x", "application/x-nothing"), b"x")


class Failing(Parser):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        raise self.error

    def version(self) -> str:
        return "failing"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RecursionError("deep"), CorruptDocument),
        (MemoryError(), DocumentTooLarge),
        (KeyError("part"), CorruptDocument),
        (ParseError("own"), ParseError),
    ],
)
def test_whatever_a_library_raises_becomes_a_parse_error_that_names_the_document(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, kind: type[ParseError]
) -> None:
    monkeypatch.setattr(parsing, "parser_for", lambda _: Failing(error))
    with pytest.raises(kind) as caught:
        parse(source("x.txt"), b"x")
    assert type(caught.value) is kind
    assert caught.value.document == "t1/docs/x.txt"


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "text/html"])
def test_the_version_names_media_type_and_parser(media_type: str) -> None:
    version = parser_version(source("x", media_type), b"")
    assert version == f"{media_type} {parser_for(media_type).version()}"


def test_every_built_in_parser_can_be_loaded() -> None:
    assert [kind for kind in registry.BUILT_IN if not isinstance(parser_for(kind), Parser)] == []


def test_importing_the_package_loads_no_library() -> None:
    code = (
        "import sys, rag_chunker.parsing\n"
        "heavy = {'turbohtml', 'markdown_it', 'lxml', 'docutils', 'pptx', 'pypdfium2'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
