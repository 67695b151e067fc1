"""How do the paragraphs of an office text become blocks, whichever program wrote them?"""

from pydantic import JsonValue

from rag_chunker.parsing.code_lines import merged_code
from rag_chunker.parsing.echoes import says_something, without_echoes
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.steps import Walk, walk
from rag_core.text import is_blank
from rag_core.types import Block, BlockType


class OfficeBlocks:
    """What a body's walk over its document adds blocks to."""

    def __init__(self) -> None:
        self._found: list[Block] = []
        self._has_code = self._has_pictures = False
        self.shared: dict[str, JsonValue] = {}
        """Attributes of every block, beside its own."""
        self.title: str | None = None
        """Text of the first paragraph in style Title, known when all blocks are read."""

    def _gathered(self, steps: Walk) -> list[Block]:
        """The blocks that a walk adds."""
        found: list[Block] = []
        self._found = found
        self._has_code = self._has_pictures = False
        walk(steps)
        if self._has_code:
            found = list(merged_code(found))
        return list(without_echoes(found)) if self._has_pictures else found

    def _add(
        self, kind: BlockType, text: str, attributes: dict[str, JsonValue] | None = None
    ) -> None:
        """A block of stripped text, unless there is none to see. `attributes`: if it has more than
        the shared ones, all of them."""
        if text and (text[0].isalnum() or not is_blank(text)):
            self._found.append(Block.trusted(kind, text, attributes or self.shared))

    def _code(self, text: str) -> None:
        """One block a line for the time being, which may be blank."""
        self._has_code = True
        self._found.append(Block.trusted(BlockType.code, text, self.shared))

    def _note(self, kind: str, text: str) -> None:
        """A block beside the text, unless there is nothing to see."""
        if not is_blank(text):
            self._found.append(
                Block.trusted(BlockType.other, text.strip(), {**self.shared, "note": kind})
            )

    def _picture(self, text: str) -> None:
        """A picture's alternative text."""
        text = shown(text).strip()
        if says_something(text):
            self._note("picture", text)
            self._has_pictures = True
