"""How do options that belong together reach a command? As one value, declared once for all."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

__all__ = ["Command", "bundled"]

Command = Callable[..., None]
_Decorator = Callable[[Command], Command]


def bundled(name: str, kind: Callable[..., object], *options: _Decorator) -> _Decorator:
    """A decorator that adds `options` to a command, in this order, and hands their values to it as
    one argument `name`: `kind`, called with them by name."""

    def decorate(command: Command) -> Command:
        own: list[str] = []

        @wraps(command)
        def bundling(*args: Any, **values: Any) -> None:
            value = kind(**{key: values.pop(key) for key in own})
            command(*args, **{name: value}, **values)

        decorated: Command = bundling
        before = len(_params(decorated))
        for option in reversed(options):
            decorated = option(decorated)
        own += [param.name or "" for param in _params(decorated)[before:]]
        return decorated

    return decorate


def _params(command: Command) -> list[click.Parameter]:
    """What click has noted on a function until its command is made."""
    noted: list[click.Parameter] = getattr(command, "__click_params__", [])
    return noted
