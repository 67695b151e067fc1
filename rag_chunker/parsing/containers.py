"""Which documents lie inside this one? The files of a zip and the attachments of a mail."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from rag_chunker.parsing.archive import open_archive
from rag_chunker.parsing.blame import blamed_on
from rag_chunker.parsing.mail_parts import all_attachments, message_of
from rag_chunker.parsing.media_type import MSG, ZIP, media_type_of
from rag_chunker.parsing.outlook import attached_files
from rag_core.errors import DocumentTooLarge, ParseError, UnsupportedMediaType
from rag_core.spi import Parser
from rag_core.types import DocumentId, ParsedDocument, Source

MAX_DEPTH = 3
"""A zip in a mail in a zip is opened, what is packed deeper is not."""
MAX_MEMBERS = 10_000
MAX_BYTES = 500_000_000
"""Of all members together, inflated."""

_SEPARATOR = "!/"
_LITTER = re.compile(r"(?:^|/)(?:__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")
_SIGNS_OF_LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")
_File = tuple[str | None, str | None, bytes]
"""Name and media type as the container states them, and the bytes."""


class ZipParser(Parser):
    """A zip has no text of its own: no blocks, the names inside in `metadata["members"]`."""

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        with blamed_on(source), open_archive(data) as archive:
            names = _without_litter(archive.names())
        document = source.document(
            data, mime_type=source.mime_type or ZIP, metadata={"members": [*names]}
        )
        return ParsedDocument(document=document)

    def version(self) -> str:
        return "zip-1"


def members(source: Source, data: bytes) -> Iterator[tuple[Source, bytes]]:
    """The documents inside a container, each with its own source, in order and streaming.

    Members that are containers come themselves, then their members, down to `MAX_DEPTH`. Id and
    URI are the container's with `!/` and the name behind it; a name that occurs again gets a
    number. Tenant and corpus are the container's. Nothing for a document that is no container.

    A member container that cannot be opened comes as it is, so that parsing it tells why under its
    own name. Raises `ParseError` if `data` itself cannot be opened, `DocumentTooLarge` over
    `MAX_MEMBERS` or `MAX_BYTES`.
    """
    with blamed_on(source):
        pending = [(_inside(source, data), 1)]
        count = size = 0
        while pending:
            inside, depth = pending[-1]
            member = next(inside, None)
            if member is None:
                pending.pop()
                continue
            count += 1
            size += len(member[1])
            if count > MAX_MEMBERS or size > MAX_BYTES:
                raise DocumentTooLarge(
                    f"more than {MAX_MEMBERS:,} members or {MAX_BYTES:,} bytes inside: unpack it"
                )
            yield member
            if depth < MAX_DEPTH:
                pending.append((_readable(*member), depth + 1))


def _readable(source: Source, data: bytes) -> Iterator[tuple[Source, bytes]]:
    try:
        yield from _inside(source, data)
    except ParseError:
        return  # parsing this member raises the same, with its name on it


def _inside(source: Source, data: bytes) -> Iterator[tuple[Source, bytes]]:
    try:
        kind = source.mime_type or media_type_of(source.uri, data)
    except UnsupportedMediaType:
        return
    if kind not in _OPENERS:
        return
    taken: dict[str, int] = {}
    for number, (stated, media_type, content) in enumerate(_OPENERS[kind](data), 1):
        name = _distinct(_safe(stated) or f"attachment-{number}", taken)
        yield _member(source, name, None if stated else media_type), content


def _member(container: Source, name: str, media_type: str | None) -> Source:
    return container.model_copy(
        update={
            "document_id": DocumentId(f"{container.document_id}{_SEPARATOR}{name}"),
            "uri": f"{container.uri}{_SEPARATOR}{name}",
            "mime_type": media_type,
        }
    )


def _safe(name: str | None) -> str | None:
    """Without control characters, and never absolute or climbing out of its container."""
    parts = PurePosixPath(_UNSAFE.sub("", name or "").replace("\\", "/")).parts
    return "/".join(part for part in parts if part not in ("/", "..", ".")) or None


def _distinct(name: str, taken: dict[str, int]) -> str:
    taken[name] = taken.get(name, 0) + 1
    if taken[name] == 1:
        return name
    path = PurePosixPath(name)
    return _distinct(str(path.with_name(f"{path.stem} ({taken[name]}){path.suffix}")), taken)


def _zip_files(data: bytes) -> Iterator[_File]:
    with open_archive(data) as archive:
        for name in _without_litter(archive.names()):
            yield name, None, archive.read(name)


def _without_litter(names: Sequence[str]) -> list[str]:
    """Names of the files that a person packed."""
    if not any(map("\n".join(names).__contains__, _SIGNS_OF_LITTER)):
        return list(names)
    return [name for name in names if not _LITTER.search(name)]


def _mail_files(data: bytes) -> Iterator[_File]:
    for attachment in all_attachments(message_of(data)):
        path = PurePosixPath((attachment.name or "").replace("\\", "/"))
        yield path.name or None, attachment.media_type, attachment.content()


_OPENERS: dict[str, Callable[[bytes], Iterator[_File]]] = {
    ZIP: _zip_files,
    "message/rfc822": _mail_files,
    MSG: attached_files,
}
