"""Where is a formula in Markdown? Between dollar signs, and nothing in it is markup."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from rag_chunker.parsing.markdown_pushed import line_of, push_code

_INLINE = re.compile(
    r"\$\$(?:[^$\\]|\\.)+\$\$"
    r"|(?<![0-9A-Za-z])\$(?![\s$])(?:[^$\\]|\\.)*(?<!\s)\$(?![0-9A-Za-z])",
    re.DOTALL,
)
"""As Pandoc and GitHub have it, so that neither `$5 and $6` nor `$A [$B](c)` is one."""
_OPENS = re.compile(r"\$\$[^$]*")
_CLOSES = re.compile(r"[^$]*\$\$\s*")


def math_inline(state: StateInline, silent: bool) -> bool:
    """Inline rule: a formula is text, its dollars too."""
    if state.src[state.pos] != "$":
        return False
    found = _INLINE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("text", "", 0).content = found[0]
    state.pos = found.end()
    return True


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: lines from `$$` to `$$` without a blank one between are code in LaTeX."""
    if not _OPENS.fullmatch(line_of(state, start)):
        return False
    last = start + 1
    while last < end and not _CLOSES.fullmatch(line := line_of(state, last)):
        if line.startswith("$$") or not line or state.sCount[last] < state.blkIndent:
            return False
        last += 1
    if last == end:
        return False
    if not silent:
        text = state.getLines(start, last + 1, state.blkIndent, False)
        push_code(state, start, last, "latex", text.replace("$$", "").strip())
    return True
