"""When is a text blank? One answer, shared by every stage."""

from unicodedata import category

_INVISIBLE = frozenset({"Cc", "Cf"})


def is_blank(text: str) -> bool:
    """True if `text` holds nothing but white space, control and format characters.

    Stops at the first visible character, so it costs one step on ordinary text.
    """
    for char in text:  # noqa: SIM110 - three times as fast as all(), and called for every block
        if not char.isspace() and category(char) not in _INVISIBLE:
            return False
    return True
