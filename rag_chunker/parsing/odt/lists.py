"""Which marker stands before a list item? Counts as the list styles say (OpenDocument 1.3, 5.3)."""

from dataclasses import dataclass, field
from typing import Any

from rag_chunker.parsing.counting import bullet, figure
from rag_chunker.parsing.odt.names import n, number

_FORMATS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "": "none",
}
DEEPEST = 10
_LEVEL = n("text:level")


@dataclass
class ListLevel:
    """One `text:list` that is open, and how far it has counted."""

    style: str
    depth: int
    above: "ListLevel | None" = None
    count: int | None = None
    items: int = 0


@dataclass
class Lists:
    """Counts through the lists of one document, in document order. `styles` by name."""

    styles: dict[str, Any]
    _last: dict[str, ListLevel] = field(default_factory=dict)
    _levels: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Definitions by list style and level, each once asked for."""

    def open(self, element: Any, above: ListLevel | None) -> ListLevel:
        """A `text:list` begins, inside of `above` if that is not None."""
        style = element.get(n("text:style-name")) or (above.style if above else "")
        depth = above.depth + 1 if above else 0
        opened = ListLevel(style, depth, above)
        before = self._continued(element, style, above)
        if before is not None:
            opened.count = before.count
        identifier = element.get("{http://www.w3.org/XML/1998/namespace}id")
        for key in filter(None, (identifier, f"style {style} {depth}")):
            self._last[key] = opened
        return opened

    def _continued(self, element: Any, style: str, above: ListLevel | None) -> ListLevel | None:
        if above is None and (of := element.get(n("text:continue-list"))) is not None:
            return self._last.get(of)
        if element.get(n("text:continue-numbering")) == "true":
            return self._last.get(f"style {style} {above.depth + 1 if above else 0}")
        return None

    def marker(self, item: Any, level: ListLevel) -> str:
        """Counts one more item of a list; `-` where the document does not say what is shown."""
        definition = self._definition(level)
        default = 1 if definition is None else number(definition, "text:start-value", 1)
        following = default if level.count is None else level.count + 1
        level.count = number(item, "text:start-value", following)
        if definition is None:
            return "-"
        if definition.tag == n("text:list-level-style-bullet"):
            return bullet(definition.get(n("text:bullet-char"), "")) or "•"
        if definition.tag != n("text:list-level-style-number"):
            return "•"
        return self._number(definition, level)

    def _number(self, definition: Any, level: ListLevel) -> str:
        shown = min(max(number(definition, "text:display-levels", 1), 1), DEEPEST)
        figures: list[str] = []
        at: ListLevel | None = level
        while at is not None and len(figures) < shown:
            own = self._definition(at)
            code = "1" if own is None else own.get(n("style:num-format"), "")
            figures.append(figure(at.count or 1, _FORMATS.get(code, "decimal")))
            at = at.above
        text = ".".join(part for part in reversed(figures) if part)
        prefix = definition.get(n("style:num-prefix"), "")
        return f"{prefix}{text}{definition.get(n('style:num-suffix'), '')}".strip()

    def _definition(self, level: ListLevel) -> Any | None:
        key = level.style, str(level.depth + 1)
        if key not in self._levels:
            style = self.styles.get(level.style, ())
            named = (child for child in style if child.get(_LEVEL) == key[1])
            self._levels[key] = next(named, None)
        return self._levels[key]
