"""Which OpenDocument tables are nothing but text in cells? Taken out of the XML before it becomes
a tree: most tables are such, and their cells would be most of it.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import unescape

from rag_chunker.parsing.archive import xml_root
from rag_chunker.parsing.byte_search import Sign
from rag_chunker.parsing.layout_tables import PlainTable, plain_of
from rag_chunker.parsing.odt.names import TABLE, declares

IsPlain = Callable[[str], bool]
"""Says of a style's name that no style with it hides text or makes headings."""


class TakenTable(NamedTuple):
    """A table that was taken out."""

    table: PlainTable
    styles: set[str]
    """Names of its paragraphs' and spans'."""
    markup: bytes


class PlainTables(NamedTuple):
    """Those of a document."""

    taken: Sequence[TakenTable] = ()
    root: tuple[bytes, bytes] = (b"", b"")
    """Start tag and end tag of the document's root."""

    def put_back(self, tree: Any, is_plain: IsPlain) -> None:
        """Gives the tree of the rest those tables that are not plain after all: by their styles,
        or because another table holds them."""
        places = [place for place in tree.iter(TABLE) if place.get(_NUMBER) is not None]
        odd = [
            (place, table.markup)
            for place, table in zip(places, self.taken, strict=True)
            if next(place.iterancestors(TABLE), None) is not None
            or not all(map(is_plain, table.styles))
        ]
        if not odd:
            return
        start, end = self.root
        tables = list(xml_root(b"".join([start, *(markup for _, markup in odd), end])))
        for (place, _), table in zip(odd, tables, strict=True):
            place.getparent().replace(place, table)

    def at(self, element: Any) -> PlainTable | None:
        """What was taken from where this `table:table` is, None if that is the table itself."""
        number = element.get(_NUMBER)
        return None if number is None else self.taken[int(number)].table


def without_plain_tables(content: bytes) -> tuple[bytes, PlainTables]:
    """Takes out each table that is plain by its markup and has several rows: without headings,
    notes, frames, fields, tables, titles, anything hidden, merged or repeated. Where it was, an
    empty one with its number is in the rest.

    The markup has to be in UTF-8, with the usual prefixes, one space before each attribute and
    double quotes around it, as office programs write it; any other is left as it is.
    """
    root = _ROOT.match(content)
    if root is None or not _TABLE_END.is_in(content) or not declares(root[1], "table", "text"):
        return content, PlainTables()
    body = content[root.end() :]
    if any(sign.is_in(body) for sign in _ODD):
        return content, PlainTables()
    taken: list[TakenTable] = []
    pieces: list[bytes] = [content[: root.end()]]
    at = 0
    for found in _TABLE.finditer(body):
        table = _taken(found[0])
        if table is not None:
            pieces += [body[at : found.start()], b'<table:table %b="%d"/>' % (_MARK, len(taken))]
            at = found.end()
            taken.append(table)
    pieces.append(body[at:])
    return b"".join(pieces), PlainTables(taken, (root[1], b"</%b>" % root[2]))


_NUMBER = "plain-table"
"""Attribute of what is where a table was."""
_MARK = _NUMBER.encode()
_ROOT = re.compile(
    rb'\s*+(?:<\?xml (?![^<>]*encoding=(?!"(?i:utf-8)"))[^<>]*>\s*+)?(<([\w:-]+)\s[^<>]*[^/<>]>)'
)
_ODD = [Sign(text) for text in (b"<!", b"<?", b"xmlns", b" %b=" % _MARK)]
"""Markup that may mean something else than it seems to, and what our own would be taken for."""
_TABLE_END = Sign(b"</table:table>")


