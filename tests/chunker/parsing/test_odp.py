"""A presentation gives a heading a slide, its text once and its notes behind it."""

import pytest
from office_files import odt, parsed, zipped

from rag_chunker.parsing import media_type_of
from rag_chunker.parsing.media_type import ODP, ODT
from rag_chunker.parsing.odt import OdpParser, OdtParser
from rag_core.errors import CorruptDocument
from rag_core.spi import Parser
from rag_core.testing import ParserContract

_NAMESPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in {
        "office": "office", "text": "text", "draw": "drawing", "table": "table",
        "presentation": "presentation", "svg": "svg-compatible", "style": "style",
    }.items()
)  # fmt: skip


def frame(kind: str, *paragraphs: str) -> str:
    inside = "".join(f"<text:p>{text}</text:p>" for text in paragraphs)
    return (
        f'<draw:frame presentation:class="{kind}"><draw:text-box>{inside}</draw:text-box>'
        "</draw:frame>"
    )


def table(*rows: str) -> str:
    cells = "</text:p></table:table-cell><table:table-cell><text:p>"
    return "".join(
        f"<table:table-row><table:table-cell><text:p>{row.replace('|', cells)}</text:p>"
        "</table:table-cell></table:table-row>"
        for row in rows
    )


DECK = (
    f"<draw:page>{frame('title', 'Wells')}<draw:frame><draw:text-box><text:list>"
    "<text:list-item><text:p>Sand</text:p></text:list-item>"
    "<text:list-item><text:p>Clay</text:p></text:list-item></text:list></draw:text-box>"
    f"</draw:frame>{frame('footer', 'Acme 2026')}<presentation:notes>"
    f'<draw:page-thumbnail presentation:class="page"/>{frame("notes", "Speak slowly.")}'
    "</presentation:notes></draw:page>"
    "<draw:page><office:annotation><text:p>Why?</text:p></office:annotation>"
    "<draw:custom-shape><text:p>Box</text:p></draw:custom-shape>"
    f"<draw:frame><table:table>{table('A|B', '1|2')}</table:table></draw:frame></draw:page>"
    "<draw:page/>"
)
CONTENT = (
    f"<office:document-content {_NAMESPACES}><office:body><office:presentation>{DECK}"
    "</office:presentation></office:body></office:document-content>"
)
ODP_FILE = zipped({"mimetype": ODP, "content.xml": CONTENT})
FLAT = CONTENT.replace("office:document-content", "office:document")


class TestOdpParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return OdpParser()

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        return [("deck.odp", ODP_FILE), ("deck.fodp", FLAT.encode())]


@pytest.mark.parametrize("data", [ODP_FILE, FLAT.encode()], ids=["zip", "flat"])
def test_a_slide_gives_title_text_and_notes(data: bytes) -> None:
    blocks = parsed(OdpParser(), data).blocks
    assert [(block.type.value, block.text, block.attributes["page"]) for block in blocks] == [
        ("heading", "Wells", 1),
        ("list_item", "Sand", 1),
        ("list_item", "Clay", 1),
        ("other", "Speak slowly.", 1),
        ("heading", "Slide 2", 2),
        ("other", "Why?", 2),
        ("paragraph", "Box", 2),
        ("table_row", "A | B", 2),
        ("table_row", "1 | 2", 2),
    ]


def test_a_text_is_no_presentation() -> None:
    with pytest.raises(CorruptDocument, match="no presentation"):
        parsed(OdpParser(), odt("<text:p>Hi</text:p>"))


def test_a_flat_text_is_read_without_its_pictures_bytes() -> None:
    body = (
        '<text:h text:outline-level="2">Head</text:h><text:p>One <draw:frame><draw:image>'
        "<office:binary-data>iVBORw0KGgo=</office:binary-data></draw:image></draw:frame>two</text:p>"
    )
    flat = (
        f'<?xml version="1.0"?><office:document {_NAMESPACES}><office:body><office:text>{body}'
        "</office:text></office:body></office:document>"
    ).encode()
    assert media_type_of("a.fodt", flat) == ODT
    texts = [(block.level, block.text) for block in parsed(OdtParser(), flat).blocks]
    assert texts == [(2, "Head"), (None, "One two")]
