"""Which marker stands before a list item? Counts as the numbering part says.

Rules: ISO/IEC 29500-1, 17.9. Numbers are kept per abstract list, since lists that share one go on
counting; a start override begins again where its list is first used.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from rag_chunker.parsing.counting import bullet, figure
from rag_chunker.parsing.docx.names import VAL, number, value, w

MAX_LEVEL = 8


class Marker(NamedTuple):
    """What stands before a list item, and how deep it is (0 outermost)."""

    text: str
    depth: int


class Numbering:
    """Counts through the lists of one document, in document order."""

    def __init__(self, root: Any | None) -> None:
        abstracts = [] if root is None else root.findall(w("abstractNum"))
        lists = [] if root is None else root.findall(w("num"))
        self._abstract = {item.get(w("abstractNumId")): item for item in abstracts}
        self._by_style_link = {
            link: key
            for key, item in self._abstract.items()
            if (link := value(item, w("styleLink"))) is not None
        }
        self._lists = {item.get(w("numId")): item for item in lists}
        self._levels: dict[str, tuple[str, dict[int, Any], dict[int, int]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def marker(self, number_id: str, level: int | None, style_id: str) -> Marker | None:
        """Counts one more item. `level` None means the level that belongs to `style_id`.

        None if there is no such list, or its level shows nothing (then it is not counted as an
        item in a reader's eyes either).
        """
        if number_id not in self._lists:
            return None
        abstract, levels, overrides = self._resolved(number_id)
        if level is None:
            level = _level_of_style(levels, style_id)
        level = min(max(level, 0), MAX_LEVEL)
        counts = self._counts.setdefault(abstract, {})
        self._count(number_id, level, levels, overrides, counts)
        text = _marker_text(level, levels, counts)
        return Marker(text, level) if text else None

    def _count(
        self,
        number_id: str,
        level: int,
        levels: dict[int, Any],
        overrides: dict[int, int],
        counts: dict[int, int],
    ) -> None:
        if level in overrides and (number_id, level) not in self._begun:
            counts[level] = overrides[level]
        elif level in counts:
            counts[level] += 1
        else:
            counts[level] = _start(levels, level)
        self._begun.add((number_id, level))
        for deeper in [key for key in counts if key > level]:
            if _restarts_after(levels, deeper, level):
                del counts[deeper]

    def _resolved(self, number_id: str) -> tuple[str, dict[int, Any], dict[int, int]]:
        if number_id not in self._levels:
            item = self._lists[number_id]
            key = self._linked(value(item, w("abstractNumId")) or "")
            abstract = self._abstract.get(key)
            levels = {} if abstract is None else _levels(abstract.iterchildren(w("lvl")))
            starts: dict[int, int] = {}
            for override in item.iterchildren(w("lvlOverride")):
                index = number(override.get(w("ilvl")))
                if not 0 <= index <= MAX_LEVEL:
                    continue
                if (level := override.find(w("lvl"))) is not None:
                    levels[index] = level
                if (start := value(override, w("startOverride"))) is not None:
                    starts[index] = number(start, 1)
            self._levels[number_id] = (key, levels, starts)
        return self._levels[number_id]

    def _linked(self, key: str) -> str:
        link = value(self._abstract.get(key), w("numStyleLink"))
        return key if link is None else self._by_style_link.get(link, key)


def _levels(found: Iterator[Any]) -> dict[int, Any]:
    by_index = ((number(level.get(w("ilvl"))), level) for level in found)
    return {index: level for index, level in by_index if 0 <= index <= MAX_LEVEL}


def _level_of_style(levels: dict[int, Any], style_id: str) -> int:
    named = (key for key, level in levels.items() if value(level, w("pStyle")) == style_id)
    return next(named, 0)


def _start(levels: dict[int, Any], level: int) -> int:
    return number(value(levels.get(level), w("start")), 1)


def _restarts_after(levels: dict[int, Any], deeper: int, level: int) -> bool:
    """Whether a deeper level begins again after an item of `level`. Its own lvlRestart names the
    (1-based) outermost level that does it; 0 means never."""
    restart = value(levels.get(deeper), w("lvlRestart"))
    return restart is None or (number(restart) != 0 and level < number(restart))


def _marker_text(level: int, levels: dict[int, Any], counts: dict[int, int]) -> str:
    shown = levels.get(level)
    if shown is None:
        return "-"
    kind = value(shown, w("numFmt")) or "decimal"
    pattern = value(shown, w("lvlText")) or ""
    if kind == "bullet":
        return bullet(pattern)
    legal = shown.find(w("isLgl")) is not None and shown.find(w("isLgl")).get(VAL) != "0"
    text = pattern
    for index in range(min(level, MAX_LEVEL) + 1):
        if f"%{index + 1}" in text:
            kind = value(levels.get(index), w("numFmt")) or "decimal"
            count = counts.get(index, _start(levels, index))
            text = text.replace(f"%{index + 1}", figure(count, "decimal" if legal else kind))
    return text.strip()
