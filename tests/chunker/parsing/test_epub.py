"""A book is read in reading order, once, without its cover and contents."""

import pytest
from office_files import epub, parsed, shape, zipped

from rag_chunker.parsing.epub import EpubParser
from rag_core.errors import CorruptDocument, EncryptedDocument, ParseError
from rag_core.testing import ParserContract

_NAV = '<item id="n" href="{}" media-type="application/xhtml+xml" properties="nav"/>'


def read(data: bytes) -> list[tuple[str, str]]:
    return shape(parsed(EpubParser(), data).blocks)


SAMPLE = "<h1>A</h1><p>b</p><table><tr><td>1</td><td>2</td></tr></table>"


class TestEpubParser(ParserContract):
    @pytest.fixture
    def parser(self) -> EpubParser:
        return EpubParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [("a.epub", epub({"a.xhtml": SAMPLE, "b.xhtml": SAMPLE}))]


def test_pages_come_in_reading_order_with_their_levels() -> None:
    pages = {"z.xhtml": "<h1>One</h1><p>a</p><h2>Part</h2>", "a.xhtml": "<h1>Two</h1><p>b</p>"}
    document = parsed(EpubParser(), epub(pages))
    assert shape(document.blocks) == [
        ("heading1", "One"),
        ("paragraph", "a"),
        ("heading2", "Part"),
        ("heading1", "Two"),
        ("paragraph", "b"),
    ]
    assert document.document.title == "A Book"
    assert document.document.metadata["author"] == "Ann, Bob"


def test_tables_are_numbered_through_the_book() -> None:
    table = "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"
    blocks = parsed(EpubParser(), epub({"a.xhtml": table * 2, "b.xhtml": table})).blocks
    assert [block.attributes["table"] for block in blocks] == [0, 0, 1, 1, 2, 2]


def test_cover_and_contents_are_dropped() -> None:
    pages = {
        "cover.xhtml": "<p>Cover</p>",
        "x.xhtml": "<p>List of contents</p>",
        "nav.xhtml": "<p>Navigation</p>",
        "text.xhtml": "<p>Text</p>",
    }
    guide = '<guide><reference type="toc" href="x.xhtml#start"/></guide>'
    assert read(epub(pages, more=guide)) == [("paragraph", "Text")]


def test_a_book_that_is_nothing_but_a_cover_is_read() -> None:
    assert read(epub({"cover.xhtml": "<p>All there is</p>"})) == [("paragraph", "All there is")]


def test_a_page_that_the_spine_names_twice_is_read_once() -> None:
    again = '<item id="again" href="a.xhtml" media-type="application/xhtml+xml"/>'
    data = epub({"a.xhtml": "<p>Text</p>"}, manifest=again)
    assert read(data) == [("paragraph", "Text")]


def test_a_page_without_heading_gets_its_name_from_the_contents() -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>'
        "<navPoint><navLabel><text>Part I</text></navLabel><content src='p.xhtml'/>"
        "<navPoint><navLabel><text>The  Storm</text></navLabel><content src='a.xhtml#x'/>"
        "</navPoint></navPoint><navPoint><navLabel><text>Calm</text></navLabel>"
        "<content src='b.xhtml'/></navPoint></navMap></ncx>"
    )
    item = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    pages = {"a.xhtml": "<p>It blew.</p>", "b.xhtml": "<p>CALM</p><p>It did not.</p>"}
    data = epub(pages, manifest=item, **{"OEBPS/toc__ncx": ncx})
    assert read(data) == [
        ("heading2", "The Storm"),
        ("paragraph", "It blew."),
        ("heading1", "Calm"),
        ("paragraph", "It did not."),
    ]


def test_the_contents_name_the_parts_of_a_page() -> None:
    nav = (
        '<nav xmlns:e="http://www.idpf.org/2007/ops" e:type="toc"><ol><li>'
        '<a href="a.xhtml#x">One</a><ol><li><a href="a.xhtml#y">Part  of it</a></li></ol>'
        "</li></ol></nav>"
    )
    page = "<p>before</p><ul><li>One</li></ul><p>ONE</p><p>b</p><p>Part of it</p><p>One</p>"
    data = epub(
        {"a.xhtml": page},
        manifest=_NAV.format("contents.xhtml"),
        **{"OEBPS/contents__xhtml": nav},
    )
    assert read(data) == [
        ("paragraph", "before"),
        ("list_item", "One"),
        ("heading1", "One"),
        ("paragraph", "b"),
        ("heading2", "Part of it"),
        ("paragraph", "One"),
    ]


def test_a_navigation_document_names_pages_too() -> None:
    nav = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        '<nav epub:type="landmarks"><ol><li><a href="a.xhtml">Start</a></li></ol></nav>'
        '<nav epub:type="toc"><ol><li><a href="a.xhtml">Storm</a></li></ol></nav></html>'
    )
    data = epub(
        {"a.xhtml": "<p>It blew.</p>"},
        manifest=_NAV.format("contents.xhtml"),
        **{"OEBPS/contents__xhtml": nav},
    )
    assert read(data) == [("heading1", "Storm"), ("paragraph", "It blew.")]


@pytest.mark.parametrize("nav", ["<broken", "<a>" * 9999, "<content xmlns='x' src='a.xhtml'/>"])
def test_unreadable_contents_cost_nothing(nav: str) -> None:
    data = epub(
        {"a.xhtml": "<p>Text</p>"},
        manifest=_NAV.format("contents.xhtml"),
        **{"OEBPS/contents__xhtml": nav},
    )
    assert read(data) == [("paragraph", "Text")]


ENCRYPTED = (
    '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
    '<e:CipherReference URI="{}"/></e:EncryptedData></encryption>'
)


def test_encrypted_pages_are_refused_and_obfuscated_fonts_are_not() -> None:
    pages = {"a.xhtml": "<p>Text</p>"}
    font = epub(pages, **{"META-INF/encryption__xml": ENCRYPTED.format("OEBPS/font.otf")})
    assert read(font) == [("paragraph", "Text")]
    page = epub(pages, **{"META-INF/encryption__xml": ENCRYPTED.format("OEBPS/a.xhtml")})
    with pytest.raises(EncryptedDocument, match="folder/file: protected by DRM"):
        read(page)


def test_missing_pages_are_named() -> None:
    data = epub({"a.xhtml": "<p>Text</p>"}, manifest="")
    broken = data.replace(b"OEBPS/a.xhtml", b"OEBPS/b.xhtml")
    document = parsed(EpubParser(), broken)
    assert document.blocks == ()
    assert document.document.metadata["missing_pages"] == ["OEBPS/a.xhtml"]


@pytest.mark.parametrize(
    "entries", [{"a": "b"}, {"x.opf": "<package/>"}, {"META-INF/container.xml": "<c/>"}]
)
def test_other_files_are_corrupt(entries: dict[str, str | bytes]) -> None:
    with pytest.raises(CorruptDocument):
        read(zipped(entries))


def test_truncated_books_give_a_parse_error() -> None:
    data = epub({"a.xhtml": "<p>Text</p>"})
    for length in range(0, len(data), 37):
        with pytest.raises(ParseError):
            read(data[:length])
