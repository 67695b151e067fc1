"""How do results reach a terminal or a pipe? JSON lines, and text that cannot play tricks."""

import json
import shutil
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from unicodedata import category, east_asian_width

from pydantic import BaseModel

__all__ = ["line_width", "one_line", "print_json_lines", "size", "tally"]

_JOINERS = "\u200c\u200d"
"""Format characters that belong to words and emoji; the others could reorder what is shown."""


def print_json_lines(values: Iterable[BaseModel]) -> None:
    """One object a line, all fields, in UTF-8 whatever the terminal speaks."""
    stream = sys.stdout.buffer
    for value in values:
        line = json.dumps(value.model_dump(mode="json"), ensure_ascii=False)
        stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
    stream.flush()


def line_width() -> int:
    """Columns to fill: those of the terminal, or 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100


def one_line(text: str, columns: int) -> str:
    """The start of `text` on one line of at most so many columns, without control characters: what
    a document says must not steer the terminal."""
    shown: list[str] = []
    used = [0]
    for char in " ".join(text[: 8 * columns + 64].split()):
        kind = category(char)
        if (kind[0] == "C" and char not in _JOINERS) or kind in ("Zl", "Zp"):
            continue
        cells = 0 if kind in ("Mn", "Me", "Cf") else 1 + (east_asian_width(char) in "WF")
        shown.append(char)
        used.append(used[-1] + cells)
    if used[-1] <= columns:
        return "".join(shown)
    return "".join(shown[: bisect_right(used, columns - 1) - 1]) + "…"


def tally(kinds: Iterable[str], order: Iterable[str]) -> str:
    """`heading 4, body 7`, in the given order, without what does not occur."""
    counts: Mapping[str, int] = Counter(kinds)
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in order if counts[kind])


def size(count: int) -> str:
    """`812 B`, `12.4 kB`, `3.0 MB`."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
