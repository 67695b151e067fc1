"""Which parts of an HTML page does a reader see, and which of these are the page's content?"""

import re
from collections.abc import Iterator
from itertools import chain, takewhile

from turbohtml import Document, Element, Namespace, Node, Text

HTML = Namespace.HTML
"""Looking a member of an enumeration up takes as long as three properties of an element."""
NEVER_SHOWN = frozenset(
    # Words in one text: a list of them is formatted to a line each.
    "audio base canvas datalist dialog head iframe link meta noembed noframes noscript "  # noqa: SIM905
    "option param script select source style template title track video".split()
)
"""But for a dialog that is open."""
_NEVER_SHOWN_FOREIGN = frozenset(
    "annotation annotation-xml clipPath defs desc metadata script style symbol title".split()  # noqa: SIM905
)
FOREIGN = ("svg", "math")
"""Around elements of another namespace."""
MARKED = ",".join(
    (
        *("[hidden]", "[aria-hidden*=true i]", "[style*=display i]", "[style*=visibility i]"),
        "[role]",
        r"[epub\:type=pagebreak]",
    )
)
"""Selects elements with an attribute that may hide them or give them a role."""
_HIDING_STYLE = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))"
)
_DISPLAY = re.compile(
    r"(?:^|[;\s])display\s*:\s*(?:(inline)|block|flow-root|flex|grid|list-item|table|table-row)\s*(?:[;!]|$)"
)
_CHROME_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_PAGE_PARTS = frozenset({"header", "footer", "aside"})
MAYBE_CHROME = _PAGE_PARTS | {"nav"}
"""Elements that may be chrome without a role."""
CONTENT_PARTS = frozenset({"article", "section", "main", "blockquote", "figure", "li", "td"})
"""Headers, footers and sidebars inside one of these belong to it, not to the page."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SPACES = "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_WIDE_SPACES = "".join(char for char in _SPACES if not char.isascii())
_OTHERS = "".join(filter(str.isascii, _SPACES)).encode() + bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that are white space, and those inside of characters of several."""
_MAYBE_UNSEEN_TAGS = sorted(NEVER_SHOWN | MAYBE_CHROME | {*FOREIGN})
_MAYBE_HIDDEN_TAGS = NEVER_SHOWN | _NEVER_SHOWN_FOREIGN
_LEAST_MAIN_SHARE = 0.2
_LEAST_ARTICLE_SHARE = 0.67


def is_hidden(element: Element) -> bool:
    """True if a browser shows nothing of `element` (as far as the markup alone tells)."""
    if element.namespace is not HTML:
        return element.tag in _NEVER_SHOWN_FOREIGN
    tag, attributes = element.tag, element.attrs
    if tag in NEVER_SHOWN:
        return tag != "dialog" or "open" not in attributes or is_hidden_by_attribute(element)
    return bool(attributes) and is_hidden_by_attribute(element)


def is_hidden_by_attribute(element: Element) -> bool:
    """True if the attributes of `element` say that nothing of it is shown."""
    attributes = element.attrs
    if "hidden" in attributes and element.attr("hidden") != "until-found":
        return True
    if "aria-hidden" in attributes:
        stated = element.attr("aria-hidden") or ""
        if stated.strip().lower() == "true":
            return True
    if "epub:type" in attributes or "role" in attributes:
        kinds = element.attr("epub:type"), element.attr("role")
        if "pagebreak" in kinds or "doc-pagebreak" in kinds:
            return True  # the number of a printed page, anywhere in the text
    if "style" not in attributes:
        return False
    stated = (element.attr("style") or "").lower()
    # Most styles have neither word, and looking for them takes a third of a pattern's time.
    named = "display" in stated or "visibility" in stated
    return named and _HIDING_STYLE.search(stated) is not None


def displayed_inline(element: Element) -> bool | None:
    """Whether its style puts `element` in the midst of a line, or on lines of its own; None if it
    says neither."""
    if "style" not in element.attrs:
        return None
    stated = _DISPLAY.search((element.attr("style") or "").lower())
    return None if stated is None else stated[1] is not None


def marked_in(root: Node) -> set[Node]:
    """The elements with an attribute that may hide them or give them a role, `root` included.

    Looking for them all at once takes a tenth of the time that asking each of its attributes takes.
    """
    return {root, *root.select(MARKED)}


