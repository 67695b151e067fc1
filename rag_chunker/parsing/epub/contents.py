"""What does the table of contents call a page? For pages whose heading is a picture, or none."""

import posixpath
from typing import Any, NamedTuple

from rag_chunker.parsing.archive import Archive, xml_root
from rag_chunker.parsing.decoding import clean
from rag_chunker.parsing.epub.package import resolved
from rag_core.errors import ParseError
from rag_core.text import is_blank

_TYPE = "{http://www.idpf.org/2007/ops}type"
_NESTING = frozenset({"ol", "navPoint"})


class Entry(NamedTuple):
    """The name of a page or of a part of it, and its depth in the contents (1 outermost)."""

    label: str
    level: int


def page_names(archive: Archive, contents: str | None) -> dict[str, list[Entry]]:
    """The entries of each page in a navigation document or NCX; none if it is unreadable."""
    if contents is None or contents not in archive:
        return {}
    try:
        root = xml_root(archive.read(contents))
    except ParseError:  # contents only help: the book is there without them
        return {}
    folder = posixpath.dirname(contents)
    names: dict[str, list[Entry]] = {}
    for element, level in _links(_toc(root)):
        path = resolved(folder, element.get("href") or element.get("src") or "")
        label = _label(element)
        if not is_blank(label):
            names.setdefault(path, []).append(Entry(label, level))
    return names


def _toc(root: Any) -> Any:
    """The list of chapters: a navigation document also lists landmarks and pages."""
    found = (nav for nav in root.iter("{*}nav") if nav.get(_TYPE) == "toc")
    return next(found, next(root.iter("{*}navMap"), root))


def _links(root: Any) -> list[tuple[Any, int]]:
    links = []
    stack = [(root, 0)]
    while stack:
        element, level = stack.pop()
        name = str(element.tag).rpartition("}")[2]
        if name in ("a", "content"):
            links.append((element, max(level, 1)))
        level += name in _NESTING
        stack.extend((child, level) for child in reversed(element))
    return links


def _label(element: Any) -> str:
    """The text of a link; of an NCX entry, that of its label, which stands before the link."""
    if str(element.tag).endswith("}content"):
        entry = element.getparent()
        element = None if entry is None else entry.find("{*}navLabel")
    text = "" if element is None else "".join(element.itertext("{*}*"))
    return " ".join(clean(text).split())
