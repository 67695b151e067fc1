"""Which capital letters before paragraphs are initials of names, and number nothing?"""

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_chunker.layout.markers import Marker

CAPITAL = re.compile(r"([A-Z])\.\s")
_ROMAN = re.compile(r"[IVXLC]{2,5}[.)]")


def initials(markers: Sequence[Marker | None]) -> set[int]:
    """Positions of the markers that are a capital letter and a dot (`J. Yarger`), and stand
    neither behind the letter before theirs nor ahead of the one behind it.

    A bibliography sorted by surname has any letter; a list has them in turn. I, V, X, L and C
    count as numbers where roman ones of several letters occur.
    """
    letters = [
        (at, marker.text[0])
        for at, marker in enumerate(markers)
        if marker is not None and len(marker.text) == 2 and CAPITAL.match(f"{marker.text} ")
    ]
    in_turn: set[int] = set()
    for (at, letter), (behind, other) in pairwise(letters):
        if ord(other) == ord(letter) + 1:
            in_turn |= {at, behind}
    if any(marker is not None and _ROMAN.fullmatch(marker.text) for marker in markers):
        in_turn |= {at for at, letter in letters if letter in "IVXLC"}
    return {at for at, _ in letters} - in_turn
