"""Where does a text stand in a large part? By vector instructions: in a fifth to a twentieth of the
time that `bytes.find` takes where there is none.
"""

from collections.abc import Iterator

from ahocorasick_rs import BytesAhoCorasick

from rag_chunker.parsing.archive import Part

_WINDOW = 1 << 20
"""Bytes looked through at once: so many places are in memory at most."""


class Sign:
    """A text to look for. Its end must not be its beginning: places do not overlap."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._search = BytesAhoCorasick([text])

    def is_in(self, part: Part) -> bool:
        return any(self._by_window(part))

    def ends(self, part: Part) -> Iterator[int]:
        """Where each of its places ends, in order."""
        for ends in self._by_window(part):
            yield from ends

    def _by_window(self, part: Part) -> Iterator[list[int]]:
        view = memoryview(part)
        find = self._search.find_matches_as_indexes
        reach = _WINDOW + len(self.text) - 1  # what begins in the window, to its end
        for start in range(0, len(part), _WINDOW):
            yield [start + end for _, _, end in find(view[start : start + reach])]
