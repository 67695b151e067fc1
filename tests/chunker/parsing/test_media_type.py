"""A file's kind is found by what it holds, then by its name, or refused with the reason."""

import tracemalloc
import zipfile
from io import BytesIO

import pytest

from rag_chunker.parsing.media_type import (
    DOCX,
    EPUB,
    MSG,
    ODS,
    ODT,
    PPTX,
    SOURCE_CODE,
    XLS,
    XLSB,
    XLSX,
    ZIP,
    media_type_of,
)
from rag_core.errors import UnsupportedMediaType

BINARY = bytes(range(256)) * 2
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)


def zipped(*entries: tuple[str, str]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def office(kind: str) -> bytes:
    override = f'<Types><Override ContentType="application/vnd.{kind}"/></Types>'
    return zipped(("[Content_Types].xml", override))


BY_CONTENT = [
    (b"%PDF-1.7\n", "application/pdf"),
    (b"{\\rtf1 hi}", "application/rtf"),
    (b"\x89PNG\r\n\x1a\n0", "image/png"),
    (b"\xff\xd8\xff\xe0", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    (b"GIF89a", "image/gif"),
    (b"BM" + bytes(40), "image/bmp"),
    (office("openxmlformats-officedocument.wordprocessingml.document.main+xml"), DOCX),
    (office("ms-word.document.macroEnabled.main+xml"), DOCX),
    (office("openxmlformats-officedocument.presentationml.presentation.main+xml"), PPTX),
    (office("openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), XLSX),
    (office("ms-excel.sheet.binary.macroEnabled.main"), XLSB),
    (zipped(("word/document.xml", "")), DOCX),
    (zipped(("mimetype", ODT)), ODT),
    (zipped(("mimetype", ODS)), ODS),
    (zipped(("mimetype", "application/epub+zip\n")), EPUB),
    (zipped(("a.txt", "x")), ZIP),
    (OLE + "__properties_version1.0\0".encode("utf-16-le"), MSG),
    (OLE + "Workbook\0".encode("utf-16-le"), XLS),
]


@pytest.mark.parametrize(("data", "expected"), BY_CONTENT)
@pytest.mark.parametrize("name", ["file", "wrong.txt", "odd.xyz"])
def test_a_signature_decides_whatever_the_name_says(name: str, data: bytes, expected: str) -> None:
    assert media_type_of(name, data) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A.MD", "text/markdown"),
        ("b.markdown", "text/markdown"),
        ("c.HTM", "text/html"),
        ("d.xhtml", "text/html"),
        ("e.Text", "text/plain"),
        ("server.LOG", "text/plain"),
        ("README", "text/plain"),
        ("LICENSE", "text/plain"),
        (".env", "text/plain"),
        ("minutes 2024.03", "text/plain"),
        ("t.csv", "text/csv"),
        ("t.tsv", "text/tab-separated-values"),
        ("r.rst", "text/x-rst"),
        ("n.json.ipynb", "application/x-ipynb+json"),
        ("m.eml", "message/rfc822"),
        ("j.json", "application/json"),
        ("j.jsonl", "application/x-ndjson"),
        ("j.ndjson", "application/x-ndjson"),
        ("a.Rmd", "text/markdown"),
        ("a.geojson", "application/json"),
        ("a.vtt", "text/plain"),
        ("a.xsd", "application/xml"),
        ("a.kts", "text/x-kotlin"),
        ("a.adoc", "text/asciidoc"),
        ("s3://bucket/acme/x%20y.Md?versionId=1", "text/markdown"),
        ("dir.v2/notes", "text/plain"),
        *((f"x.{extension}", kind) for extension, kind in SOURCE_CODE.items()),
    ],
)
def test_text_goes_by_its_extension_in_any_case(name: str, expected: str) -> None:
    assert media_type_of(name, b"some text\n") == expected
    assert media_type_of(name, b"") == expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("page", b"<!DOCTYPE html><p>x", "text/html"),
        ("page.xyz", b"\xef\xbb\xbf <!-- c -->\n<html>", "text/html"),
        ("page.txt", b"<!doctype html><title>x</title>", "text/html"),
        ("page", "<html><p>x".encode("utf-16"), "text/html"),
        ("page.md", b"<h1 align=center>Project</h1>\n", "text/markdown"),
        ("mail", b"Received: by x\nFrom: a@b\nSubject: s\n\nhi", "message/rfc822"),
        ("wide.txt", "größer".encode("utf-16"), "text/plain"),
        ("zero.pdf", b"", "application/pdf"),
        ("zero.docx", b"", DOCX),
    ],
)
def test_the_start_of_the_text_helps_where_the_name_does_not(
    name: str, data: bytes, expected: str
) -> None:
    assert media_type_of(name, data) == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [("d.xyz", b"unknown"), ("e.bin", BINARY), ("e", BINARY), ("a.txt", BINARY), ("a.md", BINARY)],
)
def test_what_no_parser_can_read_is_refused_never_indexed(name: str, data: bytes) -> None:
    with pytest.raises(UnsupportedMediaType, match="unsupported type"):
        media_type_of(name, data)


def test_a_damaged_zip_goes_by_its_extension() -> None:
    torn = zipped(("word/document.xml", "x" * 500))[:300]
    assert media_type_of("report.docx", torn) == DOCX


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("mimetype", ODT, ODT),
        ("[Content_Types].xml", '<Override ContentType="spreadsheetml.sheet.main+xml"/>', XLSX),
    ],
)
def test_the_entry_that_tells_the_kind_is_found_wherever_it_is(
    name: str, content: str, kind: str, first: bool, compression: int
) -> None:
    entries = [(name, content), ("a.txt", "x")]
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for each, text in entries if first else reversed(entries):
            archive.writestr(each, text)
    assert media_type_of("file", buffer.getvalue()) == kind


def test_a_first_entry_that_inflates_without_end_is_read_only_at_its_start() -> None:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", ODT.ljust(50_000_000))
    tracemalloc.start()
    kind = media_type_of("file", buffer.getvalue())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (kind, peak < 1_000_000) == (ODT, True)
