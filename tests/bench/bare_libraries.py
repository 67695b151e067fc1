"""What does reading a document cost with its library alone? The least that gives all its text."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from email import message_from_bytes

__all__ = ["BARE"]


def _pdf(data: bytes) -> object:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    return [page.get_textpage().get_text_bounded() for page in document]


def _xml_of(part: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        from lxml import etree

        with zipfile.ZipFile(io.BytesIO(data)) as file:
            root = etree.fromstring(file.read(part))
        return [element.text for element in root.iter() if element.text]

    return read


def _pptx(data: bytes) -> object:
    from pptx import Presentation

    texts = []
    for slide in Presentation(io.BytesIO(data)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                texts.append(shape.text_frame.text)
            elif shape.has_table:
                texts += [cell.text for row in shape.table.rows for cell in row.cells]
    return texts


def _sheets(data: bytes) -> object:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    return [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]


def _csv(data: bytes) -> object:
    return list(csv.reader(io.StringIO(data.decode())))


def _epub(data: bytes) -> object:
    from turbohtml import parse

    with zipfile.ZipFile(io.BytesIO(data)) as file:
        pages = [name for name in file.namelist() if name.endswith(".xhtml")]
        return [parse(file.read(name).decode()).to_markdown() for name in pages]


def _html(data: bytes) -> object:
    from turbohtml import parse

    return parse(data.decode()).to_markdown()


def _rst(data: bytes) -> object:
    from docutils.core import publish_doctree

    return publish_doctree(data.decode()).astext()


def _notebook(data: bytes) -> object:
    from markdown_it import MarkdownIt

    cells = json.loads(data)["cells"]
    parse = MarkdownIt("commonmark").parse
    return [parse(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def _markdown(data: bytes) -> object:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").parse(data.decode())


def _mail(data: bytes) -> object:
    return message_from_bytes(data).get_payload(decode=True)


def _outlook(data: bytes) -> object:
    from oxmsg import Message

    return Message.load(io.BytesIO(data)).body


def _rtf(data: bytes) -> object:
    from striprtf.striprtf import rtf_to_text

    return rtf_to_text(data.decode())


def _zip(data: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.namelist()


BARE: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "pdf": ("pypdfium2", _pdf),
    "docx": ("lxml", _xml_of("word/document.xml")),
    "pptx": ("python-pptx", _pptx),
    "xlsx": ("calamine", _sheets),
    "xls": ("calamine", _sheets),
    "ods": ("calamine", _sheets),
    "csv": ("csv", _csv),
    "odt": ("lxml", _xml_of("content.xml")),
    "epub": ("turbohtml", _epub),
    "rst": ("docutils", _rst),
    "ipynb": ("json, markdown-it", _notebook),
    "eml": ("email", _mail),
    "msg": ("oxmsg", _outlook),
    "json": ("json", json.loads),
    "jsonl": ("json", lambda data: [json.loads(line) for line in data.splitlines()]),
    "rtf": ("striprtf", _rtf),
    "html": ("turbohtml", _html),
    "md": ("markdown-it", _markdown),
    "zip": ("zipfile", _zip),
}
"""Suffix to the library's name and a reader. Formats that need no library are not here."""
