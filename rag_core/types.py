"""The values that travel between stages: context, source, document, block, page, OCR result, chunk.

All are frozen pydantic models that refuse unknown fields. Offsets are half-open, in characters
(code points), into `ParsedDocument.text`.
"""

import hashlib
from collections import deque
from collections.abc import Iterable
from enum import StrEnum
from functools import cache, cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Annotated, Any, NewType, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)

from rag_core.text import is_blank

__all__ = [
    "Block",
    "BlockSpan",
    "BlockType",
    "Chunk",
    "ChunkId",
    "CorpusId",
    "Document",
    "DocumentId",
    "Health",
    "OCRRegion",
    "OCRResult",
    "Page",
    "ParsedDocument",
    "Principal",
    "RequestContext",
    "Source",
    "TenantId",
]

TenantId = NewType("TenantId", str)
CorpusId = NewType("CorpusId", str)
DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)

Labels = Annotated[tuple[str, ...], AfterValidator(lambda labels: tuple(sorted(set(labels))))]
BBox = tuple[float, float, float, float]


@cache
def _fields_of(model: type[BaseModel]) -> set[str]:
    """One for all unchecked instances, 216 bytes each: pydantic copies it before a change."""
    return set(model.model_fields)


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def _of(cls, values: dict[str, Any]) -> Self:
        """The model with all its fields, none of them checked. As `model_construct`, which is for
        any model and fills in what is missing, in a fifth of the time."""
        model = object.__new__(cls)
        _fill_values(model, values)
        return model

    if not TYPE_CHECKING:  # which would take any name then

        def __getattr__(self, name: str) -> Any:
            """What `_of` leaves out: filling a slot with what is the same for all takes as long as
            filling in the values."""
            if name in _UNFILLED:
                return _fields_of(type(self)) if name == _FIELDS_SET else None
            return super().__getattr__(name)


_FIELDS_SET = "__pydantic_fields_set__"
_UNFILLED = frozenset({_FIELDS_SET, "__pydantic_extra__", "__pydantic_private__"})
_fill_values = vars(BaseModel)["__dict__"].__set__
"""The slot's own setter takes half the time that `object.__setattr__` takes to find it."""


class Principal(_Value):
    """On whose behalf a stage runs."""

    id: str
    acl_labels: Labels = ()
    """Labels that the produced chunks carry, kept sorted and distinct. None at all means that
    nobody may see the chunks (fail closed)."""


class RequestContext(_Value):
    """What a call carries beside its document."""

    tenant_id: TenantId
    principal: Principal
    trace_id: str | None = None
    """Joins the log lines of one request."""


class Health(_Value):
    """A component's answer to "can you work?"."""

    ok: bool
    detail: str = ""
    """What works, or what is missing and how to get it."""


class BlockType(StrEnum):
    """The kinds of block a parser can find."""

    heading = "heading"
    paragraph = "paragraph"
    list_item = "list_item"
    table_row = "table_row"
    code = "code"
    quote = "quote"
    caption = "caption"
    other = "other"


