"""What do the tables, charts and diagrams of a slide say?"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.archive import xml_root
from rag_chunker.parsing.opc import transitional
from rag_chunker.parsing.pptx.names import n
from rag_chunker.parsing.pptx.paragraphs import body_text
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

MOST_POINTS = 1000
"""Categories of a chart that are read; more than that is a data set, not a picture of one."""
_CONNECTIONS = frozenset({"pres", "parTrans", "sibTrans"})


def table_rows(table: Any) -> Iterator[Sequence[str]]:
    """The texts of an `a:tbl`, those of merged cells only where they begin."""
    for row in table.iterchildren(n("a:tr")):
        cells: list[str] = []
        width = 0
        for cell in row.iterchildren(n("a:tc")):
            body = cell.find(n("a:txBody"))
            merged = cell.get("hMerge") in _ON or cell.get("vMerge") in _ON
            cells.append("" if merged or body is None else body_text(body, " "))
            width = width if cell.get("hMerge") in _ON else len(cells)
        yield cells[:width]


_ON = ("1", "true")
_LOOK = frozenset({"firstRow", "firstCol", "lastRow", "lastCol", "bandRow", "bandCol"})


def has_header(table: Any) -> bool:
    """Whether the first row is a header. It is, too, in a table that says nothing about its look;
    one that is banded but has no marked first row was made without header."""
    properties = table.find(n("a:tblPr"))
    look = {} if properties is None else dict(properties.attrib)
    return look.get("firstRow", "0") in _ON or not _LOOK & look.keys()


def chart_blocks(chart: Any, *, table: int, attributes: dict[str, JsonValue]) -> Iterator[Block]:
    """The title of a chart (a python-pptx chart) as caption, its numbers as table: a row for each
    category, a column for each series."""
    if chart.has_title and chart.chart_title.has_text_frame:
        title = body_text(chart.chart_title.text_frame._txBody, " ")
        if not is_blank(title):
            yield Block(type=BlockType.caption, text=title, attributes=attributes)
    rows = _chart_rows(chart)
    yield from table_blocks(rows, table=table, attributes=attributes)


def _chart_rows(chart: Any) -> Iterable[Sequence[str]]:
    plots = [plot for plot in chart.plots if len(plot.categories)]
    if not plots:
        return []
    categories = [shown(str(category)) for category in islice(plots[0].categories, MOST_POINTS)]
    columns = [
        (
            shown(str(series.name)),
            [_number(value) for value in islice(series.values, len(categories))],
        )
        for plot in plots
        for series in plot.series
    ]
    header = ["", *(name for name, _ in columns)]
    rows = [
        [category, *(values[index] if index < len(values) else "" for _, values in columns)]
        for index, category in enumerate(categories)
    ]
    return [header, *rows]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def diagram_blocks(frame: Any, part: Any, attributes: dict[str, JsonValue]) -> Iterator[Block]:
    """The texts of a SmartArt diagram, in the order of its data, as list items."""
    for relations in frame.iter(n("dgm:relIds")):
        root = xml_root(transitional(part.related_part(relations.get(n("r:dm"))).blob))
        for point in root.iter(n("dgm:pt")):
            body = point.find(n("dgm:t"))
            if body is None or point.get("type") in _CONNECTIONS:
                continue
            text = body_text(body, " ")
            if not is_blank(text):
                item: dict[str, JsonValue] = {"list_depth": 0, "list_marker": "•"}
                yield Block(type=BlockType.list_item, text=text, attributes={**attributes, **item})
