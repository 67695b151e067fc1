"""Which documents does the store know that are met again? Two sorted streams, side by side.

Files come sorted by path, and so do the stored rows: what is in memory are the documents that
differ, and those that lie inside others, but not the corpus.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rag_assets.stages.keys import ParseKeys
from rag_assets.stages.source_bytes import INSIDE, containers_of
from rag_assets.store.documents import StoredDocument

__all__ = ["KnownDocuments"]


class KnownDocuments:
    """The documents of the store, each to be met once."""

    def __init__(
        self, files: Iterator[StoredDocument], members: Iterable[StoredDocument], keys: ParseKeys
    ) -> None:
        """`files` sorted by id; `members` are those whose id says that they may lie in another."""
        self._files = files
        self._next = next(files, None)
        self._passed: dict[str, StoredDocument] = {}
        """Files of the store that should have been met by now."""
        self._members: dict[str, StoredDocument] = {}
        self._inside: dict[str, list[str]] = defaultdict(list)
        self._outdated: set[str] = set()
        for member in members:
            self._members[member.document_id] = member
            is_current = keys.are_current(member)
            for container in containers_of(member.document_id):
                self._inside[container].append(member.document_id)
                if not is_current:
                    self._outdated.add(container)

    def meet(self, document_id: str) -> StoredDocument | None:
        """What is known of a document that is there; None for a new one, or one met before.

        Fast if asked in the order of ids, right in any order.
        """
        if INSIDE in document_id:
            return self._members.pop(document_id, None)
        while self._next is not None and self._next.document_id < document_id:
            self._passed[self._next.document_id] = self._next
            self._next = next(self._files, None)
        if self._next is not None and self._next.document_id == document_id:
            found, self._next = self._next, next(self._files, None)
            return found
        return self._passed.pop(document_id, None) if self._passed else None

    def meet_all_inside(self, container: str) -> list[StoredDocument]:
        """The documents inside this one that were not met yet; they are now."""
        inside = self._inside.get(container, ())
        return [self._members.pop(one) for one in inside if one in self._members]

    def are_outdated_inside(self, container: str) -> bool:
        """Whether a document inside failed, or has a parser of another version by now: the
        container's own key does not tell."""
        return container in self._outdated

    def never_met(self) -> Iterator[str]:
        """Ids of the documents that were not met, when all files were."""
        yield from self._passed
        yield from self._members
        while self._next is not None:
            yield self._next.document_id
            self._next = next(self._files, None)
