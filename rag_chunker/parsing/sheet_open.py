"""What does calamine not say of an OpenDocument workbook? Shown values, merged cells, comments,
text boxes.

It gives numbers without their format, as 0.256 for 25.6%. OpenDocument keeps beside each value the
text that is shown for it, so that such cells need only be turned into cells of text.
"""

import re
import zipfile
from collections.abc import Iterator
from html import unescape
from io import BytesIO

from rag_chunker.parsing.archive import Archive, Part
from rag_chunker.parsing.byte_search import Sign
from rag_chunker.parsing.merged_headers import Range
from rag_chunker.parsing.ods_extent import unfolded
from rag_chunker.parsing.ods_formats import may_say_more
from rag_chunker.parsing.ods_gaps import REPEATED_COLUMNS, REPEATED_ROWS, without_gaps
from rag_chunker.parsing.sheet_extent import MAX_CELLS
from rag_chunker.parsing.shown import shown
from rag_chunker.parsing.xml_places import elements
from rag_core.errors import DocumentTooLarge
from rag_core.types import Block, BlockType

CONTENT = "content.xml"
_STYLES = "styles.xml"
_COUNTS = b"table:number-"
"""Begins each attribute that says how often a cell or row is repeated, or how far it spans. Looking
through all of a large part takes time: once for all of them, if there are none."""
_NEEDED = ("mimetype", "META-INF/manifest.xml")
"""All that calamine reads beside the content."""
_SAYS_MORE = (
    rb"(?=<text:p>(?![-+]?(?!0\d)[\d.,'\s\xc2\xa0\xe2\x80\xaf]*(?:E[-+]?\d+)?<)"
    rb"[^<]*</text:p></table:table-cell>)"
)
"""Behind the start of a cell whose text is more than digits."""
_KIND = rb'office:value-type="(?:float|percentage|currency|time|boolean)"'
_USUAL = re.compile(
    _KIND + rb'((?:\soffice:currency="[^"]*")?)\soffice:(?:boolean-|time-)?value="[^"]*"([^>]*>)'
)
"""Kind and value of a number in the order of LibreOffice."""
_USUAL_NUMBER = re.compile(_USUAL.pattern + _SAYS_MORE)
_FIRST = re.compile(rb"<table:table-cell\b[^>]*?" + _KIND)
_NUMBER = re.compile(_FIRST.pattern + rb"[^>]*>" + _SAYS_MORE)
_TYPE = re.compile(rb'(?<=office:value-type=")[a-z]+')
_VALUE = re.compile(rb'\soffice:(?:boolean-|time-)?value="[^"]*"')


def ods_brought_near(data: bytes, archive: Archive) -> tuple[bytes, Part]:
    """The workbook `data` and its content, safe to load and with a cell of text for each number
    whose text says more than digits: a percentage, a duration, a currency or another unit, leading
    zeros. `data` itself if there is nothing to change.

    Raises `DocumentTooLarge` if a sheet repeats cells to more than `MAX_CELLS`.
    """
    content = archive.read_large(CONTENT)
    near = _near(content) if _COUNTS in content else content
    says_more = may_say_more(near, archive.read(_STYLES) if _STYLES in archive else b"")
    if near is content and not says_more:
        return data, content
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for name in filter(archive.__contains__, _NEEDED):
            file.writestr(name, archive.read(name))
        file.writestr(CONTENT, _as_text(near) if says_more else near)
    return target.getvalue(), near


def _near(content: Part) -> Part:
    if unfolded(content) <= MAX_CELLS:
        return content
    near = without_gaps(content)
    if unfolded(near) > MAX_CELLS:
        raise DocumentTooLarge(
            f"a sheet repeats cells to more than {MAX_CELLS:,}: delete what lies far out"
        )
    return near


