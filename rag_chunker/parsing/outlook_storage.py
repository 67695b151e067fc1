"""Where in the compound file of an Outlook message do its properties and attachments lie?"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from rag_core.errors import CorruptDocument

_PROPERTIES = "__properties_version1.0"
_RECORD = struct.Struct("<HH4x8s")
"""Type, id, and the value of those of a fixed size ([MS-OXMSG] 2.4.2)."""
_WIDE_TEXT, _NARROW_TEXT, _BINARY, _TIME = 0x001F, 0x001E, 0x0102, 0x0040
_BODY, _INTERNET_CODEPAGE, _MESSAGE_CODEPAGE = 0x1000, 0x3FDE, 0x3FFD
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


class Storage:
    """A folder of the compound file. A stream is read when it is asked for: most of the hundred
    that Outlook writes never are, nor are attached files by those who only want the text."""

    def __init__(self, ole: Any, node: Any, path: tuple[str, ...] = ()) -> None:
        from olefile import STGTY_STREAM

        self._ole, self._node, self._path = ole, node, path
        self._streams = {kid.name for kid in node.kids if kid.entry_type == STGTY_STREAM}

    def inside(self, beginning: str) -> "Iterator[Storage]":
        """The folders in this one whose names begin so."""
        from olefile import STGTY_STORAGE

        for kid in self._node.kids:
            if kid.entry_type == STGTY_STORAGE and kid.name.startswith(beginning):
                yield Storage(self._ole, kid, (*self._path, kid.name))

    def stream(self, name: str) -> bytes:
        """Raises `KeyError` if there is none of this name."""
        if name not in self._streams:
            raise KeyError(name)
        content: bytes = self._ole.openstream([*self._path, name]).read()
        return content


class Properties:
    """Those of a message or attachment, by their ids. None for one that is not there."""

    def __init__(self, storage: Storage, header: int) -> None:
        """`header` is the size of what stands before the first, in bytes."""
        self._storage = storage
        records = storage.stream(_PROPERTIES)[header:]
        self._records: dict[int, list[tuple[int, bytes]]] = {}
        for kind, pid, value in _RECORD.iter_unpack(records[: len(records) // 16 * 16]):
            self._records.setdefault(pid, []).append((kind, value))
        self._encoding = self._codepage(_MESSAGE_CODEPAGE) or "iso-8859-15"
        self.body_encoding = self._codepage(_INTERNET_CODEPAGE) or self._encoding
        """Of HTML, and of text that is not UTF-16."""

    def text(self, pid: int) -> str | None:
        for kind, _ in self._records.get(pid, ()):
            if kind == _WIDE_TEXT:
                return self._content(pid, kind).decode("utf-16-le")
            if kind == _NARROW_TEXT:
                encoding = self.body_encoding if pid == _BODY else self._encoding
                return self._content(pid, kind).decode(encoding)
        return None

    def binary(self, pid: int) -> bytes | None:
        found = any(kind == _BINARY for kind, _ in self._records.get(pid, ()))
        return self._content(pid, _BINARY) if found else None

    def time(self, pid: int) -> datetime | None:
        kind, value = self._records.get(pid, [(0, b"")])[-1]
        if kind != _TIME:
            return None
        return _EPOCH + timedelta(seconds=int.from_bytes(value, "little") // 1e7)

    def _content(self, pid: int, kind: int) -> bytes:
        return self._storage.stream(f"__substg1.0_{pid:04X}{kind:04X}")

    def _codepage(self, pid: int) -> str | None:
        from oxmsg.domain.encodings import encoding_from_codepage

        if pid not in self._records:
            return None
        encoding: str = encoding_from_codepage(
            int.from_bytes(self._records[pid][0][1][:4], "little")
        )
        return encoding


@contextmanager
def opened(data: bytes) -> Iterator[Storage]:
    """The outermost folder. Raises `CorruptDocument` if it is no message's."""
    from olefile import OleFileIO, isOleFile

    if not isOleFile(data=data):
        raise CorruptDocument("not an Outlook message: no compound file")
    with OleFileIO(data) as ole:
        if not ole.exists(_PROPERTIES):
            raise CorruptDocument("a compound file, but no Outlook message")
        yield Storage(ole, ole.root)
