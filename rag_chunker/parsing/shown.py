"""What of a text from an office document is shown in running text?"""

from rag_chunker.parsing.decoding import clean

_SOFT_HYPHEN = "\u00ad"


def shown(text: str) -> str:
    """Cleaned as all text is, and without soft hyphens: where a line may end is no matter here."""
    return text if text.isascii() and "\r" not in text else clean(text).replace(_SOFT_HYPHEN, "")
