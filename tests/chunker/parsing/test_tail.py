"""What few people write is read by the extra `tail`; without it, the error says how to get it."""

from importlib.util import find_spec

import pytest

from rag_chunker.parsing import media_type_of, parse, registry
from rag_core.errors import CorruptDocument, UnsupportedMediaType
from rag_core.spi import Parser
from rag_core.testing import ParserContract
from rag_core.types import CorpusId, DocumentId, Source, TenantId

needs_tail = pytest.mark.skipif(
    find_spec("xberg") is None, reason="the extra `tail` (160 MB) is not installed"
)
ASCIIDOC = """= Pump manual
:toc:

Intro with *bold* and `code`.

== Install

. First step
. Second step
** nested bullet

[source,python]
----
print("x")
----

|===
|Part |Weight

|A
|1
|===

NOTE: Mind the gap.
"""
ORG = "#+TITLE: Notes\n* Head one\nSome text.\n** Sub\n- first\n- second\n"
TYPST = "= Title\nText *bold*.\n\n== Sub\n- item\n"
LATEX = r"""\documentclass{article}
\title{On pumps}
\begin{document}
\maketitle
\section{Intro}
Hello \textbf{world}, with 5\% loss.
\begin{itemize}
\item first
\item second
\end{itemize}
\end{document}
"""
FICTION_BOOK = """<?xml version="1.0" encoding="UTF-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section>
<title><p>Chapter 1</p></title><p>Text one.</p></section></body></FictionBook>"""
SAMPLES = {
    "a.adoc": ASCIIDOC, "a.org": ORG, "a.tex": LATEX, "a.typ": TYPST, "a.fb2": FICTION_BOOK,
}  # fmt: skip


def source_of(name: str, data: bytes = b"x") -> Source:
    return Source(
        document_id=DocumentId(f"t/c/{name}"),
        tenant_id=TenantId("t"),
        corpus_id=CorpusId("c"),
        uri=name,
        mime_type=media_type_of(name, data),
    )


def lines_of(name: str, text: str) -> list[str]:
    document = parse(source_of(name), text.encode())
    return [f"{block.type.value}{block.level or ''}: {block.text}" for block in document.blocks]


@needs_tail
class TestTailParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        from rag_chunker.parsing.tail import TailParser

        return TailParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [(name, text.encode()) for name, text in SAMPLES.items()]


@needs_tail
def test_asciidoc_gives_its_structure() -> None:
    assert lines_of("a.adoc", ASCIIDOC) == [
        "heading1: Pump manual",
        "paragraph: Intro with bold and code.",
        "heading2: Install",
        "list_item: First step",
        "list_item: Second step",
        "list_item: nested bullet",
        'code: print("x")',
        "table_row: Part | Weight",
        "table_row: A | 1",
        "quote: NOTE: Mind the gap.",
    ]


@needs_tail
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.org", ["heading1: Head one", "paragraph: Some text.", "heading2: Sub"]),
        ("a.typ", ["heading1: Title", "paragraph: Text bold.", "heading2: Sub"]),
        ("a.fb2", ["heading2: Chapter 1", "paragraph: Text one."]),
        ("a.tex", ["heading1: Intro", "paragraph: Hello world, with 5% loss."]),
    ],
)
def test_headings_and_text_of_the_others(name: str, expected: list[str]) -> None:
    assert lines_of(name, SAMPLES[name])[: len(expected)] == expected


@needs_tail
def test_what_would_lose_words_is_read_as_plain_text() -> None:
    text = r"\section{Intro} Everything \mymacro{that} stands behind the heading is lost by xberg."
    assert lines_of("a.tex", text) == [f"paragraph: {text}"]


@needs_tail
def test_no_include_is_followed() -> None:
    lines = lines_of("a.adoc", "= T\n\ninclude::/etc/hostname[]\n\nThe end\n")
    assert lines[1] == "paragraph: include::/etc/hostname[]"


@needs_tail
def test_junk_is_a_corrupt_document() -> None:
    with pytest.raises(CorruptDocument):
        parse(source_of("a.fb2"), b"\x00\x01junk")


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    with pytest.raises(UnsupportedMediaType, match=r"pip install 'rag-chunker\[tail\]'"):
        registry.parser_for.__wrapped__("application/msword")


def test_without_the_extra_readable_markup_is_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    assert "PlainText" in type(registry.parser_for.__wrapped__("text/asciidoc")).__name__


def test_the_registry_names_what_the_parser_knows() -> None:
    from rag_chunker.parsing.tail import TAIL

    assert registry.TAIL.keys() == TAIL.keys()
