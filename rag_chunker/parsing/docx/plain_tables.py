"""Which Word tables are nothing but text in cells? They are read as a whole, and most are such."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

from rag_chunker.parsing.docx.names import TC, TEXT, TR, VAL, P, leading
from rag_chunker.parsing.docx.paragraphs import PARAGRAPH_STYLE
from rag_chunker.parsing.docx.tables import CELL_PROPERTIES, SPANS, columns, has_levels
from rag_chunker.parsing.layout_tables import PlainTable, plain_of


def plain_table(
    table: Any, is_plain: Callable[[str], bool], unusual: set[Any], read: Callable[[Any], str]
) -> PlainTable | None:
    """The table if it is regular and has several rows, else None; also None for one whose header
    may have several rows. It must hold nothing unusual but
    paragraphs, which `read` reads. `is_plain` says of a style that its text is shown, and that it
    makes neither headings nor list items.

    Finds rows, cells and paragraphs wherever they are, and compares that with where they have to
    be, list by list: hardly a step of ours a cell.
    """
    rows, cells, paragraphs = (list(table.iterdescendants(tag)) for tag in (TR, TC, P))
    parent = type(table).getparent
    widths, in_cells = Counter(map(parent, cells)), list(map(parent, paragraphs))
    regular = (
        len(rows) > 1
        and set(map(parent, rows)) == {table}
        and list(widths) == rows
        and (in_cells == cells or list(dict.fromkeys(in_cells)) == cells)
    )
    told = list(table.iterdescendants(PARAGRAPH_STYLE, *SPANS))
    styles = {each.get(VAL, "") for each in told if each.tag == PARAGRAPH_STYLE}
    if not (regular and all(map(is_plain, styles))) or has_levels(rows):
        return None
    odd = {each: read(each) for each in paragraphs if each in unusual} if unusual else {}
    texts = _texts(table, paragraphs, odd)
    if texts is None:
        return None
    if len(texts) > len(cells):
        each = iter(texts)
        texts = [" ".join(islice(each, height)) for height in Counter(in_cells).values()]
    cell = iter(cells)
    cells_of = [list(islice(cell, width)) for width in widths.values()]
    if all(each.tag == PARAGRAPH_STYLE for each in told):
        return plain_of(cells_of, list(widths.values()), texts)
    text = iter(texts)
    columns_of = [_columns(row, of_row, text) for row, of_row in zip(rows, cells_of, strict=True)]
    return plain_of(cells_of, list(map(len, columns_of)), list(chain.from_iterable(columns_of)))


def _columns(row: Any, cells: list[Any], texts: Iterator[str]) -> list[str]:
    properties = [leading(cell, CELL_PROPERTIES) for cell in cells]
    own = list(islice(texts, len(cells)))
    return [str(text or "") for text in columns(row, properties, own)]


def _texts(table: Any, paragraphs: list[Any], odd: dict[Any, str]) -> list[str] | None:
    """The text of each paragraph, None if any text is in none.

    Does not look what else it stands in: text of properties, where the schema has none, is read.
    """
    texts = list(table.iterdescendants(TEXT))
    parent = type(table).getparent
    owners = list(map(parent, map(parent, texts)))
    if owners == paragraphs and not odd:
        return [text.text or "" for text in texts]
    pieces: dict[Any, list[str]] = {paragraph: [] for paragraph in paragraphs}
    for text, owner in zip(texts, owners, strict=True):
        while owner not in pieces:
            if owner is None:
                return None
            owner = parent(owner)
        pieces[owner].append(text.text or "")
    return [
        odd[paragraph] if paragraph in odd else "".join(found)
        for paragraph, found in pieces.items()
    ]
