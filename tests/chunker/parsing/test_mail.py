"""Mail: the text once, the history as quotes, the attachments by name, whatever the sender did."""

import contextlib
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.mail import MailParser
from rag_chunker.parsing.mail_body import text_body_blocks, unflowed
from rag_chunker.parsing.mail_parts import decoded_words, message_of, sorted_parts
from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseError
from rag_core.types import BlockType, CorpusId, DocumentId, ParsedDocument, Source, TenantId

SOURCE = Source(
    document_id=DocumentId("d1"),
    tenant_id=TenantId("t1"),
    corpus_id=CorpusId("c1"),
    uri="inbox/1.eml",
)


def parse(data: bytes | EmailMessage) -> ParsedDocument:
    return MailParser().parse(SOURCE, data if isinstance(data, bytes) else data.as_bytes())


def mail(text: str = "Hello there.", subject: str = "Room four") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ana Ruiz <ana@example.org>"
    message["To"] = "desk@example.org"
    message["Subject"] = subject
    message["Date"] = "Mon, 06 May 2024 09:00:00 +0000"
    message.set_content(text)
    return message


def shape(parsed: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.type.value, block.text) for block in parsed.blocks]


def test_subject_people_and_text() -> None:
    parsed = parse(mail(subject="Möte på torsdag – lokal 4"))
    assert parsed.document.title == "Möte på torsdag – lokal 4"
    assert shape(parsed) == [
        ("heading", "Möte på torsdag – lokal 4"),
        (
            "other",
            "From: Ana Ruiz <ana@example.org>\nTo: desk@example.org\n"
            "Date: Mon, 06 May 2024 09:00:00 +0000",
        ),
        ("paragraph", "Hello there."),
    ]
    assert parsed.document.metadata["from"] == "Ana Ruiz <ana@example.org>"


def test_of_two_alternatives_one_is_read() -> None:
    message = mail("The meeting moves to room four.")
    message.add_alternative("<p>The meeting moves to <b>room four</b>.</p>", subtype="html")
    assert sum("room four" in block.text for block in parse(message).blocks) == 1


def test_html_is_read_where_the_text_is_empty_or_says_much_less() -> None:
    rows = "".join(f"<tr><td>Item {n}</td><td>{n} pieces in stock</td></tr>" for n in range(9))
    for plain in (" \n", "Please use a client that shows HTML."):
        message = mail(plain)
        markup = f"<table><tr><th>What</th><th>How many</th></tr>{rows}</table>"
        message.add_alternative(markup, subtype="html")
        found = [block.text for block in parse(message).blocks]
        assert "Item 3 | 3 pieces in stock" in found
        assert plain.strip() not in found[2:]


def test_headings_of_an_html_body_stand_below_the_subject() -> None:
    message = mail("x")
    message.set_content("<h1>Agenda</h1><p>One.</p>", subtype="html")
    levels = [(b.level, b.text) for b in parse(message).blocks if b.type is BlockType.heading]
    assert levels == [(1, "Room four"), (2, "Agenda")]


