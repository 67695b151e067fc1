"""Which pages have to be read? Those that are new, changed, or read by something else by now."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rag_assets.stages.keys import PageKeys
from rag_assets.store.documents import PageToRead
from rag_assets.store.ocr_pages import IMAGES, KnownPage, PageId, PlacedPage

__all__ = ["DocumentToRead", "Plan", "plan_for"]


class DocumentToRead(NamedTuple):
    """A document with pages that have to be read."""

    document: PageToRead
    """What is known of it, by the first of them."""
    pages: list[PlacedPage]


class Plan(NamedTuple):
    """What is to be done about a partition's pages."""

    to_read: dict[str, DocumentToRead]
    """By document id."""
    copies: list[PlacedPage]
    """Pages on which the same stands as on one that is read now, or was before."""
    unchanged: int


def plan_for(
    pages: Iterable[PageToRead],
    known: Mapping[PageId, KnownPage],
    keys: PageKeys | None,
    *,
    force: bool,
) -> Plan:
    """What to do about `pages`, of which the store has those in `known`.

    Pages that failed are tried again. With `force` nothing that was read counts. Without `keys`,
    as no engine can work, pages keep what was read on them of the same content.
    """
    to_read: dict[str, DocumentToRead] = {}
    copies: list[PlacedPage] = []
    unchanged = 0
    chosen: set[str | None] = set()
    if not force:
        chosen = {page.key for page in known.values() if page.status != "failed"}
    for page in pages:
        place = _placed(page, keys)
        if not force and _is_read(place, known.get(place.id)):
            unchanged += 1
        elif place.key is not None and place.key in chosen:
            copies.append(place)
        else:
            chosen.add(place.key)
            document = to_read.setdefault(page.document_id, DocumentToRead(page, []))
            document.pages.append(place)
    return Plan(to_read, copies, unchanged)


def _placed(page: PageToRead, keys: PageKeys | None) -> PlacedPage:
    key = None
    if keys is not None:
        images_only = page.reason is None
        key = keys.key(page.content_hash, page.mime_type, page.number, images_only=images_only)
    return PlacedPage(page.document_id, page.number, page.reason or IMAGES, page.content_hash, key)


def _is_read(place: PlacedPage, known: KnownPage | None) -> bool:
    if known is None or known.status == "failed":
        return False
    return known.content_hash == place.content_hash and place.key in (None, known.key)