def _as_text(xml: Part) -> bytes:
    first = _FIRST.search(xml)
    if first and _USUAL.match(xml, xml.find(b"office:value-type", first.start())):
        # A third of the time: without a step of ours a cell, and from a longer text on.
        return _USUAL_NUMBER.sub(rb'office:value-type="string"\1\2', xml)
    return _NUMBER.sub(_shown, xml)


def _shown(cell: re.Match[bytes]) -> bytes:
    return _VALUE.sub(b"", _TYPE.sub(b"string", cell[0]))


_TABLE = re.compile(rb'<table:table\s[^>]*?table:name="([^"]*)"')
_PLACE = re.compile(
    rb"<table:table-row(?=[\s/>])([^>]*)>|<table:(?:covered-)?table-cell(?=[\s/>])([^>]*)>"
    rb"|(<office:annotation)(?=[\s>])"
)
_ANNOTATION_ENDS = b"</office:annotation>"
_SHAPE = re.compile(
    rb"<(draw:(?:text-box|custom-shape|rect|ellipse|circle|polygon|path|line|connector|caption))"
    rb"(?=[\s/>])[^>]*>"
)
_SIGNS = tuple(map(Sign, (b'table:number-columns-spanned="', _ANNOTATION_ENDS, b"<draw:")))
_SPANNED = re.compile(rb'table:number-columns-spanned="(\d{1,7})"')
_PARAGRAPH = re.compile(rb"<text:p(?=[\s>])[^>]*>")
_TAG = re.compile(rb"<[^>]*>")


def merged_and_notes(xml: Part) -> tuple[dict[str, list[Range]], dict[str, list[Block]]]:
    """By sheet name, the cells of a content part that span columns, and the comments (`other`, with
    the cell's name before the text), then the texts of boxes and shapes as paragraphs."""
    merged: dict[str, list[Range]] = {}
    notes: dict[str, list[Block]] = {}
    if not any(sign.is_in(xml) for sign in _SIGNS):
        return merged, notes
    starts = list(_TABLE.finditer(xml))
    for start, behind in zip(starts, [*(one.start() for one in starts[1:]), len(xml)], strict=True):
        name = unescape(start[1].decode(errors="replace"))
        for row, column, width, annotation in _places(xml, start.end(), behind):
            if annotation is None:
                merged.setdefault(name, []).append(((row, column), (row, column + width - 1)))
            elif text := _text(annotation):
                note = f"{_letters(column)}{row + 1}: {text}"
                block = Block.trusted(BlockType.other, note, {"note": "comment"})
                notes.setdefault(name, []).append(block)
        for place in elements(_SHAPE, xml, start.end(), behind):
            if text := _text(xml[slice(*place)]):
                block = Block.trusted(BlockType.paragraph, text, {})
                notes.setdefault(name, []).append(block)
    return merged, notes


def _places(xml: Part, start: int, end: int) -> Iterator[tuple[int, int, int, Part | None]]:
    """Row, column, width and None of each wide cell; row, column, 1 and the inside of each
    comment. Numbers are 0-based."""
    row, below, column, behind = 0, 0, 0, 0
    for place in _PLACE.finditer(xml, start, end):
        if place[1] is not None:
            row, below = below, below + _count(REPEATED_ROWS, place[1])
            behind = 0
        elif place[2] is not None:
            column, behind = behind, behind + _count(REPEATED_COLUMNS, place[2])
            if (width := _count(_SPANNED, place[2])) > 1:
                yield row, column, width, None
        else:
            closed = xml.find(_ANNOTATION_ENDS, place.end(), end)
            if closed < 0:
                return
            yield row, column, 1, xml[place.end() : closed]


def _count(pattern: re.Pattern[bytes], attributes: bytes) -> int:
    found = pattern.search(attributes)
    return int(found[1]) if found else 1


def _text(annotation: Part) -> str:
    lines = (each.partition(b"</text:p>")[0] for each in _PARAGRAPH.split(annotation)[1:])
    text = _TAG.sub(b"", b"\n".join(lines)).decode(errors="replace")
    return shown(unescape(text)).strip()


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
