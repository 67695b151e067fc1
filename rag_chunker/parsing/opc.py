"""Which part of an Office Open XML package is which? Found by relationships, as the standard says.

ISO/IEC 29500 exists in two dialects whose namespaces differ: "transitional", which most programs
write, and "strict". Parts are read as if they were transitional, so that no walker knows of two.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from rag_chunker.parsing.archive import Archive, xml_root
from rag_chunker.parsing.decoding import clean
from rag_core.errors import CorruptDocument
from rag_core.text import is_blank

_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_STRICT = b"http://purl.oclc.org/ooxml/"
_TRANSITIONAL: tuple[tuple[bytes, bytes], ...] = (
    (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
    (b"presentationml/main", b"presentationml/2006/main"),
    (b"spreadsheetml/main", b"spreadsheetml/2006/main"),
    (b"officeDocument/math", b"officeDocument/2006/math"),
    (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
    (b"drawingml/main", b"drawingml/2006/main"),
    (b"drawingml/chart", b"drawingml/2006/chart"),
    (b"drawingml/diagram", b"drawingml/2006/diagram"),
    (b"drawingml/wordprocessingDrawing", b"drawingml/2006/wordprocessingDrawing"),
)
_CORE_FIELDS = {
    "creator": "author",
    "created": "created",
    "modified": "modified",
    "subject": "subject",
    "description": "description",
    "keywords": "keywords",
    "language": "language",
}


def transitional(data: bytes) -> bytes:
    """An XML part with strict namespaces and relationship types replaced by transitional ones."""
    if _STRICT not in data:
        return data
    for strict, usual in _TRANSITIONAL:
        pattern = re.escape(_STRICT + strict) + rb"(?=[\"'/])"
        data = re.sub(pattern, b"http://schemas.openxmlformats.org/" + usual, data)
    return data


def part_root(archive: Archive, name: str) -> Any:
    """The root element of a part, in transitional namespaces. Raises what `xml_root` raises."""
    return root_of(archive.read(name))


def root_of(part: bytes) -> Any:
    """As `part_root`, of a part that was read."""
    return xml_root(transitional(part))


def main_part(archive: Archive) -> str:
    """Name of the part that holds the document. Raises `CorruptDocument` if there is none."""
    targets = related(archive, "").get("officeDocument", [])
    found = next((target for target in targets if target in archive), None)
    if found is None:
        raise CorruptDocument("an Office file without a main document part: is it complete?")
    return found


class Relation(NamedTuple):
    """What one part says about another."""

    id: str
    kind: str
    """The last word of the relation's type: `styles`, `slide`, `image`, ..."""
    target: str
    """Name of the other part, which may be missing."""


_known: WeakKeyDictionary[Archive, dict[str, tuple[Relation, ...]]] = WeakKeyDictionary()


def relations(archive: Archive, part: str) -> tuple[Relation, ...]:
    """The relations of `part` (`""`: the package), without those to external targets. Read once."""
    known = _known.setdefault(archive, {})
    if part not in known:
        known[part] = tuple(_relations(archive, part))
    return known[part]


def _relations(archive: Archive, part: str) -> Iterator[Relation]:
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    if rels not in archive:
        return
    for relation in part_root(archive, rels).iter(_RELATIONSHIP):
        if relation.get("TargetMode") == "External":
            continue
        kind = relation.get("Type", "").rpartition("/")[2]
        target = unquote(relation.get("Target", ""))
        path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        yield Relation(relation.get("Id", ""), kind, path)


def related(archive: Archive, part: str) -> dict[str, list[str]]:
    """The parts that `part` (`""`: the package) refers to, by the last word of the relation.

    For instance `{"styles": ["word/styles.xml"]}`. External targets are left out.
    """
    found: dict[str, list[str]] = {}
    for relation in relations(archive, part):
        found.setdefault(relation.kind, []).append(relation.target)
    return found


def core_properties(archive: Archive) -> tuple[str | None, dict[str, JsonValue]]:
    """Title and metadata (`author`, `created`, ...) from the package's core properties; nothing
    if they are unreadable, since the document is there without them."""
    targets = related(archive, "").get("core-properties", [])
    name = next((target for target in targets if target in archive), None)
    if name is None:
        return None, {}
    try:
        root = part_root(archive, name)
    except CorruptDocument:
        return None, {}
    fields: dict[str, str] = {}
    for element in root.iterchildren("{*}*"):
        text = clean(element.text or "").strip()
        if not is_blank(text):
            fields[element.tag.rpartition("}")[2]] = text
    metadata: dict[str, JsonValue] = {
        ours: fields[theirs] for theirs, ours in _CORE_FIELDS.items() if theirs in fields
    }
    return fields.get("title"), metadata
