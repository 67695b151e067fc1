"""Is this <table> data or layout, and which cells has it?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from turbohtml import Element, Node, Text

from rag_chunker.parsing.html_visibility import is_hidden

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_STRUCTURE = frozenset({"pre", "ul", "ol", "dl", "blockquote", "figure", "section", "article"})
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s "  # noqa: SIM905
    "samp small span strike strong sub sup time tt u var wbr".split()
)
_WIDEST = 1000
"""Columns that a span may open, as in the HTML standard."""
_LONGEST_COPY = 200
"""Characters. A longer cell is not repeated over the columns and rows that it spans."""


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A data table: every row as wide as its cells and spans make it."""

    captions: list[Element]
    rows: list[list[str]]
    has_header: bool


def read_table(table: Element) -> HtmlTable | None:
    """The cells of a data table; None for a layout table, whose content is ordinary blocks.

    Layout is what says so by its role, has a single column, or holds headings or tables; also
    lists, code and quotes where no header cell says that it is data. Spanned cells are repeated,
    up to twice the number of real cells, so that hostile spans do not multiply the text.
    """
    if (table.attr("role") or "").strip().lower() in ("presentation", "none"):
        return None
    tags = _tags_inside(table)
    if tags is None or ("th" not in tags and "thead" not in tags and tags & _STRUCTURE):
        return None
    head, body = _own_rows(table)
    cells = [_cells(row) for row in head + body]
    if max(map(len, cells), default=0) < 2:
        return None
    headers = len(head) or _leading_header_rows(cells)
    grid = _expanded(cells)
    rows = [_merged(grid[:headers]), *grid[headers:]] if headers else grid
    captions = [each for each in _elements(table) if each.tag == "caption"]
    return HtmlTable(captions, rows, has_header=headers > 0)


def flat_text(root: Node) -> str:
    """Everything visible inside `root` in one line; block tags and line breaks separate words."""
    parts: list[str] = []
    stack: list[Node | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Text):
            parts.append(node.data)
        elif isinstance(node, Element):
            if node is not root and is_hidden(node):
                continue
            edge = "" if node.tag in _INLINE else " "
            parts.append(edge)
            if node.tag == "img":
                parts.append(node.attr("alt") or "")
            stack.append(edge)
            stack.extend(reversed(node.children))
    return " ".join("".join(parts).replace("\xad", "").split())


def _tags_inside(table: Element) -> set[str] | None:
    """The tags below `table`; None as soon as a heading or another table is met.

    Stopping there keeps tables inside tables linear: each scans its own content only.
    """
    tags: set[str] = set()
    for node in table.descendants:
        if isinstance(node, Element):
            if node.tag == "table" or node.tag in _HEADINGS:
                return None
            tags.add(node.tag)
    return tags


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
class _Cell:
    text: str
    columns: int
    rows: int
    is_header: bool


def _cells(row: Element) -> list[_Cell]:
    return [
        _Cell(flat_text(cell), _span(cell, "colspan"), _span(cell, "rowspan"), cell.tag == "th")
        for cell in _elements(row)
        if cell.tag in ("td", "th")
    ]


def _span(cell: Element, name: str) -> int:
    found = re.match(r"\s*\+?(\d{1,5})", cell.attr(name) or "")
    return min(max(int(found[1]), 1), _WIDEST) if found else 1


def _leading_header_rows(rows: list[list[_Cell]]) -> int:
    """How many first rows hold header cells only; none if that is all of them but one row."""
    count = 0
    for row in rows:
        if not row or not all(cell.is_header for cell in row):
            break
        count += 1
    return count if count < len(rows) else min(count, 1)


def _expanded(rows: list[list[_Cell]]) -> list[list[str]]:
    budget = 2 * sum(map(len, rows)) + 100
    width = max(sum(cell.columns for cell in row) for row in rows)
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in rows:
        line: list[str] = []
        reached: dict[int, tuple[int, str]] = {}
        cells = iter(row)
        for cell in cells:
            _hang(line, hanging, reached)
            if len(row) == 1 and cell.columns >= width > 1 and not hanging:
                line.append(cell.text)  # a title across the whole table: once is enough
                continue
            copies = min(cell.columns, budget)
            budget -= copies - 1 + (copies if cell.rows > 1 else 0)
            budget = max(budget, 1)
            again = cell.text if len(cell.text) <= _LONGEST_COPY else ""
            start = len(line)
            line.extend([cell.text, *[again] * (copies - 1)])
            if cell.rows > 1 and budget > 1:
                reached.update(dict.fromkeys(range(start, len(line)), (cell.rows - 1, again)))
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
    width = max(map(len, rows))
    columns = [[row[at] for row in rows if at < len(row) and row[at]] for at in range(width)]
    return [" ".join(dict.fromkeys(column)) for column in columns]
