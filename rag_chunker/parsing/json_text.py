"""JSON and JSON lines: every value with its name, numbers as they were written."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import clean, decode
from rag_chunker.parsing.json_outline import outline
from rag_chunker.parsing.json_values import Members, Value, shown
from rag_core.spi import Parser
from rag_core.text import is_blank
from rag_core.types import Block, BlockType, ParsedDocument, Source

REPORTED_LINES = 20
"""At most so many numbers of bad lines are in the metadata; all are counted."""


class JsonParser(Parser):
    """See `json_outline.outline` for the blocks.

    What is no valid JSON is read as JSON lines if its first line is valid by itself, else it stays
    one `code` block (JSON with comments, cut files, values that nest over a thousand deep) and
    `metadata["invalid"]` says why.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text, encoding = decode(data)
        metadata: dict[str, JsonValue] = {"encoding": encoding}
        value: Value = None
        blocks: list[Block] = []
        try:
            with paused_collector():
                value = _value(text)
                blocks = list(outline(value))
        except (ValueError, RecursionError) as error:
            if _looks_like_lines(text):
                return JsonLinesParser().parse(source, data)
            if not is_blank(text):
                metadata["invalid"] = _reason(error)
                blocks = [_code(text)]
        mime_type = source.mime_type or "application/json"
        document = source.document(
            data, mime_type=mime_type, title=_title(value), metadata=metadata
        )
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        return "json-3"


class JsonLinesParser(Parser):
    """A record a line: a table if all records are flat objects, else as elements of an array.

    Lines that are no valid JSON come behind the records, as `code`; `metadata["bad_lines"]` has
    the first of their 1-based numbers, `metadata["bad_line_count"]` how many there are.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text, encoding = decode(data)
        with paused_collector():
            records, bad = _records(text)
            blocks = [*outline(records), *(_code(line) for _, line in bad)]
        metadata: dict[str, JsonValue] = {"encoding": encoding}
        if bad:
            metadata["bad_lines"] = [number for number, _ in bad[:REPORTED_LINES]]
            metadata["bad_line_count"] = len(bad)
        mime_type = source.mime_type or "application/x-ndjson"
        document = source.document(data, mime_type=mime_type, metadata=metadata)
        return ParsedDocument(document=document, blocks=tuple(blocks))

    def version(self) -> str:
        return "json-3"


def _records(text: str) -> tuple[list[Value], list[tuple[int, str]]]:
    """The value of each line, and 1-based number and text of the lines that have none."""
    records: list[Value] = []
    bad: list[tuple[int, str]] = []
    decoder = _decoder(text)
    for number, line in enumerate(text.split("\n"), 1):
        written = line.strip(" \t")
        try:
            value, end = decoder.raw_decode(written)
            if end == len(written):
                records.append(value)
                continue
        except (ValueError, RecursionError):
            pass
        if not is_blank(line):
            bad.append((number, line))
    return records, bad


def _value(text: str) -> Value:
    value: Value = _decoder(text).decode(text)
    return value


def _decoder(text: str) -> json.JSONDecoder:
    """Escapes can stand for characters that no text may hold, in names, too."""
    return json.JSONDecoder(
        object_pairs_hook=_cleaned if "\\u" in text else Members,
        parse_float=str,
        parse_int=str,
        parse_constant=str,
        strict=False,
    )


def _cleaned(pairs: list[tuple[str, Value]]) -> Members:
    return Members((clean(name), value) for name, value in pairs)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The 1-based number and text of each line that is not blank."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if not is_blank(line))


def _looks_like_lines(text: str) -> bool:
    first = next(_lines(text), (0, ""))[1]
    if not first.lstrip().startswith(("{", "[")) or first.strip() == text.strip():
        return False
    try:
        _value(first)
    except (ValueError, RecursionError):
        return False
    return True


def _reason(error: Exception) -> str:
    return "nests too deep" if isinstance(error, RecursionError) else str(error)


def _code(text: str) -> Block:
    return Block(type=BlockType.code, text=text.strip("\n"), attributes={"language": "json"})


def _title(value: Value) -> str | None:
    if not isinstance(value, Members):
        return None
    titles = (one for key, one in value if key == "title" and isinstance(one, str))
    return shown(next(titles, None)) or None
