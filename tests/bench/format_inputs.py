"""Documents to measure parsers on: one of each format, of a few hundred kB, the same every time."""

import csv
import io
import json
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from tests.chunker.parsing.biff_files import Cells, xls
from tests.chunker.parsing.office_files import docx, epub, odt, p, style, table, zipped
from tests.chunker.parsing.workbook_files import ods

__all__ = ["INPUTS", "SAMPLE"]

_TESTS = Path(__file__).parents[1]
SAMPLE = _TESTS.parent / "rag_assets" / "sample"
"""Folder with a small real document of each format."""
_WORDS = (
    "The pump moves clean cold water from wells whose level falls slowly, and the driller notes "
    "every layer of clay, sand and gravel, because this log decides where the screen is placed. "
)
_SECTIONS, _SLIDES = 120, 60
_COLUMNS = ("Part", "Description", "Fits", "Weight kg", "Price EUR", "Stock")
_ROWS = 20_000


def _records(number: int) -> list[tuple[object, ...]]:
    return [
        (f"200-{row:05}", f"Impeller of stage {row % 18}", "AP-200", row % 97 / 10, row / 4, row)
        for row in range(number)
    ]


def _table(section: int) -> list[list[str]]:
    records = [[str(cell) for cell in record] for record in _records(8)]
    return [[*_COLUMNS[:5], f"Stock {section}"], *records]


