"""What do a paragraph's own properties say? Read once, for all who ask."""

from typing import Any, NamedTuple

from rag_chunker.parsing.docx.names import PPR, REMOVED, RPR, VAL, by_name, leading, w

PARAGRAPH_STYLE, NUMBERED, OUTLINE_LEVEL = w("pStyle"), w("numPr"), w("outlineLvl")
FRAME, _DROP_CAP = w("framePr"), w("dropCap")


class Said(NamedTuple):
    """What counts here of a `w:pPr`."""

    style: str | None = None
    """Id of the style."""
    numbered: Any | None = None
    """The `w:numPr`."""
    outline_level: str | None = None
    runs_on: bool = False
    """Whether the next paragraph goes on in the same line: the paragraph mark was deleted under
    change tracking, or the text is a drop cap."""


USUAL = Said()


def style_of(paragraph: Any) -> str | None:
    """Id of the style of a `w:p`."""
    properties = leading(paragraph, PPR)
    if properties is None or not len(properties):
        return None
    style = properties[0]
    if style.tag != PARAGRAPH_STYLE:  # which the schema wants before all else
        style = next(properties.iterchildren(PARAGRAPH_STYLE), None)
    named: str | None = None if style is None else style.get(VAL)
    return named


def said(paragraph: Any) -> Said:
    """What the properties of a `w:p` say."""
    properties = leading(paragraph, PPR)
    if properties is None or not len(properties):
        return USUAL
    found = by_name(properties)
    style, level = found.get(PARAGRAPH_STYLE), found.get(OUTLINE_LEVEL)
    return Said(
        None if style is None else style.get(VAL),
        found.get(NUMBERED),
        None if level is None else level.get(VAL),
        _runs_on(found.get(RPR), found.get(FRAME)),
    )


def _runs_on(mark: Any | None, frame: Any | None) -> bool:
    if mark is not None and any(each.tag in REMOVED for each in mark):
        return True
    return frame is not None and frame.get(_DROP_CAP) in ("drop", "margin")
