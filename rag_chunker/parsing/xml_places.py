"""Where does each element of a large XML part stand? Told by its tags, without a tree of it all."""

import re
from collections.abc import Iterator

from rag_chunker.parsing.archive import Part


def elements(
    tag: re.Pattern[bytes], xml: Part, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int]]:
    """Start and end of each element from `start` to `end`, those inside of one left out, up to one
    that does not end: what is damaged costs no more than one look.

    `tag` matches a start tag and has the element's name as its first group. Elements hold none of
    the same name.
    """
    last = len(xml) if end is None else end
    at = start
    while found := tag.search(xml, at, last):
        at = found.end()
        if not found[0].endswith(b"/>"):
            closing = b"</%b>" % found[1]
            closes = xml.find(closing, at, last)
            if closes < 0:
                return
            at = closes + len(closing)
        yield found.start(), at
