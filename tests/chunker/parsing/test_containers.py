"""Containers: every document inside comes once, under its container's name, within limits."""

import zipfile
from email.message import EmailMessage
from io import BytesIO

import pytest
from outlook_files import BODY, CONTENT, NAME, SUBJECT, msg

from rag_chunker.parsing import containers
from rag_chunker.parsing.containers import ZipParser, members
from rag_core.errors import CorruptDocument, DocumentTooLarge
from rag_core.types import CorpusId, DocumentId, Source, TenantId


def source(name: str) -> Source:
    return Source(
        document_id=DocumentId(f"id/{name}"),
        tenant_id=TenantId("t1"),
        corpus_id=CorpusId("c1"),
        uri=f"in/{name}",
    )


def zipped(*files: tuple[str, bytes]) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name, content in files:
            file.writestr(name, content)
    return target.getvalue()


def mailed(*files: tuple[str | None, bytes], subject: str = "s") -> bytes:
    mail = EmailMessage()
    mail["Subject"] = subject
    mail.set_content("Hello.")
    for name, content in files:
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


def names(name: str, data: bytes) -> list[str]:
    return [str(member.document_id) for member, _ in members(source(name), data)]


def test_files_of_a_zip_are_documents_of_their_own() -> None:
    data = zipped(("a.txt", b"one"), ("sub/b.md", b"# two"), ("__MACOSX/._a.txt", b"x"))
    found = list(members(source("all.zip"), data))
    assert [(m.document_id, m.uri, content) for m, content in found] == [
        ("id/all.zip!/a.txt", "in/all.zip!/a.txt", b"one"),
        ("id/all.zip!/sub/b.md", "in/all.zip!/sub/b.md", b"# two"),
    ]
    assert {(m.tenant_id, m.corpus_id) for m, _ in found} == {("t1", "c1")}


def test_attachments_of_mails_are_documents_of_their_own() -> None:
    data = mailed(("order.csv", b"a;b"), (None, b"\x00\x01"), ("order.csv", b"c;d"))
    assert names("m.eml", data) == [
        "id/m.eml!/order.csv",
        "id/m.eml!/attachment-2",
        "id/m.eml!/order (2).csv",
    ]
    outlook = msg({SUBJECT: "s", BODY: "x"}, {NAME: "plan.txt", CONTENT: b"plan"})
    assert names("m.msg", outlook) == ["id/m.msg!/plan.txt"]


def test_a_member_name_never_leaves_its_container() -> None:
    hostile = ("../../etc/passwd", "C:\\temp\\x.txt", "/abs.txt", "..", "a\x07b.txt")
    found = names("m.eml", mailed(*((name, b"x") for name in hostile)))
    assert [name for name in found if ".." in name or "\\" in name] == []
    assert [name.rpartition("/")[2] for name in found] == [
        "passwd",
        "x.txt",
        "abs.txt",
        "attachment-4",
        "ab.txt",
    ]
    found = names("z.zip", zipped(("../up.txt", b"x"), ("ok/./in.txt", b"y")))
    assert found == ["id/z.zip!/ok/in.txt"]


def test_containers_in_containers_are_opened_three_deep() -> None:
    data = b"text"
    for depth in range(5, 0, -1):
        data = zipped((f"{depth}.zip" if depth < 5 else "end.txt", data))
    assert names("0.zip", data) == [
        "id/0.zip!/1.zip",
        "id/0.zip!/1.zip!/2.zip",
        "id/0.zip!/1.zip!/2.zip!/3.zip",
    ]
    mixed = zipped(("m.eml", mailed(("z.zip", zipped(("end.txt", b"x"))))))
    assert names("0.zip", mixed)[-1] == "id/0.zip!/m.eml!/z.zip!/end.txt"


def test_a_broken_member_does_not_hide_the_others() -> None:
    broken = zipped(("x.txt", b"x"))[:-30]
    assert names("a.zip", zipped(("b.zip", broken), ("c.txt", b"c"))) == [
        "id/a.zip!/b.zip",
        "id/a.zip!/c.txt",
    ]
    with pytest.raises(CorruptDocument) as caught:
        names("b.zip", broken)
    assert caught.value.document == "in/b.zip"


def test_limits_hold_over_the_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = zipped(*((f"{n}.zip", zipped(("a", b"x" * 50), ("b", b"y"))) for n in range(4)))
    monkeypatch.setattr(containers, "MAX_MEMBERS", 5)
    with pytest.raises(DocumentTooLarge, match="more than 5 members"):
        names("a.zip", tree)
    monkeypatch.setattr(containers, "MAX_MEMBERS", 100)
    monkeypatch.setattr(containers, "MAX_BYTES", 500)
    with pytest.raises(DocumentTooLarge, match="500 bytes"):
        names("a.zip", tree)


def test_what_is_no_container_has_no_members() -> None:
    for name, data in (("a.txt", b"x"), ("a.pdf", b"%PDF-"), ("a.bin", b"\x00\x01"), ("a", b"")):
        assert names(name, data) == []


def test_a_zip_has_no_blocks_but_the_names_inside() -> None:
    parsed = ZipParser().parse(source("a.zip"), zipped(("a.txt", b"x"), (".DS_Store", b"")))
    assert parsed.blocks == ()
    assert parsed.document.metadata == {"members": ["a.txt"]}