def test_attachments_are_named_and_never_read_as_text() -> None:
    message = mail()
    message.add_attachment(
        b"item;qty\n", maintype="text", subtype="csv", filename="bestellung ü.csv"
    )
    message.add_attachment(bytes(range(256)), maintype="application", subtype="octet-stream")
    message.add_attachment(b"x", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    parsed = parse(message)
    assert parsed.document.metadata["attachments"] == ["bestellung ü.csv", "unnamed"]
    assert [block for block in parsed.blocks if "item" in block.text] == []


def test_a_forwarded_mail_is_read_in_its_place_but_not_as_an_attachment() -> None:
    inner = mail("Deep inside.", subject="Inner")
    inner.add_attachment(b"x", maintype="image", subtype="png", filename="p.png")
    outer = mail("See below.")
    outer.add_attachment(inner)
    outer.get_payload()[1].replace_header("Content-Disposition", "inline")
    parsed = parse(outer)
    assert [(b.level, b.text) for b in parsed.blocks if b.level] == [(1, "Room four"), (2, "Inner")]
    assert ("paragraph", "Deep inside.") in shape(parsed)
    assert parsed.document.metadata["attachments"] == ["p.png"]
    attached = mail("See below.")
    attached.add_attachment(inner)
    parsed = parse(attached)
    assert parsed.document.metadata["attachments"] == ["Inner.eml"]
    assert [block for block in parsed.blocks if "Deep" in block.text] == []


def test_quoted_lines_are_quotes_and_the_answer_between_them_is_not() -> None:
    text = (
        "Yes.\n\nOn Mon, 6 May 2024, Bo wrote:\n\n> Is it four?\n> Or five?\n>\n> > Old.\n\nFour.\n"
    )
    assert [(b.type.value, b.text) for b in text_body_blocks(text)] == [
        ("paragraph", "Yes."),
        ("quote", "On Mon, 6 May 2024, Bo wrote:"),
        ("quote", "Is it four?\nOr five?"),
        ("quote", "Old."),
        ("paragraph", "Four."),
    ]


@pytest.mark.parametrize(
    "start",
    [
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "From: Bo <bo@example.org>\nSent: Monday\nTo: Ana\nSubject: Room",
        "Von: Bo\nGesendet: Montag\nAn: Ana\nBetreff: Raum",
        "On Mon, 6 May 2024 at 09:00, Bo <bo@example.org>\nwrote:",
        "Am 06.05.2024 um 09:00 schrieb Bo:",
    ],
)
def test_everything_behind_the_mark_of_a_history_is_quoted(start: str) -> None:
    found = text_body_blocks(f"Mine.\n\n{start}\n\nTheirs.\n\nTheirs too.\n")
    assert [b.type.value for b in found] == ["paragraph", "quote", "quote", "quote"]
    assert found[-1].text == "Theirs too."


def test_a_sentence_that_looks_a_little_like_history_stays() -> None:
    for line in ("From: here to there", "On Monday we went home.", "To: all\nFrom: me"):
        assert [b.type.value for b in text_body_blocks(f"{line}\n\nMore.")] == ["paragraph"] * 2


def test_html_history_is_quoted() -> None:
    message = mail("x")
    message.set_content(
        "<p>Mine.</p><div>On Mon, Bo wrote:</div><blockquote><p>Theirs.</p></blockquote>",
        subtype="html",
    )
    assert shape(parse(message))[2:] == [
        ("paragraph", "Mine."),
        ("quote", "On Mon, Bo wrote:"),
        ("quote", "Theirs."),
    ]


def test_flowed_lines_become_paragraphs_again() -> None:
    assert unflowed("One \ntwo \nthree.\n> q \n> r\n-- \nAna\n from") == (
        "One two three.\n> q r\n-- \nAna\nfrom"
    )
    assert unflowed("wörter \nbuch", delete_space=True) == "wörterbuch"
    data = b"Subject: s\nContent-Type: text/plain; format=flowed\n\nOne \ntwo.\n"
    assert shape(parse(data))[-1] == ("paragraph", "One two.")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?b?TcO2dGU=?= lokal", "Möte lokal"),
        ("=?iso-8859-1?q?Gr=FC=DFe?=", "Grüße"),
        ("=?no-such-set?q?caf=C3=A9?=", "café"),
        ("=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
        ("=?utf-8?b?broken!!!", "=?utf-8?b?broken!!!"),
        ("plain", "plain"),
    ],
)
def test_encoded_words_are_decoded(raw: str, text: str) -> None:
    assert decoded_words(raw) == text


def test_raw_utf8_headers_and_charsets_are_read() -> None:
    data = "Subject: Grüße aus Köln\n\nHallo".encode()
    assert parse(data).document.title == "Grüße aus Köln"
    data = b'Subject: s\nContent-Type: text/plain; charset="iso-2022-jp"\n\n' + "日本語です".encode(
        "iso-2022-jp"
    )
    assert shape(parse(data))[-1] == ("paragraph", "日本語です")


