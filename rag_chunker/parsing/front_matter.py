"""What does a Markdown file say about itself before its text starts?

YAML (`---`) and TOML (`+++`) front matter is read line by line, not by a YAML library: keys with
scalars and lists of scalars are all that metadata needs, a value stays the text that was written
(`2024-05-01`, `no`), and no tag or anchor can do harm. What nests deeper is kept as raw text.
"""

import re

from pydantic import JsonValue

_BLANK_LINES = r"(?:[ \t]*\n)*"
_YAML = re.compile(
    rf"{_BLANK_LINES}---[ \t]*\n(?![ \t]*\n)(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_TOML = re.compile(
    rf"{_BLANK_LINES}\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_YAML_KEY = re.compile(r"""(["']?)([^\s#"'\[\]{}:,-][^"'\n:#]*?)\1\s*:(?:[ \t]+(.*))?$""")
_TOML_KEY = re.compile(r"""(["']?)([\w.-]+)\1\s*=\s*(.*)$""")
_LIST_ITEM = re.compile(r"\s*-[ \t]+(.*)$")
_BLOCK_TEXT = re.compile(r"[|>][+-]?\d?$")


def split_front_matter(text: str) -> tuple[dict[str, JsonValue], str]:
    """The metadata before the text, and the text without it; empty if there is none.

    Blank lines may stand before it. A rule (`---`) at the start is front matter only if the next
    line is not blank and every line up to the next rule reads as `key: value`, comment, list item
    or continuation.
    """
    found = _YAML.match(text)
    if found:
        metadata = _read(found[1].split("\n"), _YAML_KEY)
    else:
        found = _TOML.match(text)
        if not found:
            return {}, text
        metadata = _read(found[1].split("\n"), _TOML_KEY)
    return ({}, text) if metadata is None else (metadata, text[found.end() :])


def _read(lines: list[str], key_pattern: re.Pattern[str]) -> dict[str, JsonValue] | None:
    """The keys and values; None if these lines are no front matter after all."""
    metadata: dict[str, JsonValue] = {}
    section = key = ""
    values: dict[str, list[str]] = {}
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        if key_pattern is _TOML_KEY and re.fullmatch(r"\[\[?[\w.\"' -]+\]?\]\s*(#.*)?", line):
            section = line.split("]")[0].strip("[ ") + "."
            continue
        found = key_pattern.match(line)
        if found:
            key = section + found[2].strip()
            values[key] = [found[3] or ""]
        elif key and (line[0] in " \t-]})\"'" or _is_open(values[key])):
            values[key].append(line)
        else:
            return None
    for name, written in values.items():
        metadata[name] = _value(written)
    return metadata if metadata or not any(line.strip() for line in lines) else None


def _is_open(written: list[str]) -> bool:
    """Whether a value that starts with a bracket goes on in the next line."""
    whole = "".join(written)
    closing = {"[": "]", "{": "}"}.get(whole[:1])
    return closing is not None and whole.count(whole[0]) > whole.count(closing)


def _value(written: list[str]) -> JsonValue:
    first, rest = written[0].strip(), written[1:]
    if _BLOCK_TEXT.match(first):
        joined = "\n" if first[0] == "|" else " "
        return joined.join(line.strip() for line in rest)
    if first.startswith("#"):
        first = ""
    if not first and rest:
        items = [_LIST_ITEM.match(line) for line in rest]
        if all(items):
            return [_scalar(item[1]) for item in items if item]
        return "\n".join(rest)
    whole = " ".join([first, *(line.strip() for line in rest)])
    if whole.startswith("[") and whole.endswith("]"):
        parts = re.findall(r"""\s*("[^"]*"|'[^']*'|[^,"']+)\s*(?:,|$)""", whole[1:-1])
        return [_scalar(part) for part in parts if part.strip()]
    return _scalar(whole)


def _scalar(written: str) -> str:
    written = written.strip()
    quote = written[:1]
    if quote and quote in "\"'" and (end := written.find(quote, 1)) > 0:
        return written[1:end]
    return re.split(r"\s#", written)[0].rstrip()
