"""Which document is to blame? Puts its name on the errors of a parser."""

from collections.abc import Iterator
from contextlib import contextmanager

from rag_core.errors import ParseError
from rag_core.types import Source


@contextmanager
def blamed_on(source: Source) -> Iterator[None]:
    """Every `ParseError` that leaves the block names the source's URI, unless it names one."""
    try:
        yield
    except ParseError as error:
        if error.document is None:
            error.document = source.uri
        raise
