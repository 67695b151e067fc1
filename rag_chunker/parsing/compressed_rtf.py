"""How is the RTF inside an Outlook message unpacked? ([MS-OXRTFCP])"""

import struct

from rag_core.errors import CorruptDocument, DocumentTooLarge

MAX_BYTES = 100_000_000

_COMPRESSED = b"LZFu"
_UNCOMPRESSED = b"MELA"
_WINDOW = 4096
_DICTIONARY = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What the window holds at the start, so that short messages shrink too."""


def decompressed(data: bytes) -> bytes:
    """The RTF in a PidTagRtfCompressed value.

    Raises `CorruptDocument` if it is none, `DocumentTooLarge` if it claims over `MAX_BYTES`. What
    is missing at the end of a cut value is missing in the result.
    """
    if len(data) < 16:
        raise CorruptDocument("the message's RTF text is cut off")
    size, kind = struct.unpack("<4xI4s4x", data[:16])
    if size > MAX_BYTES:
        raise DocumentTooLarge(f"the message's RTF text has {size:,} bytes, not {MAX_BYTES:,}")
    if kind == _UNCOMPRESSED:
        return data[16 : 16 + size]
    if kind != _COMPRESSED:
        raise CorruptDocument(f"the message's RTF text is packed in an unknown way: {kind!r}")
    return _unpacked(data[16:], size)


def _unpacked(data: bytes, size: int) -> bytes:
    window = bytearray(_DICTIONARY.ljust(_WINDOW, b"\0"))
    write = len(_DICTIONARY)
    out = bytearray()
    position = 0
    while position < len(data) and len(out) < size:
        control = data[position]
        position += 1
        for bit in range(8):
            if control >> bit & 1:
                if position + 2 > len(data):
                    return bytes(out[:size])
                (reference,) = struct.unpack(">H", data[position : position + 2])
                position += 2
                read = reference >> 4
                if read == write:  # points at itself: the end
                    return bytes(out[:size])
                piece = range((reference & 0xF) + 2)
            elif position < len(data):
                window[write], piece, read = data[position], range(0), 0
                out.append(data[position])
                write = (write + 1) % _WINDOW
                position += 1
            else:
                return bytes(out[:size])
            for step in piece:
                byte = window[(read + step) % _WINDOW]
                window[write] = byte
                out.append(byte)
                write = (write + 1) % _WINDOW
    return bytes(out[:size])
