"""Small spreadsheets, written part by part so that each test states its own XML."""

import zipfile
from io import BytesIO
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def xlsx(
    *sheets: str, names: tuple[str, ...] = (), states: tuple[str, ...] = (), styles: str = ""
) -> bytes:
    """A workbook whose sheets have these inner XMLs (`<row>` elements, then anything else)."""
    numbers = range(1, len(sheets) + 1)
    names = names or tuple(f"Sheet{number}" for number in numbers)
    states = states or ("visible",) * len(sheets)
    entries = "".join(
        f'<sheet name="{name}" sheetId="{number}" state="{state}" r:id="rId{number}"/>'
        for number, name, state in zip(numbers, names, states, strict=True)
    )
    targets = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATION}/worksheet"'
        f' Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATION}">'
        f"<sheets>{entries}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{targets}</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>',
    }
    for number, sheet in zip(numbers, sheets, strict=True):
        data, _, rest = sheet.partition("<!--rest-->")
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{data}</sheetData>{rest}</worksheet>'
        )
    return _zipped(parts)


def rows(*lines: str, first: int = 1) -> str:
    """Rows of XLSX cells from lines such as `Item | 4 | =0.5`: words become text, numbers numbers,
    nothing nothing, `''007` the text 007."""
    return "".join(_row(number, line) for number, line in enumerate(lines, first) if line)


def cell(reference: str, value: str, *, style: int = 0) -> str:
    try:
        float(value)
    except ValueError:
        text = escape(value.removeprefix("''"))
        return f'<c r="{reference}" s="{style}" t="inlineStr"><is><t>{text}</t></is></c>'
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def ods(*tables: tuple[str, str]) -> bytes:
    """An OpenDocument workbook of (name, rows) with ready-made table XML."""
    body = "".join(
        f'<table:table table:name="{name}">{inner}</table:table>' for name, inner in tables
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return _zipped(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<m:manifest xmlns:m="{_OFFICE}:manifest:1.0">'
            f'<m:file-entry m:full-path="/" m:media-type="{kind}"/></m:manifest>',
            "content.xml": f'<office:document-content xmlns:office="{_OFFICE}:office:1.0"'
            f' xmlns:table="{_OFFICE}:table:1.0" xmlns:text="{_OFFICE}:text:1.0"'
            ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">'
            f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
            "</office:document-content>",
        }
    )


def _row(number: int, line: str) -> str:
    values = [value.strip() for value in line.split("|")]
    cells = "".join(
        cell(f"{chr(65 + column)}{number}", value) for column, value in enumerate(values) if value
    )
    return f'<row r="{number}">{cells}</row>'


def _zipped(parts: dict[str, str]) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return target.getvalue()
