"""What does a part say that a Word document takes in as it is, in a format of its own?

Programs that make documents out of HTML or of other documents leave it to Word to read them
(`w:altChunk`, ISO/IEC 29500-1, 17.17.2).
"""

from collections.abc import Callable, Sequence

from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.media_type import media_type_of
from rag_core.errors import ParseError
from rag_core.types import Block, BlockType

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
ReadWord = Callable[[bytes], Sequence[Block]]


def imported_blocks(name: str, data: bytes, read_word: ReadWord, *, table: int) -> list[Block]:
    """The blocks of a part called `name`, the first of its tables having the number `table`.

    HTML (also in MHTML), RTF, text and Word are read, the latter by `read_word`. Other and damaged
    parts give nothing, since the document is there without them.
    """
    try:
        found = _read(media_type_of(name, data), data, read_word)
    except ParseError:
        return []
    return [_renumbered(block, table) for block in found]


def _read(media_type: str, data: bytes, read_word: ReadWord) -> Sequence[Block]:
    if media_type == "message/rfc822":
        from rag_chunker.parsing.mail_parts import message_of

        parts = [part for part in message_of(data).walk() if not part.is_multipart()]
        page = next((part for part in parts if part.get_content_type() == "text/html"), None)
        content = b"" if page is None else page.get_payload(decode=True)
        return _html(content) if isinstance(content, bytes) else ()
    if media_type == "text/html":
        return _html(data)
    if media_type == "application/rtf":
        from rag_chunker.parsing.rtf import rtf_blocks, rtf_source

        return list(rtf_blocks(rtf_source(data)))
    if media_type == "text/plain":
        from rag_chunker.parsing.plain_text import paragraphs

        return [Block(type=BlockType.paragraph, text=text) for text in paragraphs(decode(data)[0])]
    return read_word(data) if media_type.startswith(_WORD) else ()


def _html(data: bytes) -> Sequence[Block]:
    from rag_chunker.parsing.html import html_blocks

    return html_blocks(data).blocks


def _renumbered(block: Block, first: int) -> Block:
    table = block.attributes.get("table")
    if not isinstance(table, int):
        return block
    return Block.trusted(block.type, block.text, {**block.attributes, "table": first + table})
