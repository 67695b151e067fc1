"""Which text of a field is shown? Its result, not its instruction, and no table of contents.

A field may span paragraphs and hold other fields (ISO/IEC 29500-1, 17.16.18).
"""

from dataclasses import dataclass
from typing import Any

from rag_chunker.parsing.docx.names import VAL, number, switched_on, value, w

_LONGEST_INSTRUCTION = 200
"""Characters kept of an instruction: only its first word counts here."""


@dataclass(slots=True)
class _Field:
    instruction: str = ""
    hides: bool = True


class Fields:
    """The fields that are open at this place of the document.

    `lenient` shows all text: for a document whose fields do not end, where hiding would hide
    everything that follows.
    """

    def __init__(self, *, lenient: bool = False) -> None:
        self._lenient = lenient
        self._open: list[_Field] = []
        self._hiding = 0

    @property
    def hidden(self) -> bool:
        """Whether the text at this place is not shown."""
        return self._hiding > 0 and not self._lenient

    @property
    def unfinished(self) -> bool:
        """Whether a field is open."""
        return bool(self._open)

    def mark(self, kind: str) -> None:
        """A field character: `begin`, `separate` or `end`."""
        if kind == "begin":
            self._open.append(_Field())
            self._hiding += 1
        elif self._open and kind == "separate":
            self._separate(self._open[-1])
        elif self._open and kind == "end":
            self._hiding -= self._open.pop().hides

    def instruct(self, text: str) -> None:
        """A piece of the innermost field's instruction."""
        if self._open and len(self._open[-1].instruction) < _LONGEST_INSTRUCTION:
            self._open[-1].instruction += text[:_LONGEST_INSTRUCTION]

    def _separate(self, field: _Field) -> None:
        if field.hides and not is_contents(field.instruction):
            field.hides = False
            self._hiding -= 1


def form_value(begin: Any) -> str:
    """What the `w:fldChar` shows that begins a check box or a list to choose from, which have no
    result; `""` for other fields."""
    if (box := begin.find(_CHECK_BOX)) is not None:
        said = (switched_on(box, w(name)) for name in ("checked", "default"))
        return "☒" if next((one for one in said if one is not None), False) else "☐"
    choices = begin.find(_CHOICES)
    entries = [] if choices is None else choices.findall(w("listEntry"))
    index = number(value(choices, w("result")) or value(choices, w("default")))
    return entries[index].get(VAL, "") if 0 <= index < len(entries) else ""


_CHECK_BOX, _CHOICES = (f"{w('ffData')}/{w(name)}" for name in ("checkBox", "ddList"))


def is_contents(instruction: str) -> bool:
    """Whether a field makes a table of contents, figures or authorities, or an index."""
    return instruction.split(maxsplit=1)[:1] in (["TOC"], ["TOA"], ["INDEX"])