class Block(_Value):
    """The smallest piece of structure: one heading, paragraph, list item, table row, ..."""

    type: BlockType
    text: str
    """The block's words, line breaks as `\\n`. A table row's cells are joined by ` | `."""
    level: Annotated[int, Field(ge=1, le=6)] | None = Field(default=None, validate_default=True)
    """1 (top) to 6 for a heading, None for everything else."""
    attributes: dict[str, JsonValue] = {}
    """JSON values under these keys, each only where it applies:

    `page`            1-based page number
    `bbox`            [left, top, right, bottom] in points from the page's top left corner;
                      in pixels for OCR of an image
    `ocr_confidence`  0..1
    `engine`          name of the OCR engine
    `language`        of code: the language named by its author
    `table`           0-based number of the table that a row belongs to
    `table_header`    text of the header row of that table, in each of its rows
    `list_depth`      0 for the outermost list
    `list_marker`     as written or shown: `-`, `1.`, `a)`
    `href`            target of a block that is one link
    `note`            of other: `footnote`, `endnote`, `comment`, `speaker` or `picture` (its
                      alternative text)
    """

    @classmethod
    def trusted(cls, kind: BlockType, text: str, attributes: dict[str, JsonValue]) -> "Block":
        """A block that is no heading, of parts known to be right: nothing is checked or copied.

        For parsers that make millions (a quarter of the time of `Block(...)`). `attributes` may be
        shared by many blocks, which saves half of their memory, and must not change any more.
        """
        return cls._of({"type": kind, "text": text, "level": None, "attributes": attributes})

    @classmethod
    def trusted_heading(cls, text: str, level: int, attributes: dict[str, JsonValue]) -> "Block":
        """As `trusted`, a heading of a level from 1 to 6."""
        values = {"type": BlockType.heading, "text": text, "level": level, "attributes": attributes}
        return cls._of(values)

    @classmethod
    def trusted_rows(cls, texts: Iterable[str], attributes: dict[str, JsonValue]) -> "list[Block]":
        """As `trusted`, a `table_row` for each text, in a third of the time: all their slots are
        filled without a step of ours a row. For some hundred at once."""
        texts = list(texts)
        values = list(map(dict.copy, repeat(vars(_RowValues(attributes)), len(texts))))
        deque(map(dict.__setitem__, values, repeat("text"), texts), maxlen=0)
        rows = list(map(object.__new__, repeat(cls, len(values))))
        deque(map(_fill_values, rows, values), maxlen=0)
        return rows

    # A field's validator and not the model's, which would run again for each block of a document.
    @field_validator("level")
    @classmethod
    def _level_goes_with_heading(cls, level: int | None, info: ValidationInfo) -> int | None:
        kind: BlockType | None = info.data.get("type")
        if kind is not None and (kind is BlockType.heading) != (level is not None):
            raise ValueError(f"level {level!r} does not go with type {kind.value!r}")
        return level


class _RowValues:
    """The values of a row. A copy of an instance's dict shares its keys with all others (PEP 412):
    it takes 104 bytes, and one that was made by itself 184."""

    def __init__(self, attributes: dict[str, JsonValue]) -> None:
        self.type = BlockType.table_row
        self.text = ""
        self.level = None
        self.attributes = attributes


class Document(_Value):
    """What is known about a document beside its blocks."""

    id: DocumentId
    tenant_id: TenantId
    corpus_id: CorpusId
    source_uri: str
    mime_type: str
    title: str | None = None
    content_hash: str
    """sha256 of the source's bytes, in hex."""
    metadata: dict[str, JsonValue] = {}
    """What the document says about itself: front matter, author, encoding, ..."""


class Source(_Value):
    """One file to parse: who it belongs to and where it lies. Its bytes travel beside it."""

    document_id: DocumentId
    tenant_id: TenantId
    corpus_id: CorpusId
    uri: str
    """Path or URL; its last segment is the file name that helps to choose a parser."""
    mime_type: str | None = None
    """If known from outside; otherwise found by content and name."""

    def document(
        self,
        data: bytes,
        *,
        mime_type: str,
        title: str | None = None,
        metadata: dict[str, JsonValue] | None = None,
    ) -> Document:
        """The `Document` of this source with these bytes. A parser calls it once."""
        return Document(
            id=self.document_id,
            tenant_id=self.tenant_id,
            corpus_id=self.corpus_id,
            source_uri=self.uri,
            mime_type=mime_type,
            title=title,
            content_hash=hashlib.sha256(data).hexdigest(),
            metadata=metadata or {},
        )


class Page(_Value):
    """One page of a paged document."""

    number: Annotated[int, Field(ge=1)]
    width: Annotated[float, Field(ge=0)]
    """In points (1/72 inch); in pixels for an image."""
    height: Annotated[float, Field(ge=0)]
    needs_ocr: bool = False
    reason: str | None = None
    """Why it needs OCR: `no-text`, `garbled`, ..."""


class BlockSpan(_Value):
    """Where a non-blank block stands in `ParsedDocument.text`."""

    index: int
    """Position in `ParsedDocument.blocks`."""
    start: int
    end: int


