"""OpenDocument texts (odt, ott, fodt) read straight from their XML."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, NamedTuple

from pydantic import JsonValue

from rag_chunker.parsing.archive import Archive, check_xml, open_archive, xml_root
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import clean
from rag_chunker.parsing.odt.body import Body
from rag_chunker.parsing.odt.embedded import Embedded, embedded
from rag_chunker.parsing.odt.inline import InlineReader
from rag_chunker.parsing.odt.names import n
from rag_chunker.parsing.odt.plain_tables import PlainTables, without_plain_tables
from rag_chunker.parsing.odt.styles import Sheet, Styles, common_sheet, sheet
from rag_core.errors import CorruptDocument, EncryptedDocument
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, ParsedDocument, Source

_MIME = "application/vnd.oasis.opendocument.text"
_CONTENT, _STYLES = "content.xml", "styles.xml"
_META = {
    "dc:creator": "author",
    "meta:initial-creator": "author",
    "meta:creation-date": "created",
    "dc:date": "modified",
    "dc:subject": "subject",
    "dc:description": "description",
    "meta:keyword": "keywords",
    "dc:language": "language",
}


class Parts(NamedTuple):
    """A document's XML: several parts of a zip, or one flat file for all."""

    content: Any
    tables: PlainTables
    """Those that are not in the content."""
    styles: Sheet | None
    meta: Any | None
    archive: Archive | None
    """Where embedded objects lie; a flat file has them inside, as nobody reads them."""


class OdtParser(Parser):
    """Headings with their outline level, lists with counted markers, tables, notes, frames.

    Deleted text that change tracking keeps, hidden text, generated indexes, page headers and
    footers are dropped. Notes, comments and pictures' alternative texts follow their paragraph as
    `other` blocks; charts (title and numbers) follow it, too. A paragraph in style Title is a
    heading of level 1 and the document's title.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), paused_collector(), opened(data) as parts:
            title, metadata = meta(parts)
            blocks, styled_title = _read(parts)
        document = source.document(
            data,
            mime_type=source.mime_type or _MIME,
            title=styled_title or title,
            metadata=metadata,
        )
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        return f"3 lxml-{version('lxml')}"


def _read(parts: Parts) -> tuple[list[Block], str | None]:
    text = parts.content.find(f"{n('office:body')}/{n('office:text')}")
    if text is None:
        raise CorruptDocument("an OpenDocument file without text: is it a sheet or a drawing?")
    body = body_of(parts)
    return body.blocks(text), body.title


@contextmanager
def opened(data: bytes) -> Iterator[Parts]:
    """Raises `EncryptedDocument` for one with a password, `CorruptDocument` for a damaged one."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        root, tables = _content(data)
        yield Parts(root, tables, None, root.find(n("office:meta")), None)
        return
    with open_archive(data) as archive:
        _refuse_encrypted(archive)
        styles = common_sheet(archive.read(_STYLES)) if _STYLES in archive else None
        root, tables = _content(archive.read(_CONTENT))
        yield Parts(root, tables, styles, _meta_root(archive), archive)


def _content(data: bytes) -> tuple[Any, PlainTables]:
    """The tree of the content, and the tables that are not in it."""
    check_xml(data)
    rest, tables = without_plain_tables(data)
    return xml_root(rest), tables


def body_of(parts: Parts) -> Body:
    """What reads the blocks of a document's text."""
    own = sheet(parts.content)
    styles = Styles([own] if parts.styles is None else [parts.styles, own])
    parts.tables.put_back(parts.content, styles.is_plain)
    archive = parts.archive
    return Body(
        styles,
        InlineReader(styles, lambda at: Embedded() if archive is None else embedded(archive, at)),
        parts.tables,
    )


def _refuse_encrypted(archive: Archive) -> None:
    name = "META-INF/manifest.xml"
    if name not in archive:
        return
    if next(xml_root(archive.read(name)).iter(n("manifest:encryption-data")), None) is not None:
        raise EncryptedDocument("protected by a password: save it without one and try again")


def _meta_root(archive: Archive) -> Any | None:
    if "meta.xml" not in archive:
        return None
    try:
        return xml_root(archive.read("meta.xml"))
    except CorruptDocument:  # the document is there without what it says about itself
        return None


def meta(parts: Parts) -> tuple[str | None, dict[str, JsonValue]]:
    """Title and metadata (`author`, `created`, ...), each if stated."""
    root = parts.meta
    if root is None:
        return None, {}
    metadata: dict[str, JsonValue] = {}
    for tag, key in _META.items():
        texts = [text for element in root.iter(n(tag)) if (text := _text(element))]
        if texts and key not in metadata:
            metadata[key] = ", ".join(texts)
    titles = (text for element in root.iter(n("dc:title")) if (text := _text(element)))
    return next(titles, None), metadata


def _text(element: Any) -> str:
    text = clean(element.text or "").strip()
    return "" if is_blank(text) else text
