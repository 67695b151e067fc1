"""Does one far cell make an XLSX sheet too large to load, and how is it brought near?

calamine holds a sheet as a full rectangle from its first to its last cell: one stray cell in
XFD1048576 asks for 17 billion of them and aborts the process. So the cell references are looked at
first, and a sheet that is mostly gaps is rewritten without them.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO

from rag_chunker.parsing.archive import Archive
from rag_chunker.parsing.sheet_gaps import GAPS, LARGE, Closed, is_mostly_gaps
from rag_core.errors import DocumentTooLarge

MAX_CELLS = 30_000_000
"""Of the rectangle that calamine would hold, at about 32 bytes a cell."""


_ROW = re.compile(rb"""<(?:\w+:)?row\s[^>]*?\br=["'](\d+)""")
_CELL = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]+)\d""")
_USUAL_CELLS = tuple(re.compile(rb'<c r="([A-Z]{%d})\d' % letters) for letters in (3, 2))
_WIDEST = (16_384, 702, 26)
"""Columns that names of at most three, two and one letter reach."""
_TOKEN = re.compile(
    rb"""(<(?:\w+:)?row\s[^>]*?\br=["'])(\d+)(["'])"""
    rb"""|(<(?:\w+:)?c\s[^>]*?\br=["'])([A-Z]+)(\d+)(["'])"""
)
_FILLED = re.compile(rb"""<(?:\w+:)?c\s(?:[^>]*?\s)?r=["']([A-Z]+)(\d+)["'][^>]*(?<!/)>""")
_MERGED = re.compile(rb"""(<(?:\w+:)?mergeCell\s[^>]*?ref=["'])([A-Z]+)(\d+):([A-Z]+)(\d+)""")


def brought_near(data: bytes, archive: Archive) -> bytes:
    """`data` itself, or the same workbook with the gaps of its sparse sheets closed.

    A gap between rows becomes one blank row, a gap between columns goes. Raises
    `DocumentTooLarge` if a sheet still has more than `MAX_CELLS` cells.
    """
    near = {}
    for name in archive.names():
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            xml = archive.read(name)
            if _is_large(xml):
                near[name] = _without_gaps(xml)
                if extent(near[name]) > MAX_CELLS:
                    raise DocumentTooLarge(f"a sheet has more than {MAX_CELLS:,} cells: split it")
    return _with_entries(archive, near) if near else data


def extent(xml: bytes) -> int:
    """At most this many cells lie in the rectangle around a sheet's cells, from A1 on.

    Taken from the references, because the `dimension` element may say anything, and no closer than
    needed to stay below `MAX_CELLS`: this runs over every sheet. Rows are expected in order, as
    the format demands.
    """
    rows = _last_row(xml)
    return rows * _last_column(xml, enough=MAX_CELLS // max(rows, 1))


def column_number(letters: bytes) -> int:
    """1 for A, 27 for AA, 16384 for XFD."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _is_large(xml: bytes) -> bool:
    """Whether it cannot be loaded, or walking its gaps would cost more than closing them."""
    rows = max(_last_row(xml), 1)
    columns = _last_column(xml, enough=min(max(LARGE // rows, 702), MAX_CELLS // rows))
    cells = rows * columns
    if cells > MAX_CELLS:
        return True
    if columns > 702 and is_mostly_gaps(cells, filled=xml.count(b"</")):
        return True  # cells > LARGE: the column was looked for, and is no mere bound
    # Mostly the first part has enough of them.
    return rows > 10_000 and not any(
        rows <= GAPS * xml.count(b"row>", 0, end) for end in (len(xml) // 8, len(xml))
    )


def _last_row(xml: bytes) -> int:
    """The number of the last row, or of a cell that claims a row with more digits."""
    last = _last_stated_row(xml)
    far = re.compile(rb""" r=["'][A-Z]{1,3}(\d{%d,9})""" % (len(str(last)) + 1)).search(xml)
    return last if far is None else int(far[1])


def _last_stated_row(xml: bytes) -> int:
    at = len(xml)
    while (at := xml.rfind(b"row ", 0, at)) > 0:
        if xml[at - 1] in b"<:":
            last = _ROW.match(xml, xml.rfind(b"<", 0, at))
            return int(last[1]) if last else xml.count(b"row>")
    return xml.count(b"row>")


def _last_column(xml: bytes, enough: int) -> int:
    """The number of the last column, or a bound on it that is not above `enough`."""
    first = _CELL.search(xml)
    if first is None or not first[0].startswith(b'<c r="'):
        return max(map(column_number, set(_CELL.findall(xml))), default=0)
    for pattern, widest in zip(_USUAL_CELLS, _WIDEST, strict=False):
        if widest <= enough:
            return widest
        if found := set(pattern.findall(xml)):
            return max(map(column_number, found))
    return _WIDEST[-1]


def _without_gaps(xml: bytes) -> bytes:
    filled = {(column_number(found[1]), int(found[2])) for found in _FILLED.finditer(xml)}
    columns = Closed({column for column, _ in filled}, kept=0, first=1)
    rows = Closed({row for _, row in filled}, kept=1, first=1)
    moved = _TOKEN.sub(lambda token: _moved(token, columns, rows), xml)
    return _MERGED.sub(lambda merged: _moved_range(merged, columns, rows), moved)


def _moved(token: re.Match[bytes], columns: Closed, rows: Closed) -> bytes:
    row = int(token[2] or token[6])
    if token[2]:
        return token[1] + b"%d" % rows[row] + token[3]
    column = column_number(token[5])
    if column not in columns or row not in rows:
        return token[0]  # an empty cell: calamine does not count it
    return token[4] + _letters(columns[column]) + b"%d" % rows[row] + token[7]


def _moved_range(merged: re.Match[bytes], columns: Closed, rows: Closed) -> bytes:
    left, right = (columns[column_number(merged[group])] for group in (2, 4))
    top, bottom = (rows[int(merged[group])] for group in (3, 5))
    return merged[1] + b"%b%d:%b%d" % (_letters(left), top, _letters(right), bottom)


def _letters(column: int) -> bytes:
    letters = b""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = bytes([65 + rest]) + letters
    return letters


def _with_entries(archive: Archive, changed: dict[str, bytes]) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for name, content in _entries(archive, archive.names(), changed):
            file.writestr(name, content)
    return target.getvalue()


def _entries(
    archive: Archive, names: Iterable[str], changed: dict[str, bytes]
) -> Iterator[tuple[str, bytes]]:
    for name in names:
        yield name, changed[name] if name in changed else archive.read(name)
