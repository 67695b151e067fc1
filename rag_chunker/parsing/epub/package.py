"""Which files of an EPUB are read, in which order, and what are they called? (EPUB 2 and 3)"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from pydantic import JsonValue

from rag_chunker.parsing.archive import Archive, xml_root
from rag_chunker.parsing.decoding import clean
from rag_core.errors import CorruptDocument
from rag_core.text import is_blank

_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_CHROME_TYPES = frozenset({"cover", "toc", "loi", "lot"})
_CHROME_STEMS = frozenset({"cover", "coverpage", "cover-page", "toc", "nav", "navigation"})
MOST_FALLBACKS = 10
"""Steps from a file that is no page to one that can be read in its place."""
_FIELDS = {
    "creator": "author",
    "publisher": "publisher",
    "date": "date",
    "language": "language",
    "subject": "subject",
    "identifier": "identifier",
}


@dataclass
class Item:
    """One file of the manifest."""

    path: str
    media_type: str
    properties: frozenset[str]
    fallback: str | None


@dataclass
class Package:
    """What the package document says."""

    title: str | None = None
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    pages: list[str] = field(default_factory=list)
    """Paths of the pages in reading order, each once, cover and contents included."""
    chrome: set[str] = field(default_factory=set)
    """Paths of the pages that are cover or contents."""
    contents: str | None = None
    """Path of the file that names the chapters: EPUB 3's navigation document, or else the NCX."""


def read_package(archive: Archive) -> Package:
    """Reads container and package document. Raises `CorruptDocument` if one is missing."""
    path = _package_path(archive)
    root = xml_root(archive.read(path))
    folder = posixpath.dirname(path)
    items = dict(_manifest(root, folder))
    spine = next(root.iter("{*}spine"), None)
    if spine is None:
        raise CorruptDocument("an EPUB whose package names no reading order: is it complete?")
    package = Package()
    package.title, package.metadata = _said_about_itself(root)
    package.pages = list(dict.fromkeys(_pages(spine, items)))
    package.chrome = _chrome(root, folder, items)
    navigation = (item.path for item in items.values() if "nav" in item.properties)
    ncx = items.get(spine.get("toc", ""))
    package.contents = next(navigation, ncx.path if ncx else None)
    return package


def resolved(folder: str, href: str) -> str:
    """The entry of the zip that a reference from a file in `folder` means, without fragment."""
    path = posixpath.join("/", folder, unquote(href.partition("#")[0]))
    return posixpath.normpath(path).lstrip("/")


def _package_path(archive: Archive) -> str:
    if _CONTAINER in archive:
        for rootfile in xml_root(archive.read(_CONTAINER)).iter("{*}rootfile"):
            path = resolved("", rootfile.get("full-path", ""))
            if path in archive:
                return path
    found = next((name for name in archive.names() if name.endswith(".opf")), None)
    if found is None:
        raise CorruptDocument("an EPUB without package document: is it complete?")
    return found


def _manifest(root: Any, folder: str) -> Iterator[tuple[str, Item]]:
    for element in root.iterfind("{*}manifest/{*}item"):
        yield (
            element.get("id", ""),
            Item(
                path=resolved(folder, element.get("href", "")),
                media_type=element.get("media-type", ""),
                properties=frozenset(element.get("properties", "").split()),
                fallback=element.get("fallback"),
            ),
        )


def _pages(spine: Any, items: dict[str, Item]) -> Iterator[str]:
    for reference in spine.iterchildren("{*}itemref"):
        item = items.get(reference.get("idref", ""))
        for _ in range(MOST_FALLBACKS):
            if item is None or item.media_type in _PAGES:
                break
            item = items.get(item.fallback or "")
        if item is not None and item.media_type in _PAGES:
            yield item.path


def _chrome(root: Any, folder: str, items: dict[str, Item]) -> set[str]:
    """Cover and contents: so by property, by the guide, or by the names everybody uses."""
    chrome = {item.path for item in items.values() if "nav" in item.properties}
    for reference in root.iterfind("{*}guide/{*}reference"):
        if reference.get("type", "").casefold() in _CHROME_TYPES:
            chrome.add(resolved(folder, reference.get("href", "")))
    for key, item in items.items():
        stem = posixpath.splitext(posixpath.basename(item.path))[0]
        if {key.casefold(), stem.casefold()} & _CHROME_STEMS:
            chrome.add(item.path)
    return chrome


def _said_about_itself(root: Any) -> tuple[str | None, dict[str, JsonValue]]:
    texts: dict[str, list[str]] = {}
    for element in root.iterfind("{*}metadata//{http://purl.org/dc/elements/1.1/}*"):
        text = " ".join(clean("".join(element.itertext("{*}*"))).split())
        if not is_blank(text):
            texts.setdefault(element.tag.rpartition("}")[2], []).append(text)
    metadata: dict[str, JsonValue] = {
        ours: ", ".join(texts[theirs]) for theirs, ours in _FIELDS.items() if theirs in texts
    }
    return next(iter(texts.get("title", [])), None), metadata
