"""Which JSON arrays are tables, and what are their rows?"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import cast

from rag_chunker.parsing.json_values import Members, Value, is_number, on_one_line, shown
from rag_chunker.parsing.tables import PARTED, Lines, as_lines, is_tidy, lined

_BATCH = 256


def record_rows(elements: Sequence[Value]) -> Iterable[Lines] | None:
    """The header and rows of an array of flat objects that share most of their members.

    None if it is no such array: fewer than two elements, nested values, a member name twice in
    one object, or more gaps than values. Arrays of scalars in a cell are on one line.
    """
    objects = [one for one in elements if isinstance(one, Members)]
    if len(objects) < 2 or len(objects) < len(elements):
        return None
    return _of_alike(objects) or _of_mixed(objects)


def number_rows(elements: Sequence[Value]) -> Iterable[Lines] | None:
    """The rows of an array of arrays of numbers (points, a matrix); None if it is none."""
    rows: list[list[str]] = []
    for one in elements:
        if not isinstance(one, list) or isinstance(one, Members):
            return None
        cells = [shown(cell) for cell in one if not isinstance(cell, list)]
        if not cells or len(cells) < len(one) or not all(map(is_number, cells)):
            return None
        rows.append(cells)
    return lined(rows)


def _of_alike(objects: Sequence[Members]) -> list[Lines] | None:
    """The rows of objects that all have the same members in the same order, which is the usual
    case and takes a fifth of the time; None if they have not, or are no table."""
    names = [name for name, _ in objects[0]]
    if not names or len(set(names)) < len(names) or set(map(len, objects)) != {len(names)}:
        return None
    found, filled = [as_lines([PARTED.join(names)])], 0
    for start in range(0, len(objects), _BATCH):
        cells = _cells(objects[start : start + _BATCH], names)
        if cells is None:
            return None
        rows = zip(*[iter(cells)] * len(names), strict=True)
        found.append(as_lines(list(map(PARTED.join, rows))))
        filled += len(cells) - cells.count("")
    return found if 2 * filled >= len(names) * len(objects) else None


def _cells(objects: Sequence[Members], names: list[str]) -> list[str] | None:
    """All members' values in a row; None if they have other names, or a value is nested."""
    members = list(chain.from_iterable(chain.from_iterable(objects)))
    if members[::2] != names * len(objects):
        return None
    values = members[1::2]
    if _are_shown(values):
        return cast("list[str]", values)
    cells = [_cell(value) for value in values]
    return None if None in cells else cast("list[str]", cells)


def _are_shown(values: Sequence[Value]) -> bool:
    """Whether all are text as `shown` would give it."""
    try:
        text = PARTED.join(cast("list[str]", values))
    except TypeError:
        return False
    return text.count(PARTED) < len(values) and "\n" not in text and is_tidy(text)


def _of_mixed(objects: Sequence[Members]) -> Iterable[Lines] | None:
    """The rows of objects of which each may have members that others have not."""
    rows: list[dict[str, str | None]] = []
    columns: dict[str, None] = {}
    filled = 0
    for one in objects:
        row = {name: _cell(value) for name, value in one}
        texts = row.values()
        if len(row) < len(one) or None in texts:
            return None
        rows.append(row)
        filled += len(row) - list(texts).count("")
        if row.keys() - columns.keys():
            columns.update(dict.fromkeys(row))
    names = list(columns)
    if 2 * filled < len(names) * len(rows):
        return None
    return lined(chain([names], ([row.get(name) or "" for name in names] for row in rows)))


def _cell(value: Value) -> str | None:
    """None for what is nested."""
    if isinstance(value, str) and value.isprintable():
        return value.strip(" ")  # as `shown` does: there may be millions
    return on_one_line(value) if isinstance(value, list) else shown(value)
