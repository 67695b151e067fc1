"""Which text do programs save under the name of a workbook? HTML, delimited text, XML of 2003.

Exports of web applications mostly: Excel opens them with a warning.
"""

from collections.abc import Iterator
from typing import Any

from rag_chunker.parsing.archive import xml_root
from rag_chunker.parsing.decoding import clean, is_binary
from rag_chunker.parsing.headers import titled_table
from rag_core.types import Block, BlockType, ParsedDocument, Source

_SPACE = "{urn:schemas-microsoft-com:office:spreadsheet}"
_MOST_SKIPPED = 1_000
"""Columns or rows that an index may skip; a larger one is believed no further."""
_MIDNIGHT = "T00:00:00.000"


def disguised(source: Source, data: bytes) -> ParsedDocument | None:
    """The document in a "workbook" that is text; None for any other bytes, and for text that is no
    table."""
    if is_binary(data):
        return None
    head = data[:4096].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if _SPACE[1:-1].encode() in head:
        blocks = tuple(_blocks(xml_root(data)))
        document = source.document(data, mime_type=source.mime_type or "application/xml")
        return ParsedDocument(document=document, blocks=blocks)
    if head.startswith(b"<"):
        from rag_chunker.parsing.html import HtmlParser

        return HtmlParser().parse(source, data)
    from rag_chunker.parsing.delimited import DelimitedParser

    found = DelimitedParser().parse(source, data)
    return found if "delimiter" in found.document.metadata else None


def _blocks(workbook: Any) -> Iterator[Block]:
    """A heading for each sheet of an XML Spreadsheet 2003, and its table."""
    for number, sheet in enumerate(workbook.iter(f"{_SPACE}Worksheet")):
        rows = [row for row in _rows(sheet) if any(map(str.strip, row))]
        if rows:
            name = clean(sheet.get(f"{_SPACE}Name") or f"Sheet {number + 1}")
            yield Block(type=BlockType.heading, level=1, text=name)
            yield from titled_table(rows, table=number)


def _rows(sheet: Any) -> Iterator[list[str]]:
    for row in sheet.iter(f"{_SPACE}Row"):
        cells: list[str] = []
        for cell in row.iterchildren(f"{_SPACE}Cell"):
            place = _number(cell, "Index") - 1
            cells += [""] * min(place - len(cells), _MOST_SKIPPED)
            cells.append(_text(cell.find(f"{_SPACE}Data")))
            cells += [""] * min(_number(cell, "MergeAcross"), _MOST_SKIPPED)
        yield cells


def _number(element: Any, name: str) -> int:
    text = element.get(_SPACE + name) or ""
    return int(text) if text.isdecimal() and len(text) < 8 else 0


def _text(content: Any | None) -> str:
    kind = None if content is None else content.get(f"{_SPACE}Type")
    if content is None or kind == "Error":
        return ""
    text = clean("".join(content.itertext()))
    if kind == "Boolean":
        return "TRUE" if text.strip() == "1" else "FALSE"
    return (
        text.removesuffix(_MIDNIGHT).replace("T", " ").removesuffix(".000")
        if kind == "DateTime"
        else text
    )
