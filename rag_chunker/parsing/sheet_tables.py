"""Which rows of an XLSX sheet are known to name columns? Those of the tables that it defines."""

import re

from rag_chunker.parsing.archive import Archive
from rag_chunker.parsing.opc import part_root, related
from rag_chunker.parsing.sheet_formats import sheet_parts
from rag_core.errors import CorruptDocument

_FIRST_ROW = re.compile(r"\$?[A-Z]+\$?(\d{1,7}):")


def header_rows(archive: Archive) -> dict[str, set[int]]:
    """By sheet name, the 0-based numbers of the rows that are headers of "tables" in Excel's sense
    (Insert > Table). A damaged part says nothing, since the cells are there without it."""
    found: dict[str, set[int]] = {}
    for name, part in sheet_parts(archive):
        for table in related(archive, part).get("table", ()) if part in archive else ():
            if table in archive and (row := _header_row(archive, table)) is not None:
                found.setdefault(name, set()).add(row)
    return found


def _header_row(archive: Archive, table: str) -> int | None:
    try:
        root = part_root(archive, table)
    except CorruptDocument:
        return None
    place = _FIRST_ROW.match(root.get("ref") or "")
    return int(place[1]) - 1 if place and root.get("headerRowCount", "1") != "0" else None
