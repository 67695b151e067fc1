"""Which Markdown is plain text? Most paragraphs are, and need not be put to every rule.

A parser asks thirteen rules about each block and four about each text, which takes most of its
time. What a text begins with and which signs it holds tell what all of them would say.
"""

import re

from markdown_it.rules_block import StateBlock, heading
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from rag_chunker.parsing.html_walk import without_east_asian_breaks
from rag_chunker.parsing.markdown_inline import without_attributes

_BLOCK_SIGNS = frozenset("#>`~*-_+=|:[<$!?{0123456789")
"""A line that begins with none of these starts nothing but a paragraph, and ends none."""
_BELOW_A_HEADER = frozenset("|-:")
_TERM_SIGNS = frozenset(":~")
_INLINE_SIGNS = re.compile(r"[\\`~*_\[<&]|[ \t]\n")
_SPACES = " \t\n\v\f\r"
_INDENTED = re.compile(r"\n[ \t]+")


def plain_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: a paragraph or `#` heading that no other rule can be meant by."""
    if silent or state.is_code_block(start):
        return False
    sign = state.src[state.bMarks[start] + state.tShift[start]]
    if sign == "#" and _sign(state, start + 1) not in _BELOW_A_HEADER:
        return heading(state, start, end, silent)
    line = start
    while sign:
        if sign in _BLOCK_SIGNS:
            return False
        line += 1
        sign = _sign(state, line)
    if _sign(state, line + 1) in _TERM_SIGNS:  # a blank line may stand before its definition
        return False
    text = state.getLines(start, line, state.blkIndent, False).strip(_SPACES)
    if text != text.strip():  # in other white space the versions of the parser differ
        return False
    _push_paragraph(state, start, line, text)
    return True


def plain_inline(state: StateCore) -> None:
    """Core rule in place of `inline`: one token for a text without any sign, its lines joined."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        text = token.content
        if text and not _INLINE_SIGNS.search(text):
            if "\n" in text:
                text = _INDENTED.sub("\n", text)
                text = without_east_asian_breaks(text).replace("\n", " ")
            token.children = [Token("text", "", 0, content=text)]
        else:
            token.children = []
            if "]{" in text or "){" in text:
                text = without_attributes(text)
            state.md.inline.parse(text, state.md, state.env, token.children)


def _sign(state: StateBlock, line: int) -> str:
    """What a line begins with; nothing if it is blank or behind the end."""
    if line >= state.lineMax or state.isEmpty(line):
        return ""
    return state.src[state.bMarks[line] + state.tShift[line]]


def _push_paragraph(state: StateBlock, start: int, end: int, text: str) -> None:
    state.line = end
    state.push("paragraph_open", "p", 1).map = [start, end]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = text, [start, end], []
    state.push("paragraph_close", "p", -1)