def _csv() -> bytes:
    """Quoted where it has to be, as spreadsheets do: in every fifth row."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for number, (part, name, *rest) in enumerate(_records(_ROWS)):
        writer.writerow([part, name if number % 5 else f"{name}, bronze", *rest])
    return target.getvalue().encode()


def _xlsx() -> bytes:
    import xlsxwriter

    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("Parts")
        for number, row in enumerate([_COLUMNS, *_records(_ROWS)]):
            sheet.write_row(number, 0, row)
    return target.getvalue()


def _xls() -> bytes:
    cells: Cells = {}
    for row, values in enumerate([_COLUMNS, *_records(_ROWS)]):
        for column, value in enumerate(values):
            cells[row, column] = value if isinstance(value, (str, float)) else float(str(value))
    return xls(cells)


def _ods() -> bytes:
    """With the styles, types and fillers that LibreOffice writes for each row."""
    filler = '<table:table-cell table:number-columns-repeated="16378"/>'
    rows = []
    for values in [_COLUMNS, *_records(_ROWS)]:
        cells = "".join(
            '<table:table-cell office:value-type="string" calcext:value-type="string">'
            f"<text:p>{value}</text:p></table:table-cell>"
            if isinstance(value, str)
            else f'<table:table-cell office:value-type="float" office:value="{value}" '
            f'calcext:value-type="float"><text:p>{value}</text:p></table:table-cell>'
            for value in values
        )
        rows.append(f'<table:table-row table:style-name="ro1">{cells}{filler}</table:table-row>')
    return ods(("Parts", "".join(rows)))


def _json() -> bytes:
    return json.dumps([dict(zip(_COLUMNS, row, strict=True)) for row in _records(5_000)]).encode()


def _json_lines() -> bytes:
    rows = (dict(zip(_COLUMNS, row, strict=True)) for row in _records(5_000))
    return "\n".join(map(json.dumps, rows)).encode()


def _notebook() -> bytes:
    cells: list[dict[str, object]] = []
    for section in range(_SECTIONS):
        text = f"## Section {section}\n\n{_WORDS * 3}\n\n- first\n- second\n"
        cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
        output = {"output_type": "stream", "name": "stdout", "text": _WORDS}
        code = "\n".join(f"value_{line} = compute({line})" for line in range(10))
        cells.append({"cell_type": "code", "metadata": {}, "source": code, "outputs": [output]})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def _docx() -> bytes:
    """With the properties that Word and LibreOffice write for each paragraph and cell."""
    body, inside = '<w:spacing w:after="120"/><w:rPr></w:rPr>', "<w:rPr></w:rPr>"
    edges = "".join(f'<w:{edge} w:val="single" w:sz="4"/>' for edge in ("top", "left", "bottom"))
    cell = f'<w:tcPr><w:tcW w:w="1604" w:type="dxa"/><w:tcBorders>{edges}</w:tcBorders></w:tcPr>'
    parts = []
    for section in range(_SECTIONS):
        rows = [[cell + p(text, "Cell", inside) for text in row] for row in _table(section)]
        parts += [p(f"Section {section}", "H"), *[p(_WORDS * 3, "Body", body)] * 5, table(*rows)]
    styles = (
        style("H", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
        + style("Body", "Body Text")
        + style("Cell", "Table Contents")
    )
    return docx("".join(parts), styles=styles)


def _odt() -> bytes:
    """With the styles that LibreOffice writes for each paragraph, cell and column."""
    parts, styles = [], []
    for section in range(1, _SECTIONS + 1):
        name = f"Table{section}"
        columns = [f"{name}.{letter}" for letter in "ABCDEF"]
        cells = [f"{column}{row}" for column in columns for row in (1, 2)]
        for family, names in (("table", [name]), ("table-column", columns), ("table-cell", cells)):
            styles += [
                f'<style:style style:name="{one}" style:family="{family}">'
                f"<style:{family}-properties/></style:style>"
                for one in names
            ]
        rows = "".join(
            "<table:table-row>"
            + "".join(
                f'<table:table-cell table:style-name="{column}{min(row, 2)}" '
                'office:value-type="string"><text:p text:style-name="Table_20_Contents">'
                f"{cell}</text:p></table:table-cell>"
                for column, cell in zip(columns, values, strict=True)
            )
            + "</table:table-row>"
            for row, values in enumerate(_table(section), start=1)
        )
        parts.append(
            f'<text:h text:style-name="Heading_20_1" text:outline-level="1">Section {section}'
            "</text:h>"
            + f'<text:p text:style-name="Text_20_body">{_WORDS * 3}</text:p>' * 5
            + f'<table:table table:name="{name}" table:style-name="{name}">'
            + "".join(f'<table:table-column table:style-name="{one}"/>' for one in columns)
            + f"{rows}</table:table>"
        )
    return odt("".join(parts), automatic="".join(styles))


def _odp() -> bytes:
    """With the styles, spans and notes pages that LibreOffice writes for the slides of `_pptx`."""

    def text(number: int, words: object) -> str:
        span = f'<text:span text:style-name="T{number}">{words}</text:span>'
        return f'<text:p text:style-name="P{number}">{span}</text:p>'

    def frame(kind: str, inside: str) -> str:
        return (
            f'<draw:frame draw:name="{kind}" presentation:style-name="pr1" draw:layer="layout" '
            'svg:width="22.859cm" svg:height="12.571cm" svg:x="1.27cm" svg:y="4.445cm" '
            f'presentation:class="{kind}">{inside}</draw:frame>'
        )

    slides = []
    for section in range(_SLIDES):
        items = f"<text:list-item>{text(2, _WORDS)}</text:list-item>" * 5
        outline = f'<text:list text:style-name="L2">{items}</text:list>'
        rows = "".join(
            '<table:table-row table:style-name="ro1" table:default-cell-style-name="ce1">'
            + "".join(f"<table:table-cell>{text(3, cell)}</table:table-cell>" for cell in cells)
            + "</table:table-row>"
            for cells in _table(section)
        )
        columns = '<table:table-column table:style-name="co1"/>' * 6
        slides.append(
            f'<draw:page draw:name="page{section}" draw:style-name="dp1">'
            + frame("title", f"<draw:text-box>{text(1, f'Slide {section}')}</draw:text-box>")
            + frame("outline", f"<draw:text-box>{outline}</draw:text-box>")
            + frame("table", f"<table:table>{columns}{rows}</table:table>")
            + '<presentation:notes draw:style-name="dp2">'
            '<draw:page-thumbnail draw:style-name="gr1" presentation:class="page"/>'
            + frame("notes", "<draw:text-box/>")
            + "</presentation:notes></draw:page>"
        )
    names = {
        **{name: name for name in ("office", "text", "style", "table", "presentation")},
        "draw": "drawing",
        "svg": "svg-compatible",
    }
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in names.items()
    )
    styles = "".join(
        f'<style:style style:name="{short}{number}" style:family="{family}"/>'
        for short, family in (("P", "paragraph"), ("T", "text"))
        for number in range(1, 4)
    )
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:presentation>{''.join(slides)}"
        "</office:presentation></office:body></office:document-content>"
    )
    mimetype = "application/vnd.oasis.opendocument.presentation"
    return zipped({"mimetype": mimetype, "content.xml": content})


def _pptx() -> bytes:
    from pptx import Presentation
    from pptx.util import Cm

    deck = Presentation()
    for section in range(_SLIDES):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide {section}"
        slide.placeholders[1].text_frame.text = "\n".join([_WORDS] * 5)
        rows = _table(section)
        grid = slide.shapes.add_table(len(rows), 6, Cm(1), Cm(1), Cm(20), Cm(5)).table
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                grid.cell(row, column).text = cell
    target = io.BytesIO()
    deck.save(target)
    return target.getvalue()


def _markdown() -> bytes:
    parts = []
    for section in range(_SECTIONS):
        rows = ["| " + " | ".join(row) + " |" for row in _table(section)]
        rows.insert(1, "|---" * 6 + "|")
        body = f"{_WORDS * 3}\n\n" * 5 + "- first *item*\n- second `item`\n\n"
        parts.append(f"## Section {section}\n\n{body}" + "\n".join(rows) + "\n")
    return "\n".join(parts).encode()


def _page(sections: int = _SECTIONS) -> str:
    parts = []
    for section in range(sections):
        rows = "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
            for row in _table(section)
        )
        parts.append(
            f"<h2>Section {section}</h2>"
            + f"<p>{_WORDS * 3}</p>" * 5
            + f"<ul><li>first <em>item</em></li><li>second</li></ul><table>{rows}</table>"
        )
    return "".join(parts)


def _html() -> bytes:
    page = f"<!doctype html><title>Page</title><body><main>{_page()}</main></body>"
    return page.encode()


def _rst() -> bytes:
    parts = []
    for section in range(_SECTIONS):
        title = f"Section {section}"
        parts.append(
            f"{title}\n{'=' * len(title)}\n\n{f'{_WORDS * 3}{chr(10) * 2}' * 5}- first\n- second\n"
        )
    return "\n".join(parts).encode()


def _rtf() -> bytes:
    parts = [
        rf"\pard\s1 Section {section}\par" + rf"\pard\s0 {_WORDS * 3}\par" * 5
        for section in range(_SECTIONS)
    ]
    head = r"{\rtf1\ansi{\stylesheet{\s1 heading 1;}}"
    return (head + "\n".join(parts) + "}").encode()


def _mail() -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Wells", "tor@acme.example", "mari@acme.example"
    mail.set_content("\n\n".join([_WORDS * 3] * 100) + "\n\n> quoted\n> text\n")
    return mail.as_bytes()


def _code() -> bytes:
    return "\n".join(
        f'def function_{number}(value: int) -> int:\n    """Doubles {number}."""\n'
        "    for step in range(value):\n        value += step\n    return value\n\n"
        for number in range(2_000)
    ).encode()


INPUTS: dict[str, Callable[[], bytes]] = {
    "pages.pdf": (_TESTS / "data/pdf/plain/eip-3155.lo.pdf").read_bytes,
    "text.docx": _docx,
    "slides.pptx": _pptx,
    "sheet.xlsx": _xlsx,
    "sheet.xls": _xls,
    "sheet.ods": _ods,
    "table.csv": _csv,
    "text.odt": _odt,
    "slides.odp": _odp,
    "book.epub": lambda: epub({f"c{n}.xhtml": _page(20) for n in range(6)}),
    "text.rst": _rst,
    "notebook.ipynb": _notebook,
    "mail.eml": _mail,
    "mail.msg": (SAMPLE / "acme/products/support/field-report-halden.msg").read_bytes,
    "records.json": _json,
    "records.jsonl": _json_lines,
    "text.rtf": _rtf,
    "module.py": _code,
    "page.html": _html,
    "text.md": _markdown,
    "text.txt": lambda: (f"{_WORDS * 3}\n\n" * 500).encode(),
    "files.zip": lambda: zipped({f"{n}.md": _WORDS * 50 for n in range(1_000)}),
}
"""File name, whose suffix is the format, to what makes its bytes."""
