"""Mail (RFC 5322, `.eml`): its subject, who wrote it when, and its text once."""

from collections.abc import Iterable, Sequence
from email.message import Message

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.mail_body import html_body_blocks, text_body_blocks, unflowed
from rag_chunker.parsing.mail_parts import (
    calendar_text,
    header_text,
    message_of,
    sorted_parts,
    subparts,
    whole,
)
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source

_SHOWN = ("From", "To", "Cc", "Date")


class MailParser(Parser):
    """The subject as heading, one `other` block of From, To, Cc and Date, then the text.

    Of several alternatives one is read: plain text, unless it is empty or the HTML says clearly
    more. Earlier mails quoted in the text are `quote` blocks. A mail forwarded inside is read in
    its place, one level down; attachments are documents of their own (see `containers.members`)
    and named in `metadata["attachments"]`. Other metadata: `from`, `to`, `cc`, `date`,
    `message_id`, `in_reply_to`, and `encrypted` if the text cannot be read.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            message = message_of(data)
            blocks, attachments, encrypted = _read(message)
        metadata = _metadata(message)
        if attachments:
            metadata["attachments"] = list(attachments)
        if encrypted:
            metadata["encrypted"] = True
        title = header_text(message, "Subject")
        mime_type = source.mime_type or "message/rfc822"
        document = source.document(data, mime_type=mime_type, title=title, metadata=metadata)
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        from rag_chunker.parsing.html import HtmlParser

        return f"mail-2 {HtmlParser().version()}"


def envelope_blocks(
    subject: str | None, lines: Iterable[tuple[str, str | None]], *, level: int
) -> list[Block]:
    """The subject as a heading, and one block of the `name: value` lines that have a value."""
    shown = "\n".join(f"{name}: {value}" for name, value in lines if value)
    blocks = [Block.trusted_heading(subject, level, {})] if subject else []
    return blocks + ([Block.trusted(BlockType.other, shown, {})] if shown else [])


def body_blocks(
    plain: str, markup: bytes | str, *, charset: str | None, deeper: int, first_table: int
) -> list[Block]:
    """The blocks of a body given as text, as HTML or as both (empty: not there).

    HTML is read where there is no text, or where it has half as many words again.
    """
    if not is_blank(plain) and (not markup or len(markup) < 2 * len(plain)):
        return text_body_blocks(plain)
    found = _html(markup, charset, deeper, first_table) if markup else []
    words = sum(len(block.text.split()) for block in found)
    if is_blank(plain) or words > 1.5 * len(plain.split()) + 20:
        return found
    return text_body_blocks(plain)


def _html(markup: bytes | str, charset: str | None, deeper: int, first_table: int) -> list[Block]:
    from rag_chunker.parsing.html import html_blocks

    blocks, _, _ = html_blocks(markup, declared_encoding=charset, first_table=first_table)
    return html_body_blocks(blocks, deeper=deeper)


def _read(outermost: Message) -> tuple[list[Block], list[str], bool]:
    """All blocks in reading order, the attachments' names, and whether some of it is encrypted."""
    blocks: list[Block] = []
    attachments: list[str] = []
    encrypted = False
    pending: list[tuple[int, Message] | tuple[int, Sequence[Message]]] = [(1, outermost)]
    while pending:
        level, item = pending.pop()
        if not isinstance(item, Message):
            blocks += _body(item, level, blocks)
            continue
        parts = sorted_parts(item)
        blocks += _envelope(item, level)
        attachments += [attachment.name or "unnamed" for attachment in parts.attachments]
        encrypted = encrypted or parts.encrypted
        for body in reversed(parts.bodies):
            inner = subparts(body[0]) if body[0].get_content_type() == "message/rfc822" else None
            pending += [(level, body)] if inner is None else [(level + 1, mail) for mail in inner]
    return blocks, attachments, encrypted


def _envelope(message: Message, level: int) -> list[Block]:
    lines = [(name, header_text(message, name)) for name in _SHOWN]
    subject = header_text(message, "Subject")
    if subject is None and level > 1:  # or its text would belong to the mail before it
        subject = header_text(message, "From")
    return envelope_blocks(subject, lines, level=min(level, 6))


def _body(alternatives: Sequence[Message], level: int, before: Sequence[Block]) -> list[Block]:
    kinds = {part.get_content_type(): part for part in reversed(alternatives)}
    if "text/calendar" in kinds:
        return [Block(type=BlockType.other, text=calendar_text(_text(kinds["text/calendar"])))]
    markup = kinds.pop("text/html", None)
    plain = next(iter(kinds.values()), None)
    tables = [block.attributes["table"] for block in before if "table" in block.attributes]
    return body_blocks(
        _text(plain) if plain is not None else "",
        _payload(markup) if markup is not None else b"",
        charset=markup.get_content_charset() if markup is not None else None,
        deeper=level,
        first_table=int(str(tables[-1])) + 1 if tables else 0,
    )


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    if isinstance(payload, bytes):
        return payload
    return whole(subparts(part))  # message/delivery-status


def _text(part: Message) -> str:
    text, _ = decode(_payload(part), declared=part.get_content_charset())
    if str(part.get_param("format", "")).lower() == "flowed":
        return unflowed(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
    return text


def _metadata(message: Message) -> dict[str, JsonValue]:
    names = ("From", "To", "Cc", "Date", "Message-ID", "In-Reply-To")
    values = {name.lower().replace("-", "_"): header_text(message, name) for name in names}
    return {name: value for name, value in values.items() if value}
