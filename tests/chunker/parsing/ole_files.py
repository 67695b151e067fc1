"""Compound files (OLE2) from nested dictionaries: the container of MSG, XLS and locked OOXML.

After [MS-CFB], version 3: 512-byte sectors, 64-byte mini sectors for streams below 4096 bytes.
"""

import struct

SECTOR, MINI, CUTOFF = 512, 64, 4096
END, FREE, FAT, NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFF

Tree = dict[str, "bytes | Tree"]


def ole(tree: Tree) -> bytes:
    """The bytes of a compound file with these streams (bytes) and storages (dictionaries)."""
    entries = _entries(tree)
    sectors: list[bytes] = []
    fat: list[int] = []
    mini_stream, mini_fat = b"", []
    for entry in entries:
        stream = entry["stream"]
        if len(stream) >= CUTOFF:
            entry["start"] = _chain(sectors, fat, stream)
        elif stream:
            entry["start"] = len(mini_fat)
            pieces = -(-len(stream) // MINI)
            mini_fat += [*range(len(mini_fat) + 1, len(mini_fat) + pieces), END]
            mini_stream += stream.ljust(pieces * MINI, b"\0")
    entries[0]["stream"] = mini_stream
    entries[0]["start"] = _chain(sectors, fat, mini_stream) if mini_stream else END
    mini_start = _chain(sectors, fat, struct.pack(f"<{len(mini_fat)}I", *mini_fat), b"\xff")
    directory = b"".join(map(_directory_entry, entries))
    directory_start = _chain(sectors, fat, directory)
    tables = -(-(len(fat) + 1) // 127)
    first_table = len(fat)
    fat += [FAT] * tables
    fat += [FREE] * (tables * 128 - len(fat))
    sectors.append(struct.pack(f"<{len(fat)}I", *fat))
    header = struct.pack(
        "<8s16x5H6x9I",
        bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6,
        0, tables, directory_start, 0, CUTOFF, mini_start if mini_fat else END,
        -(-len(mini_fat) * 4 // SECTOR), END, 0,
    )  # fmt: skip
    difat = [*range(first_table, first_table + tables)] + [FREE] * (109 - tables)
    return header + struct.pack("<109I", *difat) + b"".join(sectors)


def _chain(sectors: list[bytes], fat: list[int], content: bytes, fill: bytes = b"\0") -> int:
    count = -(-len(content) // SECTOR)
    if not count:
        return END
    start = len(fat)
    fat += [*range(start + 1, start + count), END]
    sectors.append(content.ljust(count * SECTOR, fill))
    return start


def _entries(tree: Tree) -> list[dict]:
    """Directory entries with siblings chained to the right: the root first."""
    root = {"name": "Root Entry", "type": 5, "stream": b"", "start": 0}
    entries = [root]
    pending = [(root, tree)]
    while pending:
        parent, children = pending.pop()
        before = None
        for name, content in sorted(
            children.items(), key=lambda kid: (len(kid[0]), kid[0].upper())
        ):
            is_stream = isinstance(content, bytes)
            entry = {
                "name": name,
                "type": 2 if is_stream else 1,
                "stream": content if is_stream else b"",
                "start": END if is_stream else 0,
            }
            link, owner = ("child", parent) if before is None else ("right", before)
            owner[link] = len(entries)
            entries.append(entry)
            before = entry
            if not is_stream:
                pending.append((entry, content))
    return entries


def _directory_entry(entry: dict) -> bytes:
    name = entry["name"].encode("utf-16-le") + b"\0\0"
    return struct.pack(
        "<64sHBBIII16xI8x8xIII",
        name, len(name), entry["type"], 1,
        NONE, entry.get("right", NONE), entry.get("child", NONE),
        0, entry["start"], len(entry["stream"]), 0,
    )  # fmt: skip
