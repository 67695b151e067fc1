"""Boxes and straight rules on a page, in points from its top left corner."""

from collections.abc import Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle; `top < bottom` because y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """The y halfway between top and bottom."""
        return (self.top + self.bottom) / 2

    def holds(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether the point lies inside, or at most `margin` outside."""
        return (
            self.left - margin <= x <= self.right + margin
            and self.top - margin <= y <= self.bottom + margin
        )

    def meets(self, other: "Box") -> bool:
        """Whether the two have an area in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def around(boxes: Iterable[Box]) -> Box:
    """The smallest box that holds all of `boxes` (at least one)."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


class Rule(NamedTuple):
    """A thin straight line: at `at` on one axis, from `start` to `end` on the other."""

    at: float
    start: float
    end: float
