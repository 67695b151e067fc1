"""RTF: paragraphs, headings by outline level, list items and table rows.

striprtf turns RTF into text and drops all structure, so the few control words that carry structure
are marked with private characters first, which come out at their place in the text.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.code_lines import merged_code
from rag_chunker.parsing.counting import bullet
from rag_chunker.parsing.decoding import clean, decode
from rag_chunker.parsing.headers import titled_table
from rag_chunker.parsing.rtf_groups import ASIDES, ENDS, HIDES, SHOWS, with_groups_marked
from rag_chunker.parsing.rtf_styles import CONTENTS, ROLES, style_codes
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source

_RESET, _IN_TABLE, _CELL, _ROW, _MARKER, _LINE, _STYLE, _DEPTH = map(chr, range(0xF100, 0xF108))
_MARKS = {
    "pard": _RESET,
    "intbl": _IN_TABLE,
    "cell": _CELL,
    "nestcell": _CELL,
    "row": _ROW,
    "nestrow": _ROW,
    "line": _LINE,
}
_BODY = "9"
"""What is neither the outline level of a heading nor one of `ROLES`."""
_STRUCTURE = re.compile(
    r"\\\\|\\(pard|intbl|cell|nestcell|row|nestrow|(?:list|pn)text(?=[^a-z\d])(?:\s*\\pard)?"
    r"|line|outlinelevel\d|ilvl\d|s\d+)(?![a-z\d]) ?"
)
"""A `\\pard` behind `\\listtext` is about the marker of a list, not the paragraph around it."""
_FIELD = re.compile(r"\\field(?![a-z])", re.IGNORECASE)
_FONT = re.compile(r"\\f\d+")
_CHARSET = re.compile(r"\\fcharset\d+")
_CODEPAGE = re.compile(r"\\ansicpg(\d+)")
_TITLE = re.compile(r"\{\\info\b[^{}]*(?:\{[^{}]*\}[^{}]*?)*?\{\\title ([^{}]*)\}")
_HEAD = 20_000
"""Characters in which the title stands."""
_TOKEN = re.compile(
    f"([\n{_RESET}{_IN_TABLE}{_CELL}{_ROW}{_MARKER}{_LINE}{HIDES}{SHOWS}{ENDS}{''.join(ASIDES)}]"
    f"|{_STYLE}[0-9{''.join(ROLES)}]|{_DEPTH}\\d)"
)
_SYMBOLS = {"·": "•", "§": "▪"}
"""Bullets of the fonts Symbol and Wingdings, whose bytes are read as letters."""


class RtfParser(Parser):
    """Headings where a paragraph or its style has an outline level; code, quotes and captions by
    the name of their style. Notes, comments and text boxes follow their paragraph, text that is
    hidden or deleted under change tracking is dropped, and so are tables of contents."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text = rtf_source(data)
            blocks = tuple(rtf_blocks(text))
            title = _title(text)
        document = source.document(
            data, mime_type=source.mime_type or "application/rtf", title=title
        )
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return f"rtf-4 striprtf-{version('striprtf')}"


def _title(rtf: str) -> str | None:
    found, codepage = _TITLE.search(rtf[:_HEAD]), _CODEPAGE.search(rtf[:_HEAD])
    if found is None:
        return None
    title = f"{{\\rtf1{'' if codepage is None else codepage[0]} {found[1]}}}"
    return next((block.text for block in rtf_blocks(title)), None)