def test_an_invitation_says_when_and_where() -> None:
    message = mail("Come.")
    calendar = (
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Stand-up\r\nDTSTART;TZID=Europe/Oslo:20240506T0900"
        "\r\nLOCATION:Room\r\n  four\\, left\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR"
    )
    message.add_alternative(calendar, subtype="calendar")
    found = shape(parse(message))
    assert ("paragraph", "Come.") in found
    assert (
        "other",
        "Summary: Stand-up\nDtstart: 20240506T0900\nLocation: Room four, left",
    ) in found


def test_a_mail_without_headers_or_boundary_still_gives_its_text() -> None:
    assert shape(parse(b"\n\nJust text.\n"))[-1] == ("paragraph", "Just text.")
    data = b'Subject: s\nContent-Type: multipart/mixed; boundary="b"\n\nNo boundary here.\n'
    assert ("paragraph", "No boundary here.") in shape(parse(data))
    data = b"Subject: s\nContent-Type: multipart/mixed\n\nNo boundary at all.\n"
    assert ("paragraph", "No boundary at all.") in shape(parse(data))


def test_an_encrypted_mail_says_so() -> None:
    data = b"Subject: s\nContent-Type: application/pkcs7-mime\n\nxx\n"
    assert parse(data).document.metadata["encrypted"] is True


def test_mails_built_to_hurt_cost_one_error() -> None:
    deep = b"Subject: s\n" + b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(3000)
    )
    with pytest.raises(DocumentTooLarge):
        parse(deep)
    many = b'Content-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\nx\n" * 6000 + b"--b--"
    with pytest.raises(DocumentTooLarge) as caught:
        parse(many)
    assert caught.value.document == SOURCE.uri
    with pytest.raises(CorruptDocument):
        parse(b"")


def test_a_web_page_saved_as_a_mail_shows_no_style_sheet() -> None:
    page = (
        b"Subject: Page\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/related; type="text/html"; boundary=b\n\n'
        b"--b\nContent-Type: text/html\nContent-Location: https://a.b/\n"
        b"Content-Transfer-Encoding: quoted-printable\n\n<h1>T=C3=BC</h1><p class=3Dx>text</p>\n"
        b"--b\nContent-Type: text/css\nContent-Location: https://a.b/x.css\n\na{}\n"
        b"--b\nContent-Type: image/png\nContent-Location: https://a.b/x.png\n\nPNG\n--b--\n"
    )
    parsed = parse(page)
    assert [block.text for block in parsed.blocks] == ["Page", "Tü", "text"]
    assert "attachments" not in parsed.document.metadata


def test_a_signed_mail_is_read_without_its_signature() -> None:
    data = (
        b'Subject: s\nContent-Type: multipart/signed; boundary="b"\n\n--b\n\nSigned.\n--b\n'
        b"Content-Type: application/pgp-signature\n\nSIG\n--b--\n"
    )
    parts = sorted_parts(message_of(data))
    assert len(parts.bodies) == 1
    assert parts.attachments == []


@given(
    st.lists(
        st.sampled_from(
            [
                b"Subject: =?utf-8?b?", b"Content-Type: multipart/alternative; boundary=b\n",
                b"Content-Type: text/html; charset=x\n", b"\n", b"--b\n", b"--b--", b"\xff\xfe\x00",
                b"Content-Disposition: attachment; filename*0*=utf-8''%\n", b"> quoted\n", b"<p>x",
                b"Content-Type: message/rfc822\n", b"Content-Transfer-Encoding: base64\n", b"=\n",
                b"Content-Type: message/delivery-status\n", b"Content-Type: text/calendar\n",
            ]
        )
    )
)  # fmt: skip
def test_no_mail_raises_anything_but_a_parse_error(pieces: list[bytes]) -> None:
    with contextlib.suppress(ParseError):
        parse(b"".join(pieces))
