"""Which Markdown blocks have their content indented? Admonitions and tabs, as MkDocs has them."""

import re

from markdown_it.rules_block import StateBlock

from rag_chunker.parsing.markdown_pushed import push_title

_OPENS = re.compile(
    r"(?:(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)(?:[ \t]+inline(?:[ \t]+end)?)?|===[!+]?(?=[ \t]+\"))"
    r'(?:[ \t]+"(.*)")?[ \t]*'
)
_INDENT = 4


def indented_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: the title of the block as a paragraph, then what is indented below it.

    Without a title in quotes its kind is the title: `!!! note` is `Note`.
    """
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    found = _OPENS.fullmatch(line)
    if found is None:
        return False
    indent = state.blkIndent + _INDENT
    last = start + 1
    while last < end and (state.isEmpty(last) or state.sCount[last] >= indent):
        last += 1
    if all(map(state.isEmpty, range(start + 1, last))):
        return False
    if silent:
        return True
    title = found[2] if found[2] is not None else found[1].capitalize()
    push_title(state, start, title)
    before = state.blkIndent, state.lineMax, state.parentType
    state.blkIndent, state.lineMax = indent, last
    state.level += 1
    state.md.block.tokenize(state, start + 1, last)
    state.level -= 1
    state.blkIndent, state.lineMax, state.parentType = before
    state.line = last
    return True
