"""What do Markdown's block rules of ours read, and which tokens do they push?"""

from markdown_it.rules_block import StateBlock


def line_of(state: StateBlock, line: int) -> str:
    """The text of a line, by its number, without its indentation."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def push_title(state: StateBlock, line: int, title: str) -> None:
    """A paragraph of one line, if there is anything in it."""
    if title:
        state.push("paragraph_open", "p", 1).map = [line, line + 1]
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = title, [line, line + 1], []
        state.push("paragraph_close", "p", -1)


def push_code(state: StateBlock, start: int, last: int, language: str, content: str) -> None:
    """Code that takes the lines from `start` to `last`; behind them goes on what follows."""
    token = state.push("fence", "code", 0)
    token.info, token.content = language, content
    token.map = [start, last + 1]
    state.line = last + 1
