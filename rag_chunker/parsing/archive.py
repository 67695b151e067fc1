"""How is a zip-based document read so that a hostile one costs no more than an error?

Nothing is ever written to disk: entry names are mere keys. Limits are checked against the
directory before anything is inflated, and again while inflating, because a directory can lie.
"""

import lzma
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from deflate import DeflateError, crc32, deflate_decompress

from rag_core.errors import CorruptDocument, DocumentTooLarge, EncryptedDocument

if TYPE_CHECKING:
    from zipfile import ZipInfo

ZIP_MAGIC = b"PK\x03\x04"
"""Begins each entry, and so nearly every zip."""
MAX_ENTRIES = 10_000
"""Of 191 real office files the largest had 318 entries."""
MAX_TOTAL_BYTES = 300_000_000
"""Inflated size of all entries together."""
MAX_RATIO = 100
"""Inflated by stored size. Real office files reach 24, bombs start at 193."""
RATIO_COUNTS_FROM_BYTES = 20_000_000
"""Below this inflated size a high ratio does no harm (an empty sheet, a blank picture)."""
MAX_XML_BYTES = 100_000_000
"""Of one XML part: its tree takes five to ten times as much memory."""
MAX_XML_TAGS = 10_000_000
"""Tags in one XML part, opening and closing: an element of six bytes takes some 120 in memory."""

_PIECE = 1 << 18
_LOCAL = struct.Struct("<4s22x2H")
"""Signature, length of the name and of the extra field: APPNOTE.TXT of PKWARE, 4.3.7."""
_OVER_LIMIT = ("XML_PARSE_HUGE", "amplification")
_OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_FLAG_ENCRYPTED = 0x1
_NAME, _SIZE, _FLAGS = map(attrgetter, ("filename", "file_size", "flag_bits"))
"""A zip may have thousands of entries, which these ask in half the time of a loop."""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,  # a compression method that this Python does not know
)


Part = bytes | bytearray
"""What a large entry is held in."""


class Archive:
    """The entries of one zip file, read-only. Made by `open_archive`."""

    def __init__(self, file: zipfile.ZipFile, data: bytes) -> None:
        self._file = file
        self._data = data
        self._inflated_bytes = 0
        infos = file.infolist()
        _check_directory(infos, len(data))
        self._entries = _by_safe_name(infos)

    def names(self) -> tuple[str, ...]:
        """Names of all files inside, each once, with `/` between folders.

        Folders are left out, and so are names that are absolute or climb out with `..`. Of
        several entries with one name the last counts, as in most zip readers.
        """
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def size(self, name: str) -> int:
        """Inflated bytes of an entry, as its directory says. Raises `CorruptDocument` if absent."""
        return self._entry(name).file_size

    def read(self, name: str) -> bytes:
        """The bytes of an entry. Names compare without case, as the OOXML packaging rules say.

        Raises `CorruptDocument` if it is absent or damaged, `DocumentTooLarge` as soon as what
        was inflated so far is over a limit.
        """
        return bytes(self.read_large(name))

    def read_large(self, name: str) -> Part:
        """As `read`, without the copy that makes bytes of a part that was inflated at once."""
        whole = self._deflated(self._entry(name))
        if whole is not None:
            self._count(len(whole))
            return whole
        data = BytesIO()  # which hands over the memory that it grew in: joining takes twice as much
        for piece in self._pieces(name):
            data.write(piece)
        return data.getvalue()

    def verify(self) -> None:
        """Inflates every entry and keeps nothing: for libraries that read the zip by themselves.

        Raises what `read` raises.
        """
        for name in self._entries:
            for _ in self._pieces(name):
                pass
        self._inflated_bytes = 0

    def _deflated(self, entry: "ZipInfo") -> bytearray | None:
        """An entry whose size and sum are what the directory says, of which no more is inflated;
        None of any other. A fifth of the time that it takes in pieces."""
        start = entry.header_offset
        is_inside = 0 <= start <= len(self._data) - _LOCAL.size
        if entry.compress_type != zipfile.ZIP_DEFLATED or not is_inside:
            return None
        magic, name, extra = _LOCAL.unpack_from(self._data, start)
        start += _LOCAL.size + name + extra
        stored = memoryview(self._data)[start : start + entry.compress_size]
        try:
            whole = deflate_decompress(stored, entry.file_size)
        except DeflateError:
            return None
        told = magic == ZIP_MAGIC and len(whole) == entry.file_size
        return whole if told and crc32(whole) == entry.CRC else None

    def _pieces(self, name: str) -> Iterator[bytes]:
        entry = self._entry(name)
        try:
            with self._file.open(entry) as stream:
                while piece := stream.read(_PIECE):
                    self._count(len(piece))
                    yield piece
        except _BROKEN as error:
            raise CorruptDocument(f"entry {name!r} of the zip is damaged: {error}") from error

    def _count(self, inflated: int) -> None:
        self._inflated_bytes += inflated
        _check_bytes(self._inflated_bytes, len(self._data))

    def _entry(self, name: str) -> "ZipInfo":
        found = self._find(name)
        if found is None:
            raise CorruptDocument(f"the zip has no entry {name!r}: is the file complete?")
        return self._entries[found]

    def _find(self, name: str) -> str | None:
        return name if name in self._entries else self._folded.get(name.casefold())

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {name.casefold(): name for name in self._entries}


