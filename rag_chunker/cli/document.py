"""Which document does the user mean? A file or stdin, under a tenant and a corpus."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from rag_chunker.cli.failures import Failed
from rag_core.errors import ConfigError, RagError
from rag_core.types import CorpusId, DocumentId, Source, TenantId

__all__ = ["blaming", "document_options", "read_document"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def document_options(command: _Command) -> _Command:
    """FILE, `--name`, `--tenant` and `--corpus`: the arguments of `read_document`."""
    for decorate in (
        click.option(
            "--corpus", default="local", show_default=True, help="Corpus the document belongs to."
        ),
        click.option(
            "--tenant", default="local", show_default=True, help="Tenant the document belongs to."
        ),
        click.option(
            "--name",
            help="Path of the document within its corpus, part of its id; its extension tells the "
            "type of what comes from stdin.  [default: the file's name]",
        ),
        click.argument(
            "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, readable=False)
        ),
    ):
        command = decorate(command)
    return command


def read_document(file: str, *, name: str | None, tenant: str, corpus: str) -> tuple[Source, bytes]:
    """The source and its bytes; `file` may be `-` for stdin. Raises `OSError`."""
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    named = name or ("stdin" if file == "-" else Path(file).name)
    source = Source(
        document_id=DocumentId(f"{tenant}/{corpus}/{named}"),
        tenant_id=TenantId(tenant),
        corpus_id=CorpusId(corpus),
        uri=named if file == "-" or name else file,
    )
    return source, data


@contextmanager
def blaming(file: str) -> Iterator[None]:
    """Errors inside name the file as the user did, not by its document id."""
    try:
        yield
    except ConfigError:
        raise
    except RagError as error:
        raise Failed(f"{'stdin' if file == '-' else file}: {error.message}") from error
