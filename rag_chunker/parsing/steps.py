"""How does one walk a deep document without Python recursion? Generators on a stack.

A walker yields blocks, and wherever it would call itself it yields another walker instead.
"""

from collections.abc import Iterator
from typing import TypeAlias

from rag_core.types import Block

Step: TypeAlias = "Block | Steps"
Steps: TypeAlias = "Iterator[Step]"


def run(first: Steps) -> Iterator[Block]:
    """The blocks of a walker and of all walkers that it yields, in order."""
    stack = [first]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        elif isinstance(step, Block):
            yield step
        else:
            stack.append(step)


Walk: TypeAlias = "Iterator[Walk]"
"""A walker that keeps what it finds to itself, which takes less time than handing it up."""


def walk(first: Walk) -> None:
    """Runs a walker and all walkers that it yields, in order."""
    stack = [first]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        else:
            stack.append(step)
