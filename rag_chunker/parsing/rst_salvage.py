"""What words are left of a construct that docutils refused?"""

import re
from textwrap import dedent
from typing import NamedTuple

_DIRECTIVE = re.compile(r"\.\.[ ]+(?:\|[^|\n]*\|[ ]+)?([\w:.+-]+)::[ \t]*([^\n]*)(?:\n|$)")
_OPTION = re.compile(r":([\w -]+):[ \t]*([^\n]*)")
_ROLE = re.compile(r":[\w:.+-]+:`([^`]*)`|`([^`]*)`:[\w:.+-]+:")
_TARGET = re.compile(r"(?s)(.+?)\s*<[^<>]*>")
_TITLE = re.compile(r"(?:([^\w\s])\1*\n)?[ ]*(\S[^\n]*)\n([^\w\s])\3*\s*")
_CODE = frozenset(
    {
        "code",
        "code-block",
        "sourcecode",
        "literalinclude",
        "parsed-literal",
        "ipython",
        "doctest",
        "testcode",
        "prompt",
        "productionlist",
        "graphviz",
        "mermaid",
        "uml",
        "plantuml",
    }
)
_NAVIGATION = frozenset(
    {
        "toctree",
        "index",
        "contents",
        "highlight",
        "currentmodule",
        "tabularcolumns",
        "only",
        "raw",
        "include",
        "default-domain",
        "sectionauthor",
        "codeauthor",
        "meta",
        "role",
        "default-role",
    }
)
"""Their arguments are file names and switches; the content of `only` is read."""
_SHOWN = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}


class Salvage(NamedTuple):
    """The parts of a directive that a reader would see."""

    argument: str
    """Of code its caption."""
    content: str
    """reStructuredText still, or code if `is_code`."""
    is_code: bool
    language: str | None


def directive(raw: str) -> Salvage | None:
    """The parts of the directive that `raw` begins with; None if it is no directive."""
    head = _DIRECTIVE.match(raw)
    if head is None:
        return None
    name, argument = head[1].lower(), head[2].strip()
    body = dedent(raw[head.end() :]).strip("\n")
    content = _without_options(body)
    if name in _CODE:
        is_listing = name.startswith(("code", "source")) and " " not in argument
        return Salvage(_caption(body), content, True, (argument or None) if is_listing else None)
    if name in _NAVIGATION:
        return Salvage("", content if name == "only" else "", False, None)
    if name in _SHOWN:
        argument = f"{_SHOWN[name]} {argument}"
    return Salvage(argument, content, False, None)


def role_text(raw: str) -> str:
    """``:ref:`shown <target>` `` as `shown`, ``:func:`~a.b` `` as `b`; other text as it is."""
    return _ROLE.sub(lambda role: _shown(role[1] or role[2] or ""), raw)


def title_text(raw: str) -> str | None:
    """The words of a section title, None if `raw` is none."""
    title = _TITLE.fullmatch(raw)
    return title[2].strip() if title else None


def _shown(content: str) -> str:
    titled = _TARGET.fullmatch(content)
    if titled:
        return titled[1]
    if content.startswith("~"):
        return content[1:].rpartition(".")[2]
    return content.removeprefix("!")


def _caption(body: str) -> str:
    """What the option `caption` of a listing says, among the options at its top."""
    for line in body.split("\n"):
        option = _OPTION.match(line)
        if option is None:
            break
        if option[1] == "caption":
            return option[2]
    return ""


def _without_options(body: str) -> str:
    lines = body.split("\n")
    start = 0
    while start < len(lines) and _OPTION.match(lines[start]):
        start += 1
    # An option may go on in indented lines.
    while start and start < len(lines) and lines[start].startswith((" ", "\t")):
        start += 1
    return "\n".join(lines[start:]).strip("\n")
