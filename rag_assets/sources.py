"""What documents are there? `TENANT/CORPUS/**` below a folder or an fsspec URL.

Looking never changes anything, and never mistakes what it cannot see for what is gone: a root that
cannot be listed raises, and a folder below it that cannot is reported as `unseen`.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from rag_assets.corpus_config import CONFIG_NAME, CorpusConfig, Defaults, parse_corpus_config
from rag_assets.partition_key import encode, encode_name
from rag_assets.source_tree import Child, Tree, in_order, is_url, printable, tree_at, walk, why
from rag_core.errors import ConfigError, DocumentTooLarge, ParseError, StoreError
from rag_core.types import CorpusId, DocumentId, Source, TenantId

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "CorpusFolder",
    "Inventory",
    "Skipped",
    "SourceFile",
    "Sources",
]

MAX_DOCUMENT_BYTES = 200_000_000
_MAX_CONFIG_BYTES = 1_000_000


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceFile(NamedTuple):
    """One document as it was found; its bytes have not been looked at."""

    document_id: DocumentId
    """Partition key, `/`, path: readable, and distinct over all tenants and corpora."""
    tenant_id: TenantId
    corpus_id: CorpusId
    path: str
    """Relative to the corpus, `/` between names."""
    uri: str
    """Absolute path, or URL."""
    size: int
    """Bytes."""
    version: str
    """Times or tag of the file system. A hint that it changed, never proof that it did not."""

    def source(self) -> Source:
        """What a parser wants to know about it."""
        return Source(
            document_id=self.document_id,
            tenant_id=self.tenant_id,
            corpus_id=self.corpus_id,
            uri=self.uri,
        )


class Skipped(_Value):
    """A file or folder that gives no documents, and why."""

    path: str
    """Relative to where the search began; bytes that are not UTF-8 show as `\\xNN`."""
    reason: str
    unseen: bool = False
    """It could not be looked at: documents stored from there may still exist, so keep them."""


class CorpusFolder(_Value):
    """The folder of one corpus, wherever it lies."""

    tenant_id: TenantId
    corpus_id: CorpusId
    root: str
    """Absolute path, or URL."""

    @property
    def partition_key(self) -> str:
        """See `partition_key.encode`. Raises `ConfigError` for names that cannot be one."""
        return encode(self.tenant_id, self.corpus_id)

    @cached_property
    def _tree(self) -> Tree:
        return tree_at(self.root)

    def files(self, config: CorpusConfig | None = None) -> Iterator[SourceFile | Skipped]:
        """The documents, and what was skipped, sorted by path; streams.

        With a `config`, files that its globs leave out come as skipped. Hidden files, leftovers
        of editors and operating systems, and the corpus' own configuration are no documents and
        are not mentioned. A link is followed if it leads to a file of this corpus. Raises
        `StoreError` on the first step if the folder cannot be listed.
        """
        key = self.partition_key
        takes_all = config is None or (config.include == ("**",) and not config.exclude)
        accepts = None if config is None or takes_all else config.accepts
        for child in self._walk():
            if child.kind == "skipped":
                yield Skipped(path=child.name, reason=child.reason, unseen=child.unseen)
            elif accepts is not None and not accepts(child.name):
                yield Skipped(path=child.name, reason=f"left out by {CONFIG_NAME}")
            else:
                yield self._file(child, key)

    def read(self, file: SourceFile, *, max_bytes: int = MAX_DOCUMENT_BYTES) -> bytes:
        """The bytes of a document, read once.

        Raises `DocumentTooLarge` (before reading, where the size is known), or `ParseError` if
        the file is gone, unreadable, or leads out of the corpus by now.
        """
        try:
            # The size as listed saves a look at each file; one that grew since is cut off.
            size = file.size if file.size <= max_bytes else self._tree.size(file.path)
            data = self._tree.read(file.path, max_bytes + 1) if size <= max_bytes else b""
        except FileNotFoundError as error:
            message = "the file is gone since it was listed: run again"
            raise ParseError(message, document=file.document_id) from error
        except OSError as error:
            message = f"cannot read the file: {why(error)}"
            raise ParseError(message, document=file.document_id) from error
        if max(size, len(data)) > max_bytes:
            raise DocumentTooLarge(
                f"{max(size, len(data)) / 1e6:,.1f} MB, the limit is {max_bytes / 1e6:,.1f} MB: "
                "split the file or raise the limit",
                document=file.document_id,
            )
        return data

    def config(self, defaults: Defaults | None = None) -> CorpusConfig:
        """What its `corpus.toml` says, or the defaults if there is none.

        Raises `ConfigError` that names the file for every mistake in it.
        """
        name = f"{self.root}/{CONFIG_NAME}"
        try:
            data = tree_at(self.root).read(CONFIG_NAME, _MAX_CONFIG_BYTES)
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise ConfigError(f"cannot read it: {why(error)}", document=name) from error
        return parse_corpus_config(data, name=name, defaults=defaults or Defaults())

    def fingerprint(self) -> str:
        """A hash (hex) that changes when a file comes, goes or is written, or the configuration
        changes. Looks at names, sizes and times only, and at the bytes of `corpus.toml`.

        Raises `StoreError` if the folder cannot be listed.
        """
        digest = sha256()
        for child in self._walk():
            seen = (child.name, child.kind, str(child.size), child.version, child.reason)
            digest.update("\0".join((*seen, "")).encode())
        try:
            digest.update(tree_at(self.root).read(CONFIG_NAME, _MAX_CONFIG_BYTES))
        except OSError as error:
            digest.update(why(error).encode())
        return digest.hexdigest()

    def _walk(self) -> Iterator[Child]:
        try:
            yield from (child for child in walk(tree_at(self.root)) if child.name != CONFIG_NAME)
        except OSError as error:
            raise StoreError(
                f"cannot list the corpus folder: {why(error)}; nothing was changed. "
                "Bring the folder back or fix its permissions, and run again",
                document=self.root,
            ) from error

    def _file(self, child: Child, key: str) -> SourceFile:
        return SourceFile(
            DocumentId(f"{key}/{child.name}"),
            self.tenant_id,
            self.corpus_id,
            child.name,
            f"{self.root}/{child.name}",
            child.size,
            child.version,
        )


class Inventory(_Value):
    """All corpora below a root, and what is there beside them."""

    corpora: tuple[CorpusFolder, ...]
    """Sorted by tenant, then corpus."""
    skipped: tuple[Skipped, ...]
    """Folders that cannot be a tenant or a corpus, and files that lie outside any corpus."""

    def may_exist(self, tenant: str, corpus: str) -> bool:
        """False only if this corpus is certainly gone: neither found, nor refused, nor unseen."""
        if any((folder.tenant_id, folder.corpus_id) == (tenant, corpus) for folder in self.corpora):
            return True
        return any(found.path in {tenant, f"{tenant}/{corpus}"} for found in self.skipped)


class Sources:
    """The folder or URL that all tenants' corpora lie below."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Raises `ConfigError` for a root whose own name is not UTF-8."""
        path = os.fspath(root)
        if path != printable(path):
            raise ConfigError(f"the path of the sources is not UTF-8: {printable(path)}")
        path = path.removeprefix("file://")
        self.root = path.rstrip("/") if is_url(path) else os.path.abspath(path)
        """Absolute path, or URL."""

    def corpora(self) -> Inventory:
        """What is there. Lists two levels of folders and opens no file.

        Raises `StoreError` if the root is missing or cannot be listed, so that nobody takes an
        unmounted disk for a wish to delete everything.
        """
        tree = tree_at(self.root)
        skipped: list[Skipped] = []
        try:
            tenants = _named_folders(tree, "", skipped)
        except OSError as error:
            raise StoreError(
                f"cannot list the sources: {why(error)}; nothing was changed. Create the folder, "
                "mount it, or point RAG_SOURCES to the folder that holds TENANT/CORPUS/",
                document=self.root,
            ) from error
        found = [
            CorpusFolder(
                tenant_id=TenantId(tenant),
                corpus_id=CorpusId(corpus),
                root=f"{self.root.rstrip('/')}/{tenant}/{corpus}",
            )
            for tenant in tenants
            for corpus in _corpora_of(tree, tenant, skipped)
        ]
        return Inventory(corpora=tuple(found), skipped=tuple(skipped))

    def folder(self, tenant: str, corpus: str) -> CorpusFolder:
        """The folder of one corpus.

        Raises `ConfigError` with the reason if it is refused, `StoreError` if it is not there or
        the root cannot be listed.
        """
        inventory = self.corpora()
        for folder in inventory.corpora:
            if (folder.tenant_id, folder.corpus_id) == (tenant, corpus):
                return folder
        for found in inventory.skipped:
            if found.path in {tenant, f"{tenant}/{corpus}"}:
                raise ConfigError(f"refused: {found.reason}", document=f"{self.root}/{found.path}")
        raise StoreError("no such corpus folder", document=f"{self.root}/{tenant}/{corpus}")