@contextmanager
def open_archive(data: bytes) -> Iterator[Archive]:
    """Opens a zip file that is held in memory.

    Raises `EncryptedDocument` for a zip with encrypted entries and for an Office file that a
    password protects, `DocumentTooLarge` (over `MAX_ENTRIES`, `MAX_TOTAL_BYTES` or `MAX_RATIO`)
    naming limit and figure, `CorruptDocument` for anything else that is no readable zip.
    """
    _refuse_ole(data)
    try:
        file = zipfile.ZipFile(BytesIO(data))
    except _BROKEN as error:
        raise CorruptDocument(f"not a readable zip file: {error}") from error
    with file:
        yield Archive(file, data)


def xml_root(data: bytes) -> Any:
    """The root element (lxml) of an XML part, without comments and processing instructions.

    Entities are not resolved and nothing is fetched. Raises `CorruptDocument` if it is not well
    formed, `DocumentTooLarge` if `check_xml` does, and over libxml2's own limits (depth 256, 10 MB
    a text node, entities that multiply).
    """
    from lxml import etree

    check_xml(data)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,  # nobody asks for an element by its id
    )
    try:
        return etree.fromstring(data, parser)
    except MemoryError as error:
        raise DocumentTooLarge("an XML part needs more memory than there is") from error
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        if any(sign in str(error) for sign in _OVER_LIMIT):
            raise DocumentTooLarge(f"an XML part is over a limit of libxml2: {error}") from error
        raise CorruptDocument(f"an XML part is not well formed: {error}") from error


def check_xml(data: bytes) -> None:
    """Raises `DocumentTooLarge` if an XML part is over `MAX_XML_BYTES` or `MAX_XML_TAGS`."""
    if len(data) > MAX_XML_BYTES:
        raise DocumentTooLarge(
            f"an XML part has {len(data):,} bytes, the limit is {MAX_XML_BYTES:,}"
        )
    if len(data) > MAX_XML_TAGS and (tags := data.count(b"<")) > MAX_XML_TAGS:
        raise DocumentTooLarge(f"an XML part has {tags:,} tags, the limit is {MAX_XML_TAGS:,}")


def _refuse_ole(data: bytes) -> None:
    if not data.startswith(_OLE_MAGIC):
        return
    if _ENCRYPTED_PACKAGE in data:
        raise EncryptedDocument("protected by a password: save it without one and try again")
    raise CorruptDocument("an Office 97-2003 file under a newer name: save it in the new format")


def _check_directory(infos: "list[ZipInfo]", stored_bytes: int) -> None:
    if len(infos) > MAX_ENTRIES:
        raise DocumentTooLarge(f"the zip has {len(infos):,} entries, the limit is {MAX_ENTRIES:,}")
    _check_bytes(sum(map(_SIZE, infos)), stored_bytes)
    if any(map(_FLAG_ENCRYPTED.__and__, map(_FLAGS, infos))):
        raise EncryptedDocument("the zip is encrypted: save it without a password and try again")


def _check_bytes(inflated: int, stored: int) -> None:
    if inflated > MAX_TOTAL_BYTES:
        raise DocumentTooLarge(
            f"the zip inflates to {inflated:,} bytes or more, the limit is {MAX_TOTAL_BYTES:,}"
        )
    if inflated > RATIO_COUNTS_FROM_BYTES and inflated > MAX_RATIO * stored:
        raise DocumentTooLarge(
            f"the zip inflates {inflated // max(stored, 1)} times, the limit is {MAX_RATIO} times"
            f" above {RATIO_COUNTS_FROM_BYTES:,} bytes"
        )


_STEPS = re.compile(r"^(?:$|[./])|/[./]")
"""What a path is not in its shortest form with: `a//b`, `./a`, `a/../b`."""
_ODD = ("//", "/.", "\\", ":")
"""What no name holds that is a file's, relative and in its shortest form, with `/` around it."""


def _by_safe_name(infos: "list[ZipInfo]") -> "dict[str, ZipInfo]":
    names = list(map(_NAME, infos))
    if not any(map(f"/{'/'.join(names)}/".__contains__, _ODD)):
        return dict(zip(names, infos, strict=True))
    entries: dict[str, ZipInfo] = {}
    for info in infos:
        name = info.filename.replace("\\", "/")
        if name.endswith("/"):
            continue
        path = posixpath.normpath(name) if _STEPS.search(name) else name
        if path.startswith(("/", "../")) or path in (".", "..") or path[1:2] == ":":
            continue
        entries[path] = info
    return entries
