"""Which cells of an XLSX workbook show a percentage, and what is the workbook's title?

calamine gives values without their number format; this looks only for the one format that changes
what a number says.
"""

import posixpath
import re
from typing import Any

from rag_chunker.parsing.archive import Archive, xml_root
from rag_chunker.parsing.sheet_extent import column_number

_BUILT_IN_PERCENT = {"9", "10"}
_REFERENCE = re.compile(rb"""\br=["']([A-Z]+)(\d+)""")


def title_of(archive: Archive) -> str | None:
    """The title in the document properties, if its author gave one."""
    if "docProps/core.xml" not in archive:
        return None
    for title in xml_root(archive.read("docProps/core.xml")).iter("{*}title"):
        return (title.text or "").strip() or None
    return None


def percent_cells(archive: Archive) -> dict[str, frozenset[tuple[int, int]]]:
    """By sheet name, the 0-based (row, column) of the cells with a percent format."""
    if "xl/styles.xml" not in archive or "xl/workbook.xml" not in archive:
        return {}
    styles = _percent_styles(xml_root(archive.read("xl/styles.xml")))
    if not styles:
        return {}
    pattern = re.compile(
        rb"""<(?:\w+:)?c\s([^>]*?\bs=["'](?:%b)["'][^>]*)>""" % "|".join(styles).encode()
    )
    return {
        name: frozenset(_places(pattern, archive.read(part)))
        for name, part in _sheet_parts(archive)
        if part in archive
    }


def _percent_styles(styles: Any) -> list[str]:
    percent = {
        custom.get("numFmtId")
        for custom in styles.iter("{*}numFmt")
        if "%" in (custom.get("formatCode") or "")
    } | _BUILT_IN_PERCENT
    formats = [xf for xfs in styles.iter("{*}cellXfs") for xf in xfs.iter("{*}xf")]
    return [str(index) for index, xf in enumerate(formats) if xf.get("numFmtId") in percent]


def _sheet_parts(archive: Archive) -> list[tuple[str, str]]:
    relations = "xl/_rels/workbook.xml.rels"
    if relations not in archive:
        return []
    targets = {
        relation.get("Id"): posixpath.join("/xl", relation.get("Target") or "").lstrip("/")
        for relation in xml_root(archive.read(relations)).iter("{*}Relationship")
    }
    sheets = xml_root(archive.read("xl/workbook.xml")).iter("{*}sheet")
    return [(sheet.get("name") or "", targets.get(_relation_id(sheet), "")) for sheet in sheets]


def _relation_id(sheet: Any) -> str | None:
    return next((value for key, value in sheet.items() if key.endswith("}id")), None)


def _places(pattern: re.Pattern[bytes], xml: bytes) -> set[tuple[int, int]]:
    references = (_REFERENCE.search(attributes) for attributes in pattern.findall(xml))
    return {(int(found[2]) - 1, column_number(found[1]) - 1) for found in references if found}
