"""Sheets, lists, mail, notebooks, JSON, RST, RTF and code keep the promises of all parsers."""

import json
import zipfile
from io import BytesIO

import pytest
from outlook_files import BODY, CONTENT, HTML, NAME, SUBJECT, message, msg
from workbook_files import ods, rows, xlsx

from rag_chunker.parsing.containers import ZipParser
from rag_chunker.parsing.delimited import DelimitedParser
from rag_chunker.parsing.json_text import JsonLinesParser, JsonParser
from rag_chunker.parsing.mail import MailParser
from rag_chunker.parsing.notebook import NotebookParser
from rag_chunker.parsing.outlook import OutlookParser
from rag_chunker.parsing.rst import RstParser
from rag_chunker.parsing.rtf import RtfParser
from rag_chunker.parsing.sheets import SheetsParser
from rag_chunker.parsing.source_code import SourceCodeParser
from rag_core.spi import Parser
from rag_core.testing.parser_contract import ParserContract
from rag_core.types import ParsedDocument, Source

Samples = list[tuple[str, bytes]]


class TestSheets(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return SheetsParser()

    @pytest.fixture
    def samples(self) -> Samples:
        cell = '<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>'
        lines = (
            "Report | | May | x",
            "Item | Qty | Sum | Note",
            "Bolt | 4 | 2.5 | Ün\ufeffï",
            "",
            "a | b",
        )
        return [
            ("a.xlsx", xlsx(rows(*lines), rows("1 | 2"), names=("A", "B"))),
            ("b.ods", ods(("T", f"<table:table-row>{cell * 3}</table:table-row>" * 3))),
        ]


class TestDelimited(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return DelimitedParser()

    @pytest.fixture
    def samples(self) -> Samples:
        return [
            ("a.csv", 'Title\n\nname;note\nAnn;"x;\ny"\nBo;5\n'.encode("utf-16")),
            ("b.tsv", b"a\tb\n1\t2\n"),
            ("c.csv", "a,b,c\nx,\ufeff,z\0\n\n1,2\n".encode()),
        ]


class TestMail(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return MailParser()

    @pytest.fixture
    def samples(self) -> Samples:
        head = "From: Ana <a@b.c>\nSubject: =?utf-8?q?M=C3=B6te=00=EF=BB=BF?=\nMIME-Version: 1.0\n"
        parts = (
            "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nHej.\n\n> old\n--b\n"
            "Content-Type: text/html\n\n<p>Hej.</p><table><tr><td>1<td>2</table>\n--b--\n"
        )
        return [
            ("a.eml", f"{head}\nHello.\n\nOn Monday, Bo wrote:\n\nOld.\n".encode()),
            ("b.eml", (head + parts).encode()),
        ]


class TestOutlook(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return OutlookParser()

    @pytest.fixture
    def samples(self) -> Samples:
        inner = message({SUBJECT: "Inner", BODY: "Deep."})
        return [
            ("a.msg", msg({SUBJECT: "Möte", BODY: "Hej."}, {NAME: "i", CONTENT: inner})),
            ("b.msg", msg({SUBJECT: "Möte", HTML: b"<p>Hej.</p>"})),
        ]


class TestNotebook(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return NotebookParser()

    @pytest.fixture
    def samples(self) -> Samples:
        output = {"output_type": "stream", "text": ["27\n", "\x1b[1mx\ud800"]}
        cells = [
            {"cell_type": "markdown", "source": "# A\n\n|a|b|\n|-|-|\n|1|2|"},
            {"cell_type": "code", "source": "x\0 = 1", "outputs": [output]},
        ]
        return [("a.ipynb", json.dumps({"cells": cells}).encode())]


class TestJson(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return JsonParser()

    @pytest.fixture
    def samples(self) -> Samples:
        value = {"a": {"b": [{"c": 1, "d": "x\0\ufeff"}, {"c": 2}]}, "key\ud800\0": "y", "z": [[1]]}
        return [("a.json", json.dumps(value).encode()), ("b.json", b'{"a": 1}\n{"a": 2}\n{')]


class TestJsonLines(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return JsonLinesParser()

    @pytest.fixture
    def samples(self) -> Samples:
        return [
            ("a.jsonl", b'{"a": 1}\n{"a": "\\ud800"}\n'),
            ("b.jsonl", b'{"a": {"b": [1]}}\nbad'),
        ]


class TestRst(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return RstParser()

    @pytest.fixture
    def samples(self) -> Samples:
        text = (
            "Title\n=====\n\n.. box:: a\n\n   - b\n\n== ==\na  b\n== ==\n1  2\n== ==\n\n+--+\n|x\n"
        )
        return [("a.rst", text.encode())]


class TestRtf(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return RtfParser()

    @pytest.fixture
    def samples(self) -> Samples:
        body = rb"\pard Gr\'fc \u-10179?\u0 ?\par\pard\intbl a\cell b\cell\row 1\cell 2\cell\row"
        return [("a.rtf", rb"{\rtf1\ansi " + body + rb"\pard End\par}")]


class TestSourceCode(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return SourceCodeParser()

    @pytest.fixture
    def samples(self) -> Samples:
        return [
            ("a.py", b"import os\n\n@x\ndef f():\n    pass\n"),
            ("a.go", b"package a\n\nfunc F() {\n}\n"),
        ]


class TestZip(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return ZipParser()

    @pytest.fixture
    def samples(self) -> Samples:
        target = BytesIO()
        with zipfile.ZipFile(target, "w") as file:
            file.writestr("a.txt", "x" * 200)
        return [("a.zip", target.getvalue())]

    def test_every_sample_gives_visible_text(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        """A zip is the one kind of document that has only members."""
        assert [result.blocks for _, _, result in parsed] == [()]
