"""Which pieces does the look of the text give, with the outline's help if it can be trusted?"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from rag_chunker.layout.grids import Table
from rag_chunker.layout.headings import (
    CAPTION,
    body_of,
    headings_of,
    looks_like_heading,
    without_bylines,
)
from rag_chunker.layout.hyphens import join_lines
from rag_chunker.layout.labels import join_labels
from rag_chunker.layout.levels import Heading, Kind, levels_of, rank
from rag_chunker.layout.lines import Line
from rag_chunker.layout.lists import depths
from rag_chunker.layout.paragraphs import Paragraph, group_lines
from rag_chunker.layout.terms import without_contents, without_terms
from rag_chunker.parsing.pdf.outline import Entry, letters_of
from rag_chunker.parsing.pdf.pieces import Piece
from rag_core.types import BlockType

_LABELLED = re.compile(r"[^\s]+\s*[\dIVX]+(?:[.-]\d+)*\s*[.:–—-]")


def typographic_pieces(
    items: Sequence[Line | Table], entries: Sequence[Entry], known: Collection[str]
) -> list[Piece | Table]:
    """The pieces of a whole document, in order.

    Lines with an `entry` are headings of that outline entry's level; they also fix the level of
    everything that looks like them. `known` is the document's vocabulary.
    """
    found = group_lines(items)
    paragraphs = [item for item in found if isinstance(item, Paragraph)]
    texts = {id(paragraph): _text(paragraph, known) for paragraph in paragraphs}
    body = body_of(paragraphs)
    heads = [
        paragraph
        for above, paragraph in pairwise([None, *paragraphs])
        if paragraph is not None
        and (
            paragraph.first.entry is not None
            or looks_like_heading(
                paragraph, texts[id(paragraph)], body, alone=_is_alone(above, paragraph)
            )
        )
    ]
    heads = without_bylines(found, heads)
    heads = without_terms(found, heads, texts)
    heads = without_contents(found, heads, texts, _elsewhere(heads, texts, entries))
    found = join_labels(found, heads, texts)
    left = {id(item) for item in found}
    heads = [head for head in heads if id(head) in left]
    texts.update((id(head), _text(head, known)) for head in heads)
    levels = _levels(heads, _bare(found, heads), texts, entries)
    items_only = [
        item if isinstance(item, Paragraph) and _is_item(item) and id(item) not in levels else None
        for item in found
    ]
    pieces: list[Piece | Table] = []
    for item, listed, depth in zip(found, items_only, depths(items_only), strict=True):
        if isinstance(item, Table):
            pieces.append(item)
        elif id(item) in levels:
            pieces.append(_heading(item, levels[id(item)]))
        elif listed is not None:
            pieces.append(_list_item(item, depth))
        else:
            pieces.append(_running_text(item, texts[id(item)]))
    return pieces


def _elsewhere(
    heads: Sequence[Paragraph], texts: dict[int, str], entries: Sequence[Entry]
) -> Callable[[Paragraph], bool]:
    """Tells of a heading whether the outline or a heading on another page has the same title."""
    titles = {letters_of(entry.title) for entry in entries}
    pages: dict[str, set[int]] = {}
    for head in heads:
        pages.setdefault(letters_of(texts[id(head)]), set()).add(head.page)

    def stands_elsewhere(head: Paragraph) -> bool:
        letters = letters_of(texts[id(head)])
        return letters in titles or len(pages[letters]) > 1

    return stands_elsewhere


def _is_alone(above: Paragraph | None, paragraph: Paragraph) -> bool:
    """Whether white space parts a paragraph from the one above."""
    if above is None or above.last.page != paragraph.page:
        return True
    gap = paragraph.first.box.top - above.last.box.bottom
    return gap > 0.4 * paragraph.first.size or gap < 0


def _bare(found: Sequence[Paragraph | Table], heads: Sequence[Paragraph]) -> list[bool]:
    """Which headings directly follow another one."""
    chosen = {id(head) for head in heads}
    before = {id(item): id(above) in chosen for above, item in pairwise([None, *found])}
    return [before[id(head)] for head in heads]


def _text(paragraph: Paragraph, known: Collection[str]) -> str:
    text = join_lines([(line.text, line.hyphen) for line in paragraph.lines], known)
    marker = paragraph.first.marker
    return f"{marker} {text}" if marker and paragraph.marker and paragraph.marker.ordered else text


def _is_item(paragraph: Paragraph) -> bool:
    return paragraph.marker is not None or paragraph.first.contents


def _heading(paragraph: Paragraph, level: int) -> Piece:
    piece = Piece(BlockType.heading, paragraph.lines, paragraph.page, level=level)
    piece.prefix = paragraph.first.marker
    return piece


def _list_item(paragraph: Paragraph, depth: int) -> Piece:
    marker = paragraph.marker
    return Piece(
        BlockType.list_item,
        paragraph.lines,
        paragraph.page,
        depth=depth,
        marker=marker.text if marker else None,
        cut=marker.length if marker else 0,
    )


def _running_text(paragraph: Paragraph, text: str) -> Piece:
    if paragraph.code:
        return Piece(
            BlockType.code, paragraph.lines, paragraph.page, broken=tuple(paragraph.broken)
        )
    caption = CAPTION.match(text) and (_LABELLED.match(text) or len(text) < 80)
    kind = BlockType.caption if caption else BlockType.paragraph
    return Piece(kind, paragraph.lines, paragraph.page)


def _levels(
    heads: Sequence[Paragraph],
    bare: Sequence[bool],
    texts: dict[int, str],
    entries: Sequence[Entry],
) -> dict[int, int]:
    """The level of each heading, by the `id` of its paragraph."""
    if not heads:
        return {}
    headings = headings_of(heads, [texts[id(paragraph)] for paragraph in heads], bare)
    named = [paragraph.first.entry for paragraph in heads]
    if not any(entry is not None for entry in named):
        return {id(p): level for p, level in zip(heads, levels_of(headings), strict=True)}
    fixed = _levels_of_kinds(headings, named, entries)
    levels: dict[int, int] = {}
    for paragraph, heading, entry in zip(heads, headings, named, strict=True):
        if entry is not None:
            level = entries[entry].level
        elif heading.kind in fixed:
            level = fixed[heading.kind]
        else:
            level = _below_larger(heading.kind, fixed)
        levels[id(paragraph)] = max(1, min(6, level))
    return levels


def _levels_of_kinds(
    headings: Sequence[Heading], named: Sequence[int | None], entries: Sequence[Entry]
) -> dict[Kind, int]:
    votes: dict[Kind, Counter[int]] = {}
    for heading, entry in zip(headings, named, strict=True):
        if entry is not None:
            votes.setdefault(heading.kind, Counter())[entries[entry].level] += 1
    return {kind: counts.most_common(1)[0][0] for kind, counts in votes.items()}


def _below_larger(kind: Kind, fixed: dict[Kind, int]) -> int:
    """The level of a kind that the outline leaves out: one below those that look greater."""
    return 1 + max((level for other, level in fixed.items() if rank(other) < rank(kind)), default=0)
