"""Where does a piece of code begin and end, in formats whose code is one paragraph a line?"""

from collections.abc import Iterable, Iterator

from rag_core.text import is_blank
from rag_core.types import Block, BlockType


def merged_code(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with each run of code blocks made one, lines and indents kept.

    It has the attributes of the first. Blank code inside of a run is a blank line, and dropped
    elsewhere.
    """
    lines: list[Block] = []
    code = BlockType.code  # looked up once: it takes longer than all else here
    for block in blocks:
        if block.type is code:
            lines.append(block)
            continue
        if lines:
            yield from _code(lines)
            lines = []
        yield block
    yield from _code(lines)


def _code(lines: list[Block]) -> Iterator[Block]:
    text = "\n".join(line.text for line in lines)
    if not is_blank(text):
        text = text.strip("\n").rstrip()
        yield Block(type=BlockType.code, text=text, attributes=lines[0].attributes)