def _corpora_of(tree: Tree, tenant: str, skipped: list[Skipped]) -> list[str]:
    try:
        return _named_folders(tree, tenant, skipped)
    except OSError as error:
        reason = f"unreadable folder: {why(error)}"
        skipped.append(Skipped(path=tenant, reason=reason, unseen=True))
        return []


def _named_folders(tree: Tree, parent: str, skipped: list[Skipped]) -> list[str]:
    """Names of the folders in `parent` that can be a tenant or corpus; the rest is reported."""
    names: list[str] = []
    for child in in_order(tree.children(parent)):
        reason = _refusal(child, parent)
        if reason:
            path = f"{parent}/{child.name}" if parent else child.name
            skipped.append(Skipped(path=printable(path), reason=reason, unseen=child.unseen))
        else:
            names.append(child.name)
    return sorted(_without_twins(names, parent, skipped))


def _refusal(child: Child, parent: str) -> str:
    if child.kind == "skipped":
        return child.reason
    if child.kind == "file":
        place = f"{parent or 'TENANT'}/CORPUS/"
        return f"a file outside any corpus: move it to {place}"
    try:
        encode_name(child.name)
    except ConfigError as error:
        return error.message
    return ""


def _without_twins(names: list[str], parent: str, skipped: list[Skipped]) -> list[str]:
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[name.casefold()].append(name)
    for twins in alike.values():
        # Neither is the right one: a choice by sort order would change with the next folder.
        for name in twins if len(twins) > 1 else ():
            other = next(twin for twin in twins if twin != name)
            path = f"{parent}/{name}" if parent else name
            reason = f"its name differs only in case from {other!r}: rename one of them"
            skipped.append(Skipped(path=path, reason=reason))
    return [twins[0] for twins in alike.values() if len(twins) == 1]
