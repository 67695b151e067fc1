"""Excel (xlsx, xlsm, xlsb, xls) and OpenDocument sheets as tables under their sheet's name."""

from collections.abc import Container, Iterator
from importlib.metadata import version
from io import BytesIO
from itertools import chain
from typing import Any, NamedTuple

from pydantic import JsonValue

from rag_chunker.parsing.archive import ZIP_MAGIC, Archive, open_archive
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.collector import paused_collector
from rag_chunker.parsing.decoding import clean
from rag_chunker.parsing.headers import DEEPEST_HEADER, titled_lines
from rag_chunker.parsing.media_type import XLS, media_type_of
from rag_chunker.parsing.merged_headers import Range, Spans, with_spans_named
from rag_chunker.parsing.sheet_binary import binary_extent
from rag_chunker.parsing.sheet_columns import tables_side_by_side
from rag_chunker.parsing.sheet_disguised import disguised
from rag_chunker.parsing.sheet_extent import MAX_CELLS, brought_near
from rag_chunker.parsing.sheet_formats import Formats, formatted_cells, title_of
from rag_chunker.parsing.sheet_legacy import legacy_brought_near
from rag_chunker.parsing.sheet_legacy_formats import legacy_formats
from rag_chunker.parsing.sheet_notes import notes_by_sheet
from rag_chunker.parsing.sheet_open import CONTENT, merged_and_notes, ods_brought_near
from rag_chunker.parsing.sheet_regions import SheetRegions
from rag_chunker.parsing.sheet_rows import Run, sheet_runs, used_columns
from rag_chunker.parsing.sheet_tables import header_rows
from rag_chunker.parsing.tables import PARTED, as_lines
from rag_core.errors import CorruptDocument, DocumentTooLarge, EncryptedDocument
from rag_core.spi import Parser
from rag_core.types import Block, BlockType, ParsedDocument, Source

_SIGNATURES = (ZIP_MAGIC, b"\xd0\xcf\x11\xe0")
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


class SheetsParser(Parser):
    """One heading (level 1) a sheet, then its tables (see `SheetRegions`, `tables_side_by_side`).

    Cells read as the spreadsheet shows them (see `sheet_cells.shown`), formulas as the result that
    was saved with them. A merged cell counts once, except above the columns that it names. Error
    values (`#REF!`) and empty sheets give nothing. Comments, text boxes and titles of charts follow
    the tables of their sheet. Hidden sheets are read, and named in
    `metadata["hidden_sheets"]`. Text under the name of a workbook (see `disguised`) is read as what
    it is.
    """

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source):
            if not data.startswith(_SIGNATURES) and (found := disguised(source, data)) is not None:
                return found
        with blamed_on(source), paused_collector():
            title, near, beside = _looked_at(data)
            workbook = _load(near)
            blocks = tuple(_blocks(workbook, beside))
            mime_type = source.mime_type or _media_type(source, data)
        document = source.document(
            data, mime_type=mime_type, title=title, metadata=_metadata(workbook)
        )
        return ParsedDocument.trusted(document, blocks)

    def version(self) -> str:
        return f"sheets-6 calamine-{version('python-calamine')}"


def _media_type(source: Source, data: bytes) -> str:
    return media_type_of(source.uri, data) if data.startswith(ZIP_MAGIC) else XLS


class _Beside(NamedTuple):
    """What calamine does not say of a workbook, by the names of its sheets."""

    formats: dict[str, Formats]
    """How to show some of the cells."""
    notes: dict[str, list[Block]]
    """What stands beside the cells."""
    headers: dict[str, set[int]]
    """Rows that are known to name columns."""
    merged: dict[str, list[Range]]
    """Cells that span columns, where calamine does not tell them."""


def _looked_at(data: bytes) -> tuple[str | None, bytes, _Beside]:
    """Title, a workbook that is safe to load, and what there is to know beside its cells."""
    if not data.startswith(ZIP_MAGIC):
        near = legacy_brought_near(data)
        return None, near, _Beside(legacy_formats(near), {}, {}, {})
    with open_archive(data) as archive:
        title = title_of(archive)
        if CONTENT in archive:
            near, xml = ods_brought_near(data, archive)
            merged, comments = merged_and_notes(xml)
            return title, near, _Beside({}, comments, {}, merged)
        _refuse_far_cells(archive)
        near = brought_near(data, archive)
        if near is data and "xl/workbook.xml" not in archive:
            return title, data, _Beside({}, {}, {}, {})
    with open_archive(near) as archive:  # anew, because an archive counts what is read from it
        # The ranges of tables do not follow the rows that were brought near.
        headers = header_rows(archive) if near is data else {}
        formats, notes = formatted_cells(archive), notes_by_sheet(archive)
        return title, near, _Beside(formats, notes, headers, {})


