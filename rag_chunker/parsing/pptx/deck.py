"""Which parts of a presentation file are its slides, and what belongs to each?"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from rag_chunker.parsing.archive import Archive
from rag_chunker.parsing.opc import Relation, main_part, part_root, relations
from rag_chunker.parsing.pptx.names import n
from rag_core.errors import CorruptDocument


class Part:
    """One XML part and those that it refers to. Nothing is read before it is asked for."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive = archive
        self.name = name

    @cached_property
    def root(self) -> Any:
        """The root element. Raises `CorruptDocument` if the part is missing or damaged."""
        return part_root(self._archive, self.name)

    @property
    def content(self) -> bytes:
        """Its bytes, of a part that is no XML. Raises `CorruptDocument` as `root` does."""
        return self._archive.read(self.name)

    def by_id(self, relation_id: str | None) -> "Part | None":
        """The part that a relation leads to; None if there is no such relation or part."""
        relation = None if relation_id is None else self._relations.get(relation_id)
        return None if relation is None else Part(self._archive, relation.target)

    def of_kind(self, kind: str) -> "Part | None":
        """The first related part of a kind (`slideLayout`, `notesSlide`, ...); None without one."""
        found = (one for one in self._relations.values() if one.kind == kind)
        relation = next(found, None)
        return None if relation is None else Part(self._archive, relation.target)

    @cached_property
    def _relations(self) -> dict[str, Relation]:
        found = relations(self._archive, self.name)
        return {one.id: one for one in found if one.target in self._archive}


class Deck:
    """The slides of a presentation, and their size in EMU."""

    def __init__(self, archive: Archive) -> None:
        """Raises `CorruptDocument` if the archive holds no presentation."""
        self._main = Part(archive, main_part(archive))
        if self._main.root.tag != n("p:presentation"):
            raise CorruptDocument("an Office file, but not a slide deck")
        size = self._main.root.find(n("p:sldSz"))
        self.width, self.height = (_length(size, side) for side in ("cx", "cy"))

    def slides(self) -> Iterator[Part]:
        """In the order in which they are shown, each once. Raises `CorruptDocument` where one is
        missing."""
        seen: set[str] = set()
        for entry in self._main.root.iterfind(_SLIDES):
            slide = self._main.by_id(entry.get(n("r:id")))
            if slide is None or slide.root.tag != n("p:sld"):
                raise CorruptDocument(
                    f"slide {len(seen) + 1} is missing from the file: is it complete?"
                )
            if slide.name not in seen:
                seen.add(slide.name)
                yield slide


_SLIDES = f"{n('p:sldIdLst')}/{n('p:sldId')}"


def _length(size: Any | None, side: str) -> int:
    text = "" if size is None else size.get(side, "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0
