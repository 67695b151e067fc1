"""Plain text: one paragraph between blank lines, nothing guessed."""

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.decoding import decode
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source


class PlainTextParser(Parser):
    """Gives paragraphs in order, their lines and indentation as they are."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        """Paragraphs only; the encoding that was found is in `metadata["encoding"]`."""
        with blamed_on(source):
            text, encoding = decode(data)
        document = source.document(data, mime_type="text/plain", metadata={"encoding": encoding})
        blocks = tuple(Block.trusted(BlockType.paragraph, part, {}) for part in paragraphs(text))
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        """Changes whenever the same bytes may give other blocks."""
        return "plain-text-2"


def paragraphs(text: str) -> list[str]:
    """The pieces of `text` between blank lines or form feeds.

    A line without any visible character is blank. Pieces keep their line breaks and the
    indentation of their first line; white space at line ends before a break goes.
    """
    found: list[str] = []
    lines: list[str] = []
    for line in text.replace("\f", "\n\n").split("\n"):
        if not is_blank(line):
            lines.append(line)
        elif lines:
            found.append("\n".join(lines).rstrip())
            lines = []
    if lines:
        found.append("\n".join(lines).rstrip())
    return found
