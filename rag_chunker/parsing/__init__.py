"""Bytes to blocks: the one entrance to all parsers.

Importing this package loads no parser; each loads with the first document of its kind.
"""

from rag_chunker.parsing.media_type import media_type_of
from rag_chunker.parsing.registry import BUILT_IN, parser_for
from rag_core.errors import CorruptDocument, DocumentTooLarge, ParseError
from rag_core.types import ParsedDocument, Source

__all__ = ["media_type_of", "parse", "parser_for", "parser_version"]


def parse(source: Source, data: bytes) -> ParsedDocument:
    """The blocks of one document, by the parser of its media type.

    The type is `source.mime_type` if given, else found by content and name. Raises `ParseError`
    or one of its kinds, always naming the document. Whatever else a parser's library raises
    becomes `CorruptDocument`, here and only here.
    """
    try:
        return parser_for(_media_type(source, data)).parse(source, data)
    except ParseError as error:
        _name(source, error)
        raise
    except MemoryError as error:
        raise DocumentTooLarge(
            "reading it takes more memory than there is; split the document",
            document=source.document_id,
        ) from error
    except Exception as error:  # of many libraries, also RecursionError
        raise CorruptDocument(
            f"cannot be read: {type(error).__name__}: {error}; open it in the program that wrote "
            "it and save it again",
            document=source.document_id,
        ) from error


def parser_version(source: Source, data: bytes) -> str:
    """Media type and version of the parser that `parse` would use: part of a store's key.

    Raises `UnsupportedMediaType`, naming the document, if there is none.
    """
    try:
        media_type = _media_type(source, data)
        return f"{media_type} {parser_for(media_type).version()}"
    except ParseError as error:
        _name(source, error)
        raise


def _name(source: Source, error: ParseError) -> None:
    """By the document's id; an error that names a part of a container keeps that."""
    if error.document in (None, source.uri):
        error.document = source.document_id


def _media_type(source: Source, data: bytes) -> str:
    if source.mime_type is None:
        return media_type_of(source.uri, data)
    given = source.mime_type.split(";")[0].strip()
    return next((known for known in BUILT_IN if known.lower() == given.lower()), given)
