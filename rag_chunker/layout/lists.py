"""How deep is a list item? By the left edges of the items around it."""

from collections.abc import Sequence
from itertools import pairwise

from rag_chunker.layout.paragraphs import Paragraph


def depths(items: Sequence[Paragraph | None]) -> list[int]:
    """The depth, 0 for the outermost, of each list item; None stands for whatever ends a list, as
    the next column of a page does."""
    found: list[int] = []
    edges: list[float] = []
    for above, item in pairwise([None, *items]):
        if item is None:
            edges = []
            found.append(0)
            continue
        if above is not None and above.page == item.page and above.last.column != item.first.column:
            edges = []
        slack = 0.4 * item.first.size
        while edges and edges[-1] > item.marker_left + slack:
            edges.pop()
        if not edges or item.marker_left > edges[-1] + slack:
            edges.append(item.marker_left)
        found.append(len(edges) - 1)
    return found
