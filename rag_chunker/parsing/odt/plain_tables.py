"""Which OpenDocument tables are nothing but text in cells? Read as a whole, as most are such."""

from collections.abc import Callable
from itertools import chain, islice, repeat
from typing import Any

from rag_chunker.parsing.byte_search import Sign
from rag_chunker.parsing.layout_tables import PlainTable, plain_of
from rag_chunker.parsing.odt.inline import MARKS
from rag_chunker.parsing.odt.names import (
    CELL,
    COLUMN,
    ROW,
    SPAN,
    P,
    n,
    number,
)
from rag_chunker.parsing.odt.tables import REPEATED, REPEATED_ROW, VISIBILITY

_SPACES = frozenset({n("text:s"), n("text:tab"), n("text:line-break")})
"""Shown as white space; how much does not matter in a cell, which comes in one line."""
_INLINE = frozenset({SPAN, n("text:a"), *_SPACES, *MARKS})
_GROUPS = frozenset(n(f"table:table-{name}") for name in ("rows", "header-rows", "row-group"))
_SILENT = MARKS.union(
    n(f"table:table-{name}") for name in ("column", "columns", "header-columns", "column-group")
)
_UNUSUAL = frozenset({REPEATED, REPEATED_ROW, VISIBILITY})
"""Attributes of cells and rows."""
_REPEATED_SIGN = Sign(b"-repeated")


def may_repeat(content: bytes, root: Any) -> bool:
    """Whether any cell of a document may be repeated, by the bytes and the root of its XML. Asked
    once, as asking every cell takes a fifth of the time of a table."""
    if b"body" not in content:  # each document has one: it is in UTF-16
        return True
    repeated = sum(1 for _ in _REPEATED_SIGN.starts(content))
    return repeated > 0 and repeated > sum(
        column.get(REPEATED) is not None for column in root.iter(COLUMN)
    )


def plain_table(
    table: Any, is_plain: Callable[[str, str], bool], *, repeats: bool
) -> PlainTable | None:
    """The table if it is plain and has several rows, else None: without headings, notes, frames,
    fields, tables, anything hidden, merged or repeated. `is_plain` says of a style, given its
    family and its name, that it neither hides text nor makes headings; `repeats` is what
    `may_repeat` says of the document.

    Finds cells and paragraphs wherever they are, and compares that with where they have to be,
    list by list: no step of ours a cell.
    """
    rows = _rows_of(table)
    if rows is None or len(rows) < 2:
        return None
    element = type(table)
    cells = list(chain.from_iterable([row[:] for row in rows]))
    paragraphs = list(table.iterdescendants(P))
    regular = list(table.iterdescendants(CELL)) == cells and list(
        map(element.getparent, paragraphs)
    ) == _each_by_children(cells)
    if not regular or _any_unusual([*rows, *cells] if repeats else rows):
        return None
    # Whatever attributes they have, that of the style is among them, and mostly alone.
    styles = set(chain.from_iterable(map(element.values, paragraphs)))
    if not all(is_plain("paragraph", style) for style in styles):
        return None
    texts = _texts(table, paragraphs, is_plain)
    if texts is None:
        return None
    if len(texts) > len(cells):
        each = iter(texts)
        texts = [" ".join(islice(each, len(cell))) for cell in cells]
    return plain_of(rows, list(map(len, rows)), texts)


def _any_unusual(elements: list[Any]) -> bool:
    """Whether any row or cell is repeated or hidden."""
    return not all(map(_UNUSUAL.isdisjoint, map(type(elements[0]).keys, elements)))


def _each_by_children(cells: list[Any]) -> list[Any] | None:
    """Each cell as often as it has children, None if any has none."""
    numbers = list(map(len, cells))
    if not all(numbers):
        return None
    return cells if sum(numbers) == len(cells) else list(chain(*map(repeat, cells, numbers)))


def _rows_of(table: Any) -> list[Any] | None:
    """The rows of a table and of groups in it, None if it holds anything else that shows."""
    rows: list[Any] = []
    for child in table:
        tag = child.tag
        if tag == ROW:
            rows.append(child)
        elif tag in _GROUPS:
            inner = _rows_of(child)
            if inner is None:
                return None
            rows += inner
        elif tag not in _SILENT:
            return None
    return rows


def _texts(
    table: Any, paragraphs: list[Any], is_plain: Callable[[str, str], bool]
) -> list[str] | None:
    """The text of each paragraph in a table, None if any holds more than text."""
    numbers = list(map(len, paragraphs))
    if not any(numbers):
        return [p.text or "" for p in paragraphs]
    spans = list(table.iterdescendants(SPAN))
    inline = list(chain.from_iterable(paragraphs))
    # Spans alone are the usual case, and no tag is read then.
    if any(map(len, inline)) or (spans != inline and any(c.tag not in _INLINE for c in inline)):
        return None
    styles = set(chain.from_iterable(map(type(table).values, spans)))
    if not all(is_plain("text", style) for style in styles):
        return None
    if spans == inline and set(numbers) == {1}:
        return [
            f"{p.text or ''}{span.text or ''}{span.tail or ''}"
            for p, span in zip(paragraphs, spans, strict=True)
        ]
    return [_text(p) if len(p) else p.text or "" for p in paragraphs]


def _text(paragraph: Any) -> str:
    pieces = [paragraph.text or ""]
    for child in paragraph:
        pieces += [_said(child), child.tail or ""]
    return "".join(pieces)


def _said(inline: Any) -> str:
    if inline.tag in _SPACES:
        return " " if number(inline, "text:c", 1) > 0 else ""
    return inline.text or ""
