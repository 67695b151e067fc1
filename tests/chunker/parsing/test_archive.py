"""A hostile zip or XML part costs an error, never the memory or the machine."""

import io
import struct
import warnings
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing import archive
from rag_chunker.parsing.archive import open_archive, xml_root
from rag_core.errors import CorruptDocument, DocumentTooLarge, EncryptedDocument, ParseError


def zipped(entries: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w", method) as file:
        warnings.simplefilter("ignore", UserWarning)  # duplicate names are written on purpose
        for name, data in entries:
            file.writestr(name, data)
    return target.getvalue()


def test_entries_are_listed_sized_and_read() -> None:
    with open_archive(zipped([("a.txt", b"one"), ("sub/b.txt", b"two")])) as opened:
        assert opened.names() == ("a.txt", "sub/b.txt")
        assert opened.size("sub/b.txt") == 3
        assert opened.read("a.txt") == b"one"
        assert "sub/b.txt" in opened
        assert "c" not in opened


def test_names_compare_without_case() -> None:
    with open_archive(zipped([("Word/Document.xml", b"x")])) as opened:
        assert opened.read("word/document.xml") == b"x"


def test_names_that_leave_the_archive_are_not_there() -> None:
    names = ["../up", "/etc/passwd", "a/../../up", "C:/x", "..\\up", "ok/../fine.txt", "dir/"]
    with open_archive(zipped([(name, b"x") for name in names])) as opened:
        assert opened.names() == ("fine.txt",)


@given(
    st.lists(st.lists(st.sampled_from(["a", "b.c", ".d", ".", "..", "", "C:", "e\\f"]), min_size=1))
)
def test_names_do_not_depend_on_the_other_names(paths: list[list[str]]) -> None:
    entries = [(name, b"x") for name in map("/".join, paths) if name]
    with open_archive(zipped(entries)) as opened:
        together = opened.names()
    alone: dict[str, None] = {}
    for entry in entries:
        # "./odd", which stands for another name, makes the archive look at each one.
        with open_archive(zipped([entry, ("./odd", b"x")])) as opened:
            alone |= dict.fromkeys(name for name in opened.names() if name != "odd")
    assert together == tuple(alone)
    for name in together:
        assert not set(name.split("/")) & {"", ".", ".."}


def test_of_duplicate_names_the_last_counts_once() -> None:
    with open_archive(zipped([("a", b"first"), ("a", b"last")])) as opened:
        assert opened.names() == ("a",)
        assert opened.read("a") == b"last"


def test_a_missing_entry_is_named() -> None:
    with (
        open_archive(zipped([("a", b"")])) as opened,
        pytest.raises(CorruptDocument, match="word/document"),
    ):
        opened.read("word/document.xml")


def test_too_many_entries_are_refused_before_reading() -> None:
    data = zipped([(str(number), b"") for number in range(archive.MAX_ENTRIES + 1)])
    with pytest.raises(DocumentTooLarge, match="10,001 entries, the limit is 10,000"):
        open_archive(data).__enter__()


def test_a_high_ratio_is_refused_before_reading() -> None:
    data = zipped([("a", bytes(archive.RATIO_COUNTS_FROM_BYTES + 1))])
    with pytest.raises(DocumentTooLarge, match="the limit is 100 times"):
        open_archive(data).__enter__()


def test_a_high_ratio_of_a_small_file_is_fine() -> None:
    with open_archive(zipped([("a", bytes(1_000_000))])) as opened:
        assert len(opened.read("a")) == 1_000_000


def test_a_large_total_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 5)
    with pytest.raises(DocumentTooLarge, match="6 bytes or more, the limit is 5"):
        open_archive(zipped([("a", b"abc"), ("b", b"def")])).__enter__()


def lying(data: bytes, real: int, claimed: int) -> bytes:
    return data.replace(struct.pack("<L", real), struct.pack("<L", claimed))


def test_a_directory_that_lies_about_sizes_is_refused_without_inflating_it_all() -> None:
    size = archive.RATIO_COUNTS_FROM_BYTES + 7
    data = lying(zipped([("a", bytes(size))]), size, 10)
    with open_archive(data) as opened:
        assert opened.size("a") == 10
        with pytest.raises(ParseError):
            opened.read("a")
    with open_archive(data) as opened, pytest.raises(ParseError):
        opened.verify()


