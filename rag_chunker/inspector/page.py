"""The page as one file: template, style, script and data, closed to everything else.

Nothing of a document is ever parsed as HTML: it travels as JSON in which `<`, `>` and `&` are
escaped, and the script puts it on the page as text. The content security policy admits this page's
own style and script by their hashes, and no network at all.
"""

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files

from rag_chunker.inspector.view import Chunking, view_of
from rag_core.types import ParsedDocument

__all__ = ["render"]


def render(parsed: ParsedDocument, chunkings: Sequence[Chunking]) -> bytes:
    """The page, in UTF-8: the document with its chunks under each of the chunkings (one, or two to
    compare), the heading tree, and the sizes of the chunks against the budget.

    The chunks must be slices of the document's text, as those of `HeadingAwareChunker` are.
    """
    style, script = _file("page.css"), _file("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    view = view_of(parsed, chunkings)
    parts = {
        "@policy@": html.escape(policy, quote=True),
        "@title@": html.escape(str(view["title"])),
        "@style@": style,
        "@script@": script,
        "@data@": _json(view),
    }
    page = _file("page.html")
    filled = []
    while "@" in page:
        start = page.index("@")
        end = page.index("@", start + 1) + 1
        filled += [page[:start], parts[page[start:end]]]
        page = page[end:]
    return "".join([*filled, page]).encode("utf-8", "backslashreplace")


def _file(name: str) -> str:
    return files("rag_chunker.inspector").joinpath(name).read_text("utf-8")


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _json(value: object) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text
