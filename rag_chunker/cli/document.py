"""Which document does the user mean? A file or stdin, under a tenant and a corpus."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from rag_chunker.cli.bundles import bundled
from rag_chunker.cli.failures import Failed
from rag_core.errors import ConfigError, RagError
from rag_core.types import CorpusId, DocumentId, Source, TenantId

__all__ = ["Chosen", "blaming", "document_options", "naming_options", "read_document"]


class Chosen(NamedTuple):
    """The file that the user named, and what the document is to be called."""

    file: str
    """A path, or `-` for stdin."""
    name: str | None
    tenant: str
    corpus: str


class _File(click.Path):
    """A file that is there, or a word on what to give instead."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = _NOT_A_FOLDER if os.path.isdir(value) else _NOT_THERE
            raise click.BadParameter(f"{error.message} {hint}", ctx, param) from error


_NOT_THERE = "Check the path, or give `-` to read from standard input."
_NOT_A_FOLDER = (
    "Give one of its files. Whole folders are what `ragctl ui` and `ragctl demo` are for: "
    "put yours into data/sources/TENANT/CORPUS."
)

FILE = _File(exists=True, dir_okay=False, allow_dash=True, readable=False)
"""What FILE may be; whether it can be read shows when it is read."""
naming_options = (
    click.option(
        "--name",
        help="Path of the document within its corpus, part of its id; its extension tells the "
        "type of what comes from stdin.  [default: the file's name]",
    ),
    click.option(
        "--tenant", default="local", show_default=True, help="Tenant the document belongs to."
    ),
    click.option(
        "--corpus", default="local", show_default=True, help="Corpus the document belongs to."
    ),
)
document_options = bundled("chosen", Chosen, click.argument("file", type=FILE), *naming_options)
"""FILE, `--name`, `--tenant` and `--corpus`: the argument `chosen` of `read_document`."""


def read_document(chosen: Chosen) -> tuple[Source, bytes]:
    """The source and its bytes. Raises `OSError`."""
    file, name, tenant, corpus = chosen
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
