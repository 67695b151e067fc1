"""Small documents and contexts for tests."""

import hashlib
import re
from collections.abc import Iterable, Sequence

from rag_core.types import (
    Block,
    BlockType,
    CorpusId,
    Document,
    DocumentId,
    Page,
    ParsedDocument,
    Principal,
    RequestContext,
    TenantId,
)

__all__ = ["make_context", "make_document", "make_table"]


def make_document(
    blocks: Iterable[Block | str] = (),
    *,
    document_id: str = "acme/handbook/page.md",
    tenant: str = "acme",
    corpus: str = "handbook",
    title: str | None = None,
    pages: Sequence[Page] = (),
) -> ParsedDocument:
    """A parsed document. Text stands for a block: `"## Title"` (one to six `#` and a space) for a
    heading of that level, anything else for a paragraph.

        make_document(["# Guide", "First.", Block(type=BlockType.code, text="ls")])
    """
    made = tuple(_block(block) for block in blocks)
    return ParsedDocument(
        document=Document(
            id=DocumentId(document_id),
            tenant_id=TenantId(tenant),
            corpus_id=CorpusId(corpus),
            source_uri=f"memory:///{document_id}",
            mime_type="text/markdown",
            title=title,
            content_hash=hashlib.sha256(document_id.encode()).hexdigest(),
        ),
        blocks=made,
        pages=tuple(pages),
    )


def make_table(header: Sequence[str], *rows: Sequence[str], number: int = 0) -> list[Block]:
    """A table as its row blocks, the header row first. Each table of a document needs a `number` of
    its own."""
    first = " | ".join(header)
    attributes = {"table": number, "table_header": first}
    return [
        Block(type=BlockType.table_row, text=" | ".join(row), attributes=dict(attributes))
        for row in (header, *rows)
    ]


def make_context(*labels: str, tenant: str = "acme", principal: str = "tester") -> RequestContext:
    """A request made for `tenant` by a principal that holds `labels`."""
    return RequestContext(
        tenant_id=TenantId(tenant), principal=Principal(id=principal, acl_labels=labels)
    )


def _block(block: Block | str) -> Block:
    if isinstance(block, Block):
        return block
    heading = _HEADING.fullmatch(block)
    if heading is None:
        return Block(type=BlockType.paragraph, text=block)
    return Block(type=BlockType.heading, text=heading[2], level=len(heading[1]))


_HEADING = re.compile(r"(#{1,6}) (.+)")
