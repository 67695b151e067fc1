"""Does a hidden HTML element go on over the Markdown that follows its opening tag?"""

import re
from dataclasses import dataclass

_OPENS = re.compile(
    r"<(article|aside|div|figure|section|span|template)\b"
    r"(?:(?<=template)|[^<>]*?(?:\shidden(?=[\s=>])|display\s*:\s*none|visibility\s*:\s*hidden"
    r"""|aria-hidden\s*=\s*["']?true))[^<>]*>""",
    re.IGNORECASE,
)


@dataclass(slots=True)
class HiddenElement:
    """A hidden element that is still open."""

    tag: str
    depth: int
    """How many elements of this tag are open since, itself included."""
    since: int
    """How many blocks stand before it."""

    def end_in(self, markup: str) -> int | None:
        """Where in the next piece of HTML it is closed; None if it goes on behind that."""
        for found in re.finditer(rf"<(/?){self.tag}\b[^<>]*>", markup, re.IGNORECASE):
            self.depth += -1 if found[1] else 1
            if self.depth == 0:
                return found.end()
        return None


def left_open(markup: str, blocks: int) -> HiddenElement | None:
    """The hidden element that a piece of HTML opens and does not close, if any."""
    at = 0
    while found := _OPENS.search(markup, at):
        element = HiddenElement(found[1].lower(), depth=1, since=blocks)
        end = element.end_in(markup[found.end() :])
        if end is None:
            return element
        at = found.end() + end
    return None
