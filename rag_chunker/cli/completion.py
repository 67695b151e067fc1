"""`ragctl completion SHELL`: the script that lets a shell complete commands and options."""

import click
from click.shell_completion import get_completion_class

__all__ = ["completion"]


@click.command(
    epilog='Example: eval "$(ragctl completion bash)"\n\n'
    "Example: ragctl completion fish > ~/.config/fish/completions/ragctl.fish"
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of SHELL: for its start-up file, or for `eval` in this session.

    bash and zsh: eval "$(ragctl completion bash)" in ~/.bashrc, alike in ~/.zshrc.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click knows all three
    click.echo(kind(context.find_root().command, {}, "ragctl", "_RAGCTL_COMPLETE").source())
