"""Can the structure tree be trusted, and which pieces does it give?"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from rag_chunker.layout.geometry import Box, around
from rag_chunker.layout.grids import Span, Table, cell_text
from rag_chunker.layout.lines import Line, Word
from rag_chunker.layout.markers import list_marker
from rag_chunker.layout.spacing import is_code
from rag_chunker.parsing.pdf.fonts import ARTIFACT
from rag_chunker.parsing.pdf.pieces import Piece
from rag_chunker.parsing.pdf.structure import Element
from rag_core.types import BlockType

LEAST_COVERED = 0.80
FEWEST_HEADINGS = 2
MOST_HEADINGS = 0.25
"""When tags are trusted: text in marked contents of the tree, number of headings, part of the text
that is in headings. With these, no false trust in 93 files, junk tags of scanners included."""

_APART = 0.6
"""Times its size that code stands below the text of its item; wrapped lines are closer."""


@dataclass
class Trust:
    """What the tags of a document cover, in characters."""

    text: int = 0
    covered: int = 0
    in_headings: int = 0
    headings: int = 0

    @property
    def earned(self) -> bool:
        return (
            self.covered >= LEAST_COVERED * self.text > 0
            and self.headings >= FEWEST_HEADINGS
            and self.in_headings <= MOST_HEADINGS * self.text
        )


@dataclass(eq=False)
class TaggedPart:
    """One element with its lines, or one table, on one page."""

    element: Element
    lines: list[Line] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    header: bool = False
    """Some cell of the table is a header cell."""
    box: Box | None = None
    order: int = 0
    untagged: bool = False
    """Its lines belong to no element of the tree."""


def read_tagged(
    elements: Sequence[Element], lines: Sequence[Line], trust: Trust
) -> list[TaggedPart]:
    """The parts of one page in the order of its tree, counting into `trust`.

    Lines that the tree leaves out, and that are no artifacts, come as paragraphs where they
    stand in the content.
    """
    by_tag: dict[int, list[tuple[Line, Word]]] = {}
    for line in lines:
        for word in line.words:
            by_tag.setdefault(word.tag, []).append((line, word))
            trust.text += len(word.text)
    parts: list[TaggedPart] = []
    covered: set[int] = set()
    cells: dict[int, _Cells] = {}
    for element in elements:
        words = [pair for tag in element.contents for pair in by_tag.get(tag, ())]
        covered.update(element.contents, element.labels)
        size = sum(len(word.text) for _, word in words)
        trust.covered += size
        if element.level is not None and words:
            trust.headings += 1
            trust.in_headings += size
        if element.row >= 0:
            _add_cell(parts, cells, element, words)
        elif words or element.alternative:
            parts.append(_part(element, words))
        trust.covered += sum(len(w.text) for tag in element.labels for _, w in by_tag.get(tag, ()))
    for table in cells.values():
        table.finish()
    return _with_rest(parts, lines, covered)


def _part(element: Element, words: Sequence[tuple[Line, Word]]) -> TaggedPart:
    part = TaggedPart(element, _lines_of(words))
    part.order = words[0][0].order if words else -1
    return part


def _lines_of(words: Iterable[tuple[Line, Word]]) -> list[Line]:
    """The words as lines again: only those of one element, in the tree's order."""
    groups: list[tuple[Line, list[Word]]] = []
    for line, word in words:
        if not groups or groups[-1][0] is not line:
            groups.append((line, []))
        groups[-1][1].append(word)
    found: list[Line] = []
    for line, group in groups:
        part = line.with_words(group)
        if group[0] is line.words[0]:
            part.marker, part.marker_left = line.marker, line.marker_left
        found.append(part)
    return found


class _Cells:
    """Collects the cells of one table on one page."""

    def __init__(self, part: TaggedPart) -> None:
        self._part = part
        self._words: list[Word] = []
        self._row = -1

    def add(self, element: Element, words: Sequence[tuple[Line, Word]]) -> None:
        if element.row != self._row:
            self._part.rows.append([])
            self._row = element.row
        row = self._part.rows[-1]
        if element.spans > 1:
            end = len(row) + element.spans
            self._part.spans.append(Span(len(self._part.rows) - 1, len(row), end))
        row += [cell_text(words), *[""] * (element.spans - 1)]
        self._part.header = self._part.header or element.kind == "TH"
        self._words += [word for _, word in words]

    def finish(self) -> None:
        if self._words:
            self._part.box = around(word.box for word in self._words)


