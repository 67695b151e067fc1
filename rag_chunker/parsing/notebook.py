"""Jupyter notebooks (format 3 and 4): prose, code and what the code printed, in cell order."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import clean, decode
from rag_chunker.parsing.front_matter import split_front_matter
from rag_chunker.parsing.html import fragment_blocks
from rag_chunker.parsing.markdown import MarkdownParser, markdown_blocks
from rag_core.errors import CorruptDocument, DocumentTooLarge
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source

LONGEST_OUTPUT = 6_000
"""Characters. Of a longer output the beginning is kept, and the end, where the errors are."""

_END_OF_OUTPUT = 1_000
_MIME_TYPE = "application/x-ipynb+json"
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\x1b")
_SHORTEST_ENCODED = 200
_ENCODED = re.compile(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{_SHORTEST_ENCODED},}}={{0,2}}")
_OBJECT = re.compile(r"\s*<[^<>\n]*(?:at 0x[0-9a-fA-F]+|Figure size [^<>\n]*)>\s*")
_OF_A_TABLE = {BlockType.table_row, BlockType.caption, BlockType.paragraph}
_CELL_MAGIC = re.compile(r"%%(bash|sh|html|javascript|js|latex|perl|ruby|sql|R|python)\b")


class NotebookParser(Parser):
    """Markdown cells as one Markdown document, code cells as `code` in the kernel's language.

    Printed text, text results and error messages are `other` blocks without colour codes, up to
    `LONGEST_OUTPUT`, and a result that is shown as a table its rows; pictures, other HTML and rich
    output, tracebacks and attachments are left out. Raw cells are `other`. Front matter in the
    first cell goes to the metadata.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), paused_collector():
            notebook = _loaded(data)
            metadata, cells = _front_matter(_cells(notebook))
            blocks = tuple(_blocks(cells, _language(notebook)))
        title = next((block.text for block in blocks if block.level == 1), None)
        stated = metadata.get("title")
        document = source.document(
            data,
            mime_type=source.mime_type or _MIME_TYPE,
            title=stated if isinstance(stated, str) and stated.strip() else title,
            metadata=metadata,
        )
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return f"notebook-2 {MarkdownParser().version()}"


def _loaded(data: bytes) -> dict[str, Any]:
    text, _ = decode(data)
    try:
        notebook = json.loads(text)
    except RecursionError as error:
        raise DocumentTooLarge("the notebook nests too deep for a JSON reader") from error
    except ValueError as error:
        raise CorruptDocument(f"not a notebook: no valid JSON ({error})") from error
    if not isinstance(notebook, dict) or not ("cells" in notebook or "worksheets" in notebook):
        raise CorruptDocument("not a notebook: it has neither cells nor worksheets")
    return notebook


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells, of format 3 from all worksheets."""
    holders = [notebook, *_dicts(notebook.get("worksheets"))]
    return [cell for holder in holders for cell in _dicts(holder.get("cells"))]


def _front_matter(
    cells: list[dict[str, Any]],
) -> tuple[dict[str, JsonValue], list[dict[str, Any]]]:
    if not cells or cells[0].get("cell_type") not in ("raw", "markdown"):
        return {}, cells
    metadata, rest = split_front_matter(_text(cells[0].get("source")))
    return metadata, [{**cells[0], "source": rest}, *cells[1:]]


def _language(notebook: dict[str, Any]) -> str | None:
    about = _dict(notebook.get("metadata"))
    for holder, key in (("language_info", "name"), ("kernelspec", "language")):
        name = _dict(about.get(holder)).get(key)
        if isinstance(name, str) and name:
            return name.lower()
    return None


def _blocks(cells: list[dict[str, Any]], language: str | None) -> Iterator[Block]:
    tables = 0
    for cell in cells:
        for block in _cell_blocks(cell, language, tables):
            table = block.attributes.get("table")
            if isinstance(table, int):
                tables = table + 1
            if not is_blank(block.text):
                yield block


def _cell_blocks(cell: dict[str, Any], language: str | None, first_table: int) -> Iterator[Block]:
    text = _text(cell.get("source", cell.get("input")))
    match cell.get("cell_type"):
        case "markdown":
            yield from markdown_blocks(text, first_table=first_table).blocks
        case "code":
            yield _code(text, str(cell.get("language") or language or ""))
            yield from _output_blocks(_dicts(cell.get("outputs")), first_table)
        case "heading":  # format 3
            level = cell.get("level")
            known = level if isinstance(level, int) and 1 <= level <= 6 else 1
            yield Block.trusted_heading(" ".join(text.split()), known, {})
        case _:
            yield Block.trusted(BlockType.other, text.strip("\n"), {})


def _code(text: str, language: str) -> Block:
    magic = _CELL_MAGIC.match(text)
    spoken = magic[1].lower() if magic else language
    attributes: dict[str, JsonValue] = {"language": spoken} if spoken else {}
    return Block.trusted(BlockType.code, text.strip("\n"), attributes)


def _output_blocks(outputs: list[dict[str, Any]], table: int) -> Iterator[Block]:
    for output in outputs:
        rows = _table(output, table)
        yield from rows or [Block.trusted(BlockType.other, _printed(_output(output)), {})]
        table += bool(rows)


def _table(output: dict[str, Any], number: int) -> list[Block]:
    """The rows of a result that is shown as one table, such as a data frame; none if it is too
    long, or more than that."""
    shown = _dict(output.get("data", output))
    markup = _text(shown.get("text/html") or shown.get("html") or "")
    if markup.count("<table") != 1:
        return []
    blocks = fragment_blocks(markup, first_table=number)
    if sum(len(block.text) for block in blocks) > LONGEST_OUTPUT:
        return []
    kinds = {block.type for block in blocks}
    return blocks if BlockType.table_row in kinds and kinds <= _OF_A_TABLE else []


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    if output.get("output_type") == "stream":
        return _text(output.get("text"))
    shown = output.get("data", output)  # format 3 has its formats beside the type
    for kind in ("text/markdown", "text/plain", "text"):
        text = _text(_dict(shown).get(kind))
        if not is_blank(text):
            return "" if _OBJECT.fullmatch(text) else text
    return ""


def _printed(text: str) -> str:
    """What a terminal would show in the end: no colours, no progress bars on their way."""
    if "\r" in text:
        lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
        text = "\n".join(lines)
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if max(map(len, text.split()), default=0) >= _SHORTEST_ENCODED:
        text = _ENCODED.sub("…", text)
    text = text.strip("\n")
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[: LONGEST_OUTPUT - _END_OF_OUTPUT]}\n…\n{text[-_END_OF_OUTPUT:]}"


def _text(value: object) -> str:
    """A text or a list of lines; a progress bar's carriage returns are kept for `_printed`."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    text = value if isinstance(value, str) else ""
    if "\r" not in text:
        return clean(text)
    return "\r".join(map(clean, text.replace("\r\n", "\n").split("\r")))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