def _pattern() -> "re.Pattern[bytes]":
    """Of one table. Nothing in it is tried twice: its time grows with the markup's length. It has
    no groups, as Python 3.11 loses count of those in possessive repeats."""
    white = r"[ \t\r\n]*+"
    more = r'(?: [a-zA-Z0-9:-]++="[^"<>]*+")*+'
    said = r"[^<>&\x00-\x08\x0b-\x1f]*+"
    text = f"{said}(?:&(?:amp|lt|gt|quot|apos);{said})*+"
    mark = f"text:(?:tab|line-break|bookmark(?:-start|-end)?|soft-page-break){more}"
    space = 'text:s(?: text:c="[1-9][0-9]{0,8}")?'
    inside = "|".join(f"text:{name}{more}>{text}</text:{name}" for name in ("span", "a"))
    inline = f"<(?:{inside}|(?:{mark}|{space})/)>"
    paragraph = f"<text:p{more}(?:/>|>{text}(?:{inline}{text})*+</text:p>){white}"
    cell = f"<table:table-cell{more}>{white}(?:{paragraph})++</table:table-cell>{white}"
    row = f"<table:table-row{more}>{white}(?:{cell})++</table:table-row>{white}"
    column = f"<table:table-column{more}/>{white}"
    # Starts and ends of groups, as of header rows, are not paired: that would say a row twice.
    columns, rows = (
        f"(?:{one}|</?table:table-(?:{groups}){more}>{white}|<text:soft-page-break{more}/>{white})*+"
        for one, groups in (
            (column, "columns|header-columns|column-group"),
            (row, "rows|header-rows|row-group"),
        )
    )
    table = f"<table:table{more}>{white}{columns}{rows}</table:table>"
    return re.compile(table.encode())


_TABLE = _pattern()
_SPACE = re.compile("<text:(?:s|tab|line-break)(?: [^<>]*)?/>")
"""Shown as white space; how much does not matter in a cell, which comes in one line."""
_INLINE = ("span", "a", "bookmark", "soft-page-break")
"""How the names of all that may be in a paragraph begin, spaces apart."""
_EMPTY = re.compile("(<text:p(?: [^<>]*)?)/>")
_STYLE = re.compile(' text:style-name="([^"]*)"')
_UNUSUAL = ("-repeated=", "table:visibility=")
"""Attributes of cells and rows."""
_QUOTES = {"&quot;": '"', "&apos;": "'"}


def _taken(markup: bytes) -> TakenTable | None:
    """The table with this markup. None if it is not plain, or in bytes that are no UTF-8."""
    try:
        _, first, rows = markup.decode().partition("<table:table-row")
    except UnicodeDecodeError:
        return None
    rows = first + rows
    if "/>" in rows:
        rows = _SPACE.sub(" ", _EMPTY.sub(r"\1></text:p>", rows))
    tags: set[str] = set()
    rows = _without_inline(rows, tags)
    *parts, _ = [piece.rpartition(">") for piece in rows.split("</text:p>")]
    heads = [head for head, _, _ in parts]
    texts = [text for _, _, text in parts]
    if "&" in "".join(texts):
        texts = [unescape(text, _QUOTES) for text in texts]
    cells = _runs(heads, "<table:table-cell")
    if len(cells) < len(texts):
        heads = [heads[cell.start] for cell in cells]
        texts = [" ".join(texts[cell]) for cell in cells]
    widths = [row.stop - row.start for row in _runs(heads, "<table:table-row")]
    tags.update(head for head, _, _ in parts)
    said = "".join(tags)
    styles = set(_STYLE.findall(said))
    table = plain_of((), widths, texts)
    if table.titles or len(widths) < 2 or any(sign in said for sign in _UNUSUAL):
        return None
    if any("&" in style for style in styles):  # which is not its name
        return None
    return TakenTable(table, styles, markup)


def _runs(heads: list[str], sign: str) -> list[slice]:
    """From each of the `heads` with this sign to the next one."""
    first = {head for head in set(heads) if sign in head}  # most heads are the same
    starts = [at for at, head in enumerate(heads) if head in first]
    return list(map(slice, starts, [*starts[1:], len(heads)]))


def _without_inline(rows: str, tags: set[str]) -> str:
    """The markup of rows without the tags in paragraphs, which are added to `tags`."""
    for name in _INLINE:
        if (tag := f"<text:{name}") in rows:
            pieces = rows.replace(f"</text:{name}>", "").split(tag)
            parts = [piece.partition(">") for piece in pieces[1:]]
            tags.update(attributes for attributes, _, _ in parts)
            rows = "".join([pieces[0], *(text for _, _, text in parts)])
    return rows
