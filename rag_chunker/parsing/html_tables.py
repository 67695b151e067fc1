"""Is this <table> data or layout, and which cells has it?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from turbohtml import Element, Node, Text

from rag_chunker.parsing.html_visibility import (
    MARKED,
    characters,
    is_hidden,
    is_hidden_by_attribute,
)
from rag_chunker.parsing.tables import cell_text
from rag_core.text import is_blank

_NO_DATA = ("table", "h1", "h2", "h3", "h4", "h5", "h6")
_CELLS = frozenset({"td", "th"})
_STRUCTURE = ("pre", "ul", "ol", "dl", "blockquote", "figure", "section", "article")
_INLINE = (
    # Words in one text: a list of them is formatted to a line each.
    "a code span em strong b i abbr acronym bdi bdo big cite data del dfn font ins kbd label mark "  # noqa: SIM905
    "q s samp small strike sub sup time tt u var wbr".split()
)
_WELDING = frozenset(_INLINE)
# Names are tried in this order: the usual ones come first.
_NOT_FLAT = f":not({','.join(_INLINE)}),{MARKED}"
_UNUSUAL = (
    f":not(td,tr,th,tbody,thead,p,{','.join(_INLINE)},caption,col,colgroup),"
    f"[colspan]:not([colspan='1']),[rowspan]:not([rowspan='1']),{MARKED},tbody~thead,"
    ":not(td,th)>p,p~*,*~p"
)
_TELLING = frozenset({"colspan", "rowspan", "hidden", "aria-hidden", "style", "role", "epub:type"})
"""Attributes of a cell that say how far it goes, or may hide it."""
_WIDEST = 1000
"""Columns that a span may open, as in the HTML standard."""
_MOST_FILLING = 4
"""Times the nodes of a table's rows that they would be if all were as long as the longest."""
_LONGEST_COPY = 200
"""Characters. A longer cell is not repeated over the columns and rows that it spans."""


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A data table: every row as wide as its cells and spans make it."""

    captions: list[str]
    """What stands in `<caption>`, and in a cell across the whole table above its header."""
    rows: list[list[str]]
    """White space in cells is any: `table_blocks` makes it one space."""
    has_header: bool


def read_table(table: Element) -> HtmlTable | None:
    """The cells of a data table; None for a layout table, whose content is ordinary blocks.

    Layout is what says so by its role, has a single column, or holds headings or tables; also
    lists, code and quotes where no header cell says that it is data. Spanned cells are repeated,
    up to twice the number of real cells, so that hostile spans do not multiply the text.
    """
    if (table.attr("role") or "").strip().lower() in ("presentation", "none"):
        return None
    # Stops at the first table inside, so that tables in tables stay linear.
    if _holds(table, _NO_DATA):
        return None
    has_header_cells = _holds(table, ("th", "thead"))
    if not has_header_cells and _holds(table, _STRUCTURE):
        return None
    if table.select_one(_UNUSUAL) is None and _welds_nothing(table) and (rows := _rectangle(table)):
        captions = [flat_text(each) for each in table.iter_elements("caption")]
        if has_header_cells:
            headers = _header_rows(table, rows)
        else:
            headers = int(_is_bold_above_other(list(islice(table.iter_elements("tr"), 2))))
        return _table(captions, rows, headers)
    head, body = _own_rows(table)
    cells = list(map(_cells, head + body))
    if all(len(row.texts) < 2 for row in cells):
        return None
    captions = [flat_text(each) for each in _elements(table) if each.tag == "caption"]
    headers = len(head) or _leading_header_rows(cells)
    if not has_header_cells:
        headers = int(_is_bold_above_other(body[:2]))
    has_spans = any(row.spans for row in cells)
    width = max(map(_width, cells)) if has_spans else 0
    while len(cells) > 2 and _is_title(cells[0], width) and _names_columns(cells, headers):
        captions.append(cells.pop(0).texts[0])
        headers = max(headers - 1, _leading_header_rows(cells))
    grid = _expanded(cells) if has_spans else [row.texts for row in cells]
    return _table(captions, grid, headers)


def _table(captions: list[str], rows: list[list[str]], headers: int) -> HtmlTable:
    if headers:
        rows = [_merged(rows[:headers]), *rows[headers:]]
    return HtmlTable(captions, rows, has_header=headers > 0)


def is_flat(root: Element) -> bool:
    """Whether nothing in `root` changes how its text reads: no blocks, pictures, hidden parts."""
    return root.select_one(_NOT_FLAT) is None


def flat_text(root: Element) -> str:
    """Everything visible inside `root` in one line; block tags and line breaks separate words."""
    if is_flat(root):
        return _line_of(root.text)
    if (text := _text_of_paragraphs(root.children)) is not None:
        return _line_of(text)
    parts: list[str] = []
    around: list[tuple[str, Iterator[Node]]] = []
    edge, nodes = "", iter(root.children)
    while True:
        for node in nodes:
            if isinstance(node, Text):
                parts.append(node.data)
            elif isinstance(node, Element) and not is_hidden(node):
                around.append((edge, nodes))
                tag = node.tag
                edge, nodes = "" if tag in _WELDING else " ", iter(node.children)
                parts.append(edge)
                if tag == "img":
                    parts.append(node.attr("alt") or "")
                break
        else:
            parts.append(edge)
            if not around:
                return _line_of("".join(parts))
            edge, nodes = around.pop()


def _text_of_paragraphs(nodes: Sequence[Node]) -> str | None:
    """The text of a few nodes if they are flat paragraphs and text: what word processors write
    into each cell. It takes a third of the time of going through all that is in them."""
    parts: list[str] = []
    for node in nodes[:_FEW]:
        if isinstance(node, Text):
            parts.append(node.data)
        elif not isinstance(node, Element) or node.tag not in ("p", "div") or not is_flat(node):
            return None
        elif not is_hidden(node):
            parts.append(f" {node.text} ")
    return "".join(parts) if len(nodes) <= _FEW else None


_FEW = 5


def _line_of(text: str) -> str:
    return " ".join(text.replace("\xad", "").split())


def _holds(table: Element, tags: Sequence[str]) -> bool:
    return next(table.iter_elements(tags), None) is not None


def _welds_nothing(table: Element) -> bool:
    """Whether no cell has text beside its one paragraph. Word processors put one into each."""
    paragraphs = table.select("p")
    inside = "".join([each.text for each in paragraphs])
    return not paragraphs or characters(inside) == characters(table.text)


def _rectangle(table: Element) -> list[list[str]]:
    """The cells of a table that holds nothing of `_UNUSUAL`; none if it is narrower than two
    columns, or if the library had to fill up shorter rows, which may be any number of cells."""
    lengths = list(map(len, table.iter_elements("tr")))  # in nodes, white space included
    if not lengths or max(lengths) * len(lengths) > _MOST_FILLING * sum(lengths):
        return []
    rows: list[list[str]] = table.rows()
    if len(rows[0]) < 2:
        return []
    may_be_filled = "" in [row[-1] for row in rows]
    if may_be_filled and len(rows) * len(rows[0]) > len(table.select("td,th")):
        return []
    if "\xad" in table.text:
        return [[cell.replace("\xad", "") for cell in row] for row in rows]
    return rows


def _header_rows(table: Element, rows: list[list[str]]) -> int:
    """How many of its rows name columns, as `_leading_header_rows`."""
    stated = len(table.select("thead>tr"))
    if stated:
        return stated
    width = len(rows[0])
    named = takewhile(
        lambda row: _is_header_row(len(row[0].select("th")), width, row[1][0]),
        zip(table.iter_elements("tr"), rows, strict=False),
    )
    count = sum(1 for _ in named)
    return count if count < len(rows) else min(count, 1)


def _elements(parent: Node) -> Iterator[Element]:
    for child in parent.children:
        if isinstance(child, Element) and not is_hidden(child):
            yield child


def _own_rows(table: Element) -> tuple[list[Element], list[Element]]:
    head: list[Element] = []
    body: list[Element] = []
    for part in _elements(table):
        if part.tag == "tr":
            body.append(part)
        elif part.tag in ("thead", "tbody", "tfoot"):
            rows = head if part.tag == "thead" else body
            rows.extend(row for row in _elements(part) if row.tag == "tr")
    return head, body


@dataclass(slots=True)
class _Cells:
    """Those of one row."""

    texts: list[str]
    spans: dict[int, tuple[int, int]]
    """Columns and rows of each cell that spans more than one, by its index."""
    headers: int
    """How many are header cells."""


def _cells(row: Element) -> _Cells:
    texts: list[str] = []
    spans: dict[int, tuple[int, int]] = {}
    headers = 0
    for cell in row.children:
        if not isinstance(cell, Element) or (tag := cell.tag) not in _CELLS:
            continue
        if not _TELLING.isdisjoint(cell.attrs):
            if is_hidden_by_attribute(cell):
                continue
            span = _span(cell, "colspan"), _span(cell, "rowspan")
            if span != (1, 1):
                spans[len(texts)] = span
        headers += tag == "th"
        texts.append(flat_text(cell))
    return _Cells(texts, spans, headers)


def _span(cell: Element, name: str) -> int:
    stated = cell.attr(name) or "1"
    found = _NUMBER.match(stated) if stated != "1" else None
    return min(max(int(found[1]), 1), _WIDEST) if found else 1


_NUMBER = re.compile(r"\s*\+?(\d{1,5})")


def _leading_header_rows(rows: list[_Cells]) -> int:
    """How many first rows are header rows; none if that is all of them but one row."""
    count = 0
    for row in rows:
        if not row.texts or not _is_header_row(row.headers, len(row.texts), row.texts[0]):
            break
        count += 1
    return count if count < len(rows) else min(count, 1)


def _is_header_row(headers: int, cells: int, first: str) -> bool:
    """Whether all cells are header cells, the corner above the rows' names aside if it is empty."""
    return headers == cells or (headers == cells - 1 > 0 and is_blank(first))


