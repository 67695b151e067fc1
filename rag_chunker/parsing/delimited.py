"""CSV and TSV: which delimiter, which header, and rows that stay whole."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile

from pydantic import JsonValue

from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import decode
from rag_chunker.parsing.delimited_lines import delimited_lines
from rag_chunker.parsing.headers import names_only, titled_lines
from rag_chunker.parsing.tables import PARTED, Lines
from rag_core.spi import Parser
from rag_core.types import ParsedDocument, Source

_TSV = "text/tab-separated-values"
_DELIMITERS = ("\t", ";", "|", ",")
"""The first of equally good ones wins: a comma also parts decimals, the others hardly ever do."""
_ONE_COLUMN = "\x1f"
"""Parts nothing: the control character made for it, which no file uses."""
_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 200_000


class DelimitedParser(Parser):
    """One table: title lines above it as paragraphs, then its header and rows. Another one begins
    behind a blank line where a row of names stands directly above one of numbers or dates.

    The delimiter is the one of tab `;` `|` `,` that cuts most rows into the same number of
    fields, and none if most rows would have one field. A first line `sep=;` decides it, and so
    does the name or media type of TSV where tabs occur. Quoted fields may hold line breaks and
    doubled quotes, or quotes behind a backslash where the file escapes them so; a quote that never
    closes is taken as an ordinary character. `="007"` is the text 007. Single quotes do the same
    as double ones where they stand around the whole first line's fields. Blank lines give nothing.
    `metadata` has `encoding` and `delimiter`.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            text, encoding = decode(data)
        single = _quotes_singly(text)
        text = text.replace("'", '"') if single else _with_usual_quotes(text)
        delimiter, body = _delimiter(text, _prefers_tabs(source))
        found = delimited_lines(body, delimiter)
        if single:
            found = (lines.replace('"', "'") for lines in found)
        with paused_collector():
            tables = _tables(found) if len(body) <= _MOST and "\n\n" in body else [found]
            parts = (titled_lines(lines, table=at) for at, lines in enumerate(tables))
            blocks = tuple(chain.from_iterable(parts))
        mime_type = source.mime_type or (_TSV if delimiter == "\t" else "text/csv")
        metadata: dict[str, JsonValue] = {"encoding": encoding}
        if delimiter != _ONE_COLUMN:
            metadata["delimiter"] = delimiter
        document = source.document(data, mime_type=mime_type, metadata=metadata)
        return ParsedDocument.trusted(document, blocks)

    def version(self) -> str:
        return "delimited-5"


_MOST = 500_000
"""Characters of a text in which several tables are looked for: all of its rows are held for it."""


def _tables(found: Iterable[Lines]) -> Iterator[list[Lines]]:
    rows = "\n".join(found).split("\n")
    start = widest = 0
    for at, (above, row, below) in enumerate(zip(rows, rows[1:], rows[2:], strict=False), 1):
        if row and not above and _begins_table(row, below, widest):
            yield ["\n".join(rows[start:at])]
            start, widest = at, 0
        widest = max(widest, _filled(row))
    yield ["\n".join(rows[start:])]


def _begins_table(row: Lines, below: Lines, widest: int) -> bool:
    """Whether a row behind a blank one names columns: no more than there were above, where rows
    may be a preamble otherwise."""
    names = row.split(PARTED)
    named = 1 < _filled(row) <= widest and _filled(below) <= _filled(row) and names_only(names)
    return named and not names_only(below.split(PARTED))


def _filled(row: Lines) -> int:
    return sum(map(bool, map(str.strip, row.split(PARTED))))


_SINGLE = re.compile(r"(?:'(?:[^'\n]|'')*'[\t;|,])+'(?:[^'\n]|'')*'\s*")


def _quotes_singly(text: str) -> bool:
    """Whether fields stand in single quotes: all of the first line do, and the text has no other
    quotes."""
    return '"' not in text and _SINGLE.fullmatch(_first_line(text)) is not None