def _refuse_far_cells(archive: Archive) -> None:
    for name in archive.names():
        if name.startswith("xl/worksheets/") and name.endswith(".bin"):
            cells = binary_extent(archive.read(name), enough=MAX_CELLS)
            if cells > MAX_CELLS:
                raise DocumentTooLarge(
                    f"the cells of {name} lie in a rectangle of {cells:,}, the limit is "
                    f"{MAX_CELLS:,}: delete what lies far out, or save it as .xlsx"
                )


def _load(data: bytes) -> Any:
    from python_calamine import CalamineError, PasswordError, load_workbook

    try:
        return _calling_rust(load_workbook, BytesIO(data))
    except (CalamineError, OSError) as error:
        if isinstance(error, PasswordError) or _ENCRYPTED_PACKAGE in data:
            raise EncryptedDocument(
                "protected by a password: save it without one and try again"
            ) from error
        raise CorruptDocument(f"not a readable spreadsheet: {error}") from error


def _calling_rust(function: Any, argument: Any) -> Any:
    try:
        return function(argument)
    except BaseException as error:
        # A Rust panic arrives as a BaseException of its own, which no library exports.
        if type(error).__name__ == "PanicException":
            raise CorruptDocument(f"not a readable spreadsheet: {error}") from error
        raise


def _blocks(workbook: Any, beside: _Beside) -> list[Block]:
    blocks: list[Block] = []
    tables = 0
    for sheet in _sheets(workbook):
        headers = beside.headers.get(sheet.name, set())
        formats = beside.formats.get(sheet.name, {})
        merged = sheet.merged_cell_ranges or beside.merged.get(sheet.name, [])
        parts = []
        for columns in tables_side_by_side(sheet, used_columns(sheet)):
            spans = Spans(merged, columns)
            for runs in SheetRegions(sheet_runs(sheet, columns, formats), headers):
                parts.append(_table(runs, spans, headers, tables))
                tables += any("table" in block.attributes for block in parts[-1][-1:])
        if notes := beside.notes.get(sheet.name):
            parts.append(notes)
        if parts:
            blocks.append(Block(type=BlockType.heading, level=1, text=clean(sheet.name)))
            blocks += chain.from_iterable(parts)
    return blocks


def _sheets(workbook: Any) -> Iterator[Any]:
    from python_calamine import CalamineError, SheetTypeEnum

    for sheet in workbook.sheets_metadata:
        if sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        try:
            yield _calling_rust(workbook.get_sheet_by_name, sheet.name)
        except CalamineError as error:
            raise CorruptDocument(f"sheet {sheet.name!r} is not readable: {error}") from error


def _table(runs: Iterator[Run], spans: Spans, headers: Container[int], table: int) -> list[Block]:
    head = _numbered_head(runs)
    rows_named, has_header = with_spans_named(head, spans)
    named = list(rows_named)
    first = as_lines([PARTED.join(cells) for cells in named])
    lines = chain([first], (run.lines for run in runs))
    rows = enumerate(head[:DEEPEST_HEADER])
    stated = next((at for at, (number, _) in rows if number in headers), None)
    pairs = enumerate(zip(named, head, strict=False))
    joined = next((at for at, (cells, (_, before)) in pairs if cells != before), None)
    above = joined if has_header else stated
    return list(titled_lines(lines, table=table, has_header=has_header, above=above))


def _numbered_head(runs: Iterator[Run]) -> list[tuple[int, list[str]]]:
    """The rows that may be a header, and maybe some more."""
    head: list[tuple[int, list[str]]] = []
    for run in runs:
        head += enumerate((row.split(PARTED) for row in run.lines.split("\n")), run.first)
        if len(head) >= DEEPEST_HEADER:
            break
    return head


def _metadata(workbook: Any) -> dict[str, JsonValue]:
    from python_calamine import SheetVisibleEnum

    hidden: list[JsonValue] = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.visible is not SheetVisibleEnum.Visible
    ]
    return {"hidden_sheets": hidden} if hidden else {}
