"""Which alternative texts of pictures say nothing, or only repeat what stands beside them?"""

import re
from collections.abc import Iterable, Iterator

from rag_core.text import is_blank
from rag_core.types import Block

_NOTHING = object()
_FILE_NAME = re.compile(r"\S+\.\w{2,5}")


def says_something(text: str) -> bool:
    """Whether an alternative text is neither blank nor the name of a file, which some programs put
    there."""
    return not (is_blank(text) or _FILE_NAME.fullmatch(text))


def without_echoes(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks without those pictures' alternative texts (`note` is `picture`) that say the
    same as the block before or behind: many programs copy the caption there."""
    before: object = _NOTHING
    waiting: Block | None = None
    for block in blocks:
        if waiting is not None and waiting.text != block.text:
            yield waiting
            before = waiting.text
        waiting = None
        if block.attributes.get("note") != "picture":
            yield block
            before = block.text
        elif block.text != before:
            waiting = block
    if waiting is not None:
        yield waiting
