"""Which cells of an XLSX workbook show a number in another way, and what is the workbook's title?

calamine gives values without their number format; this looks only for the formats that change what
a number says: percentages, leading zeros (postcodes, article numbers), signs between digits
(telephone numbers), and units (`€`, `kg`).
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import compress
from typing import Any

from rag_chunker.parsing.archive import Archive, xml_root
from rag_chunker.parsing.sheet_cells import Format, as_percentage, masked, padded, with_unit
from rag_chunker.parsing.sheet_extent import column_number

Formats = dict[int, dict[int, Format]]
"""Formats of some cells, by 0-based column, then row."""

BUILT_IN_PERCENT = ("9", "10")
_PADDED = re.compile(r"(?:\[[^\]]*\])?(0{2,20})(?:;.*)?")
_REFERENCE = re.compile(rb"""\br=["']([A-Z]+)(\d+)""")
_BEHIND_OTHER_SPACE = (b'\ts="', b'\ns="', b'\rs="')
_STYLE = re.compile(rb"""\bs=["'](\d+)["']""")


def title_of(archive: Archive) -> str | None:
    """The title in the document properties, if its author gave one."""
    if "docProps/core.xml" not in archive:
        return None
    for title in xml_root(archive.read("docProps/core.xml")).iter("{*}title"):
        return (title.text or "").strip() or None
    return None


def formatted_cells(archive: Archive) -> dict[str, Formats]:
    """By sheet name, the cells whose format changes what their number says."""
    if "xl/styles.xml" not in archive or "xl/workbook.xml" not in archive:
        return {}
    styles = dict(_styles(xml_root(archive.read("xl/styles.xml"))))
    if not styles:
        return {}
    return {
        name: _formats(styles, archive.read(part))
        for name, part in sheet_parts(archive)
        if part in archive
    }


def _styles(root: Any) -> Iterator[tuple[bytes, Format]]:
    """Number of each cell style that matters, and how it shows a value."""
    shows: dict[str | None, Format] = dict.fromkeys(BUILT_IN_PERCENT, as_percentage)
    for custom in root.iter("{*}numFmt"):
        if how := shows_by_code(custom.get("formatCode") or ""):
            shows[custom.get("numFmtId")] = how
    formats = [xf for xfs in root.iter("{*}cellXfs") for xf in xfs.iter("{*}xf")]
    for index, xf in enumerate(formats):
        if xf.get("numFmtId") in shows:
            yield str(index).encode(), shows[xf.get("numFmtId")]


def shows_by_code(code: str) -> Format | None:
    """How a number format shows a value, if it changes what that says."""
    if "%" in code and "%" in _LITERAL.sub("", code):
        return as_percentage
    if zeros := _PADDED.fullmatch(code):
        return partial(padded, width=len(zeros[1]))
    if mask := _mask(code):
        return partial(masked, mask=mask)
    if unit := _unit(code):
        return partial(with_unit, before=unit[0], behind=unit[1])
    return None


def _mask(code: str) -> str | None:
    """The places of digits (`0`, `#`) with the signs between them, as in `(###) ###-####`; of
    sections with conditions the last one, which is for all other numbers."""
    sections = code.split(";")
    section = sections[-1] if _CONDITION.search(code) else sections[0]
    return re.sub(r'[\\"]', "", section) if _MASK.fullmatch(section) else None


def _unit(code: str) -> tuple[str, str] | None:
    """What stands directly before and behind the digits of a number format, with its spaces; None
    if that is no words, or depends on the number (`0" Cr";0" Dr"`)."""
    if _CONDITION.search(code):
        return None
    first, *others = code.split(";")[:2]
    unit = _unit_of(first)
    return unit if all(_unit_of(other) == unit for other in others if "0" in other) else None


def _unit_of(section: str) -> tuple[str, str] | None:
    """None as well if the section scales the number (`0.0,"k"`)."""
    first = _BRACKETS.sub(r"\1", _LOCALE.sub(r'"\1"', section))
    digits = _DIGITS.search(_LITERAL.sub(lambda found: " " * len(found[0]), first))
    if digits is None or digits[0].endswith(","):
        return None
    before, behind = (_said(side) for side in (first[: digits.start()], first[digits.end() :]))
    before, behind = before.lstrip(), behind.rstrip()
    return (before, behind) if before or behind else None


