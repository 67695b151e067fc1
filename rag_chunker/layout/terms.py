"""Which lines that look like headings are parts of lists: terms with definitions, or contents?"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import inf

from rag_chunker.layout.headings import LARGER, kind_of
from rag_chunker.layout.levels import Kind
from rag_chunker.layout.markers import section_number
from rag_chunker.layout.paragraphs import Paragraph

_FLUSH = 0.4
_INDENTED = 0.8
"""Times the size of the text: edges that differ by less are the same, by more an indentation."""
_MOST = 0.7
"""Of the texts that follow a look, as many must stand further in to make terms of it."""
_FEWEST_TERMS, _FEWEST_ENTRIES, _FEWEST_NAMED = 2, 4, 2
_APART = 1.6
"""Times its size that entries of a list stand apart at most; empty sections stand further apart."""


def without_terms(
    items: Sequence[object], heads: Sequence[Paragraph], texts: dict[int, str]
) -> list[Paragraph]:
    """The headings that are no terms, which stand where text does and name what stands further in.

    Text below a heading goes on at its left edge, or all text of the document stands further in
    than its headings. So a look, or a look at one edge, is that of terms if it is no larger than
    the text below, nearly all of which stands further in, while the text below other headings
    begins at that edge or to its left. Titles of the outline and numbered ones are none.
    """
    follows = _following(items, heads)
    places = {id(head): _place(head, texts[id(head)]) for head in heads}
    begins: dict[int, set[Place]] = {}  # by point, of which a page has some hundred
    inside: Counter[Kind | Place] = Counter()
    total: Counter[Kind | Place] = Counter()
    for head in heads:
        after = follows[id(head)]
        if after is None:
            continue
        place = places[id(head)]
        total.update((place, place[0]))
        edge, size = _edge(after), after.first.size
        begins.setdefault(round(edge), set()).add(place)
        if place[0].size < LARGER * size and edge - head.first.left > _INDENTED * size:
            inside.update((place, place[0]))
    terms = {
        look
        for look, often in inside.items()
        if often >= _FEWEST_TERMS and often >= _MOST * total[look]
    }
    return [
        head
        for head in heads
        if terms.isdisjoint((places[id(head)], places[id(head)][0]))
        or head.first.entry is not None
        or section_number(texts[id(head)]) is not None
        or not any(
            edge < head.first.left + _FLUSH * head.first.size and others - {places[id(head)]}
            for edge, others in begins.items()
        )
    ]


Place = tuple[Kind, int]
"""A look at one left edge, in points."""


def _place(head: Paragraph, text: str) -> Place:
    return kind_of(head, text), round(head.first.left)


def without_contents(
    items: Sequence[object],
    heads: Sequence[Paragraph],
    texts: dict[int, str],
    stands_elsewhere: Callable[[Paragraph], bool],
) -> list[Paragraph]:
    """The headings that are no entries of a list, such as the contents of a printed web page: four
    or more of one look, close below each other, with nothing between them; two if each names what
    another page has (a deck's overview), wherever on the page they stand. Entries are marked as
    lines of contents. Titles of the outline are none."""
    entries: set[int] = set()
    listed = [run for run in _runs(items, heads, texts) if len(run) >= _FEWEST_ENTRIES]
    listed += [
        run
        for run in _runs(items, heads, texts, apart=inf)
        if len(run) >= _FEWEST_NAMED and all(map(stands_elsewhere, run))
    ]
    for head in chain.from_iterable(listed):
        head.first.contents = True
        entries.add(id(head))
    return [head for head in heads if id(head) not in entries]


def _runs(
    items: Sequence[object],
    heads: Sequence[Paragraph],
    texts: dict[int, str],
    apart: float = _APART,
) -> Iterator[list[Paragraph]]:
    """Headings of one look that follow each other, at most `apart` times their size away."""
    chosen = {id(head) for head in heads if head.first.entry is None}
    run: list[Paragraph] = []
    for item in items:
        if not isinstance(item, Paragraph) or id(item) not in chosen:
            yield run
            run = []
            continue
        if run and not _is_next(run[-1], item, texts, apart):
            yield run
            run = []
        run.append(item)
    yield run


def _is_next(above: Paragraph, below: Paragraph, texts: dict[int, str], most: float) -> bool:
    apart = below.first.box.top - above.last.box.bottom
    return (
        above.last.page == below.page
        and 0 <= apart + above.last.size < most * above.last.size
        and kind_of(above, texts[id(above)]) == kind_of(below, texts[id(below)])
    )


def _following(items: Sequence[object], heads: Sequence[Paragraph]) -> dict[int, Paragraph | None]:
    """The running text on the same page that each heading stands above, others of its edge
    between them (terms share definitions)."""
    chosen = {id(head) for head in heads}
    found: dict[int, Paragraph | None] = {}
    after: Paragraph | None = None
    below: Paragraph | None = None
    for item in reversed(items):
        if not isinstance(item, Paragraph):
            after = below = None
        elif id(item) in chosen:
            size = item.first.size
            shared = below is None or abs(below.first.left - item.first.left) < _FLUSH * size
            after = after if shared and after is not None and after.page == item.page else None
            found[id(item)] = after
            below = item
        else:
            plain = not item.code and item.marker is None and item.first.column >= 0
            after, below = (item if plain else None), None
    return found


def _edge(paragraph: Paragraph) -> float:
    """Where its lines begin; the first may stand further in than the others."""
    lines = [line for line in paragraph.lines if line.page == paragraph.page]
    return min(line.left for line in lines[1:] or lines)
