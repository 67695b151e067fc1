"""Where does a shape lie, and what is it for? A placeholder inherits what it does not say."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from rag_chunker.parsing.pptx.deck import Part
from rag_chunker.parsing.pptx.names import n
from rag_chunker.parsing.pptx.reading_order import Box

SHAPE, GROUP, FRAME, PICTURE = n("p:sp"), n("p:grpSp"), n("p:graphicFrame"), n("p:pic")
_SHAPES = frozenset({SHAPE, GROUP, FRAME, PICTURE, n("p:cxnSp")})
_PLACEHOLDER = f"{{*}}*/{n('p:nvPr')}/{n('p:ph')}"
_PLACES = (
    f"{n('p:spPr')}/{n('a:xfrm')}",
    f"{n('p:grpSpPr')}/{n('a:xfrm')}",
    n("p:xfrm"),
)
_PROPERTIES = n("p:cNvPr")
_TEXT_BODY, _LIST_STYLE = n("p:txBody"), n("a:lstStyle")
_BODY_STYLE = f"{n('p:txStyles')}/{n('p:bodyStyle')}"
_OF_MASTER = {"ctrTitle": "title", "title": "title", "dt": "dt", "ftr": "ftr", "sldNum": "sldNum"}
"""The type of the master's placeholder by that of the layout's; all others inherit from `body`."""


class Shape:
    """One shape of a slide. `above` are the shapes it inherits from, the nearest first."""

    def __init__(self, element: Any, above: list[Any], body_style: Any | None) -> None:
        self.element = element
        self._above = above
        self._body_style = body_style
        found = element.find(_PLACEHOLDER)
        self.placeholder: str | None = None if found is None else found.get("type", "obj")
        """The type of a placeholder as written, None for other shapes."""
        self.body = element.find(_TEXT_BODY) if element.tag == SHAPE else None
        """The text body, None without one."""

    @cached_property
    def box(self) -> Box | None:
        """Where it lies, in EMU; in a group, in the group's own coordinates."""
        for element in (self.element, *self._above):
            for path in _PLACES:
                if (found := _box(element.find(path))) is not None:
                    return found
        return None

    @cached_property
    def properties(self) -> Any | None:
        """Its name, alternative text, and whether it is hidden."""
        return next(self.element.iter(_PROPERTIES), None)

    @property
    def hidden(self) -> bool:
        """Whether its author has hidden it on the slide."""
        return self.properties is not None and self.properties.get("hidden") in ("1", "true")

    def list_styles(self) -> Iterator[Any]:
        """What says how its paragraphs are listed, the nearest first."""
        for element in (self.element, *self._above):
            if (style := element.find(f"{_TEXT_BODY}/{_LIST_STYLE}")) is not None:
                yield style
        if self.placeholder is not None and self._body_style is not None:
            yield self._body_style


class Layout:
    """The placeholders of a slide layout and of its master; none of a slide without a layout."""

    def __init__(self, layout: Part | None) -> None:
        master = None if layout is None else layout.of_kind("slideMaster")
        self._of_layout: dict[str, tuple[str, Any]] = {}
        for placeholder, shape in () if layout is None else _placeholders(layout.root):
            kind = placeholder.get("type", "obj")
            self._of_layout.setdefault(placeholder.get("idx", "0"), (kind, shape))
        self._of_master: dict[str, Any] = {}
        for placeholder, shape in () if master is None else _placeholders(master.root):
            self._of_master.setdefault(placeholder.get("type", "obj"), shape)
        self._body_style = None if master is None else master.root.find(_BODY_STYLE)

    def shape(self, element: Any) -> Shape:
        """A shape of a slide that has this layout."""
        return Shape(element, list(self._above(element)), self._body_style)

    def _above(self, element: Any) -> Iterator[Any]:
        own = element.find(_PLACEHOLDER)
        if own is None:
            return
        kind = own.get("type", "obj")
        index = own.get("idx", "0")
        if index in self._of_layout:
            kind, shape = self._of_layout[index]
            yield shape
        wanted = _OF_MASTER.get(kind, "body")
        if wanted in self._of_master:
            yield self._of_master[wanted]


def shapes_in(tree: Any) -> Iterator[Any]:
    """The elements of the shapes in a slide's tree or a group, each alternative once."""
    for child in tree:
        yield from (element for element in _alternatives(child) if element.tag in _SHAPES)


def notes_body(root: Any) -> Any | None:
    """The text body of what a speaker wrote, on a notes page; None if nothing was written."""
    notes = (
        shape for placeholder, shape in _placeholders(root) if placeholder.get("type") == "body"
    )
    shape = next(notes, None)
    return None if shape is None else shape.find(_TEXT_BODY)


def _placeholders(root: Any) -> Iterator[tuple[Any, Any]]:
    for shape in root.iter(*_SHAPES):
        if (placeholder := shape.find(_PLACEHOLDER)) is not None:
            yield placeholder, shape


def _alternatives(element: Any) -> list[Any]:
    """The element itself; of alternatives the first choice, if it holds a shape."""
    if element.tag != n("mc:AlternateContent"):
        return [element]
    choice, fallback = element.find(n("mc:Choice")), element.find(n("mc:Fallback"))
    found = [] if choice is None else list(choice)
    if any(child.tag in _SHAPES for child in found) or fallback is None:
        return found
    return list(fallback)


def _box(transform: Any | None) -> Box | None:
    offset = None if transform is None else transform.find(n("a:off"))
    extent = None if transform is None else transform.find(n("a:ext"))
    if offset is None or extent is None:
        return None
    sides = (offset.get("x"), offset.get("y"), extent.get("cx"), extent.get("cy"))
    try:
        return Box(*(float(side or 0) for side in sides))
    except ValueError:
        return None