def _add_cell(
    parts: list[TaggedPart],
    cells: dict[int, _Cells],
    element: Element,
    words: Sequence[tuple[Line, Word]],
) -> None:
    if element.table not in cells:
        parts.append(_part(element, words))
        parts[-1].lines = []
        cells[element.table] = _Cells(parts[-1])
    cells[element.table].add(element, words)


def _with_rest(
    parts: list[TaggedPart], lines: Sequence[Line], covered: Collection[int]
) -> list[TaggedPart]:
    """Puts lines that no element has behind the part whose content comes before theirs."""
    for line in lines:
        words = [w for w in line.words if w.tag not in covered and w.tag != ARTIFACT]
        if not words:
            continue
        part = _part(Element("P"), [(line, word) for word in words])
        part.untagged = True
        place = next((i for i, other in enumerate(parts) if other.order > part.order), len(parts))
        parts.insert(place, part)
    return parts


_KINDS = {
    "Caption": BlockType.caption,
    "Code": BlockType.code,
    "LI": BlockType.list_item,
    "TOCI": BlockType.list_item,
    "Figure": BlockType.other,
}


def tagged_pieces(
    pages: Sequence[Sequence[TaggedPart]], running: Collection[tuple[int, int]]
) -> list[Piece | Table]:
    """The pieces of all pages; what goes on over a page break is one piece.

    `running` are (page, order) of lines that repeat on page after page: those that the tree
    leaves out are left out.
    """
    found: list[Piece | Table] = []
    pending: tuple[Element, Piece] | None = None
    for number, parts in enumerate(pages, start=1):
        for part in parts:
            element = part.element
            if part.untagged and (number, part.order) in running:
                continue
            if part.rows:
                box = part.box or Box(0, 0, 0, 0)
                found.append(
                    Table(part.rows, box, page=number, spans=part.spans, bold_header=part.header)
                )
                continue
            if pending and element.starts_before and pending[0].kind == element.kind:
                pending[1].lines += part.lines
                pending = (element, pending[1]) if element.goes_on else None
                continue
            pieces = _pieces(part, number)
            found += pieces
            if element.goes_on:
                pending = (element, pieces[-1])
    return found


def _pieces(part: TaggedPart, page: int) -> list[Piece]:
    """One piece, or two for a list item that ends in code: browsers do not tag what stands in
    `pre`."""
    start = _code_start(part.lines) if part.element.kind == "LI" else 0
    if not start:
        return [_piece(part, page)]
    code = Piece(BlockType.code, part.lines[start:], page)
    part.lines = part.lines[:start]
    return [_piece(part, page), code]


def _code_start(lines: Sequence[Line]) -> int:
    """Index of the first of the last lines that are code, apart from text above; 0 if there are
    none."""
    start = len(lines)
    while start and is_code(lines[start - 1]):
        start -= 1
    if start in (0, len(lines)):
        return 0
    gap = lines[start].box.top - lines[start - 1].box.bottom
    return start if gap > _APART * lines[start].size else 0


def _piece(part: TaggedPart, page: int) -> Piece:
    element = part.element
    level = element.level
    if level is not None:
        return Piece(BlockType.heading, part.lines, page, level=level)
    kind = _KINDS.get(element.kind, BlockType.quote if element.quoted else BlockType.paragraph)
    if kind is BlockType.list_item:
        return _item(part, page)
    if kind is BlockType.paragraph and part.lines and all(map(is_code, part.lines)):
        kind = BlockType.code
    return Piece(kind, part.lines, page, text=element.alternative if not part.lines else "")


def _item(part: TaggedPart, page: int) -> Piece:
    first = part.lines[0]
    piece = Piece(BlockType.list_item, part.lines, page, depth=max(0, part.element.lists - 1))
    if first.marker is not None:
        piece.marker = first.marker
    else:
        marker = list_marker(first.text)
        if marker is not None:
            piece.marker, piece.cut = marker.text, marker.length
    return piece
