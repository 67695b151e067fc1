"""What did a stage do? The figures that the UI, the logs and `ragctl status` show."""

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["ChunkReport", "Failure", "OcrReport", "PageFailure", "ParseReport"]


@dataclass(frozen=True)
class Failure:
    """A document that a stage could not take, and why."""

    document_id: str
    kind: str
    """Name of the error's class, such as `EncryptedDocument`."""
    reason: str


@dataclass
class _Report:
    """Counts documents. `unchanged + added + changed + failed == seen`."""

    seen: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def failures_by_kind(self) -> dict[str, int]:
        return dict(Counter(failure.kind for failure in self.failures))

    def count(self, document_id: str, known: "dict[str, str | None]") -> None:
        """One more document that was done, new or not."""
        if document_id in known:
            self.changed += 1
        else:
            self.added += 1


@dataclass
class ParseReport(_Report):
    """What the parsing stage did to one partition."""

    bytes_read: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Files and folders that are no documents: relative path and reason."""


@dataclass
class ChunkReport(_Report):
    """What the chunking stage did to one partition."""

    inserted: int = 0
    """Chunks, like the two below."""
    updated: int = 0
    deleted: int = 0
    kept: int = 0


@dataclass(frozen=True)
class PageFailure(Failure):
    """A page that could not be read, and why."""

    page: int


@dataclass
class OcrReport:
    """What the OCR stage did to one partition's pages, and how they stand.

    `unchanged + read + reused + failed == seen`.
    """

    seen: int = 0
    """Pages whose text has to come from their picture."""
    read: int = 0
    reused: int = 0
    """The same content was read before, in another document."""
    unchanged: int = 0
    removed: int = 0
    failures: list[PageFailure] = field(default_factory=list)
    low_confidence: list[tuple[str, int, float]] = field(default_factory=list)
    """All pages that are doubtful, also of earlier runs: document id, page, mean confidence."""
    empty: int = 0
    """Pages with nothing to read on them, also of earlier runs."""
    documents: int = 0
    """That have such pages."""
    engine: str = ""
    """Its version; nothing if no page needed one."""
    seconds: float = 0.0

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def failures_by_kind(self) -> dict[str, int]:
        return dict(Counter(failure.kind for failure in self.failures))
