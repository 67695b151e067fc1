"""Cases that people can review as text: title, input, expected blocks, one after another.

A case is a title line, `.`, the input, `.`, the expected blocks, `.`. In the input `→` is a tab and
`␍` a carriage return. A block is one line, `type text`, with what applies in brackets before the
text: level of a heading, depth and marker of an item, language of code, target of a link; line
breaks in it are written `⏎`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rag_core.types import Block

DATA = Path(__file__).parents[2] / "data" / "parsing"


class Case(NamedTuple):
    title: str
    given: str
    expected: str


def read_cases(name: str) -> list[Case]:
    cases: list[Case] = []
    parts: list[list[str]] = [[]]
    for line in (DATA / name).read_text(encoding="utf-8").split("\n"):
        if line != ".":
            parts[-1].append(line)
            continue
        parts.append([])
        if len(parts) == 4:
            title, given, expected = ("\n".join(part) for part in parts[:3])
            given = given.replace("→", "\t").replace("␍", "\r")
            cases.append(Case(title.strip(), given + "\n", expected))
            parts = [[]]
    assert not "".join(parts[-1]).strip(), f"{name} ends inside a case"
    return cases


def written(blocks: Iterable[Block]) -> str:
    return "\n".join(map(_line, blocks))


def _line(block: Block) -> str:
    known = block.attributes
    marks = [block.level, known.get("list_depth"), known.get("list_marker")]
    marks += [known.get("language"), known.get("href")]
    shown = " ".join(str(mark) for mark in marks if mark is not None)
    text = block.text.replace("\n", "⏎")
    return f"{block.type.value}{f' [{shown}]' if shown else ''} {text}"
