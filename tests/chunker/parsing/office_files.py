"""Minimal docx, odt and epub files, each built from the XML that a test is about."""

import io
import zipfile

from rag_core.spi import Parser
from rag_core.types import Block, CorpusId, DocumentId, ParsedDocument, Source, TenantId

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_W = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_NAMESPACES = (
    f'xmlns:w="{W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def zipped(entries: dict[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return target.getvalue()


def parsed(parser: Parser, data: bytes, uri: str = "folder/file") -> ParsedDocument:
    source = Source(
        document_id=DocumentId("d"), tenant_id=TenantId("t"), corpus_id=CorpusId("c"), uri=uri
    )
    return parser.parse(source, data)


def shape(blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    """Kind (with the level of a heading) and text of each block."""
    return [(f"{block.type.value}{block.level or ''}", block.text) for block in blocks]


def docx(body: str, **parts: str) -> bytes:
    """A Word file with this inside of `w:body`; `styles`, `numbering`, `footnotes`, ... are the
    insides of the parts with these names."""
    relations = "".join(
        f'<Relationship Id="r{kind}" Type="{_RELATION}{kind}" Target="{kind}.xml"/>'
        for kind in parts
    )
    entries: dict[str, str | bytes] = {
        "_rels/.rels": _relations(
            f'<Relationship Id="r1" Type="{_RELATION}officeDocument" Target="word/document.xml"/>'
        ),
        "word/_rels/document.xml.rels": _relations(relations),
        "word/document.xml": f"<w:document {_NAMESPACES}><w:body>{body}</w:body></w:document>",
    }
    for kind, inside in parts.items():
        entries[f"word/{kind}.xml"] = f"<w:{kind} {_NAMESPACES}>{inside}</w:{kind}>"
    return zipped(entries)


def _relations(inside: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}">{inside}</Relationships>'


def p(text: str, style: str = "", more: str = "") -> str:
    """A paragraph; `more` goes into its properties."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr>{r(text)}</w:p>"


def r(text: str, more: str = "") -> str:
    """A run; `more` goes into its properties."""
    return f'<w:r><w:rPr>{more}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(style_id: str, name: str, more: str = "", based_on: str = "") -> str:
    """A paragraph style."""
    based = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>'
        f"{based}{more}</w:style>"
    )


def table(*rows: list[str], more: str = "") -> str:
    """A table whose cells hold the given XML, or text."""
    cells = (
        "".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in row)
        for row in rows
    )
    return f"<w:tbl>{more}{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF_NAMESPACES = (
    " ".join(
        f'xmlns:{prefix}="{_ODF}{name}:1.0"'
        for prefix, name in {
            "office": "office",
            "text": "text",
            "table": "table",
            "draw": "drawing",
            "style": "style",
            "svg": "svg-compatible",
            "meta": "meta",
        }.items()
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
)


def odt(body: str, *, automatic: str = "", styles: str = "", **entries: str) -> bytes:
    """An OpenDocument text with this inside of `office:text`; further entries by name, with `__`
    for a dot."""
    content = (
        f"<office:document-content {_ODF_NAMESPACES}><office:automatic-styles>{automatic}"
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>"
    )
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
            "styles.xml": f"<office:document-styles {_ODF_NAMESPACES}><office:styles>{styles}"
            "</office:styles></office:document-styles>",
            "meta.xml": f"<office:document-meta {_ODF_NAMESPACES}>{entries.pop('meta', '')}"
            "</office:document-meta>",
            **{name.replace("__", "."): text for name, text in entries.items()},
        }
    )


def epub(
    pages: dict[str, str],
    *,
    title: str = "A Book",
    manifest: str = "",
    more: str = "",
    **entries: str,
) -> bytes:
    """A book with these pages (name to inside of `body`) in this order. `manifest` adds items,
    `more` goes behind the spine; further entries by path, with `__` for a dot."""
    items = "".join(
        f'<item id="i{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(pages)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
            'container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            f"<dc:title>{title}</dc:title>"
            "<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator></metadata>"
            f'<manifest>{items}{manifest}</manifest><spine toc="ncx">{spine}</spine>{more}'
            "</package>",
            **{
                f"OEBPS/{name}": '<?xml version="1.0" encoding="utf-8"?><html xmlns='
                f'"http://www.w3.org/1999/xhtml"><head/><body>{inside}</body></html>'
                for name, inside in pages.items()
            },
            **{name.replace("__", "."): text for name, text in entries.items()},
        }
    )
