"""The errors that a user or a plug-in author can meet.

RagError
├── ParseError                a document's bytes cannot become blocks
│   ├── UnsupportedMediaType  no parser for this kind of file
│   ├── EncryptedDocument     needs a password
│   ├── CorruptDocument       is not what its name or first bytes say
│   ├── DocumentTooLarge      over a limit on size, pages, nesting or inflation
│   └── ParseTimeout          took longer than it may
├── OCRError                  a page image cannot become text
├── ChunkError                a parsed document cannot become chunks
├── StoreError                the warehouse cannot be read or written
└── ConfigError               a setting is wrong; the message says which and what is allowed
"""

__all__ = [
    "ChunkError",
    "ConfigError",
    "CorruptDocument",
    "DocumentTooLarge",
    "EncryptedDocument",
    "OCRError",
    "ParseError",
    "ParseTimeout",
    "RagError",
    "StoreError",
    "UnsupportedMediaType",
]


class RagError(Exception):
    """Base of all errors raised on purpose.

    `message` says what is wrong and what to do next; `document` names the document (its id or
    path) when one is to blame. `str()` joins the two. Survives pickling, so that it can cross
    from a worker process.
    """

    def __init__(self, message: str, *, document: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.document = document

    def __str__(self) -> str:
        return self.message if self.document is None else f"{self.document}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.document)


def _rebuild(kind: type[RagError], message: str, document: str | None) -> RagError:
    return kind(message, document=document)


class ParseError(RagError):
    """A document's bytes cannot become blocks."""


class UnsupportedMediaType(ParseError):
    """No parser is registered for this kind of file."""


class EncryptedDocument(ParseError):
    """The document is protected by a password."""


class CorruptDocument(ParseError):
    """The bytes are not a valid document of their kind."""


class DocumentTooLarge(ParseError):
    """The document is over a limit on size, pages, nesting or inflation; the message names it."""


class ParseTimeout(ParseError):
    """Parsing took longer than allowed and was stopped."""


class OCRError(RagError):
    """A page image cannot become text."""


class ChunkError(RagError):
    """A parsed document cannot become chunks."""


class StoreError(RagError):
    """The warehouse cannot be read or written."""


class ConfigError(RagError):
    """A setting is wrong; the message says which one and what is allowed."""