def _is_bold_above_other(rows: Sequence[Element]) -> bool:
    """Whether the first row alone is bold: so are column names where no cell is a header cell."""
    if len(rows) < 2:
        return False
    first, second = (
        [cell for cell in row.select("td") if not is_blank(cell.text)] for row in rows[:2]
    )
    return len(first) > 1 and all(map(_is_bold, first)) and not all(map(_is_bold, second))


def _is_bold(cell: Element) -> bool:
    letters = sum(len("".join(part.text.split())) for part in cell.select("b,strong"))
    return letters >= len("".join(cell.text.split()))


def _width(row: _Cells) -> int:
    return len(row.texts) + sum(columns - 1 for columns, _ in row.spans.values())


def _is_title(row: _Cells, width: int) -> bool:
    return len(row.texts) == 1 and row.spans.get(0, (1, 1))[0] >= width > 1


def _names_columns(rows: list[_Cells], headers: int) -> bool:
    """Whether the second row is a header."""
    return headers > 1 or _leading_header_rows(rows[1:]) > 0


def _expanded(rows: list[_Cells]) -> list[list[str]]:
    budget = 2 * sum(len(row.texts) for row in rows) + 100
    width = max(map(_width, rows))
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in rows:
        line: list[str] = []
        reached: dict[int, tuple[int, str]] = {}
        for index, text in enumerate(row.texts):
            columns, depth = row.spans.get(index, (1, 1))
            _hang(line, hanging, reached)
            if len(row.texts) == 1 and columns >= width > 1 and not hanging:
                line.append(text)  # a title across the whole table: once is enough
                continue
            copies = min(columns, budget)
            budget -= copies - 1 + (copies if depth > 1 else 0)
            budget = max(budget, 1)
            again = text if len(text) <= _LONGEST_COPY else ""
            start = len(line)
            line.extend([text, *[again] * (copies - 1)])
            if depth > 1 and budget > 1:
                reached.update(dict.fromkeys(range(start, len(line)), (depth - 1, again)))
        _hang(line, hanging, reached)
        hanging = reached
        budget = max(budget - len(hanging), 1)
        grid.append(line)
    return grid


def _hang(
    line: list[str],
    hanging: dict[int, tuple[int, str]],
    reached: dict[int, tuple[int, str]],
) -> None:
    """Fill the next columns of `line` from cells of earlier rows that reach down to it."""
    while len(line) in hanging:
        column = len(line)
        left, text = hanging.pop(column)
        if left > 1:
            reached[column] = (left - 1, text)
        line.append(text)


def _merged(rows: list[list[str]]) -> list[str]:
    """Header rows as one: what stands above each column, each text once."""
    rows = [list(map(cell_text, row)) for row in rows]
    width = max(map(len, rows))
    columns = [[row[at] for row in rows if at < len(row) and row[at]] for at in range(width)]
    return [" ".join(dict.fromkeys(column)) for column in columns]
