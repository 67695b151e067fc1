"""Outlook messages read like the same mail in any other form."""

import contextlib
import struct
from datetime import UTC, datetime

import pytest
from ole_files import ole
from olefile import OleFileIO
from outlook_files import (
    ADDRESS,
    BODY,
    CODEPAGE,
    CONTENT,
    HTML,
    MIME_TYPE,
    NAME,
    RTF,
    SENDER,
    SENT,
    SUBJECT,
    TO,
    message,
    msg,
    uncompressed_rtf,
)

from rag_chunker.parsing.compressed_rtf import decompressed
from rag_chunker.parsing.outlook import OutlookParser, attached_files
from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseError
from rag_core.types import CorpusId, DocumentId, ParsedDocument, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri="m.msg"
)
HEAD = {
    SUBJECT: "Möte – lokal 4",
    SENDER: "Ana Ruiz",
    ADDRESS: "ana@example.org",
    TO: "Desk",
    SENT: datetime(2024, 5, 6, 9, tzinfo=UTC),
    CODEPAGE: 65001,
}


def parse(data: bytes) -> ParsedDocument:
    return OutlookParser().parse(SOURCE, data)


def shape(data: bytes) -> list[tuple[str, str]]:
    return [(block.type.value, block.text) for block in parse(data).blocks]


def test_subject_people_and_text() -> None:
    data = msg({**HEAD, BODY: "Hej!\r\n\r\nFrom: Bo\r\nSent: Monday\r\nTo: Ana\r\n\r\nOld."})
    assert parse(data).document.title == "Möte – lokal 4"
    assert shape(data) == [
        ("heading", "Möte – lokal 4"),
        ("other", "From: Ana Ruiz <ana@example.org>\nTo: Desk\nDate: 2024-05-06 09:00 UTC"),
        ("paragraph", "Hej!"),
        ("quote", "From: Bo\nSent: Monday\nTo: Ana"),
        ("quote", "Old."),
    ]
    assert parse(data).document.metadata["date"] == "2024-05-06 09:00 UTC"


def test_html_is_read_where_there_is_no_text() -> None:
    data = msg({**HEAD, HTML: "<h1>Läge</h1><ul><li>ett</li></ul>".encode()})
    assert shape(data)[2:] == [("heading", "Läge"), ("list_item", "ett")]


def test_rtf_is_read_where_there_is_nothing_else() -> None:
    rtf = uncompressed_rtf(rb"{\rtf1\ansi Gr\'fc\'dfe\par Zwei\par}")
    assert shape(msg({**HEAD, RTF: rtf}))[2:] == [("paragraph", "Grüße"), ("paragraph", "Zwei")]


def test_packed_rtf_is_unpacked_as_in_the_specification() -> None:
    # The first example of [MS-OXRTFCP] 4.1.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
        "0af32068656c0900206277"
        "05b06c647d0a800fa0"
    )
    assert decompressed(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    with pytest.raises(CorruptDocument):
        decompressed(b"short")
    with pytest.raises(DocumentTooLarge):
        decompressed(struct.pack("<II4sI", 1, 2**31, b"LZFu", 0))


def test_the_text_is_read_without_the_attached_files(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    read = OleFileIO.openstream
    # Listens only: what is asked for is read as ever.
    monkeypatch.setattr(
        OleFileIO, "openstream", lambda ole, path: (opened.append(path[-1]), read(ole, path))[1]
    )
    data = msg({**HEAD, BODY: "Hej!"}, {NAME: "a.csv", CONTENT: b"1,2"})
    assert parse(data).document.metadata["attachments"] == ["a.csv"]
    content = f"__substg1.0_{CONTENT:04X}0102"
    assert opened
    assert content not in opened
    assert list(attached_files(data)) == [("a.csv", None, b"1,2")]
    assert content in opened


def test_attachments_come_with_their_names_and_attached_messages_as_mail() -> None:
    inner = message({**HEAD, SUBJECT: "Inner", BODY: "Deep."}, {NAME: "b.txt", CONTENT: b"bb"})
    data = msg(
        {**HEAD, BODY: "x"},
        {NAME: "a.csv", CONTENT: b"x" * 5000, MIME_TYPE: "text/csv"},
        {NAME: "Inner", CONTENT: inner},
        {NAME: "logo.png", CONTENT: b"png", MIME_TYPE: "image/png", 0x3712: "cid1"},
    )
    first, second, third = attached_files(data)
    assert first == ("a.csv", "text/csv", b"x" * 5000)
    assert second[:2] == ("Inner.eml", "message/rfc822")
    assert b"Deep." in second[2]
    assert third == ("b.txt", None, b"bb")
    assert parse(data).document.metadata["attachments"] == ["a.csv", "Inner.eml", "b.txt"]


@pytest.mark.parametrize("data", [b"", b"junk", ole({"Workbook": b"x"}), msg(HEAD)[:900]])
def test_what_is_no_message_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(CorruptDocument) as caught:
        parse(data)
    assert caught.value.document == "m.msg"


def test_flipped_bytes_never_raise_anything_but_parse_errors() -> None:
    whole = msg({**HEAD, BODY: "Hello."}, {NAME: "a", CONTENT: b"b"})
    for at in range(0, len(whole), 13):
        with contextlib.suppress(ParseError):
            parse(whole[:at] + bytes([whole[at] ^ 0xA5]) + whole[at + 1 :])
