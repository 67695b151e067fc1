"""What does the structure tree say about a page? Its leaves as a flat list of elements.

Tagged PDF: ISO 32000-1, 14.7 and 14.8. PDFium gives the part of the tree that one page needs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag_chunker.parsing.pdf.opening import Handle, utf16

MAX_ELEMENTS = 50_000
"""Of one page; a page of 3,000 characters has some hundred."""

_BLOCKS = frozenset(
    {"P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "Title", "Caption", "Code", "Note", "FENote",
     "Figure", "LI", "TOCI", "TD", "TH", "BibEntry", "Formula"}
)  # fmt: skip
_INLINE = frozenset(
    {"Span", "Link", "Quote", "Reference", "Em", "Strong", "Sub", "Annot", "Form", "Ruby", "RB",
     "RT", "RP", "Warichu", "WT", "WP", "Lbl", "LBody", "NonStruct", "Private"}
)  # fmt: skip
_HEADING = re.compile(r"H(\d+)")


@dataclass(eq=False)
class Element:
    """One heading, paragraph, list item, cell, ... of one page."""

    kind: str
    """Its standard structure type; `P` for content outside of any."""
    contents: list[int] = field(default_factory=list)
    """Numbers of its marked contents on this page, in reading order."""
    labels: list[int] = field(default_factory=list)
    """Those of its list label."""
    alternative: str = ""
    """Alternative text of a figure."""
    lists: int = 0
    """How many lists it lies in."""
    sections: int = 0
    quoted: bool = False
    table: int = -1
    """Number of its table on this page, counted from 0; -1 outside of tables."""
    row: int = -1
    spans: int = 1
    """Columns that a cell takes."""
    starts_before: bool = False
    """It started on an earlier page."""
    goes_on: bool = False
    """It goes on on a later page."""

    @property
    def level(self) -> int | None:
        """1..6 for a heading, None otherwise."""
        if self.kind == "Title":
            return 1
        if self.kind == "H":
            return max(1, min(6, self.sections))
        found = _HEADING.fullmatch(self.kind)
        return max(1, min(6, int(found[1]))) if found else None


@dataclass(slots=True)
class _Open:
    """An element of the tree on the way down, and where its content goes."""

    handle: Handle
    kind: str
    count: int
    sink: Element | None
    lists: int = 0
    sections: int = 0
    quoted: bool = False
    label: bool = False
    index: int = 0


def read_structure(page: Handle) -> list[Element]:
    """The elements of a loaded page in the tree's order; none if the document has no tree."""
    import pypdfium2.raw as pdfium

    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return []
    try:
        return _Reader().read(tree)
    finally:
        pdfium.FPDF_StructTree_Close(tree)


