"""Which text of a field is shown? Its result, not its instruction, and no table of contents.

A field may span paragraphs and hold other fields (ISO/IEC 29500-1, 17.16.18).
"""

from dataclasses import dataclass


@dataclass
class _Field:
    instruction: str = ""
    in_result: bool = False


class Fields:
    """The fields that are open at this place of the document.

    `lenient` shows all text: for a document whose fields do not end, where hiding would hide
    everything that follows.
    """

    def __init__(self, *, lenient: bool = False) -> None:
        self._lenient = lenient
        self._open: list[_Field] = []
        self.hidden = False
        """Whether the text at this place is not shown."""

    @property
    def unfinished(self) -> bool:
        """Whether a field is open."""
        return bool(self._open)

    def mark(self, kind: str) -> None:
        """A field character: `begin`, `separate` or `end`."""
        if kind == "begin":
            self._open.append(_Field())
        elif self._open and kind == "separate":
            self._open[-1].in_result = True
        elif self._open and kind == "end":
            self._open.pop()
        self._update()

    def instruct(self, text: str) -> None:
        """A piece of the innermost field's instruction."""
        if self._open and not self._open[-1].in_result:
            self._open[-1].instruction += text

    def _update(self) -> None:
        self.hidden = not self._lenient and any(
            not field.in_result or is_contents(field.instruction) for field in self._open
        )


def is_contents(instruction: str) -> bool:
    """Whether a field makes a table of contents, figures or authorities, or an index."""
    return instruction.split(maxsplit=1)[:1] in (["TOC"], ["TOA"], ["INDEX"])
