"""How is a JSON value read aloud? Headings for its large parts, tables for its records."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from rag_chunker.parsing.decoding import clean
from rag_chunker.parsing.json_tables import number_rows, record_rows
from rag_chunker.parsing.json_values import Members, Scalar, Value, on_one_line, shown
from rag_chunker.parsing.tables import line_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

DEEPEST_HEADING = 4
"""Members below that many headings are named by their path (`a.b[0].c`)."""

_LONG_TEXT = 200
_FEW_MEMBERS = 5
_RECORD_LINES = 20
_RECORD_MEMBERS = 100
_RECORD_CHARACTERS = 1_500
_NAMES = ("title", "name", "question", "label", "heading", "key", "id")
"""Members that name the record they are in, best first."""


class _Place(NamedTuple):
    path: str
    """From the last heading on."""
    value: Value
    depth: int
    """How many headings are above."""
    is_element: bool
    """Of an array."""


def outline(value: Value) -> Iterator[Block]:
    """The blocks of a JSON value whose numbers are text, without recursion.

    A scalar member is a paragraph `name: value`. An object with more than a handful of members,
    or with anything nested or long, has its name as heading; a smaller one lends it to its members
    (`size.width: 3`). An array of flat objects or of arrays of numbers is a table, of scalars one
    paragraph or list items, of small objects one paragraph each, of larger ones a heading each. An
    object of nothing but empty objects is a paragraph of its names.
    Members without heading come before those with one, because what follows a heading belongs to
    it. What has no text (null, empty strings, arrays and objects) gives nothing.
    """
    tables = 0
    pending: list[_Place] = [_Place("", value, 0, False)]
    while pending:
        path, here, depth, is_element = pending.pop()
        if isinstance(here, Members):
            names = on_one_line(here)
            if names is not None:
                yield from _named(path, names)
                continue
            name = _name_of(here, path) if is_element else path
            heading = _heading(name, depth) if is_element or _is_large(here) else None
            if heading:
                yield heading
                path, depth = "", depth + 1
            pending += _in_reverse(
                [_Place(f"{path}.{key}" if path else key, one, depth, False) for key, one in here]
            )
        elif isinstance(here, list):
            elements = cast("list[Value]", here)
            short = on_one_line(elements)
            if short is not None:
                yield from _named(path, short)
                continue
            heading = None if is_element else _heading(path, depth)
            if heading:
                yield heading
            lines, has_header = record_rows(elements), True
            if lines is None:
                lines, has_header = number_rows(elements), False
            if lines is not None:
                yield from line_blocks(lines, table=tables, has_header=has_header)
                tables += 1
            elif (texts := _small_records(elements)) is not None:
                yield from (Block.trusted(BlockType.paragraph, text, {}) for text in texts)
            else:
                pending += _elements(elements, path, depth + bool(heading))
        elif is_element:
            yield from _item(here)
        else:
            yield from _named(path, shown(here))


def _small_records(elements: Sequence[Value]) -> list[str] | None:
    """The text of each element that has any, if all are small records."""
    texts: list[str] = []
    for one in elements:
        lines = record_lines(one) if isinstance(one, Members) else None
        if lines is None:
            return None
        if lines:
            texts.append("\n".join(lines).strip())
    return texts


def _elements(elements: Sequence[Value], path: str, depth: int) -> list[_Place]:
    """The places of an array's elements, last first."""
    return _in_reverse(
        [_Place(f"{path}[{at}]", one, depth, True) for at, one in enumerate(elements)]
    )


def _in_reverse(places: list[_Place]) -> list[_Place]:
    return sorted(places, key=_begins_section)[::-1]


def _begins_section(place: _Place) -> bool:
    if isinstance(place.value, Members):
        return place.is_element or _is_large(place.value)
    return isinstance(place.value, list) and on_one_line(place.value) is None


def record_lines(record: Members) -> list[str] | None:
    """`path: value` for each scalar of a small record; None if it is not small."""
    lines: list[str] = []
    size = 0
    around: list[tuple[str, Iterator[tuple[str, Value]]]] = []
    path, members = "", iter(record)
    while True:
        for key, value in members:
            if isinstance(value, list):
                text = on_one_line(value)
                if text is None:
                    if len(value) > _RECORD_MEMBERS:
                        return None
                    around.append((path, members))
                    path = _joined(path, key)
                    members = iter(value if isinstance(value, Members) else _numbered(value))
                    break
            elif isinstance(value, str) and value.isprintable():
                text = value.strip(" ")  # as `shown` does: there may be millions
            else:
                text = shown(value)
            if text:
                lines.append(f"{_joined(path, key)}: {text}")
                size += len(lines[-1])
                if len(lines) > _RECORD_LINES or size > _RECORD_CHARACTERS:
                    return None
        else:
            if not around:
                return lines
            path, members = around.pop()


def _numbered(elements: Sequence[Value]) -> list[tuple[str, Value]]:
    return [(f"[{at}]", one) for at, one in enumerate(elements)]


def _joined(path: str, key: str) -> str:
    if not path:
        return key
    return f"{path}{key}" if key[:1] == "[" else f"{path}.{key}"


def _is_large(members: Members) -> bool:
    if on_one_line(members) is not None:
        return False
    return len(members) > _FEW_MEMBERS or any(
        bool(value) if isinstance(value, list) else len(shown(value)) > _LONG_TEXT
        for _, value in members
    )


def _name_of(record: Members, path: str) -> str:
    scalars = {key.lower(): shown(one) for key, one in record if not isinstance(one, list)}
    names = (scalars.get(name, "") for name in _NAMES)
    return next((name for name in names if 0 < len(name) <= _LONG_TEXT // 2), path)


def _heading(name: str, depth: int) -> Block | None:
    text = " ".join(clean(name).split())
    if is_blank(text) or depth >= DEEPEST_HEADING:
        return None
    return Block(type=BlockType.heading, level=depth + 1, text=text)


def _named(path: str, text: str) -> Iterator[Block]:
    if text:
        yield from _paragraph(f"{path}: {text}" if path else text)


def _paragraph(text: str) -> Iterator[Block]:
    if not is_blank(text):
        yield Block.trusted(BlockType.paragraph, text, {})


def _item(value: Scalar) -> Iterator[Block]:
    if text := shown(value):
        yield Block.trusted(BlockType.list_item, text, {"list_depth": 0})
