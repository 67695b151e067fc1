"""Outlook messages (`.msg`): the same blocks as the same mail in `.eml` gives."""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from functools import cached_property, partial
from importlib.metadata import version

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.compressed_rtf import decompressed
from rag_chunker.parsing.decoding import clean
from rag_chunker.parsing.mail import body_blocks, envelope_blocks
from rag_chunker.parsing.mail_body import html_body_blocks
from rag_chunker.parsing.media_type import MSG
from rag_chunker.parsing.outlook_storage import Properties, Storage, opened
from rag_chunker.parsing.rtf import rtf_blocks, rtf_source
from rag_core.errors import CorruptDocument, DocumentTooLarge
from rag_core.spi import Parser
from rag_core.types import Block, ParsedDocument, Source

_SUBJECT, _BODY, _HTML, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
_TO, _CC, _SENT, _DELIVERED, _MESSAGE_ID = 0x0E04, 0x0E03, 0x0039, 0x0E06, 0x1035
_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME = 0x3707, 0x3704, 0x3001
_CONTENT, _MIME_TYPE, _CONTENT_ID = 0x3701, 0x370E, 0x3712
_ROOT_HEADER, _EMBEDDED_HEADER, _ATTACHMENT_HEADER = 32, 24, 8
"""Bytes before the first property, by kind of storage ([MS-OXMSG] 2.4.1)."""
_ATTACHMENT, _EMBEDDED_MESSAGE = "__attach_version1.0_#", "__substg1.0_3701000D"
"""What the names of storages begin with."""


class OutlookParser(Parser):
    """As `MailParser`: subject, people and date, the text once, the history as quotes.

    A message whose only text is RTF is read from it. Attached files and messages are documents of
    their own, named in `metadata["attachments"]`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), _one_error(), opened(data) as root:
            message = _Message(root, _ROOT_HEADER)
            blocks = message.blocks()
            metadata = message.metadata()
            names: list[JsonValue] = [name or "unnamed" for name, _, _ in _files(message)]
        if names:
            metadata["attachments"] = names
        document = source.document(
            data,
            mime_type=source.mime_type or MSG,
            title=message.subject,
            metadata=metadata,
        )
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        from rag_chunker.parsing.html import HtmlParser

        return f"outlook-1 oxmsg-{version('python-oxmsg')} {HtmlParser().version()}"


def attached_files(data: bytes) -> Iterator[tuple[str | None, str | None, bytes]]:
    """Name, media type and bytes of each attachment; an attached message comes as `.eml`, and
    its own attachments behind it. Pictures shown inside the text are left out.

    Raises `CorruptDocument` if the bytes are no Outlook message.
    """
    with _one_error(), opened(data) as root:
        for name, media_type, content in _files(_Message(root, _ROOT_HEADER)):
            yield name, media_type, content()


class _Message:
    """One message: the outermost or one attached to another."""

    def __init__(self, storage: Storage, header: int) -> None:
        self.storage = storage
        self._properties = Properties(storage, header)

    def text(self, *ids: int) -> str | None:
        """The first of these properties that is there and not blank."""
        for pid in ids:
            value = self._properties.text(pid)
            if value and value.strip("\0 \r\n\t"):
                return clean(value).strip()
        return None

    def binary(self, pid: int) -> bytes:
        return self._properties.binary(pid) or b""

    @cached_property
    def subject(self) -> str | None:
        return self.text(_SUBJECT)

    @cached_property
    def envelope(self) -> list[tuple[str, str | None]]:
        name = self.text(_SENDER_NAME)
        address = self.text(_SENDER_SMTP, _SENDER_ADDRESS)
        known = address if address and "@" in address else None
        sender = f"{name} <{known}>" if name and known and name != known else known or name
        lines = [("From", sender), ("To", self.text(_TO)), ("Cc", self.text(_CC))]
        return [*lines, ("Date", self._date())]

    def metadata(self) -> dict[str, JsonValue]:
        values = [*self.envelope, ("Message_ID", self.text(_MESSAGE_ID))]
        return {name.lower(): value for name, value in values if value}

    def blocks(self) -> list[Block]:
        return envelope_blocks(self.subject, self.envelope, level=1) + self.body()

    def body(self) -> list[Block]:
        found = body_blocks(
            self.text(_BODY) or "",
            self.binary(_HTML) or self.text(_HTML) or b"",
            charset=self._properties.body_encoding,
            deeper=1,
            first_table=0,
        )
        if found or not (packed := self.binary(_RTF)):
            return found
        return html_body_blocks(rtf_blocks(rtf_source(decompressed(packed))), deeper=1)

    def as_mail(self) -> bytes:
        """The message as a mail of its own, without its attachments."""
        mail = EmailMessage()
        for name, value in [("Subject", self.subject), *self.envelope]:
            if value:
                mail[name] = " ".join(value.split())
        mail.set_content("\n\n".join(block.text for block in self.body()))
        return mail.as_bytes()

    def _date(self) -> str | None:
        for pid in (_SENT, _DELIVERED):
            value = self._properties.time(pid)
            if value is not None:
                return f"{value:%Y-%m-%d %H:%M} UTC"
        return None


def _files(
    outermost: _Message,
) -> Iterator[tuple[str | None, str | None, Callable[[], bytes]]]:
    """As `attached_files`, with what reads the bytes in place of them."""
    pending = [outermost]
    while pending:
        for storage in pending.pop().storage.inside(_ATTACHMENT):
            file = _Message(storage, _ATTACHMENT_HEADER)
            media_type = file.text(_MIME_TYPE)
            name = file.text(_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME)
            embedded = next(storage.inside(_EMBEDDED_MESSAGE), None)
            if embedded is not None:
                message = _Message(embedded, _EMBEDDED_HEADER)
                subject = message.subject or name
                yield f"{subject or 'message'}.eml", "message/rfc822", message.as_mail
                pending.append(message)
            elif not (file.text(_CONTENT_ID) and (media_type or "").startswith("image/")):
                yield name, media_type, partial(file.binary, _CONTENT)


@contextmanager
def _one_error() -> Iterator[None]:
    """Wraps what oxmsg and olefile raise on damaged messages: no error of their own."""
    from oxmsg.domain.model import UnrecognizedCodePageError, UnsupportedEncodingError

    try:
        yield
    except RecursionError as error:
        raise DocumentTooLarge("messages attached to messages nest too deep") from error
    except (
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        ValueError,
        OverflowError,
        OSError,
        struct.error,
        UnrecognizedCodePageError,
        UnsupportedEncodingError,
    ) as error:
        raise CorruptDocument(f"not readable as an Outlook message: {error}") from error
