"""Which rows of a column form a table without rules? Those whose parts align below each other."""

from collections.abc import Sequence

from rag_chunker.layout.grids import Table
from rag_chunker.layout.lines import Line


def find_aligned(items: Sequence[Line | Table]) -> list[Line | Table]:
    return list(items)
