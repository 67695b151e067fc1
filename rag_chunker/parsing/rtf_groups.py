"""Which groups of an RTF text stand beside it, and which text is not shown?

striprtf drops notes and text boxes, and shows what is hidden or was deleted. Private characters
mark where such text begins and ends.
"""

import re

HIDES, SHOWS, ENDS, _FOOTNOTE, _ENDNOTE, _COMMENT, _BOX = map(chr, range(0xF110, 0xF117))
ASIDES = {_FOOTNOTE: "footnote", _ENDNOTE: "endnote", _COMMENT: "comment", _BOX: ""}
"""What begins an aside, which goes on to `ENDS`, and the kind of the note that it is."""
_OPENS = {
    "footnote": _FOOTNOTE,
    r"footnote\ftnalt": _ENDNOTE,
    "annotation": _COMMENT,
    "shptxt": _BOX,
}
_SPECIAL = re.compile(r"\\(?:v|deleted|footnote|annotation|shptxt)(?![a-z])")
_SHAPE = re.compile(r"\{\s*\\shp(?![a-z])|\{\s*\\\*\s*\\(?:shpinst|shpgrp)(?![a-z])")
"""What striprtf would drop with the text boxes inside."""
_TWICE = re.compile(
    r"\\upr\s*\{(?:\\.|[^{}\\]|\{[^{}]*\})*\}\s*\{\s*\\\*\s*\\ud(?![a-z]) ?", re.DOTALL
)
"""Text in a code page for old readers, in front of the same text in Unicode: striprtf would drop
both."""
_TOKEN = re.compile(
    r"(?:\\\*\s*)?\\(footnote\\ftnalt|footnote|annotation|shptxt)(?![a-z]) ?"
    r"|\\(v|deleted|plain)(0?)(?![a-z\d]) ?|\\[^a-z]|[{}]"
)


def with_groups_marked(rtf: str) -> str:
    """The same text, with `HIDES` and `SHOWS` around what is not shown, and notes and text boxes
    as ordinary text between one of `ASIDES` and `ENDS`. Text that stands there twice stands there
    once, in Unicode."""
    if r"\upr" in rtf:
        rtf = _TWICE.sub(r"\\mark {\\mark ", rtf)
    if not _SPECIAL.search(rtf):
        return rtf
    pieces: list[str] = []
    groups: list[tuple[bool, bool]] = []
    hidden = aside = False
    behind = 0
    rtf = _SHAPE.sub(r"{\\mark ", rtf)
    for token in _TOKEN.finditer(rtf):
        text, opens, switch, off = token[0], token[1], token[2], token[3]
        pieces.append(rtf[behind : token.start()])
        behind = token.end()
        before, ends = hidden, False
        if text == "{":
            groups.append((hidden, aside))
            aside = False
        elif text == "}":
            ends = aside
            hidden, aside = groups.pop() if groups else (False, False)
        elif opens:
            text, aside = f"\\mark {_OPENS[opens]}", True
        elif switch:
            hidden = not off and switch != "plain"
        turns = f"\\mark {HIDES if hidden else SHOWS}" if hidden != before else ""
        if text == "}":
            pieces += (turns, f"\\mark {ENDS}" if ends else "", text)
        else:
            pieces += (text, turns)
    pieces.append(rtf[behind:])
    return "".join(pieces)
