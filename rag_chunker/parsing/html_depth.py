"""How does a page that nests deeper than the HTML parser keeps its structure?

The parser, as browsers do, stops nesting at 512 open elements: what comes deeper keeps its text,
but an `<h2>` is then empty and its text follows it. So wrappers beyond a limit go first.
"""

import re

from turbohtml import Document

_WEIGHTS = {
    **dict.fromkeys(("ul", "ol", "menu", "dl"), 2),  # with the item inside
    "table": 4,  # with body, row and cell
    **dict.fromkeys(
        (
            *("address", "article", "aside", "blockquote", "center", "details", "dir", "div"),
            *("fieldset", "figure", "footer", "form", "header", "hgroup", "main", "section"),
        ),
        1,
    ),
}
_INLINE = dict.fromkeys(
    (
        *("abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins"),
        *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub"),
        *("sup", "tt", "u", "var"),
    ),
    1,
)
_ALL = {**_WEIGHTS, **_INLINE}
_TAG = re.compile(rf"<(/?)({'|'.join(_ALL)})(?![\w-])([^<>]*)>", re.IGNORECASE)
_INSIDE = re.compile(r"<(?:/li|/?(?:tbody|thead|tfoot|tr|td|th))(?![\w-])[^<>]*>", re.IGNORECASE)
_DEEPEST = 400
_BELOW_THE_DEEPEST = "/" + "/".join("*" * (_DEEPEST + 1))
_MOST_A_TAG = 2
"""Elements on the way to the deepest: `<table><td>` makes a body and a row as well."""
_HIDES = re.compile(r"hidden|style", re.IGNORECASE)


def is_deep(page: Document, markup: str) -> bool:
    """Whether any element lies more than 400 deep. Most pages end at 30, and take no time."""
    most = _MOST_A_TAG * (markup.count("<") + 5)
    return most > _DEEPEST and page.xpath_one(_BELOW_THE_DEEPEST) is not None


def within_depth(markup: str) -> str:
    """`markup` as it is if it nests at most 400 deep, else with deeper wrappers taken out.

    A block wrapper leaves a boundary (`<hr>`), an inline one nothing; headings, paragraphs, list
    items and code stay what they are. Elements that may hide their content stay as well.
    """
    depth = 0
    for found in _TAG.finditer(markup):
        weight = _ALL[found[2].lower()]
        depth = max(depth - weight, 0) if found[1] else depth + weight
        if depth > _DEEPEST:
            return _flattened(markup)
    return markup


def _flattened(markup: str) -> str:
    parts: list[str] = []
    open_tags: list[tuple[str, bool]] = []
    depth = at = taken_out = 0
    for found in _TAG.finditer(markup):
        between = markup[at : found.start()]
        parts.append(_INSIDE.sub("<hr>", between) if taken_out else between)
        at = found.end()
        tag = found[2].lower()
        weight = _ALL[tag]
        boundary = "" if tag in _INLINE else "<hr>"
        if not found[1]:
            removed = depth + weight > _DEEPEST and not _HIDES.search(found[3])
            open_tags.append((tag, removed))
            depth += 0 if removed else weight
            taken_out += removed
        elif open_tags and open_tags[-1][0] == tag:
            removed = open_tags.pop()[1]
            depth -= 0 if removed else weight
            taken_out -= removed
        else:
            removed = taken_out > 0
        parts.append(boundary if removed else found[0])
    parts.append(markup[at:])
    return "".join(parts)
