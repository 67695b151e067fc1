"""What does reading a document cost with its library alone?

Each row is what one would write with nothing but the library to get the text of the same blocks:
parse, visit every node once in Python, and join what belongs to one paragraph or row. Nothing is
told apart, named, hidden or counted. Where a library gives finished rows or paragraphs itself
(csv, calamine, python-pptx, docutils, striprtf), they are taken as they come.
"""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from email import message_from_bytes, policy

__all__ = ["BARE", "TOLD_APART"]


def _pdf(data: bytes) -> object:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    return [page.get_textpage().get_text_bounded() for page in document]


def _pdf_characters(data: bytes) -> object:
    import ctypes

    import pypdfium2
    import pypdfium2.raw as pdfium

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    found = []
    for page in pypdfium2.PdfDocument(data):
        text = page.get_textpage()
        for at in range(text.count_chars()):
            pdfium.FPDFText_GetCharBox(text, at, left, right, bottom, top)
            box = left.value, bottom.value, right.value, top.value
            size = pdfium.FPDFText_GetFontSize(text, at)
            found.append((box, size, pdfium.FPDFText_GetFontWeight(text, at)))
        found.append(text.get_text_range())
    return found


def _xml_of(part: str, paragraph: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        from lxml import etree

        with zipfile.ZipFile(io.BytesIO(data)) as file:
            root = etree.fromstring(file.read(part))
        texts: list[str] = []
        parts: list[str] = []
        for element in root.iter():
            if element.tag == paragraph:
                texts.append("".join(parts))
                parts.clear()
            if element.text:
                parts.append(element.text)
            if element.tail:
                parts.append(element.tail)
        return [*texts, "".join(parts)]

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
    sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    return [" | ".join(map(str, row)) for sheet in sheets for row in sheet]


def _csv(data: bytes) -> object:
    rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return [" | ".join(row) for row in rows]


def _epub(data: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return [_html(file.read(name)) for name in file.namelist() if name.endswith(".xhtml")]


def _html(data: bytes) -> object:
    from turbohtml import Element, Node, Text, parse

    texts: list[str] = []
    parts: list[str] = []
    stack: list[object] = [parse(data.decode())]
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            parts.append(node.data)
        elif node is None or (isinstance(node, Element) and node.tag in _BLOCK_TAGS):
            if text := " ".join("".join(parts).split()):
                texts.append(text)
            parts.clear()
        if isinstance(node, Element) and node.tag in _BLOCK_TAGS:
            stack.append(None)
        if isinstance(node, Node):
            stack.extend(reversed(node.children))
    return texts


_BLOCK_TAGS = frozenset(
    (
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "section", "article", "main", "header"),
        *("footer", "nav", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "pre"),
        *("blockquote", "figure", "figcaption", "title"),
    )
)


def _json(text: str | bytes) -> object:
    """Every value with the name it has, a line each."""
    lines: list[str] = []
    stack: list[tuple[str, object]] = [("", json.loads(text))]
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack.extend(reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((name, one) for one in reversed(value))
        else:
            lines.append(f"{name}: {value}")
    return lines


def _rst(data: bytes) -> object:
    from docutils.core import publish_doctree

    return publish_doctree(data.decode()).astext()


def _notebook(data: bytes) -> object:
    from markdown_it import MarkdownIt

    cells = json.loads(data)["cells"]
    parse = MarkdownIt("commonmark").enable("table").parse
    return [parse("".join(cell["source"])) for cell in cells if cell["cell_type"] == "markdown"]


def _markdown(data: bytes) -> object:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").parse(data.decode())


def _mail(data: bytes) -> object:
    message = message_from_bytes(data, policy=policy.default)
    body = message.get_body(("plain", "html"))
    shown = [str(message[name]) for name in ("Subject", "From", "To", "Date")]
    return shown, body and body.get_content()


def _outlook(data: bytes) -> object:
    from oxmsg import Message

    message = Message.load(io.BytesIO(data))
    return message.subject, message.sender, message.body


def _rtf(data: bytes) -> object:
    from striprtf.striprtf import rtf_to_text

    return rtf_to_text(data.decode())


def _zip(data: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.namelist()


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"

BARE: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "pdf": ("pypdfium2: text of each page", _pdf),
    "docx": (
        "lxml: one loop over all elements, text by paragraph",
        _xml_of("word/document.xml", f"{_W}p"),
    ),
    "pptx": ("python-pptx: text of all shapes and cells", _pptx),
    "xlsx": ("calamine: cells of a row joined", _sheets),
    "xls": ("calamine: cells of a row joined", _sheets),
    "ods": ("calamine: cells of a row joined", _sheets),
    "csv": ("csv: cells of a row joined", _csv),
    "odt": (
        "lxml: one loop over all elements, text by paragraph",
        _xml_of("content.xml", f"{_TEXT}p"),
    ),
    "odp": (
        "lxml: one loop over all elements, text by paragraph",
        _xml_of("content.xml", f"{_TEXT}p"),
    ),
    "epub": ("turbohtml: one walk over each page, text by block tag", _epub),
    "rst": ("docutils: text of the tree", _rst),
    "ipynb": ("json, markdown-it: tokens of each cell", _notebook),
    "eml": ("email: four headers and the body", _mail),
    "msg": ("oxmsg: subject, sender and body", _outlook),
    "json": ("json: one walk, a line by value", _json),
    "jsonl": ("json: one walk, a line by value", lambda data: list(map(_json, data.splitlines()))),
    "rtf": ("striprtf: the text", _rtf),
    "html": ("turbohtml: one walk, text by block tag", _html),
    "md": ("markdown-it: tokens", _markdown),
    "zip": ("zipfile: names", _zip),
}
"""Suffix to the library's name with what it is used for, and a reader. Formats that need no
library are not here."""

TOLD_APART = {
    "pdf": ("pypdfium2: text; box, size and weight of each character", _pdf_characters),
}
"""The same where the text alone has no structure: what has to be known to find any."""
