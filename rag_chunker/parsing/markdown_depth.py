"""How does a text of thousands of quote levels stay cheap to parse? It keeps the first hundred.

The parser looks at a line once for each `>` at its start, and at all of these marks each time.
Depth is nothing that a block tells, so that marks beyond a limit can go.
"""

import re

_KEPT = 100
_MARKS = re.compile(rf"^([ ]{{0,3}}>(?:[ \t]?>){{{_KEPT - 1}}})((?:[ \t]*>)+)", re.MULTILINE)
_MOST_STEPS = 5_000_000
"""Squares of the numbers of marks in a line, added up: about a second."""


def within_depth(text: str) -> str:
    """`text`, with at most a hundred quote marks a line if more would take long.

    A few long rows of `>` cost little and stay, because they may be code or decoration.
    """
    if ">" * 2 not in text and "> >" not in text:
        return text
    steps = sum(len(found[2]) ** 2 for found in _MARKS.finditer(text))
    return _MARKS.sub(r"\1", text) if steps > _MOST_STEPS else text
