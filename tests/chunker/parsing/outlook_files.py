"""Outlook messages from a few properties, after [MS-OXMSG]."""

import struct
from datetime import UTC, datetime

from ole_files import Tree, ole

STRING, BINARY, OBJECT, INTEGER, TIME = 0x001F, 0x0102, 0x000D, 0x0003, 0x0040
SUBJECT, BODY, HTML, RTF = 0x0037, 0x1000, 0x1013, 0x1009
SENDER, ADDRESS, TO, SENT = 0x0C1A, 0x0C1F, 0x0E04, 0x0039
CODEPAGE, NAME, CONTENT, MIME_TYPE = 0x3FDE, 0x3707, 0x3701, 0x370E

Value = str | bytes | int | datetime


def msg(properties: dict[int, Value], *attachments: "dict[int, Value | Tree]") -> bytes:
    """A message with these properties; an attachment whose CONTENT is a tree (see `message`) is an
    attached message."""
    return ole(message(properties, *attachments, header=32))


def message(
    properties: dict[int, Value], *attachments: "dict[int, Value | Tree]", header: int = 24
) -> Tree:
    tree = _storage(properties, header)
    for number, attachment in enumerate(attachments):
        tree[f"__attach_version1.0_#{number:08X}"] = _storage(attachment, 8)
    return tree


def uncompressed_rtf(rtf: bytes) -> bytes:
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def _storage(properties: "dict[int, Value | Tree]", header: int) -> Tree:
    tree: Tree = {}
    table = b"\0" * header
    for pid, value in properties.items():
        if isinstance(value, int):
            table += struct.pack("<HHIii", INTEGER, pid, 6, value, 0)
        elif isinstance(value, datetime):
            since = value - datetime(1601, 1, 1, tzinfo=UTC)
            table += struct.pack("<HHIQ", TIME, pid, 6, int(since.total_seconds()) * 10**7)
        else:
            kind, content = _stream(value)
            size = len(content) if isinstance(content, bytes) else 0xFFFFFFFF
            table += struct.pack("<HHIII", kind, pid, 6, size, 0)
            tree[f"__substg1.0_{pid:04X}{kind:04X}"] = content
    tree["__properties_version1.0"] = table
    return tree


def _stream(value: "str | bytes | Tree") -> "tuple[int, bytes | Tree]":
    if isinstance(value, str):
        return STRING, value.encode("utf-16-le")
    return (BINARY, value) if isinstance(value, bytes) else (OBJECT, value)
