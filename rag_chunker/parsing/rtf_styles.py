"""What are the paragraphs of each style of an RTF text?"""

import re
from collections.abc import Iterator

from rag_chunker.parsing.style_names import Role, meaning_of
from rag_core.types import BlockType

CONTENTS = "t"
"""Part of a table of contents."""
ROLES = {
    "c": BlockType.code,
    "q": BlockType.quote,
    "p": BlockType.caption,
    CONTENTS: BlockType.paragraph,
}
"""Kind of block of each code that is no outline level."""
_CODES = {
    Role.code: "c",
    Role.quote: "q",
    Role.caption: "p",
    Role.title: "0",
    Role.contents: CONTENTS,
}
_STYLE = re.compile(r"\{\\s(\d+)(?!\d)([^{};]*)")
_LEVEL = re.compile(r"\\outlinelevel(\d)")
_BASE = re.compile(r"\\sbasedon(\d+)")
_BYTE = re.compile(r"\\'([0-9a-f]{2})", re.IGNORECASE)
_WORD = re.compile(r"\\[a-z]+-?\d* ?")
LONGEST_CHAIN = 20
"""Styles that are followed upwards; people's chains have a handful."""


def style_codes(rtf: str) -> dict[str, str]:
    """By the number of a style, one character for what its name, its outline level or the styles
    that it is based on say: the outline level of a heading (0 is the highest), or one of `ROLES`.
    Styles of body text have none."""
    start = rtf.find("\\stylesheet")
    found = dict(_STYLE.findall(rtf, start)) if start >= 0 else {}
    codes = {number: next(filter(None, _said(found, number)), "") for number in found}
    return {number: code for number, code in codes.items() if code}


def _said(styles: dict[str, str], number: str) -> Iterator[str]:
    for _ in range(LONGEST_CHAIN):
        words = styles.get(number)
        if words is None:
            return
        name = _WORD.sub(
            "", _BYTE.sub(lambda byte: bytes.fromhex(byte[1]).decode("latin-1"), words)
        )
        meaning, level, base = meaning_of(name), _LEVEL.search(words), _BASE.search(words)
        if meaning is not None and meaning.role is Role.heading:
            yield str(meaning.level - 1)
        elif meaning is not None:
            yield _CODES.get(meaning.role, "")
        if level:
            yield level[1]
        number = base[1] if base else ""
