"""Does a relative path match a pattern such as `hr/**` or `**/*.md`? In time linear in the path.

Like `pathlib.PurePath.full_match`: a pattern covers the whole path, `*` and `?` stay within one
name, `[...]` is one of these characters, and `**` is any number of names, also none.
"""

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache
from unicodedata import normalize

__all__ = ["glob_mistake", "matches"]


def matches(path: str, pattern: str) -> bool:
    """True if `pattern` covers `path`. Case matters; NFC and NFD spellings match each other, so
    that a rule holds whichever of them the file system chose."""
    if pattern == "**":  # the most common one
        return True
    return _covers(normalize("NFC", path).split("/"), _compile(pattern))


def glob_mistake(pattern: str) -> str:
    """Why this pattern can never match a path, with what to write instead; "" if it can."""
    if not pattern.strip():
        return "is empty: write '**' for every file"
    if "\\" in pattern:
        return f"{pattern!r} holds a backslash: write '/' between folders"
    if pattern.startswith("/"):
        return f"{pattern!r} is absolute: write it relative to the corpus, without the leading '/'"
    if pattern.endswith("/"):
        return f"{pattern!r} names a folder: write '{pattern}**' for the files below it"
    if not {"", ".", ".."}.isdisjoint(pattern.split("/")):
        return f"{pattern!r} holds an empty name, '.' or '..': write a path as it is listed"
    return ""


_ANY = None
"""Stands for `**`."""


@lru_cache(maxsize=1024)
def _compile(pattern: str) -> tuple[re.Pattern[str] | None, ...]:
    return tuple(
        _ANY if name == "**" else re.compile(translate(name))
        for name in normalize("NFC", pattern).split("/")
    )


def _covers(names: Sequence[str], pattern: Sequence[re.Pattern[str] | None]) -> bool:
    # Only the last `**` may ever have to take one name more: it can do whatever an earlier one
    # could. So nothing is tried more than once per name and part of the pattern.
    at = part = 0
    restart: tuple[int, int] | None = None
    while at < len(names):
        expected = pattern[part] if part < len(pattern) else None
        if part < len(pattern) and expected is _ANY:
            restart = (at, part + 1)
            part += 1
        elif expected is not None and expected.match(names[at]):
            at, part = at + 1, part + 1
        elif restart is not None:
            restart = (restart[0] + 1, restart[1])
            at, part = restart
        else:
            return False
    return all(rest is _ANY for rest in pattern[part:])