class _Reader:
    """Walks a tree without recursion: documents nest as deep as they like."""

    def __init__(self) -> None:
        self.found: list[Element] = []
        self._tables = 0
        self._rows = 0
        self._cell: tuple[int, int] = (-1, -1)
        self._seen = 0

    def read(self, tree: Handle) -> list[Element]:
        import pypdfium2.raw as pdfium

        for index in range(max(0, pdfium.FPDF_StructTree_CountChildren(tree))):
            root = pdfium.FPDF_StructTree_GetChildAtIndex(tree, index)
            if root:
                self._walk(root)
        return [e for e in self.found if e.contents or e.labels or e.alternative or e.row >= 0]

    def _walk(self, root: Handle) -> None:
        import pypdfium2.raw as pdfium

        content_of = pdfium.FPDF_StructElement_GetChildMarkedContentID
        child_of = pdfium.FPDF_StructElement_GetChildAtIndex
        path = [self._opened(root, None)]
        while path:
            at = path[-1]
            if at.index >= at.count or self._seen > MAX_ELEMENTS:
                path.pop()
                continue
            content, child = content_of(at.handle, at.index), child_of(at.handle, at.index)
            at.index += 1
            if content >= 0:
                self._put(at, content)
            elif child:
                path.append(self._opened(child, at))
            elif at.sink is not None and at.kind not in ("Link", "Annot", "Form"):
                _open_end(at.sink)

    def _put(self, at: _Open, content: int) -> None:
        if at.sink is None:
            at.sink = self._element("P", at)
        (at.sink.labels if at.label else at.sink.contents).append(content)

    def _opened(self, handle: Handle, above: _Open | None) -> _Open:
        import pypdfium2.raw as pdfium

        self._seen += 1
        kind = utf16(pdfium.FPDF_StructElement_GetType, handle)
        count = max(0, pdfium.FPDF_StructElement_CountChildren(handle))
        at = _Open(handle, kind, count, None)
        if above is not None:
            at.lists, at.sections = above.lists, above.sections
            at.quoted, at.label = above.quoted, above.label
        at.lists += kind in ("L", "TOC")
        at.sections += kind in ("Sect", "Part", "Art")
        at.quoted = at.quoted or kind == "BlockQuote"
        at.label = at.label or kind == "Lbl"
        self._place(at, above)
        return at

    def _place(self, at: _Open, above: _Open | None) -> None:
        """Decides which element the content of `at` belongs to."""
        outer = above.sink if above is not None else None
        if at.kind == "Table":
            self._cell = (self._tables, -1)
            self._tables += 1
        elif at.kind == "TR":
            self._rows += 1
            self._cell = (self._cell[0], self._rows)
        elif outer is not None and self._joins(at, outer):
            at.sink = outer
        elif at.kind in _BLOCKS or _HEADING.fullmatch(at.kind):
            at.sink = self._element(at.kind, at)
            self._start_anew(above)
        elif above is not None and at.kind in _INLINE and above.kind not in ("L", "Table"):
            if above.sink is None and at.kind not in ("NonStruct", "Private"):
                above.sink = self._element("P", above)
            at.sink = above.sink
        else:
            self._start_anew(above)

    def _joins(self, at: _Open, outer: Element) -> bool:
        """Whether content of `at` is part of the element around it."""
        if at.kind in ("LI", "TOCI", "L", "TOC", "TD", "TH"):
            return False
        if outer.kind in ("TD", "TH") or at.kind not in _BLOCKS:
            return True
        if outer.kind in ("LI", "TOCI"):
            return at.kind == "Code" or (at.kind == "P" and not outer.contents)
        return outer.kind != "P" or at.kind in ("Code", "Formula", "Note", "Figure")

    def _start_anew(self, above: _Open | None) -> None:
        """Content that follows a block inside a container is a new paragraph."""
        if above is not None and above.sink is not None and above.kind not in _BLOCKS:
            above.sink = None

    def _element(self, kind: str, at: _Open) -> Element:
        import pypdfium2.raw as pdfium

        element = Element(kind, lists=at.lists, sections=at.sections, quoted=at.quoted)
        if kind in ("TD", "TH"):
            element.table, element.row = self._cell
            element.spans = _column_span(at.handle)
        if kind == "Figure":
            element.alternative = utf16(pdfium.FPDF_StructElement_GetAltText, at.handle)
        self.found.append(element)
        return element


def _open_end(element: Element) -> None:
    """Notes that a child stands on another page: before or behind what this page has of it."""
    if element.contents:
        element.goes_on = True
    else:
        element.starts_before = True


def _attributes(element: Handle) -> Iterator[Handle]:
    import pypdfium2.raw as pdfium

    for index in range(max(0, pdfium.FPDF_StructElement_GetAttributeCount(element))):
        yield pdfium.FPDF_StructElement_GetAttributeAtIndex(element, index)


def _column_span(cell: Handle) -> int:
    import ctypes

    import pypdfium2.raw as pdfium

    number = ctypes.c_float()
    for attribute in _attributes(cell):
        value = pdfium.FPDF_StructElement_Attr_GetValue(attribute, b"ColSpan")
        if value and pdfium.FPDF_StructElement_Attr_GetNumberValue(value, number):
            return max(1, min(100, int(number.value)))
    return 1