def _said(side: str) -> str:
    words = (quoted or sign or " " for quoted, sign in _WORDS.findall(side))
    return _SPACES.sub(" ", "".join(words))


_LOCALE = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
"""`[$€-407]`: a currency sign, and where it is used."""
_BRACKETS = re.compile(r'("[^"]*"|\\.)|\[[^\]]*\]')
"""Colours (`[Red]`) between the words, which stay."""
_CONDITION = re.compile(r"\[[<>=]")
_MASK = re.compile(r'(?=.*[0#][^0#]*[-)][^0#]*[0#])(?:[-() 0#]|\\[-() ]|"[-() ]*")+')
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_DIGITS = re.compile(r"[#0?][#0?.,]*")
_WORDS = re.compile(r'"([^"]+)"|([$€£¥])|(?:_.|[\\*]? )')
"""Quoted words, signs of currencies, and what is shown as a space."""
_SPACES = re.compile(r" {2,}")


def sheet_parts(archive: Archive) -> list[tuple[str, str]]:
    """Name and part of each sheet, in order; the part may be missing."""
    relations = "xl/_rels/workbook.xml.rels"
    if relations not in archive:
        return []
    targets = {
        relation.get("Id"): posixpath.join("/xl", relation.get("Target") or "").lstrip("/")
        for relation in xml_root(archive.read(relations)).iter("{*}Relationship")
    }
    sheets = xml_root(archive.read("xl/workbook.xml")).iter("{*}sheet")
    return [(sheet.get("name") or "", targets.get(_relation_id(sheet), "")) for sheet in sheets]


def _relation_id(sheet: Any) -> str | None:
    return next((value for key, value in sheet.items() if key.endswith("}id")), None)


def _formats(styles: dict[bytes, Format], xml: bytes) -> Formats:
    places = _places(b"|".join(styles), xml)
    if not places:
        return {}
    columns, rows, used = zip(*places, strict=True)
    keys = list(zip(columns, used, strict=True))
    found: Formats = {}
    for key, numbers in _grouped(keys, rows):
        letters, style = key
        formats = found.setdefault(column_number(letters) - 1, {})
        formats.update(dict.fromkeys(map((-1).__add__, map(int, numbers)), styles[style]))
    return found


_Key = tuple[bytes, bytes]
_FEW_KEYS = 16


def _grouped(keys: list[_Key], values: Sequence[bytes]) -> Iterable[tuple[_Key, Iterable[bytes]]]:
    """The values of each key. Of a few, each is looked for in all, without a step of ours."""
    different = set(keys)
    if len(different) <= _FEW_KEYS:
        return ((key, compress(values, map(key.__eq__, keys))) for key in different)
    groups: dict[_Key, list[bytes]] = {key: [] for key in different}
    for key, value in zip(keys, values, strict=True):
        groups[key].append(value)
    return groups.items()


def _places(styles: bytes, xml: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """Column, row and style of each cell that has one of these styles."""
    if 0 < xml.count(b'<c r="') == xml.count(b"<c "):  # as all known programs write them
        usual: list[tuple[bytes, bytes, bytes]]
        usual = re.findall(rb'<c r="([A-Z]+)(\d+)" s="(%b)"' % styles, xml)
        stated = len(re.findall(rb' s="(?:%b)"' % styles, xml))
        if len(usual) < stated or any(map(xml.__contains__, _BEHIND_OTHER_SPACE)):
            usual = re.findall(rb'<c r="([A-Z]+)(\d+)"(?:[^>]*?\s)?s="(%b)"' % styles, xml)
        return usual
    general = rb"""<(?:\w+:)?c\s([^>]*?\bs=["'](?:%b)["'][^>]*)>"""
    found: list[tuple[bytes, bytes, bytes]] = []
    for attributes in re.findall(general % styles, xml):
        place, style = _REFERENCE.search(attributes), _STYLE.search(attributes)
        if place and style and re.fullmatch(styles, style[1]):
            found.append((place[1], place[2], style[1]))
    return found
