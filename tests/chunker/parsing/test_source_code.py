"""Source code: definitions are found, and no line is lost, doubled or moved."""

import ast
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.code_languages import language_of
from rag_chunker.parsing.code_outline import LONG_CLASS, LONGEST_PARSED, definitions
from rag_chunker.parsing.media_type import SOURCE_CODE
from rag_chunker.parsing.source_code import SourceCodeParser
from rag_core.types import BlockType, CorpusId, DocumentId, ParsedDocument, Source, TenantId


def parse(text: str, name: str = "a.py") -> ParsedDocument:
    source = Source(
        document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri=name
    )
    return SourceCodeParser().parse(source, text.encode())


def titles(text: str, name: str) -> list[tuple[int | None, str]]:
    return [(block.level, block.text) for block in parse(text, name).blocks if block.level]


PYTHON = '''"""Doc."""

import os

# Says hello.
@cache
def greet(name):
    """Hi.

def not_a_definition(): in a string
    """
    return name


class Small:
    def inner(self): ...
'''


def test_definitions_are_headings_and_comments_stay_with_them() -> None:
    blocks = parse(PYTHON).blocks
    assert [(b.type.value, b.text.splitlines()[0]) for b in blocks] == [
        ("code", '"""Doc."""'),
        ("heading", "def greet"),
        ("code", "# Says hello."),
        ("heading", "class Small"),
        ("code", "class Small:"),
    ]
    assert {b.attributes["language"] for b in blocks if not b.level} == {"python"}


def test_methods_of_a_long_class_have_headings_below_it() -> None:
    body = "".join(f"    x{n} = {n}\n" for n in range(LONG_CLASS))
    text = f"class Big:\n{body}\n    @property\n    def one(self):\n        pass\n"
    assert titles(text, "a.py") == [(1, "class Big"), (2, "def one")]
    assert parse(text).blocks[-1].text.startswith("    @property")


def test_python_of_another_version_is_still_outlined() -> None:
    assert titles("def old():\n    print 'x'\n\nclass New: pass\n", "a.py") == [
        (1, "def old"),
        (1, "class New"),
    ]


LONG = "".join(f"  // {n}\n" for n in range(LONG_CLASS))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.js", "export default class A {}\nfunction f() {}\nconst g = async (x) => 1\nlet y\n",
         ["class A", "function f", "const g"]),
        ("a.ts", "export interface I {}\nexport type T = string\nenum E {}\n",
         ["interface I", "type T", "enum E"]),
        ("a.ts", f"class A {{\n{LONG}  async load(x: string): Promise<void> {{\n    if (x) {{\n",
         ["class A", "load"]),
        ("A.java", f"package a;\npublic final class A {{\n{LONG}    public int f(int x) {{\n"
         "        return g(x);\n        if (x) {\n    }\n}\n", ["class A", "f"]),
        ("a.go", "package a\n\n// F does.\nfunc F() {}\nfunc (s *Server) G() {}\ntype T int\n",
         ["func F", "func Server G", "type T"]),
        ("a.rs", "pub struct S;\nimpl<T> Tr for S {\n}\npub(crate) async fn f() {}\n",
         ["struct S", "impl Tr for S", "fn f"]),
        ("a.c", "#include <x.h>\nint x;\nstatic int *f(int a,\n    int b)\n{\n  g(a);\n}\n"
         "int g(int);\nstruct s {\n};\n", ["f", "struct s"]),
        ("a.cpp", "/*\nint no()\n*/\nvoid A::f() {\n}\nnamespace n {\n", ["A::f", "namespace n"]),
        ("a.cs", "namespace N {\n    public class A {\n    }\n}\n", ["class A"]),
        ("a.rb", "class A < B\nend\ndef f?\nend\n", ["class A", "def f?"]),
        ("a.php", "<?php\nfinal class A {}\nfunction f() {}\n", ["class A", "function f"]),
        ("a.sh", "f() {\n  g\n}\nfunction h {\n}\n", ["f", "function h"]),
        ("a.sql", "CREATE TABLE IF NOT EXISTS a.b (x int);\ncreate or replace view v as x;\n",
         ["TABLE a.b", "view v"]),
        ("a.kt", "data class A(val x: Int)\nfun f() = 1\n", ["class A", "fun f"]),
        ("a.swift", "public struct S {}\nfunc f() {}\n", ["struct S", "func f"]),
        ("a.scala", "case class A()\nobject B\n", ["class A", "object B"]),
        ("a.r", "f <- function(x) x\n", ["f function"]),
        ("a.lua", "local function f()\nend\n", ["function f"]),
        ("a.tf", 'resource "aws_x" "main" {\n}\n', ['resource "aws_x" "main"']),
        ("a.css", "a { color: red }\n", []),
    ],
)  # fmt: skip
def test_each_language_has_its_definitions(name: str, text: str, expected: list[str]) -> None:
    assert [title for _, title in titles(text, name)] == expected


def test_every_language_that_is_told_apart_has_a_name() -> None:
    assert [kind for kind in SOURCE_CODE.values() if "/" in language_of(kind).name] == []


def test_no_line_is_lost_in_real_sources() -> None:
    lost = []
    for path in Path(ast.__file__).parent.joinpath("json").glob("*.py"):
        text = path.read_text()
        blocks = parse(text).blocks
        kept = [line for b in blocks if b.type is BlockType.code for line in b.text.split("\n")]
        if [line for line in kept if line.strip()] != [x for x in text.split("\n") if x.strip()]:
            lost.append(path.name)
    assert lost == []


def test_a_huge_generated_module_takes_no_multiple_of_its_memory() -> None:
    rows = "".join(f"    ({row}, 'part {row}'),\n" for row in range(100_000))
    text = f"def before():\n    pass\n\nPARTS = [\n{rows}]\n\ndef behind():\n    pass\n"
    assert len(text) > LONGEST_PARSED
    tracemalloc.start()
    try:
        found = definitions(text.split("\n"), language_of("text/x-python"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [definition.title for definition in found] == ["def before", "def behind"]
    assert peak < 10 * len(text)


def test_a_minified_line_costs_nothing() -> None:
    (block,) = parse("function a(){" + "b(c);" * 200_000 + "}", "a.js").blocks
    assert len(block.text) > 1_000_000


@given(
    st.sampled_from(sorted(SOURCE_CODE)),
    st.lists(
        st.sampled_from(
            ["class A {", "def f(): pass", "  void f() {", "# c", "// c", "/*", "*/", "", "x = 1",
             "@a", "func (a *b) c() {", "  def g(self):", "}", "function f", "impl", '"""']
        ),
        max_size=60,
    ),
)  # fmt: skip
def test_every_line_is_in_one_code_block_in_order(extension: str, lines: list[str]) -> None:
    blocks = parse("\n".join(lines), f"a.{extension}").blocks
    kept = [line for b in blocks if b.type is BlockType.code for line in b.text.split("\n")]
    assert [line for line in kept if line] == [line for line in lines if line]
    found = definitions(lines, language_of(SOURCE_CODE[extension]))
    assert sorted({one.line for one in found}) == [one.line for one in found]
