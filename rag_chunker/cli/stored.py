"""Where does a document by its id come from? From whoever stores some, by entry point.

A distribution that keeps documents with their chunks adds a function under the entry point group
`rag_chunker.stored_documents`: from an id to a `StoredDocument`, or a `RagError` that says what to
do. `rag_assets` adds the warehouse.
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from rag_chunker.cli.failures import Failed
from rag_chunker.inspector import StoredDocument

__all__ = ["ENTRY_POINT_GROUP", "stored_document"]

ENTRY_POINT_GROUP = "rag_chunker.stored_documents"


def stored_document(document_id: str) -> StoredDocument:
    """The document and its chunks. Raises `Failed`, or what the function of the group raises."""
    found = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name)
    if not found:
        raise Failed("nothing here stores documents; for the warehouse: " + _HOW)
    return _loaded(found[0])(document_id)


_HOW = "pip install 'rag-chunker[assets]'"


def _loaded(entry: EntryPoint) -> Callable[[str], StoredDocument]:
    try:
        read: Callable[[str], StoredDocument] = entry.load()
    except ModuleNotFoundError as error:
        raise Failed(
            f"reading documents from the {entry.name} needs the Python package {error.name!r}: "
            f"{_HOW}"
        ) from error
    return read
