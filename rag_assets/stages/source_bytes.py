"""Where do the bytes of stored documents come from once more? Files, and what lies inside them."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from rag_assets.corpus_config import CorpusConfig
from rag_assets.sources import CorpusFolder, Skipped
from rag_chunker.parsing.containers import members
from rag_core.errors import RagError
from rag_core.types import Source

__all__ = ["INSIDE", "Found", "containers_of", "found_again"]

INSIDE = "!/"
"""Between a container's id and the name of a member."""


class Found(NamedTuple):
    """A document that was looked for."""

    source: Source
    data: bytes | RagError
    """Its bytes, or why they cannot be read."""


def containers_of(document_id: str) -> Iterator[str]:
    """Ids of the documents that this one may lie inside, outermost first."""
    at = document_id.find(INSIDE)
    while at >= 0:
        yield document_id[:at]
        at = document_id.find(INSIDE, at + 1)


def found_again(
    folder: CorpusFolder, config: CorpusConfig, document_ids: Collection[str]
) -> Iterator[Found]:
    """These documents as they are now, in the order of their files; not those that are gone.

    Each file is read once, and no other file is opened. Raises `StoreError` if the folder cannot
    be listed.
    """
    if not document_ids:
        return
    inside: dict[str, set[str]] = {}
    for document_id in document_ids:
        for container in containers_of(document_id):
            inside.setdefault(container, set()).add(document_id)
    for file in folder.files(config):
        if isinstance(file, Skipped):
            continue
        within = inside.get(file.document_id, set())
        if not within and file.document_id not in document_ids:
            continue
        source = file.source()
        data: bytes | RagError
        try:
            data = folder.read(file)
        except RagError as error:
            data = error
        if file.document_id in document_ids:
            yield Found(source, data)
        if within:
            yield from _found_inside(source, data, within)


def _found_inside(source: Source, data: bytes | RagError, wanted: set[str]) -> Iterator[Found]:
    left = set(wanted)
    error = data if isinstance(data, RagError) else None
    if not isinstance(data, RagError):
        try:
            for member, content in members(source, data):
                if member.document_id in left:
                    left.discard(member.document_id)
                    yield Found(member, content)
                if not left:
                    return
        except RagError as raised:
            error = raised
    if error is not None:
        for document_id in sorted(left):
            yield Found(source.model_copy(update={"document_id": document_id}), error)
