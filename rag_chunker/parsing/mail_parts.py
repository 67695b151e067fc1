"""Which parts of a mail are its body, which are attachments, and what do its headers say?"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.policy import compat32

from rag_chunker.parsing.decoding import clean
from rag_core.errors import CorruptDocument, DocumentTooLarge

MAX_PARTS = 5_000
_NEITHER = frozenset(
    {
        "application/ms-tnef",  # winmail.dat: Outlook's private copy of the body
        "application/pgp-signature",
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "text/rfc822-headers",
    }
)
_ENCRYPTED = frozenset(
    {"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"}
)
_TEXTS = ("text/plain", "text/html")
_FOLD = re.compile(r"\r?\n(?=[ \t])|[\r\n\0]+")


@dataclass(frozen=True)
class Attachment:
    """A part that is a file of its own."""

    name: str | None
    """As the sender named it: not safe as a path."""
    part: Message

    def content(self) -> bytes:
        """The file's bytes, transfer encoding removed; of an attached mail, the whole mail.

        Raises `DocumentTooLarge` if an attached mail nests deeper than Python can write.
        """
        if self.part.is_multipart():
            return whole(subparts(self.part))
        content = self.part.get_payload(decode=True)
        return content if isinstance(content, bytes) else b""

    @property
    def media_type(self) -> str | None:
        """As the sender stated it, unless that says nothing."""
        kind = self.part.get_content_type()
        return None if kind == "application/octet-stream" else kind


@dataclass
class Parts:
    """The parts of one mail, each in its place and in order."""

    bodies: list[list[Message]] = field(default_factory=list)
    """Each body as its alternatives: mostly one text/plain and one text/html. A `message/rfc822`
    among them is a forwarded mail that is shown inside this one."""
    attachments: list[Attachment] = field(default_factory=list)
    encrypted: bool = False


def message_of(data: bytes) -> Message:
    """The mail in these bytes.

    Raises `DocumentTooLarge` if its parts nest deeper than Python can follow, `CorruptDocument` if
    there is neither a header nor a body.
    """
    try:
        message = message_from_bytes(data, policy=compat32)
    except RecursionError as error:
        raise DocumentTooLarge("the mail's parts nest too deep (hundreds of levels)") from error
    if not message.keys() and not data.strip():
        raise CorruptDocument("an empty file, not a mail")
    return message


def sorted_parts(message: Message) -> Parts:
    """Bodies and attachments of a mail. Raises `DocumentTooLarge` over `MAX_PARTS` parts.

    Pictures shown inside the text, what a saved web page is made of, signatures and `winmail.dat`
    are neither.
    """
    parts = Parts()
    pending = [message]
    for _ in range(MAX_PARTS):
        if not pending:
            return parts
        part = pending.pop()
        kind = part.get_content_type()
        if kind == "multipart/alternative" and part.is_multipart():
            chosen, others = _alternatives(part)
            parts.bodies += [chosen] if chosen else []
            pending += reversed(others)
        elif part.is_multipart() and kind != "message/rfc822":
            pending += reversed(subparts(part))
        else:
            _sort(part, kind, parts)
    raise DocumentTooLarge(f"the mail has more than {MAX_PARTS:,} parts")


def all_attachments(message: Message) -> Iterator[Attachment]:
    """The attachments of a mail and of the mails forwarded inside it, in order."""
    pending = [message]
    while pending:
        parts = sorted_parts(pending.pop())
        yield from parts.attachments
        for body in reversed(parts.bodies):
            if body[0].get_content_type() == "message/rfc822":
                pending += reversed(subparts(body[0]))


def header_text(message: Message, name: str) -> str | None:
    """A header on one line, encoded words decoded; None if it is absent or empty.

    Headers that break the rules (raw UTF-8 or Latin-1, unknown encodings) are read as well as can
    be, never refused.
    """
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), None)
    if raw is None:
        return None
    text = " ".join(decoded_words(str(raw)).split())
    return text or None


def decoded_words(raw: str) -> str:
    """`=?utf-8?q?caf=C3=A9?=` as `café`, and bytes that a parser could not place as characters."""
    line = _FOLD.sub("", _unescaped(raw))
    try:
        pieces = decode_header(line)
    except (HeaderParseError, ValueError):
        return clean(line)
    return clean("".join(_piece(content, charset) for content, charset in pieces))


def subparts(part: Message) -> list[Message]:
    """The parts directly inside; none for a leaf."""
    payload = part.get_payload()
    if not isinstance(payload, list):
        return []
    return [child for child in payload if isinstance(child, Message)]


def whole(messages: Iterable[Message]) -> bytes:
    """These messages as bytes. Raises `DocumentTooLarge` if one nests too deep."""
    try:
        return b"\n\n".join(map(bytes, messages))
    except RecursionError as error:
        raise DocumentTooLarge("the mail's parts nest too deep (hundreds of levels)") from error


def calendar_text(calendar: str) -> str:
    """What an invitation (RFC 5545) says, one property a line: summary, times, place, people."""
    unfolded = re.sub(r"\n[ \t]", "", calendar)
    found = re.findall(
        r"^(SUMMARY|DTSTART|DTEND|LOCATION|ORGANIZER|ATTENDEE|DESCRIPTION)([;:][^\n]*)",
        unfolded,
        re.MULTILINE,
    )
    lines = [f"{name.capitalize()}: {rest.partition(':')[2]}" for name, rest in found]
    return re.sub(r"\\([,;\\nN])", lambda c: "\n" if c[1] in "nN" else c[1], "\n".join(lines))


def _piece(content: str | bytes, charset: str | None) -> str:
    if isinstance(content, str):
        return content
    for encoding in (charset, "utf-8", "latin-1"):
        try:
            return content.decode(encoding or "ascii")
        except (LookupError, UnicodeDecodeError):
            continue
    return content.decode("latin-1")


def _unescaped(raw: str) -> str:
    try:
        data = raw.encode("ascii", "surrogateescape")
    except UnicodeEncodeError:
        return raw
    return _piece(data, "utf-8")


def _alternatives(part: Message) -> tuple[list[Message], list[Message]]:
    """The text alternatives, and the children to sort by themselves (calendars, files).

    A `multipart/related` (HTML with its pictures) stands for its first part.
    """
    texts, others = [], []
    pending = list(reversed(subparts(part)))
    while pending:
        child = pending.pop()
        if child.get_content_type() in _TEXTS and not _is_file(child):
            texts.append(child)
        elif child.is_multipart() and child.get_content_maintype() == "multipart":
            pending += reversed(subparts(child))
        else:
            others.append(child)
    return texts, others


def _sort(part: Message, kind: str, parts: Parts) -> None:
    if kind in _NEITHER or _is_inline_picture(part) or _is_of_a_page(part, kind):
        return
    if kind in _ENCRYPTED:
        parts.encrypted = True
    elif _is_shown(part, kind):
        parts.bodies.append([part])
    else:
        parts.attachments.append(Attachment(_file_name(part), part))


def _is_shown(part: Message, kind: str) -> bool:
    if kind == "message/rfc822":
        return part.get_content_disposition() != "attachment"
    if kind.startswith("text/"):
        return not _is_file(part)
    # A multipart without parts has lost its boundary: what it holds is text.
    return kind.startswith(("message/", "multipart/"))


def _is_file(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or _file_name(part) is not None


def _is_inline_picture(part: Message) -> bool:
    shown = "Content-ID" in part or part.get_content_disposition() == "inline"
    return shown and part.get_content_maintype() == "image"


def _is_of_a_page(part: Message, kind: str) -> bool:
    """True for style sheets, scripts and fonts of a web page that was saved with all its parts."""
    is_attached = part.get_content_disposition() == "attachment"
    return "Content-Location" in part and kind not in _TEXTS and not is_attached


def _file_name(part: Message) -> str | None:
    try:
        name = part.get_filename()
    except (LookupError, ValueError, TypeError):  # an unknown or broken RFC 2231 encoding
        return None
    if name is None and part.get_content_type() == "message/rfc822":
        subjects = (header_text(inner, "Subject") for inner in subparts(part))
        name = next((f"{subject}.eml" for subject in subjects if subject), None)
    return decoded_words(str(name)).strip() or None if name else None