_ESCAPES = re.compile(r'(?:^|[\t;|,])[ ]*"[^"\n]*\\"[ ]*[^\s\t;|,"]', re.MULTILINE)
_ESCAPED = re.compile(r'(?<!\\)((?:\\\\)*)\\"')


_AS_TEXT = re.compile(r'(^|[\t;|,])(?:="([^"\n]*)"|"=""([^"\n]*)""")(?=$|[\t;|,])', re.MULTILINE)
"""`="007"`, and the same in quotes: how a program tells Excel that a number is text."""


def _with_usual_quotes(text: str) -> str:
    text = _with_doubled_quotes(text)
    # Looking for one character takes a fortieth of the time that looking for two does.
    return _AS_TEXT.sub(r'\1"\2\3"', text) if "=" in text and '="' in text else text


def _with_doubled_quotes(text: str) -> str:
    """`\\"` as `""`, if the file means a quote by it (MySQL, Spark): text follows one directly.

    In all other files (RFC 4180) a backslash is one, also as the last character of a field.
    """
    if "\\" not in text or not _ESCAPES.search(text[:_SAMPLE_CHARACTERS]):
        return text
    return _ESCAPED.sub(r'\1""', text)


def _prefers_tabs(source: Source) -> bool:
    name = source.uri.lower()
    return source.mime_type == _TSV or name.endswith((".tsv", ".tab"))


def _delimiter(text: str, prefers_tabs: bool) -> tuple[str, str]:
    """The delimiter, and the text behind a `sep=` line."""
    first = _first_line(text)
    if first[:4].lower() == "sep=" and len(first) == 5:
        return first[4], text[6:]
    sample = text[:_SAMPLE_CHARACTERS]
    if prefers_tabs and "\t" in sample:
        return "\t", text
    widths = {one: _widths(sample, one) for one in _DELIMITERS if one in sample}
    if not widths:
        return _ONE_COLUMN, text
    best = max(widths, key=lambda delimiter: _consistency(widths[delimiter]))
    usual = max(widths[best], key=widths[best].__getitem__, default=0)
    finer = (one for one in widths if _is_finer(widths[one], usual))
    best = next(finer, best)
    return (best if any(_consistency(widths[best])) else _ONE_COLUMN), text


def _first_line(text: str) -> str:
    end = text.find("\n")
    return text if end < 0 else text[:end]


def _widths(sample: str, delimiter: str) -> Counter[int]:
    """How many rows have how many fields."""
    found = [line for line in map(str.lstrip, _sample_lines(sample, delimiter)) if line]
    remarks = sum(1 for _ in takewhile(lambda line: line[0] == "#", found))
    if remarks < len(found):
        found = found[max(0, remarks - 1) :]  # the last one may be the header
    return Counter(line.count(PARTED) + 1 for line in found if line[0] != "#" or PARTED in line)


def _consistency(widths: Counter[int]) -> tuple[float, float]:
    """The share of rows with the usual number of fields, then that of rows with several fields;
    zeros if most rows have one field only."""
    several = Counter({fields: often for fields, often in widths.items() if fields > 1})
    if 2 * several.total() < widths.total() or not several:
        return 0.0, 0.0
    return max(several.values()) / widths.total(), several.total() / widths.total()


def _is_finer(widths: Counter[int], usual: int) -> bool:
    """Whether all rows have more than twice as many fields as is usual, give or take a last one:
    the commas of `May 4, 2023;25.00;Ray;paid;` are as regular as those of a table."""
    return min(widths, default=0) > max(2 * usual, max(widths, default=0) - 2)


def _sample_lines(sample: str, delimiter: str) -> list[str]:
    found: list[str] = []
    for lines in delimited_lines(sample, delimiter):
        found += lines.split("\n")
        if len(found) > _SAMPLE_LINES:
            break
    found = found[: _SAMPLE_LINES + 1]
    cut = len(found) > max(2, _SAMPLE_LINES) or len(sample) == _SAMPLE_CHARACTERS
    return found[:-1] if cut else found