def rtf_source(data: bytes) -> str:
    """The RTF code in these bytes. Raises `CorruptDocument` if it is none."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise CorruptDocument("not an RTF document: it does not begin with {\\rtf")
    codepage = _CODEPAGE.search(data[:_HEAD].decode("latin-1"))
    return decode(data, declared=f"cp{codepage[1]}" if codepage else "cp1252")[0]


def rtf_blocks(rtf: str) -> Iterator[Block]:
    """The blocks of RTF code. Raises `CorruptDocument` if striprtf cannot read it."""
    from striprtf.striprtf import rtf_to_text

    convert: Callable[..., str] = rtf_to_text
    try:
        text = convert(_marked(rtf), errors="ignore")
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise CorruptDocument(f"not readable as RTF: {error}") from error
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return merged_code(_with_headers(_pieces(clean(paired).replace("\xad", ""))))


def _marked(rtf: str) -> str:
    codes = style_codes(rtf)

    def mark(word: re.Match[str]) -> str:
        name = word[1]
        if name is None:
            return word[0]
        if name.startswith("outlinelevel"):
            return f"\\mark {_STYLE}{name[-1]}"
        if name.startswith("ilvl"):
            return f"\\mark {_DEPTH}{name[-1]}"
        if name.startswith(("listtext", "pntext")):
            return f"\\mark {_MARKER}"
        if name in _MARKS:
            # The word in front ends what a \u before it may skip.
            return f"\\mark {_MARKS[name]}"
        code = codes.get(name[1:])
        return f"{word[0].rstrip()} {f'{_STYLE}{code}' if code else ''}"

    return _STRUCTURE.sub(mark, _searched_fast(with_groups_marked(rtf)))


def _searched_fast(rtf: str) -> str:
    """The same text for striprtf, whose searches are quadratic.

    From every `\\field` it looks for a link to the end of the line (and would add its target to
    the text), from every font to the next `\\fcharset` in the line, from there to a semicolon. A
    line break means nothing in RTF.
    """
    return _CHARSET.sub(r"\g<0> ;", _FONT.sub(r"\n\g<0>", _FIELD.sub(r"\\mark ", rtf)))


@dataclass(slots=True)
class _Place:
    """What is known of the paragraph that is read, in the text or in an aside of it."""

    aside: str = ""
    """One of `ASIDES`, or "" in the text itself."""
    style: str = _BODY
    in_table: bool = False
    depth: int = 0
    is_item: bool = False
    hidden: int = 0
    words: list[str] = field(default_factory=list)


def _pieces(text: str) -> Iterator[Block | list[str]]:
    """Blocks, and the rows of tables as lists of cells."""
    cells: list[str] = []
    hanging: list[Block] = []
    place, around = _Place(), []
    for piece in [*_TOKEN.split(text), "\n"]:
        if piece in (HIDES, SHOWS):
            place.hidden = max(place.hidden + (1 if piece == HIDES else -1), 0)
        elif piece in ASIDES:
            around.append(place)
            place = _Place(piece, hidden=place.hidden)
        elif piece == ENDS:
            if around:
                hanging.append(_paragraph(place))
                place = around.pop()
        elif piece == _RESET:
            place.style, place.in_table, place.depth = _BODY, False, 0
        elif piece == _IN_TABLE:
            place.in_table = True
        elif piece.startswith(_STYLE):
            place.style = piece[1]
        elif piece.startswith(_DEPTH):
            place.depth = int(piece[1])
        elif piece == _MARKER:
            place.is_item = True
        elif piece == _CELL and not place.aside:
            cells.append("".join(place.words))
            place.words, place.is_item = [], False
        elif piece == _ROW and not place.aside:
            yield cells
            yield from hanging
            cells, hanging = [], []
        elif piece != "\n" or place.in_table:
            if not place.hidden:
                place.words.append("\n" if piece in (_LINE, _CELL, _ROW) else piece)
        elif place.aside:
            hanging.append(_paragraph(place))
            place.words, place.is_item = [], False
        else:
            yield _paragraph(place)
            place.words, place.is_item = [], False
            yield from hanging
            hanging = []
    if cells:
        yield cells
    yield from [*map(_paragraph, around), *hanging]


def _paragraph(place: _Place) -> Block:
    text = "".join(place.words)
    note = ASIDES.get(place.aside)
    if note:
        return Block(type=BlockType.other, text=text.strip(), attributes={"note": note})
    kind = ROLES.get(place.style, BlockType.paragraph)
    if place.style == CONTENTS:
        text = ""
    if kind is BlockType.code:
        return Block(type=kind, text=text.rstrip())
    text = text.strip()
    if place.style < _BODY and text and not place.aside:
        level = min(int(place.style) + 1, 6)
        return Block(type=BlockType.heading, level=level, text=text.replace("\t", " "))
    if place.is_item and "\t" in text:
        marker, _, words = text.partition("\t")
        marker = bullet(_SYMBOLS.get(marker.strip(), marker)) or "-"
        attributes = {"list_depth": place.depth, "list_marker": marker}
        return Block(type=BlockType.list_item, text=words.strip(), attributes=attributes)
    return Block(type=kind, text=text)


def _with_headers(pieces: Iterable[Block | list[str]]) -> Iterator[Block]:
    rows: list[list[str]] = []
    hanging: list[Block] = []
    tables = 0
    for piece in [*pieces, Block(type=BlockType.code, text="")]:
        if isinstance(piece, list):
            rows.append(piece)
        elif rows and is_blank(piece.text) and piece.type is BlockType.paragraph:
            continue
        elif rows and piece.type is BlockType.other:
            hanging.append(piece)
        else:
            if rows:
                yield from titled_table(rows, table=tables)
                yield from hanging
                rows, hanging = [], []
                tables += 1
            if piece.type is BlockType.code or not is_blank(piece.text):
                yield piece
