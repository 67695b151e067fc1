"""Which chunker does the user mean? `--max-tokens`, `--overlap-tokens`, `--encoding`."""

from typing import TYPE_CHECKING, NamedTuple

import click

from rag_chunker.cli.bundles import bundled

if TYPE_CHECKING:
    from rag_chunker.heading_aware import HeadingAwareChunker
    from rag_chunker.tokens import TokenCounter

__all__ = ["Budget", "budget_options", "chunker_of"]


class Budget(NamedTuple):
    """The settings of `HeadingAwareChunker`."""

    max_tokens: int
    overlap_tokens: int
    encoding: str


budget_options = bundled(
    "budget",
    Budget,
    click.option(
        "--max-tokens",
        type=int,
        default=512,
        show_default=True,
        help="Budget of a body chunk, overlap included.",
    ),
    click.option(
        "--overlap-tokens",
        type=int,
        default=64,
        show_default=True,
        help="Tokens of a chunk's tail that the next one in the section repeats.",
    ),
    click.option(
        "--encoding",
        default="cl100k_base",
        show_default=True,
        help="tiktoken encoding that counts the tokens; cl100k_base and o200k_base need no "
        "network.",
    ),
)
"""The settings of `HeadingAwareChunker`, with its defaults: the argument `budget`."""


def chunker_of(
    max_tokens: int, overlap_tokens: int, counter: "TokenCounter"
) -> "HeadingAwareChunker":
    """Raises `UsageError`, naming both values, where they do not go together."""
    from rag_chunker.heading_aware import HeadingAwareChunker

    try:
        return HeadingAwareChunker(max_tokens, overlap_tokens, counter)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
