"""What do the tables, charts and diagrams of a slide say?"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.merged_headers import Ranges, with_levels_joined
from rag_chunker.parsing.pptx.deck import Part
from rag_chunker.parsing.pptx.names import n
from rag_chunker.parsing.pptx.paragraphs import body_text
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_LONG_FRACTION = re.compile(r"-?\d{1,15}\.\d{12,25}")
MOST_POINTS = 1000
"""Categories of a chart that are read; more than that is a data set, not a picture of one."""
_CONNECTIONS = frozenset({"pres", "parTrans", "sibTrans"})


def table_rows(table: Any) -> tuple[list[str], Sequence[Sequence[str]]]:
    """The titles of an `a:tbl`, each of them one cell as wide as the table, and the texts of its
    other rows, those of merged cells only where they begin; a header of several rows as one."""
    rows: list[list[str]] = []
    wide: list[list[tuple[int, int]]] = []
    for row in table.iterchildren(n("a:tr")):
        cells: list[str] = []
        width = 0
        wide.append([])
        for cell in row.iterchildren(n("a:tc")):
            body = cell.find(n("a:txBody"))
            merged = cell.get("hMerge") in _ON or cell.get("vMerge") in _ON
            if not merged and (span := cell.get("gridSpan", "")).isdecimal() and len(span) < 4:
                wide[-1].append((len(cells), len(cells) + int(span)))
            cells.append("" if merged or body is None else body_text(body, " "))
            width = width if cell.get("hMerge") in _ON else len(cells)
        rows.append(cells[:width])
    titles = _titles(rows, wide)
    above, rows = [cells[0] for cells in rows[:titles]], rows[titles:]
    if rows and has_header(table):
        return above, with_levels_joined(rows, wide[titles:], stated=1)
    return above, rows


def _titles(rows: Sequence[Sequence[str]], wide: Sequence[Ranges]) -> int:
    """How many rows at the top are titles: there are others below them."""
    width = max(map(len, rows), default=0)
    titles = sum(1 for _ in takewhile(lambda ranges: ranges == [(0, width)], wide))
    return titles if titles < len(rows) else 0


_ON = ("1", "true")
_LOOK = frozenset({"firstRow", "firstCol", "lastRow", "lastCol", "bandRow", "bandCol"})


def has_header(table: Any) -> bool:
    """Whether the first row is a header. It is, too, in a table that says nothing about its look;
    one that is banded but has no marked first row was made without header."""
    properties = table.find(n("a:tblPr"))
    look = {} if properties is None else dict(properties.attrib)
    return look.get("firstRow", "0") in _ON or not _LOOK & look.keys()


def chart_blocks(root: Any, *, table: int, attributes: dict[str, JsonValue]) -> Iterator[Block]:
    """The title of a chart (the root of its part) as caption, its numbers as table: a row for
    each category, a column for each series. Read from the values that every kind of chart keeps
    beside its picture."""
    title = root.find(f"{_CHART}chart/{_CHART}title/{_CHART}tx/{_CHART}rich")
    text = "" if title is None else body_text(title, " ")
    if not is_blank(text):
        yield Block(type=BlockType.caption, text=text, attributes=attributes)
    yield from table_blocks(_chart_rows(root), table=table, attributes=attributes)


def _chart_rows(root: Any) -> list[list[str]]:
    series = list(root.iter(f"{_CHART}ser"))
    columns = [_points(one, "val", "yVal") for one in series]
    categories: dict[int, str] = {}
    for one in series:
        categories = categories or _points(one, "cat", "xVal")
    indexes = sorted(categories.keys() | set().union(*columns))[:MOST_POINTS]
    if not indexes:
        return []
    header = ["", *(", ".join(_points(one, "tx").values()) for one in series)]
    rows = [
        [categories.get(index, ""), *(column.get(index, "") for column in columns)]
        for index in indexes
    ]
    return [header, *rows]


def _points(series: Any, *names: str) -> dict[int, str]:
    """The saved values of the first of the `names` that a series has, by their index."""
    found = (series.find(f"{_CHART}{name}") for name in names)
    holder = next((element for element in found if element is not None), None)
    points: dict[int, str] = {}
    for value in () if holder is None else holder.iter(f"{_CHART}v"):
        index = value.getparent().get("idx", "0")
        if index.isdecimal() and len(index) < 8:
            points.setdefault(int(index), _rounded(shown(value.text or "")))
    return points


def _rounded(value: str) -> str:
    """Without the last digits that binary fractions leave (`0.30000000000000004`)."""
    return f"{float(value):.12g}" if _LONG_FRACTION.fullmatch(value) else value


def diagram_blocks(frame: Any, slide: Part, attributes: dict[str, JsonValue]) -> Iterator[Block]:
    """The texts of a SmartArt diagram, in the order of its data, as list items."""
    for relations in frame.iter(n("dgm:relIds")):
        part = slide.by_id(relations.get(n("r:dm")))
        for point in () if part is None else part.root.iter(n("dgm:pt")):
            body = point.find(n("dgm:t"))
            if body is None or point.get("type") in _CONNECTIONS:
                continue
            text = body_text(body, " ")
            if not is_blank(text):
                item: dict[str, JsonValue] = {"list_depth": 0, "list_marker": "•"}
                yield Block(type=BlockType.list_item, text=text, attributes={**attributes, **item})
