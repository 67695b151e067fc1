"""RTF: paragraphs, headings by outline level, list items and table rows.

striprtf turns RTF into text and drops all structure, so the few control words that carry structure
are marked with private characters first, which come out at their place in the text.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.decoding import clean, decode
from rag_chunker.parsing.headers import titled_table
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source

_RESET, _IN_TABLE, _CELL, _ROW, _MARKER, _LINE, _LEVEL = map(chr, range(0xF100, 0xF107))
_MARKS = {
    "pard": _RESET,
    "intbl": _IN_TABLE,
    "cell": _CELL,
    "nestcell": _CELL,
    "row": _ROW,
    "nestrow": _ROW,
    "line": _LINE,
}
_BODY_LEVEL = 9
_STRUCTURE = re.compile(
    r"\\\\|\\(pard|intbl|cell|nestcell|row|nestrow|listtext(?=[^a-z\d])(?:\s*\\pard)?"
    r"|line|outlinelevel\d|s\d+)(?![a-z\d]) ?"
)
"""A `\\pard` behind `\\listtext` is about the marker of a list, not the paragraph around it."""
_FIELD = re.compile(r"\\field(?![a-z])", re.IGNORECASE)
_FONT = re.compile(r"\\f\d+")
_CHARSET = re.compile(r"\\fcharset\d+")
_STYLE = re.compile(r"\{\\s(\d+)(?!\d)([^{};]*)")
_STYLE_LEVEL = re.compile(r"\\outlinelevel(\d)")
_STYLE_NAME = re.compile(r"(?:heading|Überschrift|Titre|Título|Titolo|Kop) (\d)$", re.IGNORECASE)
_CODEPAGE = re.compile(rb"\\ansicpg(\d+)")
_TITLE = re.compile(r"\{\\info\b[^{}]*(?:\{[^{}]*\}[^{}]*?)*?\{\\title ([^{}\\]*)\}")
_TOKEN = re.compile(f"([\n{_RESET}{_IN_TABLE}{_CELL}{_ROW}{_MARKER}{_LINE}]|{_LEVEL}\\d)")


class RtfParser(Parser):
    """Headings where a paragraph or its style has an outline level; footnotes are left out."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text = rtf_source(data)
            blocks = tuple(rtf_blocks(text))
        title = _TITLE.search(text[:20_000])
        document = source.document(
            data,
            mime_type=source.mime_type or "application/rtf",
            title=(title[1].strip() or None) if title else None,
        )
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return f"rtf-2 striprtf-{version('striprtf')}"


def rtf_source(data: bytes) -> str:
    """The RTF code in these bytes. Raises `CorruptDocument` if it is none."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise CorruptDocument("not an RTF document: it does not begin with {\\rtf")
    codepage = _CODEPAGE.search(data[:4096])
    return decode(data, declared=f"cp{codepage[1].decode()}" if codepage else "cp1252")[0]


def rtf_blocks(rtf: str) -> Iterator[Block]:
    """The blocks of RTF code. Raises `CorruptDocument` if striprtf cannot read it."""
    from striprtf.striprtf import rtf_to_text

    convert: Callable[..., str] = rtf_to_text
    try:
        text = convert(_marked(rtf), errors="ignore")
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise CorruptDocument(f"not readable as RTF: {error}") from error
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _with_headers(_pieces(clean(paired)))


def _marked(rtf: str) -> str:
    levels = dict(_style_levels(rtf))

    def mark(word: re.Match[str]) -> str:
        name = word[1]
        if name is None:
            return word[0]
        if name.startswith("outlinelevel"):
            return f"\\mark {_LEVEL}{name[-1]}"
        if name.startswith("listtext"):
            return f"\\mark {_MARKER}"
        if name in _MARKS:
            # The word in front ends what a \u before it may skip.
            return f"\\mark {_MARKS[name]}"
        return f"{word[0].rstrip()} " + (
            f"{_LEVEL}{levels[name[1:]]}" if name[1:] in levels else ""
        )

    return _STRUCTURE.sub(mark, _searched_fast(rtf))


def _searched_fast(rtf: str) -> str:
    """The same text for striprtf, whose searches are quadratic.

    From every `\\field` it looks for a link to the end of the line (and would add its target to
    the text), from every font to the next `\\fcharset` in the line, from there to a semicolon. A
    line break means nothing in RTF.
    """
    return _CHARSET.sub(r"\g<0> ;", _FONT.sub(r"\n\g<0>", _FIELD.sub(r"\\mark ", rtf)))


def _style_levels(rtf: str) -> Iterator[tuple[str, str]]:
    """Number of each heading style, and its outline level (0 is the highest)."""
    start = rtf.find("\\stylesheet")
    for style in _STYLE.finditer(rtf, start) if start >= 0 else ():
        level, name = _STYLE_LEVEL.search(style[2]), _STYLE_NAME.search(style[2].strip())
        if level:
            yield style[1], level[1]
        elif name:
            yield style[1], str(max(int(name[1]) - 1, 0))


def _pieces(text: str) -> Iterator[Block | list[str]]:
    """Blocks, and the rows of tables as lists of cells."""
    level, in_table, marker = _BODY_LEVEL, False, None
    words: list[str] = []
    cells: list[str] = []
    for piece in [*_TOKEN.split(text), "\n"]:
        if piece == _RESET:
            level, in_table = _BODY_LEVEL, False
        elif piece == _IN_TABLE:
            in_table = True
        elif piece.startswith(_LEVEL) and len(piece) == 2:
            level = int(piece[1])
        elif piece == _MARKER:
            marker = ""
        elif piece == _CELL:
            cells.append("".join(words))
            words = []
        elif piece == _ROW:
            yield cells
            cells = []
        elif piece == _LINE or in_table or piece != "\n":
            words.append("\n" if piece == _LINE else piece)
        else:
            yield _paragraph("".join(words), level, is_item=marker is not None)
            words, marker = [], None
    if cells:
        yield cells


def _paragraph(text: str, level: int, *, is_item: bool) -> Block:
    text = text.strip()
    if level < _BODY_LEVEL and text:
        return Block(type=BlockType.heading, level=min(level + 1, 6), text=text.replace("\t", " "))
    if is_item and "\t" in text:
        marker, _, words = text.partition("\t")
        attributes = {"list_depth": 0, "list_marker": marker.strip() or "-"}
        return Block(type=BlockType.list_item, text=words.strip(), attributes=attributes)
    return Block(type=BlockType.paragraph, text=text)


def _with_headers(pieces: Iterable[Block | list[str]]) -> Iterator[Block]:
    rows: list[list[str]] = []
    tables = 0
    for piece in [*pieces, Block(type=BlockType.other, text="")]:
        if isinstance(piece, list):
            rows.append(piece)
            continue
        if rows and not (is_blank(piece.text) and piece.type is BlockType.paragraph):
            yield from titled_table(rows, table=tables)
            rows = []
            tables += 1
        if not is_blank(piece.text):
            yield piece
