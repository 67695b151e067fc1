"""The plain text of a run of Markdown: no marks, link targets or tags, and no word welded."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from markdown_it.token import Token

from rag_chunker.parsing.html import fragment_blocks
from rag_chunker.parsing.html_walk import is_sign, link_target, without_east_asian_breaks

_KNOWN_TAGS = frozenset(
    # Words in one text: a list of them is formatted to a line each.
    "a abbr acronym address area article aside audio b base bdi bdo big blockquote body br "  # noqa: SIM905
    "button canvas caption center cite code col colgroup data datalist dd del details dfn dialog "
    "dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 "
    "h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map "
    "mark menu meta meter nav noframes noscript object ol optgroup option output p param picture "
    "pre progress q rp rt ruby s samp script search section select small source span strike "
    "strong style sub summary sup svg table tbody td template textarea tfoot th thead time title "
    "tr track tt u ul var video wbr".split()
)
_TAG_NAME = re.compile(r"</?([a-zA-Z][\w-]*)")
_PLACEHOLDER = re.compile(r"<[a-zA-Z][\w-]*>")
_EMBEDDED = re.compile(r"data:[\w/+.;=-]{0,80}base64,[A-Za-z0-9+/=%]{40,}")
_BRACES = r"\{[ \t]*(?:[#.][\w-]|[\w-]+=\")[^{}]*\}"
_ATTRIBUTED = re.compile(
    rf"((?<!`)`+[^`]+`+)|(?<![\]!])\[([^\[\]]*)\]{_BRACES}|(?<=[\])]){_BRACES}"
)
"""Code comes first: what looks like attributes in it is none."""
_SPACES = re.compile("[ \t\xa0]+")


def inline_text(inline: Token, *, permalinks: bool = True) -> tuple[str, str | None]:
    """The text of an `inline` token, and the target if all of it is one link.

    Without `permalinks` no sign is shown that only links to a place in a page (`[¶](#here)`).

    Links and images give their text, soft breaks a space, hard breaks and <br> a line break,
    footnote references their label in brackets. Tags go, and what they hide; a single tag that
    HTML does not know (`<your-name>`) is a placeholder and stays.
    """
    children = inline.children or []
    if len(children) == 1 and children[0].type == "text":
        return _tidied(children[0].content), None
    tokens = _flat(children)
    if not permalinks:
        tokens = list(_without_permalinks(tokens))
    if any(token.type == "html_inline" for token in tokens):
        pieces = [_as_html(token, tokens) for token in tokens]
        text = "\n".join(block.text for block in fragment_blocks("".join(pieces)))
    else:
        text = _joined(tokens)
    return _tidied(text), _only_target(tokens)


def without_attributes(text: str) -> str:
    """Markdown without what Pandoc and others write behind links, pictures and marked words.

    `![alt](a.png){width="3in"}` and `[word]{.underline}` are what they are without the braces.
    """
    return _ATTRIBUTED.sub(lambda found: found[1] or found[2] or "", text)


def _tidied(text: str) -> str:
    if "base64," in text:
        text = _EMBEDDED.sub("", text)
    if "  " in text or "\t" in text or "\xa0" in text:
        text = _SPACES.sub(" ", text)
    if "\n" not in text:
        return text.strip()
    return "\n".join([line.strip() for line in text.split("\n")]).strip()


def _flat(children: Sequence[Token]) -> list[Token]:
    """The tokens with those of image descriptions in their images' places."""
    found: list[Token] = []
    stack = list(reversed(children))
    while stack:
        token = stack.pop()
        if token.type == "image":
            stack.extend(reversed(token.children or []))
        else:
            found.append(token)
    return found


def _without_permalinks(tokens: list[Token]) -> Iterator[Token]:
    link: list[Token] = []
    for token in tokens:
        if not link and token.type != "link_open":
            yield token
            continue
        link.append(token)
        if token.type == "link_close":
            in_page = "#" in str(link[0].attrs.get("href", ""))
            if not (in_page and is_sign("".join(map(_as_text, link)))):
                yield from link
            link = []


def _joined(tokens: list[Token]) -> str:
    """Lines by hard breaks only: a soft break is a space, or nothing between Han and kana."""
    lines: list[list[str]] = [[]]
    for token in tokens:
        if token.type == "hardbreak":
            lines.append([])
        else:
            lines[-1].append(_as_text(token))
    joined = (without_east_asian_breaks("".join(line)) for line in lines)
    return "\n".join(line.replace("\n", " ") for line in joined)


def _as_text(token: Token) -> str:
    if token.type == "softbreak":
        return "\n"
    if token.type == "footnote_ref":
        return f"[{token.meta.get('label', '')}]"
    return token.content


def _as_html(token: Token, all_tokens: list[Token]) -> str:
    if token.type != "html_inline":
        return "<br>" if token.type == "hardbreak" else escape(_as_text(token), quote=False)
    name = _TAG_NAME.match(token.content)
    if name is None:
        return ""  # a comment, declaration or processing instruction
    if name[1].lower() in _KNOWN_TAGS or not _PLACEHOLDER.fullmatch(token.content):
        return token.content
    closing = f"</{name[1]}>"
    is_pair = any(other.content == closing for other in all_tokens)
    return "" if is_pair else escape(token.content, quote=False)


def _only_target(tokens: list[Token]) -> str | None:
    targets: set[str | None] = set()
    target: str | None = None
    for token in tokens:
        if token.type == "link_open":
            target = link_target(str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            target = None
        elif token.content and not token.content.isspace():
            targets.add(target)
    return targets.pop() if len(targets) == 1 else None