class ParsedDocument(_Value):
    """A document as an ordered list of blocks."""

    document: Document
    blocks: tuple[Block, ...] = ()
    pages: tuple[Page, ...] = ()

    @classmethod
    def trusted(cls, document: Document, blocks: Iterable[Block]) -> "ParsedDocument":
        """A document without pages, of blocks that are such: not one is looked at."""
        return cls._of({"document": document, "blocks": tuple(blocks), "pages": ()})

    @property
    def text(self) -> str:
        """The non-blank blocks' texts: a line break between two list items or two table rows in
        a row, a blank line between all others. What chunk offsets count in."""
        return self._layout[0]

    @property
    def spans(self) -> tuple[BlockSpan, ...]:
        """Where each non-blank block stands in `text`, in order."""
        return self._layout[1]

    @cached_property
    def _layout(self) -> tuple[str, tuple[BlockSpan, ...]]:
        parts: list[str] = []
        spans: list[BlockSpan] = []
        offset = 0
        before: BlockType | None = None
        for index, block in enumerate(self.blocks):
            if is_blank(block.text):
                continue
            if before is not None:
                separator = "\n" if block.type is before and before in _TIGHT else "\n\n"
                parts.append(separator)
                offset += len(separator)
            parts.append(block.text)
            end = offset + len(block.text)
            spans.append(BlockSpan._of({"index": index, "start": offset, "end": end}))
            offset, before = end, block.type
        return "".join(parts), tuple(spans)


_TIGHT = frozenset({BlockType.list_item, BlockType.table_row})


class OCRRegion(_Value):
    """One piece of text that an OCR engine found."""

    text: str
    confidence: Annotated[float, Field(ge=0, le=1)]
    bbox: BBox | None = None
    """(left, top, right, bottom) in pixels of the image that was read."""
    page: Annotated[int, Field(ge=1)] | None = None
    """1-based page of the document that the image came from."""
    line_height: Annotated[float, Field(gt=0)] | None = None
    """How large the letters of its lines are, the height of an em in the unit of `bbox`: what tells
    headings from running text. None if the engine cannot say."""


class OCRResult(_Value):
    """All regions of one or more page images, in reading order."""

    engine: str
    regions: tuple[OCRRegion, ...] = ()
    language: str | None = None


class Chunk(_Value):
    """One retrievable piece of a document: a slice of its text, never a rewrite.

    `content[overlap:] == text[start:end]` where `text` is the `ParsedDocument.text` it came from.
    """

    id: ChunkId
    document_id: DocumentId
    tenant_id: TenantId
    position: Annotated[int, Field(ge=0)]
    """0-based, monotonic within the document."""
    parent_id: ChunkId | None = None
    """The enclosing heading's chunk, which comes earlier; None at the top level."""
    content: str | None = None
    content_ref: str | None = None
    """Where the content lies, for a chunker that stores it elsewhere."""
    token_count: Annotated[int, Field(ge=0)]
    """Of the whole content, overlap included, under the chunker's tokenizer."""
    acl_labels: Labels = ()
    metadata: dict[str, JsonValue] = {}
    start: Annotated[int, Field(ge=0)] = 0
    """Offset of the first new character in `ParsedDocument.text`."""
    end: Annotated[int, Field(ge=0)] = 0
    """Offset behind the last new character."""
    overlap: Annotated[int, Field(ge=0)] = 0
    """How many leading characters of `content` repeat earlier text of the same section."""

    @classmethod
    def trusted(cls, values: dict[str, Any]) -> "Chunk":
        """A chunk of values known to be right, one for each field: nothing is checked or copied.

        For chunkers that make millions (a quarter of the time of `Chunk(...)`).
        """
        return cls._of(values)

    @model_validator(mode="after")
    def _has_content(self) -> "Chunk":
        if self.content is None and self.content_ref is None:
            raise ValueError("a chunk needs content or content_ref")
        if self.start > self.end:
            raise ValueError(f"start {self.start} lies behind end {self.end}")
        return self
