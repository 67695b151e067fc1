"""The port for parsers: bytes become a parsed document."""

from abc import ABC, abstractmethod

from rag_core.types import ParsedDocument, Source


class Parser(ABC):
    """Turns the bytes of one kind of document into blocks: a pure function of its arguments."""

    @abstractmethod
    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        """The document's blocks in reading order.

        Nothing inside the document can set its id, tenant, corpus or labels: they come from
        `source`. Raises `ParseError` or one of its kinds, naming the document, and nothing else.
        """

    @abstractmethod
    def version(self) -> str:
        """Changes whenever the same bytes may give other blocks (own rules and library)."""
