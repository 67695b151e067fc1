"""Source code: definitions as headings, the code between them word for word."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.code_languages import Language, language_of
from rag_chunker.parsing.code_outline import Definition, definitions
from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.media_type import media_type_of
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source


class SourceCodeParser(Parser):
    """A heading for each definition at the top (level 1) and each method of a long class (level
    2), and one `code` block with each, whose comments and decorators stay with it.

    Every line of the file is in exactly one code block, in order; blank lines at their edges go.
    Where a language has no known definitions the file is one block.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            media_type = source.mime_type or media_type_of(source.uri, data)
            text, encoding = decode(data)
        language = language_of(media_type)
        lines = text.split("\n")
        blocks = tuple(_blocks(lines, definitions(lines, language), language))
        document = source.document(
            data,
            mime_type=media_type,
            metadata={"encoding": encoding, "language": language.name},
        )
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return "source-code-2"


def _blocks(
    lines: Sequence[str], found: Sequence[Definition], language: Language
) -> Iterator[Block]:
    attributes: dict[str, JsonValue] = {"language": language.name}
    yield from _code(lines[: found[0].line if found else None], attributes)
    for here, behind in pairwise([*found, None]):
        if here is not None:
            yield Block.trusted_heading(here.title, here.level, {})
            yield from _code(lines[here.line : behind.line if behind else None], attributes)


def _code(lines: Sequence[str], attributes: dict[str, JsonValue]) -> Iterator[Block]:
    text = "\n".join(lines)
    if not is_blank(text):
        first = next(at for at, line in enumerate(lines) if not is_blank(line))
        kept = "\n".join(lines[first:]).rstrip()
        yield Block.trusted(BlockType.code, kept, attributes)