def test_bytes_are_counted_over_several_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_archive(zipped([("a", b"abc"), ("b", b"def")])) as opened:
        monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 5)
        opened.read("a")
        with pytest.raises(DocumentTooLarge):
            opened.read("b")


def test_encrypted_entries_are_said_to_be_encrypted() -> None:
    data = bytearray(zipped([("a", b"secret")]))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    with pytest.raises(EncryptedDocument, match="password"):
        open_archive(bytes(data)).__enter__()


def test_an_office_file_with_a_password_is_said_to_be_encrypted() -> None:
    ole = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
    with pytest.raises(EncryptedDocument):
        open_archive(ole + "EncryptedPackage".encode("utf-16-le")).__enter__()
    with pytest.raises(CorruptDocument, match="97-2003"):
        open_archive(ole).__enter__()


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06", b"no zip at all" * 100])
def test_what_is_no_zip_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        open_archive(data).__enter__()


@given(st.integers(0, 250), st.integers(1, 255))
def test_any_damaged_byte_gives_the_content_or_a_parse_error(place: int, change: int) -> None:
    data = bytearray(zipped([("a.xml", b"content" * 20), ("b", b"more")]))
    data[place % len(data)] ^= change
    try:
        with open_archive(bytes(data)) as opened:
            for name in opened.names():
                opened.read(name)
    except ParseError:
        pass


def test_xml_is_read_without_comments_and_instructions() -> None:
    root = xml_root(b"<a><!-- c --><?p i?><b/></a>")
    assert [child.tag for child in root] == ["b"]


@pytest.mark.parametrize("data", [b"", b"<a>", b"\xff\xfe", b"<a>\x00</a>", b"text"])
def test_xml_that_is_not_well_formed_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        xml_root(data)


def test_xml_that_nests_too_deep_is_too_large() -> None:
    with pytest.raises(DocumentTooLarge):
        xml_root(b"<a>" * 100_000 + b"</a>" * 100_000)


def test_xml_over_the_limit_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_XML_BYTES", 3)
    with pytest.raises(DocumentTooLarge, match="4 bytes, the limit is 3"):
        xml_root(b"<a/>")


def test_xml_of_too_many_tags_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_XML_TAGS", 2)
    with pytest.raises(DocumentTooLarge, match="3 tags, the limit is 2"):
        xml_root(b"<a><b/></a>")


def test_external_entities_are_not_read() -> None:
    data = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'
    assert "".join(xml_root(data).itertext("a")) == ""


def test_an_entity_bomb_is_too_large() -> None:
    entities = "".join(
        f'<!ENTITY e{number} "{f"&e{number - 1};" * 10}">' for number in range(1, 12)
    )
    data = f'<!DOCTYPE a [<!ENTITY e0 "ha">{entities}]><a>&e11;</a>'.encode()
    with pytest.raises(DocumentTooLarge, match="amplification"):
        xml_root(data)


@given(
    st.binary(max_size=3_000),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2]),
    st.binary(max_size=40),
)
def test_every_way_of_packing_and_anything_before_the_zip_gives_the_same_bytes(
    content: bytes, method: int, before: bytes
) -> None:
    with open_archive(before + zipped([("a", content * 3), ("b", content)], method)) as opened:
        assert opened.read("a") == content * 3
        assert opened.read_large("b") == content


def test_an_entry_longer_than_its_directory_says_is_damaged_and_a_shorter_one_is_whole() -> None:
    content = b"content " * 1_000
    with (
        open_archive(lying(zipped([("a", content)]), 8_000, 1_000)) as opened,
        pytest.raises(CorruptDocument, match="'a' of the zip"),
    ):
        opened.read("a")
    with open_archive(lying(zipped([("a", content)]), 8_000, 100_000)) as opened:
        assert opened.read("a") == content


def test_an_entry_whose_sum_is_wrong_is_damaged() -> None:
    data = bytearray(zipped([("a", b"content")]))
    for signature, offset in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        data[data.index(signature) + offset] ^= 1
    with open_archive(bytes(data)) as opened, pytest.raises(CorruptDocument, match="CRC"):
        opened.read("a")
