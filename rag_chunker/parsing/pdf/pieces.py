"""One piece of a PDF's text on its way to a block, whichever evidence it came from."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from rag_chunker.layout.code import code_text
from rag_chunker.layout.geometry import Box, around
from rag_chunker.layout.hyphens import join_lines
from rag_chunker.layout.lines import Line
from rag_core.types import BlockType

_LEADERS = re.compile(r"\s*(?:[.…·_]\s?){5,}")
"""The dots between a title and its page number in a table of contents."""


@dataclass(eq=False)
class Piece:
    """Lines that become one block."""

    type: BlockType
    lines: list[Line]
    page: int
    level: int | None = None
    depth: int = 0
    """Of a list item; 0 for the outermost list."""
    marker: str | None = None
    cut: int = 0
    """Characters at the start of the text that are its list marker."""
    broken: tuple[int, ...] = ()
    """Indices of lines of code with an empty line before them."""
    prefix: str | None = None
    """Number of a heading that stands apart from its text."""
    text: str = ""
    """Text without lines: of a figure."""

    @property
    def box(self) -> Box | None:
        """Around its lines on its page."""
        boxes = [line.box for line in self.lines if line.page == self.page]
        return around(boxes) if boxes else None

    def words(self, known: Collection[str]) -> str:
        """The block's text; `known` is the document's vocabulary, to undo hyphenation."""
        if not self.lines:
            return self.text
        if self.type is BlockType.code:
            return code_text(self.lines, self.broken)
        text = join_lines([(line.text, line.hyphen) for line in self.lines], known)
        text = _LEADERS.sub(" ", text[self.cut :]).strip()
        return f"{self.prefix} {text}" if self.prefix else text
