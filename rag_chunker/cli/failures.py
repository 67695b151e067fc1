"""How does a failure leave the process? One line on stderr and an exit code, no traceback."""

import os

import click

from rag_core.errors import ConfigError, RagError

__all__ = ["Failed", "as_click_error"]


class Failed(click.ClickException):
    """A document or a run failed: exit code 1."""

    exit_code = 1


def as_click_error(error: RagError | OSError) -> click.ClickException:
    """A wrong setting is a matter of usage (2); everything else is a failure (1)."""
    if isinstance(error, ConfigError):
        return click.UsageError(str(error))
    if isinstance(error, RagError):
        return Failed(str(error))
    name = os.fsdecode(error.filename) if error.filename else "cannot read or write"
    return Failed(f"{name}: {error.strerror or error}")
