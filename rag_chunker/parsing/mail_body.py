"""Where does a mail's own text end and the quoted history begin?"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_QUOTE, _PARAGRAPH = BlockType.quote, BlockType.paragraph
_QUOTE_MARKS = re.compile(r"(?:> ?)+")
_SENDER_LABELS = "From|Von|De|Da|Van|Från|Fra|Od|От"
_OTHER_LABELS = (
    "Sent|To|Cc|Subject|Date|Gesendet|An|Betreff|Datum|Envoyé|À|Objet|Enviado|Para|Asunto|Fecha|"
    "Inviato|A|Oggetto|Data|Verzonden|Aan|Onderwerp|Skickat|Till|Ämne|Sendt|Til|Emne|"
    "Wysłano|Do|Temat|Отправлено|Кому|Тема|Assunto"
)
_DIVIDER = re.compile(
    r"\s*(?:[-_]{2,}\s*(?:original message|forwarded message|original appointment"
    r"|ursprüngliche nachricht|weitergeleitete nachricht|message d['’]origine|message transféré"
    r"|mensaje original|mensaje reenviado|mensagem original|messaggio originale"
    r"|messaggio inoltrato|oorspronkelijk bericht|doorgestuurd bericht|ursprungligt meddelande"
    r"|исходное сообщение)\s*[-_]{2,}|begin forwarded message:)\s*",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"\s*(?:(?:On|Am|Le|El|Il|Op|Den|Em|Dnia)\s[^\n]{4,200}(?:\n[^\n]{0,150})?"
    r"(?:wrote|schrieb(?:\s[^:\n]{1,120})?|a écrit|escribió|escreveu|ha scritto|schreef(?:\s[^:\n]"
    r"{1,120})?|skrev(?:\s[^:\n]{1,120})?|napisał(?:\(a\))?))\s?:\s*"
)
_SENDER = re.compile(rf"\s*\*?(?:{_SENDER_LABELS})\s?:\*?\s\S")
_OTHER = re.compile(rf"(?:^|\s)\*?(?:{_OTHER_LABELS})\s?:")


def text_body_blocks(text: str) -> list[Block]:
    """Paragraphs and quotes of a plain text body, lines as they are.

    Quotes are lines that begin with `>` (without those marks), with the line that introduces them
    (`On Monday Ann wrote:`), and everything behind `-----Original Message-----` or a block of
    `From: / Sent: / To:` lines, as Outlook writes them.
    """
    blocks = []
    for quoted, lines in _pieces(text):
        piece = _without_marks(lines) if quoted else "\n".join(lines)
        if not is_blank(piece):
            blocks.append(Block.trusted(_QUOTE if quoted else _PARAGRAPH, piece, {}))
    return _told_apart(blocks)


def html_body_blocks(blocks: Iterable[Block], *, deeper: int = 0) -> list[Block]:
    """The blocks of an HTML body with its history as quotes and headings `deeper` levels down."""
    lowered = [
        block.model_copy(update={"level": min(block.level + deeper, 6)}) if block.level else block
        for block in blocks
    ]
    return _told_apart(lowered)


def unflowed(text: str, *, delete_space: bool = False) -> str:
    """The text of a `format=flowed` body with its paragraphs on one line each (RFC 3676)."""
    lines: list[str] = []
    open_depth = -1
    for line in text.split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        if depth == open_depth and bare != "-- ":
            lines[-1] += bare
        else:
            lines.append(f"{'>' * depth} {bare}" if depth else bare)
        flows = bare.endswith(" ") and bare != "-- "
        if flows and delete_space:
            lines[-1] = lines[-1][:-1]
        open_depth = depth if flows else -1
    return "\n".join(lines)


def _pieces(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Lines between blank lines, those that begin with `>` apart from those that do not."""
    for (quoted, blank), lines in groupby(text.split("\n"), key=_kind_of_line):
        if not blank:
            yield quoted, list(lines)


def _kind_of_line(line: str) -> tuple[bool, bool]:
    """Whether it is quoted, and whether it is blank."""
    if line[:1].isalnum():  # most lines, in a third of the time
        return False, False
    quoted = line.startswith(">")
    return quoted, is_blank(line.lstrip("> "))


def _without_marks(lines: Sequence[str]) -> str:
    return "\n".join(_QUOTE_MARKS.sub("", line, count=1) for line in lines)


def _told_apart(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks; from where the history begins on, prose is quotes."""
    start = len(blocks)
    introductions = set()
    for at, block in enumerate(blocks):
        if block.type is _QUOTE:
            continue
        if _DIVIDER.match(block.text) or _is_outlook_header(block.text):
            start = at
            break
        if _ATTRIBUTION.fullmatch(block.text):
            if at + 1 < len(blocks) and blocks[at + 1].type is not _QUOTE:
                start = at
                break
            introductions.add(at)
    if start == len(blocks) and not introductions:
        return list(blocks)
    return [
        _as_quote(block) if at >= start or at in introductions else block
        for at, block in enumerate(blocks)
    ]


def _is_outlook_header(text: str) -> bool:
    return bool(_SENDER.match(text)) and len(_OTHER.findall(text[:600])) >= 2


def _as_quote(block: Block) -> Block:
    if block.type in (BlockType.table_row, BlockType.code):
        return block
    return Block.trusted(_QUOTE, block.text, {})
