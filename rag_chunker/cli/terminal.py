"""What do tables and live lines need? A console that stops quietly when nobody reads any more."""

from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["console"]


def console(file: IO[str] | None = None) -> "Console":
    """For stdout, or for `file`. Colours on a terminal only, and not under NO_COLOR; text with
    brackets is shown as it is.

    A closed pipe raises `BrokenPipeError`, as for any other output, where rich would end the
    process with exit code 1.
    """
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich calls this while it handles the BrokenPipeError

    return Piped(file=file, markup=False, highlight=False, soft_wrap=False)
