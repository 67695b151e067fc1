"""How was code indented? Its spaces, told from where the lines start."""

from collections.abc import Sequence
from statistics import median

from rag_chunker.layout.lines import Line

_DEEPEST = 200
"""Characters of indentation that are kept."""


def code_text(lines: Sequence[Line], broken: Sequence[int] = ()) -> str:
    """The lines with their indentation; an empty line before those whose index is in `broken`."""
    widths = [line.box.width / len(line.text) for line in lines]
    width = median(widths)
    edges: dict[tuple[int, int], float] = {}
    for line in lines:
        key = (line.page, line.column)
        edges[key] = min(edges.get(key, line.left), line.left)
    parts: list[str] = []
    for index, line in enumerate(lines):
        step = line.left - edges[line.page, line.column]
        indent = min(_DEEPEST, round(step / width)) if width > 0 else 0
        parts.append(("\n" if index in broken else "") + " " * indent + line.text)
    return "\n".join(parts)
