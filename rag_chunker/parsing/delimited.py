"""CSV and TSV: which delimiter, which header, and rows that stay whole."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain, islice

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.headers import titled_table
from rag_core.spi import Parser
from rag_core.types import ParsedDocument, Source

_TSV = "text/tab-separated-values"
_DELIMITERS = ("\t", ";", "|", ",")
"""The first of equally good ones wins: a comma also parts decimals, the others hardly ever do."""
_ONE_COLUMN = "\x1f"
"""Parts nothing: the control character made for it, which no file uses."""
_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 200_000
_BATCH = 256
_LONGEST_FIELD = 2**31 - 1
_END = "\0end\0"
"""Stands behind the last line while a reader runs. Decoded text never holds a NUL, so that a last
row which is not this alone has an open quote and swallowed what came behind it."""


class DelimitedParser(Parser):
    """One table: title lines above it as paragraphs, then its header and rows.

    The delimiter is the one of tab `;` `|` `,` that cuts most rows into the same number of
    fields, and none if most rows would have one field. A first line `sep=;` decides it, and so
    does the name or media type of TSV where tabs occur. Quoted fields may hold line breaks and
    doubled quotes, or quotes behind a backslash where the file escapes them so; a quote that never
    closes is taken as an ordinary character. Single quotes do the same where they stand around
    the whole first line's fields. Blank lines give nothing. `metadata` has `encoding` and
    `delimiter`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text, encoding = decode(data)
        single = _quotes_singly(text)
        text = text.replace("'", '"') if single else _with_doubled_quotes(text)
        delimiter, body = _delimiter(text, _prefers_tabs(source))
        found = rows(body, delimiter)
        if single:
            found = ([cell.replace('"', "'") for cell in row] for row in found)
        blocks = tuple(titled_table(found, table=0))
        mime_type = source.mime_type or (_TSV if delimiter == "\t" else "text/csv")
        metadata: dict[str, JsonValue] = {"encoding": encoding}
        if delimiter != _ONE_COLUMN:
            metadata["delimiter"] = delimiter
        document = source.document(data, mime_type=mime_type, metadata=metadata)
        return ParsedDocument(document=document, blocks=blocks)

    def version(self) -> str:
        return "delimited-2"


def rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The fields of each row, streaming. Lines end with `\\n`.

    From a quote that is never closed on, lines are read as if they had no quotes at all.
    """
    _allow_long_fields()
    if text and not text.endswith("\n"):
        text += "\n"
    lines = chain(StringIO(text, newline="\n"), [_END])
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    held: list[list[str]] = []
    while batch := list(islice(reader, _BATCH)):
        yield from held
        held = batch
    last = held.pop()
    yield from held
    if last != [_END]:
        lines_of_last = sum(field.count("\n") for field in last) + 1
        unquoted = _lines_from(text, reader.line_num - lines_of_last)
        yield from csv.reader(unquoted, delimiter=delimiter, quoting=csv.QUOTE_NONE)


def _allow_long_fields() -> None:
    # The limit (131,072) is one per process. It is only ever raised, and always to the same
    # value, so that readers in other threads never see it fall below what they need.
    csv.field_size_limit(_LONGEST_FIELD)


def _lines_from(text: str, number: int) -> Iterator[str]:
    lines = StringIO(text, newline="\n")
    for _ in range(number):
        lines.readline()
    return iter(lines)


_SINGLE = re.compile(r"(?:'(?:[^'\n]|'')*'[\t;|,])+'(?:[^'\n]|'')*'\s*")


def _quotes_singly(text: str) -> bool:
    """Whether fields stand in single quotes: all of the first line do, and the text has no other
    quotes."""
    return '"' not in text and _SINGLE.fullmatch(text.partition("\n")[0]) is not None


_ESCAPES = re.compile(r'(?:^|[\t;|,])[ ]*"[^"\n]*\\"[ ]*[^\s\t;|,"]', re.MULTILINE)
_ESCAPED = re.compile(r'(?<!\\)((?:\\\\)*)\\"')


def _with_doubled_quotes(text: str) -> str:
    """`\\"` as `""`, if the file means a quote by it (MySQL, Spark): text follows one directly.

    In all other files (RFC 4180) a backslash is one, also as the last character of a field.
    """
    if '\\"' not in text or not _ESCAPES.search(text[:_SAMPLE_CHARACTERS]):
        return text
    return _ESCAPED.sub(r'\1""', text)


def _prefers_tabs(source: Source) -> bool:
    name = source.uri.lower()
    return source.mime_type == _TSV or name.endswith((".tsv", ".tab"))


def _delimiter(text: str, prefers_tabs: bool) -> tuple[str, str]:
    """The delimiter, and the text behind a `sep=` line."""
    first, _, rest = text.partition("\n")
    if first[:4].lower() == "sep=" and len(first) == 5:
        return first[4], rest
    sample = text[:_SAMPLE_CHARACTERS]
    if prefers_tabs and "\t" in sample:
        return "\t", text
    best = max(_DELIMITERS, key=lambda delimiter: _consistency(sample, delimiter))
    return (best if _consistency(sample, best) else _ONE_COLUMN), text


def _consistency(sample: str, delimiter: str) -> float:
    """The share of rows with the usual number of fields; 0 if most rows have one field only."""
    found = _sample_rows(sample, delimiter)
    counts = Counter(
        len(row) for row in found if (len(row) > 1 or any(row)) and not _is_remark(row)
    )
    several = Counter({fields: often for fields, often in counts.items() if fields > 1})
    if 2 * several.total() < counts.total() or not several:
        return 0.0
    return max(several.values()) / counts.total()


def _sample_rows(sample: str, delimiter: str) -> Sequence[list[str]]:
    found: list[list[str]] = []
    for row in rows(sample, delimiter):
        found.append(row)
        if len(found) > _SAMPLE_LINES:
            break
    cut = len(found) > max(2, _SAMPLE_LINES) or len(sample) == _SAMPLE_CHARACTERS
    return found[:-1] if cut else found


def _is_remark(row: Sequence[str]) -> bool:
    return len(row) == 1 and row[0].startswith("#")
