"""`ragctl`: translates arguments for the library; each command lives in a module of its own.

Exit codes: 0 done, 1 a document or a run failed, 2 usage, 130 interrupted. Results go to stdout,
messages to stderr.
"""

import os
import sys

import click

from rag_chunker.cli.commands import LazyGroup

__all__ = ["cli", "main"]


@click.group(
    cls=LazyGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=(
        "Example: ragctl chunk handbook.md -n 10\n\n"
        "Exit codes: 0 done, 1 a document or a run failed, 2 usage. Results go to stdout, messages "
        "to stderr. NO_COLOR is obeyed.\n\n"
        'Completion: eval "$(ragctl completion bash)"; also for zsh and fish'
    ),
)
@click.version_option(package_name="rag-chunker", prog_name="ragctl")
@click.pass_context
def cli(context: click.Context) -> None:
    """Turn documents into chunks that know where they stand."""
    if os.environ.get("NO_COLOR"):
        context.color = False


def main() -> int:
    """The entry point: runs `cli` on the process's arguments and gives its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal in Latin-1 shows no traceback for "←"
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(prog_name="ragctl", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    return code if isinstance(code, int) else 0
