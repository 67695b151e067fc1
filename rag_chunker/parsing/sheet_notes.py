"""What stands on an XLSX sheet beside its cells? Comments, text boxes and the titles of charts."""

from collections.abc import Iterator
from typing import Any

from rag_chunker.parsing.archive import Archive
from rag_chunker.parsing.opc import part_root, related
from rag_chunker.parsing.sheet_formats import sheet_parts
from rag_chunker.parsing.shown import shown
from rag_core.errors import CorruptDocument
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def notes_by_sheet(archive: Archive) -> dict[str, list[Block]]:
    """By sheet name: its comments (`other`, with the cell's name before the text), then its text
    boxes as paragraphs, then its charts' titles as captions. A damaged part gives nothing, since
    the cells are there without it."""
    found: dict[str, list[Block]] = {}
    for name, part in sheet_parts(archive):
        blocks: list[Block] = []
        parts = related(archive, part) if part in archive else {}
        for kind, read in (("comments", _comments), ("drawing", _boxes)):
            for target in parts.get(kind, ()):
                blocks += _read(archive, target, read)
        for drawing in parts.get("drawing", ()):
            for chart in related(archive, drawing).get("chart", ()):
                blocks += _read(archive, chart, _title)
        if blocks:
            found[name] = blocks
    return found


def _read(archive: Archive, part: str, read: Any) -> list[Block]:
    if part not in archive:
        return []
    try:
        return [block for block in read(part_root(archive, part)) if not is_blank(block.text)]
    except CorruptDocument:
        return []


def _comments(root: Any) -> Iterator[Block]:
    for comment in root.iter("{*}comment"):
        text = shown("".join(run.text or "" for run in comment.iter("{*}t"))).strip()
        if text:
            at = comment.get("ref") or ""
            yield Block.trusted(BlockType.other, f"{at}: {text}", {"note": "comment"})


def _boxes(root: Any) -> Iterator[Block]:
    for body in root.iter("{*}txBody"):
        yield Block.trusted(BlockType.paragraph, _lines(body), {})


def _title(root: Any) -> Iterator[Block]:
    title = root.find(f"{_CHART}chart/{_CHART}title")
    if title is not None:
        yield Block.trusted(BlockType.caption, _lines(title), {})


def _lines(element: Any) -> str:
    """The paragraphs of a DrawingML text, a line each."""
    lines = (
        "".join(run.text or "" for run in paragraph.iter(f"{_DRAWING}t"))
        for paragraph in element.iter(f"{_DRAWING}p")
    )
    return shown("\n".join(lines)).strip()
