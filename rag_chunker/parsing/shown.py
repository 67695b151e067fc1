"""What of a text from an office document is shown in running text?"""

from rag_chunker.parsing.decoding import clean

_SOFT_HYPHEN = "\u00ad"
_WANTING = ("\r", "\0", _SOFT_HYPHEN, "\ufeff")
"""What keeps a text from being shown as it is. XML has no lone surrogates."""


def shown(text: str) -> str:
    """Cleaned as all text is, and without soft hyphens: where a line may end is no matter here.

    `text` itself where nothing has to go.
    """
    if text.isascii() and "\r" not in text:
        return text
    for sign in _WANTING:
        if sign in text:
            return clean(text).replace(_SOFT_HYPHEN, "")
    return text
