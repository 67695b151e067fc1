"""Where does a partition live? The folders and files of a warehouse, not what is in them."""

import re
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize
from urllib.parse import quote, unquote

from rag_core.errors import StoreError

__all__ = ["PartitionFiles", "StoreFile", "Warehouse", "folder_name"]

_LONGEST_FOLDER_NAME = 255  # bytes: ext4, XFS, APFS; NTFS counts characters
_KEPT_ASCII = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-.~")
_READ_AS_NULL = re.compile(r"null|__hive_default_partition__", re.IGNORECASE)


@dataclass(frozen=True)
class StoreFile:
    """One DuckDB file of one partition: the live file, and the names that lie beside it."""

    live: Path
    """What readers open; only ever replaced whole."""
    lock: Path
    """Locked by whoever writes the next version; outside the partition's folder, kept for ever."""
    tenant_id: str
    corpus_id: str

    @property
    def staging(self) -> Path:
        """The next version in the making."""
        return self.live.with_name(f"{self.live.name}.staging")

    @property
    def copy(self) -> Path:
        """The live file on its way to become the staging file."""
        return self.live.with_name(f"{self.live.name}.copy")

    @property
    def rows(self) -> Path:
        """Rows on their way into the staging file, as JSON lines."""
        return self.live.with_name(f"{self.live.name}.rows")


@dataclass(frozen=True)
class PartitionFiles:
    """The files of one tenant's corpus."""

    root: Path
    tenant_id: str
    corpus_id: str

    @property
    def folder(self) -> Path:
        """`<root>/tenant_id=.../corpus_id=...`"""
        return self.root / self._relative

    @property
    def documents(self) -> StoreFile:
        """Documents, blocks and pages."""
        return self._file("documents")

    @property
    def ocr_pages(self) -> StoreFile:
        """What OCR engines read on pages."""
        return self._file("ocr_pages")

    @property
    def chunks(self) -> StoreFile:
        """Chunks, their change log and runs."""
        return self._file("chunks")

    @property
    def files(self) -> tuple[StoreFile, ...]:
        """All files, in the order in which the stages write them."""
        return self.documents, self.ocr_pages, self.chunks

    @property
    def runs(self) -> Path:
        """What each run saw and did: one JSON object a line, replaced whole."""
        return self.folder / "runs.jsonl"

    @property
    def runs_lock(self) -> Path:
        """Locked by whoever writes `runs`, for a moment."""
        return self.root / ".locks" / self._relative / "runs.lock"

    @property
    def _relative(self) -> Path:
        tenant, corpus = (
            folder_name("tenant_id", self.tenant_id),
            folder_name("corpus_id", self.corpus_id),
        )
        return Path(tenant) / corpus

    def _file(self, name: str) -> StoreFile:
        return StoreFile(
            live=self.folder / f"{name}.duckdb",
            lock=self.root / ".locks" / self._relative / f"{name}.lock",
            tenant_id=self.tenant_id,
            corpus_id=self.corpus_id,
        )


@dataclass(frozen=True)
class Warehouse:
    """A folder with one DuckDB file per partition and stage, and `rag.duckdb` with the views."""

    root: Path

    def __post_init__(self) -> None:
        if "?" in str(self.root):  # DuckDB reads what follows as parameters of a URL
            raise StoreError(
                f"the warehouse {str(self.root)!r} has a '?' in its path, which DuckDB cannot open;"
                " choose another folder"
            )

    @property
    def catalog(self) -> Path:
        """The file that people open: views only."""
        return self.root / "rag.duckdb"

    def partition(self, tenant_id: str, corpus_id: str) -> PartitionFiles:
        """The files of a partition, whether they exist or not.

        Raises `StoreError` if a name cannot be a folder name.
        """
        partition = PartitionFiles(self.root, tenant_id, corpus_id)
        _ = partition.folder
        return partition

    def partitions(self) -> Iterator[PartitionFiles]:
        """The partitions that have a folder, in the order of their folders' names."""
        for folder in sorted(self.root.glob("tenant_id=*/corpus_id=*")):
            if folder.is_dir():
                tenant, corpus = (unquote(part.partition("=")[2]) for part in folder.parts[-2:])
                yield PartitionFiles(self.root, tenant, corpus)

    def remove(self, partition: PartitionFiles, *, run_id: str, timeout: float = 0.0) -> bool:
        """Remove a partition's files, for readers all at once; False if there were none.

        Readers that have a file open keep it. Raises `StoreError` if a run is writing the
        partition and does not end within `timeout` seconds.
        """
        from contextlib import ExitStack

        from rag_assets.store.locking import locked

        with ExitStack() as locks:
            for file in partition.files:
                locks.enter_context(locked(file.lock, run_id=run_id, timeout=timeout))
            if not partition.folder.exists():
                return False
            grave = self.root / f".removed-{uuid.uuid4().hex}"
            try:
                partition.folder.rename(grave)
                shutil.rmtree(grave)
                if not any(partition.folder.parent.iterdir()):
                    partition.folder.parent.rmdir()
            except OSError as error:
                raise StoreError(
                    f"cannot remove {partition.folder}: {error}; check permissions, run again"
                ) from error
            return True


def folder_name(column: str, name: str) -> str:
    """`column=name`, safe on every file system and read back exactly by DuckDB.

    Lower-case letters, digits and `_-~.` stand for themselves, all else is percent-encoded:
    capitals too, since `Acme` and `acme` are one folder on some file systems and were seen to be
    mixed up by DuckDB 1.5.5; and the first letter of the names that DuckDB reads as NULL.

    Raises `StoreError` if the name is empty, not Unicode, or over 255 bytes in this form.
    """
    try:
        encoded = "".join(char if _is_kept(char) else _percent(char) for char in name)
    except UnicodeEncodeError as error:
        raise StoreError(f"{column} {name!r} is not valid Unicode; rename it") from error
    if _READ_AS_NULL.fullmatch(name) and _is_kept(name[0]):
        encoded = _percent(name[0]) + encoded[1:]
    if encoded.endswith("."):  # Windows drops trailing dots
        encoded = encoded[:-1] + "%2E"
    folder = f"{column}={encoded}"
    if not name or len(folder.encode()) > _LONGEST_FOLDER_NAME:
        raise StoreError(
            f"{column} {name!r} cannot be a folder: {len(folder.encode())} bytes as {folder[:40]!r}"
            f"...; choose a name of 1 to {_LONGEST_FOLDER_NAME - len(column) - 1} bytes"
        )
    return folder


def _is_kept(char: str) -> bool:
    if char.isascii():
        return char in _KEPT_ASCII
    stable = char == char.casefold() == char.lower() == normalize("NFKC", char)
    return stable and char.isalnum() and normalize("NFD", char) == char


def _percent(char: str) -> str:
    return quote(char, safe="") if quote(char, safe="") != char else f"%{ord(char):02X}"
