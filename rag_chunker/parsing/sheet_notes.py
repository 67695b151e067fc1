"""What stands on an XLSX sheet beside its cells? Comments, text boxes, charts, pictures."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from rag_chunker.parsing.archive import Archive
from rag_chunker.parsing.echoes import says_something
from rag_chunker.parsing.opc import part_root, related
from rag_chunker.parsing.sheet_formats import sheet_parts
from rag_chunker.parsing.shown import shown
from rag_core.errors import CorruptDocument
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}pic"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def notes_by_sheet(archive: Archive) -> dict[str, list[Block]]:
    """By sheet name: its comments (`other`, with the cell's name before the text), then its text
    boxes as paragraphs, its charts' titles as captions, and its pictures' alternative texts. A
    damaged part gives nothing, since the cells are there without it."""
    found: dict[str, list[Block]] = {}
    for name, part in sheet_parts(archive):
        blocks: list[Block] = []
        parts = related(archive, part) if part in archive else {}
        threads = _all(archive, parts.get("threadedComment", ()), _threads)
        answered = {_cell_of(block) for block in threads}
        comments = _all(archive, parts.get("comments", ()), _comments)
        blocks += [block for block in comments if _cell_of(block) not in answered]
        blocks += threads
        blocks += _all(archive, parts.get("drawing", ()), _boxes)
        for drawing in parts.get("drawing", ()):
            blocks += _all(archive, related(archive, drawing).get("chart", ()), _title)
        blocks += _all(archive, parts.get("drawing", ()), _pictures)
        if blocks:
            found[name] = blocks
    return found


def _all(
    archive: Archive, parts: Iterable[str], read: Callable[[Any], Iterator[Block]]
) -> list[Block]:
    found: list[Block] = []
    for part in filter(archive.__contains__, parts):
        with suppress(CorruptDocument):
            found += [block for block in read(part_root(archive, part)) if not is_blank(block.text)]
    return found


def _cell_of(comment: Block) -> str:
    return comment.text.partition(":")[0]


def _threads(root: Any) -> Iterator[Block]:
    """What was said about each cell, an answer a line. Excel keeps it again among the comments,
    below a notice for older programs."""
    by_cell: dict[str, list[str]] = {}
    for comment in root.iter("{*}threadedComment"):
        text = shown("".join(each.text or "" for each in comment.iter("{*}text"))).strip()
        if text:
            by_cell.setdefault(comment.get("ref") or "", []).append(text)
    for at, texts in by_cell.items():
        yield _comment(at, "\n".join(texts))


def _comments(root: Any) -> Iterator[Block]:
    for comment in root.iter("{*}comment"):
        text = shown("".join(run.text or "" for run in comment.iter("{*}t"))).strip()
        if text:
            yield _comment(comment.get("ref") or "", text)


def _comment(cell: str, text: str) -> Block:
    return Block.trusted(BlockType.other, f"{cell}: {text}", {"note": "comment"})


def _boxes(root: Any) -> Iterator[Block]:
    for body in root.iter("{*}txBody"):
        yield Block.trusted(BlockType.paragraph, _lines(body), {})


def _pictures(root: Any) -> Iterator[Block]:
    """Their alternative texts; names of files are none."""
    for properties in root.iterfind(f".//{_PICTURE}/{{*}}nvPicPr/{{*}}cNvPr"):
        text = shown(properties.get("descr") or properties.get("title", "")).strip()
        if says_something(text):
            yield Block.trusted(BlockType.other, text, {"note": "picture"})


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
