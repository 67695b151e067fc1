"""Is this a typewriter font? Judged by its name."""

_MONOSPACE = (
    "courier",
    "consolas",
    "menlo",
    "monaco",
    "mono",
    "lucida console",
    "andale",
    "cascadia code",
    "fira code",
    "source code pro",
    "inconsolata",
    "fixedsys",
)


def is_monospace(font: str) -> bool:
    """Whether the font's name is, or contains, that of a common fixed-width font."""
    folded = font.casefold()
    return any(name in folded for name in _MONOSPACE)
