"""Which lines of Markdown are fences that other tools than CommonMark's know?

Pandoc, Docusaurus, VitePress and MyST fence parts of a text with `:::`; Jekyll and Hugo fence code
with a tag of their own.
"""

import re

from markdown_it.rules_block import StateBlock

from rag_chunker.parsing.markdown_pushed import line_of, push_code, push_title

_DIVISION = re.compile(
    r":{3,}[ \t]*(?:\{?([\w-]*)\}?(?:[ \t]*\[(.*)\]|[ \t]+(.*?))?|\{[^{}]*\})[ \t]*"
)
_KIND = re.compile(
    "abstract|attention|caution|danger|error|example|hint|important|info|note|question|success|"
    "tip|warning"
)
"""What is shown as the title of a division without one."""
_CODE = re.compile(r"\{(?:%-?|\{<) *highlight +([\w+#.-]+).*(?:%|>\})\}\s*")
_END_OF_CODE = re.compile(r"\{(?:%-? *endhighlight|\{< */ *highlight).*\}\s*")


def division_fence(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Block rule: a fence of a division is its title, if it has one. The content is ordinary."""
    found = _DIVISION.fullmatch(line_of(state, start))
    if found is None:
        return False
    if silent:
        return True
    kind, title = found[1] or "", found[2] or found[3] or ""
    push_title(state, start, title or (kind.capitalize() if _KIND.fullmatch(kind) else ""))
    state.line = start + 1
    return True


def tagged_code(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: what stands between the tags `highlight` and `endhighlight` is code."""
    found = _CODE.fullmatch(line_of(state, start))
    if found is None:
        return False
    last = start + 1
    while last < end and not _END_OF_CODE.fullmatch(line := line_of(state, last)):
        if _CODE.fullmatch(line):
            return False
        last += 1
    if last == end:
        return False
    if not silent:
        content = state.getLines(start + 1, last, state.blkIndent, False)
        push_code(state, start, last, found[1], content)
    return True
