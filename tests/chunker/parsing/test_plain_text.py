"""Plain text keeps what was written and guesses nothing."""

import pytest

from rag_chunker.parsing.plain_text import PlainTextParser, paragraphs
from rag_core.spi import Parser
from rag_core.testing import ParserContract


class TestPlainTextParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return PlainTextParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [
            ("note.txt", b"First line\nsecond line\n\nNext paragraph\n"),
            ("brief.txt", "Grüße — 你好".encode("utf-16")),
            ("alt.txt", "Café “Zur Brücke” – ab 9 €".encode("cp1252")),
        ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", ["a\nb", "c"]),
        ("a\n \t\n\u200b\nb", ["a", "b"]),
        ("page one\fpage two", ["page one", "page two"]),
        ("\n\n    indented\n  less\n\n", ["    indented\n  less"]),
        ("- x\n- y\n\n# no heading", ["- x\n- y", "# no heading"]),
        ("", []),
        (" \n\t\n \u3000\n", []),
        ("tail   \n\nnext", ["tail", "next"]),
    ],
)
def test_paragraphs_end_at_blank_lines_and_stay_as_written(text: str, expected: list[str]) -> None:
    assert paragraphs(text) == expected