def is_chrome(element: Element, *, in_content: bool) -> bool:
    """True for menus, and for page headers, footers and sidebars outside the content.

    `in_content`: whether one of `CONTENT_PARTS` encloses the element.
    """
    tag = element.tag
    role = (element.attr("role") or "").strip().lower() if element.attrs else ""
    if tag == "nav" or role == "navigation":
        return True
    return not in_content and (tag in _PAGE_PARTS or role in _CHROME_ROLES)


def content_roots(page: Document) -> list[Element]:
    """Where the content lies if the page says so: its <main>, or its one dominating <article>.

    A <main> counts if it holds at least a fifth of the text outside chrome. An <article> counts if
    it is the only outermost one, holds at least two thirds of it, and every heading too: else text
    beside it belongs to the content. Empty if neither is so.
    """
    mains = _outermost(page, "main")
    articles = [] if mains else _outermost(page, "article")
    if not mains and len(articles) != 1:
        return []
    # All text of the page is no less than what is visible of it, and much faster to count.
    enough = _LEAST_MAIN_SHARE * max(len(page.text), 1) if mains else 0
    if mains and any(_surely_shows(each, enough) for each in mains):
        return mains
    weights = [_weight(each) for each in mains or articles]
    inside = sum(characters for characters, _ in weights)
    if mains and inside >= enough:
        return mains
    characters, headings = _weight(page)
    share = inside / max(characters, 1)
    if mains:
        return mains if share >= _LEAST_MAIN_SHARE else []
    every_heading = 0 < headings == weights[0][1]
    return articles if every_heading and share >= _LEAST_ARTICLE_SHARE else []


def keeps_title_in_header(page: Document) -> bool:
    """True if the only level-1 heading stands in a page header, which then is content."""
    if page.find("main") is not None:
        return False
    tops = page.find_all("h1", limit=3)
    return 0 < len(tops) < 3 and all(top.closest("header") is not None for top in tops)


def _outermost(page: Document, part: str) -> list[Element]:
    """The visible elements with this tag or role that lie in no other such element."""
    found: list[Element] = []
    out: dict[Node, bool] = {}  # whether a node is hidden or inside of what was found
    for each in page.select(f'{part},[role="{part}"]'):
        above = list(takewhile(lambda node: node not in out, each.ancestors))
        top = above[-1].parent if above else each.parent
        is_out = top is not None and out[top]
        for node in reversed(above):
            is_out = is_out or (isinstance(node, Element) and is_hidden(node))
            out[node] = is_out
        if not is_out and not is_hidden(each):
            found.append(each)
        out[each] = True
    return found


def characters(text: str) -> int:
    """How many are no white space.

    Counts bytes, which takes a seventh of the time: each character has one that none of `_OTHERS`
    is.
    """
    count = len(text.encode(errors="surrogatepass").translate(None, _OTHERS))
    return count if text.isascii() else count - sum(map(text.count, _WIDE_SPACES))


def _surely_shows(root: Element, enough: float) -> bool:
    """Whether so many characters are left without all that may be hidden or chrome."""
    left = characters(root.text)
    for element in chain(root.iter_elements(_MAYBE_UNSEEN_TAGS), root.select(MARKED)):
        if left < enough:
            break
        left -= characters(element.text)
    return left >= enough


def _weight(root: Node) -> tuple[int, int]:
    """Visible characters outside chrome, and headings among them."""
    parts: list[str] = []
    headings = int(isinstance(root, Element) and root.tag in _HEADINGS)
    marked = marked_in(root)
    in_content = isinstance(root, Element)
    content_end: Node | None = None
    rest: Iterator[Node] | None = root.descendants
    end = next(root.following, None)
    while rest is not None:
        nodes, rest = rest, None
        for node in nodes:
            if node == end:
                break
            if node == content_end:
                in_content = False
            if isinstance(node, Text):
                parts.append(node.data)
                continue
            if not isinstance(node, Element):
                continue
            tag = node.tag
            is_marked = node in marked
            if (is_marked or tag in _MAYBE_HIDDEN_TAGS) and is_hidden(node):
                rest = node.following
                break
            if (is_marked or tag in MAYBE_CHROME) and is_chrome(node, in_content=in_content):
                rest = node.following
                break
            headings += tag in _HEADINGS
            if not in_content and tag in CONTENT_PARTS:
                in_content = True
                content_end = next(node.following, None)
    return characters("".join(parts)), headings
