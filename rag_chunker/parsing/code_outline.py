"""Where do the definitions of a source file begin? By Python's own grammar, else line by line."""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag_chunker.parsing.code_languages import Language

LONG_CLASS = 40
"""Lines. The methods of a longer class get headings of their own, level 2."""
LONGEST_LINE = 500
"""Characters. A longer line is generated or minified: no definition is looked for in it."""

LONGEST_PARSED = 2_000_000
"""Characters. Python's syntax tree takes 130 times the memory of its text, so that a longer file
(generated: people's are below 1 MB) is read line by line."""


class Definition(NamedTuple):
    """One definition: its first line (0-based, with decorators and the comment above), its level
    (1 at the top, 2 for members) and what it is called (`class Greeter`, `def greet`)."""

    line: int
    level: int
    title: str


def definitions(lines: Sequence[str], language: Language) -> list[Definition]:
    """The definitions of a file in order, each line at most once. Linear in the text."""
    found = _python(lines) if language.name == "python" else None
    if found is None:
        found = list(_by_line(lines, language))
    started: dict[int, Definition] = {}
    for definition in _long_classes_opened(found, len(lines)):
        line = _first_line(lines, definition.line, language)
        started.setdefault(line, definition._replace(line=line))
    return sorted(started.values())


def _python(lines: Sequence[str]) -> list[Definition] | None:
    """None if this is not the Python that runs here, or too long."""
    text = "\n".join(lines)
    if len(text) > LONGEST_PARSED:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the author's strings
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: list[Definition] = []
    for level, node in _named_nodes(module):
        keyword = _PYTHON_KEYWORDS[type(node)]
        start = min(part.lineno for part in [node, *node.decorator_list])
        found.append(Definition(start - 1, level, f"{keyword} {node.name}"))
    return sorted(found)


_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PYTHON_KEYWORDS: dict[type[ast.AST], str] = {
    ast.FunctionDef: "def",
    ast.AsyncFunctionDef: "async def",
    ast.ClassDef: "class",
}


def _named_nodes(module: ast.Module) -> Iterator[tuple[int, _Named]]:
    for node in module.body:
        if isinstance(node, _Named):
            yield 1, node
        if isinstance(node, ast.ClassDef):
            yield from ((2, member) for member in node.body if isinstance(member, _Named))


def _by_line(lines: Sequence[str], language: Language) -> Iterator[Definition]:
    in_comment = False
    for number, line in enumerate(lines):
        if not in_comment and len(line) <= LONGEST_LINE:
            for level, pattern in enumerate(language.patterns, 1):
                if match := pattern.match(line):
                    yield Definition(number, level, _title(match))
                    break
        if language.block_comments:
            in_comment = _ends_in_comment(line, in_comment)


def _ends_in_comment(line: str, in_comment: bool) -> bool:
    opened, closed = line.rfind("/*"), line.rfind("*/")
    return in_comment if opened == closed else opened > closed


def _title(match: re.Match[str]) -> str:
    return " ".join(part for part in match.groups() if part)


def _long_classes_opened(found: Sequence[Definition], total: int) -> Iterator[Definition]:
    tops = [definition.line for definition in found if definition.level == 1]
    long = {here for here, behind in pairwise([*tops, total]) if behind - here > LONG_CLASS}
    top: int | None = None
    for definition in found:
        if definition.level == 1:
            top = definition.line
            yield definition
        elif top in long:
            yield definition


def _first_line(lines: Sequence[str], line: int, language: Language) -> int:
    """Where the comment, annotation or attribute directly above a definition begins."""
    while line > 0 and lines[line - 1].lstrip().startswith(language.leads):
        line -= 1
    return line
