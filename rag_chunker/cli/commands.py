"""Which commands are there? Built-in ones by table, others by entry point; none loads unasked.

A distribution adds commands under the entry point group `rag_chunker.commands`: the entry's name is
the command's, its value a `click.Command`. Help lists them without importing them.
"""

import errno
import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from rag_chunker.cli.failures import Failed, as_click_error
from rag_core.errors import RagError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["ENTRY_POINT_GROUP", "LazyGroup"]

ENTRY_POINT_GROUP = "rag_chunker.commands"


class _BuiltIn(NamedTuple):
    module: str
    attribute: str
    help: str


_BUILT_IN = {
    "chunk": _BuiltIn("rag_chunker.cli.chunk", "chunk", "Chunk a file and preview its chunks."),
    "completion": _BuiltIn(
        "rag_chunker.cli.completion", "completion", "Print the completion script of a shell."
    ),
    "inspect": _BuiltIn(
        "rag_chunker.cli.inspect", "inspect", "Show a file's chunks as one HTML page."
    ),
    "ocr": _BuiltIn("rag_chunker.cli.ocr", "ocr", "Read the pages of a file that have no text."),
    "parse": _BuiltIn("rag_chunker.cli.parse", "parse", "Show the blocks of a file."),
}
_PLUGIN_HELP = {
    "demo": "Materialize chunks of a sample corpus.",
    "doctor": "Say what is installed, what is missing, and how to get it.",
    "export": "Write chunks as Parquet for other engines.",
    "query": "Run SQL on the warehouse, read-only.",
    "ui": "Open the Dagster UI, with the sensor and the schedule running.",
    "status": "Show documents, chunks and failures per partition.",
}
"""One line for each command that this distribution registers by entry point, since asking the
command itself would import it."""


@cache
def _plugins() -> dict[str, "EntryPoint"]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called, and that ends every
    failure that a user can cause with one message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return sorted({*_BUILT_IN, *_plugins()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name in _BUILT_IN:
            built_in = _BUILT_IN[cmd_name]
            command = getattr(import_module(built_in.module), built_in.attribute)
            assert isinstance(command, click.Command)
            return command
        entry = _plugins().get(cmd_name)
        return None if entry is None else _load(entry)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names and help without importing any command, so that a shell does not wait."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=_short_help(name)) for name in names]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _short_help(name)) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except RagError as error:
            raise as_click_error(error) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                _forget_stdout()
                ctx.exit(0)  # who reads has enough: `ragctl ... | head -1`
            raise as_click_error(error) from error
        return result


def _short_help(name: str) -> str:
    if name in _BUILT_IN:
        return _BUILT_IN[name].help
    package = _plugins()[name].module.partition(".")[0]
    return _PLUGIN_HELP.get(name, f"Added by {package}.")


def _load(entry: "EntryPoint") -> click.Command:
    try:
        command = entry.load()
    except ModuleNotFoundError as error:
        raise Failed(
            f"'ragctl {entry.name}' needs the Python package {error.name!r}, which is not "
            "installed; if it is one of ours: pip install 'rag-chunker[assets]'"
        ) from error
    except Exception as error:  # code of others, at import: it may raise anything
        raise Failed(
            f"'ragctl {entry.name}' comes from {entry.value} and cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not isinstance(command, click.Command):
        raise Failed(f"'ragctl {entry.name}' comes from {entry.value}, which is no click command")
    return command


def _forget_stdout() -> None:
    """So that Python does not complain at exit about what it can no longer write."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
