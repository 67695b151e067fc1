"""Which type is a piece of prose, given the lists and quotes that it stands in?"""

from dataclasses import dataclass

from pydantic import JsonValue

from rag_core.types import Block, BlockType

_ITEM, _QUOTE, _CAPTION = BlockType.list_item, BlockType.quote, BlockType.caption
_PARAGRAPH = BlockType.paragraph
"""Looking a member of an enumeration up takes as long as the rest of `prose`."""


@dataclass(slots=True)
class _Scope:
    kind: BlockType
    """`list_item`, `quote` or `caption`."""
    depth: int = 0
    marker: str | None = None
    has_text: bool = False
    """Whether the item's own text has come: what follows in it is an ordinary paragraph."""


class Nesting:
    """The open lists, items, quotes and captions, from the outermost to the innermost."""

    def __init__(self) -> None:
        self._scopes: list[_Scope] = []
        self._lists = 0
        self._quotes = 0

    def open_list(self) -> None:
        self._lists += 1

    def close_list(self) -> None:
        self._lists -= 1

    def open_item(self, marker: str | None = None) -> None:
        depth = max(self._lists - 1, 0)
        self._scopes.append(_Scope(_ITEM, depth, marker))

    def open_quote(self) -> None:
        self._quotes += 1
        self._scopes.append(_Scope(_QUOTE))

    def open_caption(self) -> None:
        self._scopes.append(_Scope(_CAPTION))

    def close(self) -> None:
        """Leave the innermost item, quote or caption."""
        if self._scopes.pop().kind is _QUOTE:
            self._quotes -= 1

    @property
    def in_quote(self) -> bool:
        return self._quotes > 0

    @property
    def is_top(self) -> bool:
        """Whether neither an item nor a quote is open."""
        return not self._scopes

    def prose(self, text: str, attributes: dict[str, JsonValue] | None = None) -> Block:
        """The block for text at this place: an item's first piece is its `list_item`."""
        given = attributes or {}
        if not self._scopes:
            return Block.trusted(_PARAGRAPH, text, given)
        scope = self._scopes[-1]
        if scope.kind is not _ITEM:
            return Block.trusted(scope.kind, text, given)
        if scope.has_text:
            kind = _QUOTE if self._quotes else _PARAGRAPH
            return Block.trusted(kind, text, given)
        scope.has_text = True
        marker: dict[str, JsonValue] = {} if scope.marker is None else {"list_marker": scope.marker}
        return Block.trusted(scope.kind, text, {"list_depth": scope.depth, **marker, **given})
