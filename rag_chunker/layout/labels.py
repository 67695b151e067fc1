"""Which headings are only the number of the title below them? `Chapter 3`, above its title."""

import re
from collections.abc import Collection, Mapping, Sequence

from rag_chunker.layout.grids import Table
from rag_chunker.layout.paragraphs import Paragraph

_WORDS = (
    r"chapter|part|appendix|annex|unit|lesson|kapitel|teil|anhang|chapitre|partie|annexe|"
    r"cap[íi]tulo|parte|ap[êée]ndice|capitolo|appendice|hoofdstuk|deel|bijlage|rozdzia[łl]|глава|"
    r"часть|приложение"
)
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_NUMBERS = (
    rf"\d{{1,3}}|[A-Z]|[IVXLC]{{1,7}}|{_ONES}|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)"
    rf"teen|(?:twen|thir|for|fif)ty[ -]?(?:{_ONES})?"
)
_LABEL = re.compile(
    rf"(?:{_WORDS})\s+(?:{_NUMBERS})[.:]?|第\s*[\d一二三四五六七八九十百]{{1,4}}\s*[章部编編篇]",
    re.IGNORECASE,
)
_WORD = re.compile(_WORDS, re.IGNORECASE)


def join_labels(
    items: Sequence[Paragraph | Table], heads: Collection[Paragraph], texts: Mapping[int, str]
) -> list[Paragraph | Table]:
    """Gives each label the lines of the heading right below it, and returns what is left of the
    items. Word and number of a label may be two paragraphs. `texts` are the paragraphs' texts by
    `id`."""
    chosen = {id(head) for head in heads}
    left: list[Paragraph | Table] = []
    label = ""
    for item in items:
        above = left[-1] if left else None
        text = texts[id(item)] if isinstance(item, Paragraph) else ""
        if label and isinstance(above, Paragraph) and isinstance(item, Paragraph):
            whole = f"{label} {text}"
            is_title = _LABEL.fullmatch(label) is not None and id(item) in chosen
            if item.page == above.page and (is_title or _LABEL.fullmatch(whole)):
                _join(above, item)
                label = "" if is_title else whole
                continue
        is_label = _LABEL.fullmatch(text) or _WORD.fullmatch(text)
        named = isinstance(item, Paragraph) and item.first.entry is not None
        label = text if is_label and id(item) in chosen and not named else ""
        left.append(item)
    return left


def _join(label: Paragraph, title: Paragraph) -> None:
    for line in label.lines:
        line.entry = title.first.entry
    label.lines += title.lines
