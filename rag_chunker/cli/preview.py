"""What does a document look like at a glance? Counts, an outline, the first chunks."""

from collections.abc import Iterable, Sequence

import click

from rag_chunker.cli.output import line_width, one_line, size, tally
from rag_core.types import Block, BlockType, Chunk, ChunkId, ParsedDocument

__all__ = ["print_chunks", "print_emptiness", "print_outline", "print_summary"]

_COLORS = {"heading": "cyan", "body": "green"}
_TITLE_COLUMNS = 28


def print_summary(parsed: ParsedDocument, n_bytes: int) -> None:
    """Title, type, size, block counts, and pages if there are any."""
    document = parsed.document
    title = document.title or document.source_uri.rpartition("/")[2]
    click.secho(one_line(title, line_width()), bold=True)
    click.echo(f"{document.mime_type}, {size(n_bytes)}, id {one_line(document.id, line_width())}")
    types = tally((block.type for block in parsed.blocks), BlockType)
    click.echo(f"blocks: {len(parsed.blocks):,}" + (f" ({types})" if types else ""))
    if parsed.pages:
        click.echo(f"pages: {len(parsed.pages):,}{_ocr_need(parsed)}")


def _ocr_need(parsed: ParsedDocument) -> str:
    needy = [page for page in parsed.pages if page.needs_ocr]
    if not needy:
        return ""
    reasons = sorted({page.reason or "unknown" for page in needy})
    why = tally((page.reason or "unknown" for page in needy), reasons)
    noun = "page" if len(parsed.pages) == 1 else "pages"
    verb = "needs" if len(needy) == 1 else "need"
    return f"; {len(needy):,} of {len(parsed.pages):,} {noun} {verb} OCR ({why})"


def print_emptiness(parsed: ParsedDocument) -> None:
    """Says on stderr why nothing came out."""
    members = parsed.document.metadata.get("members")
    if isinstance(members, list) and members:
        names = ", ".join(str(name) for name in members[:5]) + (", …" if len(members) > 5 else "")
        click.echo(
            one_line(
                f"{parsed.document.id}: an archive of {len(members):,} documents, each read by "
                f"itself in a run; unpack it to look at one: {names}",
                4 * line_width(),
            ),
            err=True,
        )
        return
    click.echo(
        f"{parsed.document.id}: holds no text, so there is nothing to chunk{_ocr_need(parsed)}",
        err=True,
    )


def print_chunks(chunks: Sequence[Chunk], first: int, settings: str) -> None:
    """Counts, and one line for each of the first chunks: position, kind, tokens, parent, text."""
    kinds = tally((_kind(chunk) for chunk in chunks), ("heading", "body", "other"))
    tokens = sum(chunk.token_count for chunk in chunks)
    click.echo(f"chunks: {len(chunks):,}" + (f" ({kinds})" if kinds else ""))
    click.echo(f"tokens: {tokens:,} ({settings})")
    if chunks and first:
        click.echo()
    _print_lines(chunks[:first], len(str(max(min(first, len(chunks)) - 1, 0))))
    if len(chunks) > first > 0:
        click.echo(f"  … {len(chunks) - first:,} more: -n {len(chunks)} shows all")


def _print_lines(chunks: Iterable[Chunk], digits: int) -> None:
    by_id: dict[ChunkId, Chunk] = {}
    for chunk in chunks:
        by_id[chunk.id] = chunk
        kind = _kind(chunk)
        arrow = _arrow(by_id[chunk.parent_id]) if chunk.parent_id in by_id else ""
        left = f"  #{chunk.position:<{digits}} {kind:<7} {chunk.token_count:>4} tok"
        new = (chunk.content or chunk.content_ref or "")[chunk.overlap :]
        room = line_width() - len(left) - len(arrow) - 4
        text = one_line(new, max(room, 20))
        click.echo(
            click.style(left, fg=_COLORS.get(kind), bold=kind == "heading" or None)
            + click.style(arrow, fg="yellow")
            + f"  {text}"
        )


def _arrow(parent: Chunk) -> str:
    return f"  ← #{parent.position} {one_line(parent.content or '', _TITLE_COLUMNS)}"


def _kind(chunk: Chunk) -> str:
    kind = chunk.metadata.get("kind")
    return kind if kind in ("heading", "body") else "other"


def print_outline(parsed: ParsedDocument) -> None:
    """One line a block; what is not a heading stands below the heading above it."""
    click.echo()
    depth = 0
    for block in parsed.blocks:
        depth = depth if block.level is None else block.level
        click.echo(_outline_line(block, depth))


def _outline_line(block: Block, depth: int) -> str:
    if block.level is not None:
        marks = "#" * block.level
        text = one_line(block.text, line_width() - 3 * depth)
        return "  " * (depth - 1) + click.style(f"{marks} {text}", fg="cyan", bold=True)
    label = f"{block.type.value:<10}"
    indent = "  " * depth
    room = max(line_width() - len(indent) - len(label) - 1, 20)
    return indent + click.style(label, dim=True) + f" {one_line(block.text, room)}"
