"""What kind of file is this? Its content decides where it can, its name where it cannot."""

import re
import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import PurePosixPath
from urllib.parse import unquote

from rag_chunker.parsing.byte_search import Sign
from rag_chunker.parsing.decoding import is_binary
from rag_core.errors import UnsupportedMediaType

_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
XLSB = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
ZIP = "application/zip"
XLS = "application/vnd.ms-excel"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
PDF = "application/pdf"
RTF = "application/rtf"
MARKDOWN = "text/markdown"
HTML = "text/html"
PLAIN = "text/plain"

SOURCE_CODE = {
    "asm": "text/x-asm",
    "awk": "text/x-awk",
    "bash": "text/x-shellscript",
    "bat": "text/x-msdos-batch",
    "c": "text/x-c",
    "cc": "text/x-c++",
    "cjs": "text/javascript",
    "clj": "text/x-clojure",
    "cljs": "text/x-clojure",
    "cmake": "text/x-cmake",
    "cmd": "text/x-msdos-batch",
    "cpp": "text/x-c++",
    "cs": "text/x-csharp",
    "css": "text/css",
    "cts": "text/x-typescript",
    "cxx": "text/x-c++",
    "dart": "text/x-dart",
    "dockerfile": "text/x-dockerfile",
    "el": "text/x-lisp",
    "erl": "text/x-erlang",
    "ex": "text/x-elixir",
    "exs": "text/x-elixir",
    "f90": "text/x-fortran",
    "fish": "text/x-shellscript",
    "fs": "text/x-fsharp",
    "go": "text/x-go",
    "gql": "text/x-graphql",
    "gradle": "text/x-groovy",
    "graphql": "text/x-graphql",
    "groovy": "text/x-groovy",
    "h": "text/x-c",
    "hcl": "text/x-terraform",
    "hh": "text/x-c++",
    "hpp": "text/x-c++",
    "hs": "text/x-haskell",
    "hxx": "text/x-c++",
    "java": "text/x-java",
    "jl": "text/x-julia",
    "js": "text/javascript",
    "jsx": "text/jsx",
    "ksh": "text/x-shellscript",
    "kt": "text/x-kotlin",
    "kts": "text/x-kotlin",
    "less": "text/x-less",
    "lisp": "text/x-lisp",
    "lua": "text/x-lua",
    "m": "text/x-objective-c",
    "mjs": "text/javascript",
    "mk": "text/x-makefile",
    "ml": "text/x-ocaml",
    "mli": "text/x-ocaml",
    "mm": "text/x-objective-c",
    "mts": "text/x-typescript",
    "nim": "text/x-nim",
    "nix": "text/x-nix",
    "pas": "text/x-pascal",
    "php": "text/x-php",
    "pl": "text/x-perl",
    "pm": "text/x-perl",
    "proto": "text/x-protobuf",
    "ps1": "text/x-powershell",
    "psm1": "text/x-powershell",
    "py": "text/x-python",
    "pyi": "text/x-python",
    "pyw": "text/x-python",
    "r": "text/x-r",
    "rb": "text/x-ruby",
    "rs": "text/x-rust",
    "sass": "text/x-sass",
    "scala": "text/x-scala",
    "scss": "text/x-scss",
    "sh": "text/x-shellscript",
    "sol": "text/x-solidity",
    "sql": "text/x-sql",
    "sv": "text/x-verilog",
    "svelte": "text/x-svelte",
    "swift": "text/x-swift",
    "tcl": "text/x-tcl",
    "tf": "text/x-terraform",
    "tfvars": "text/x-terraform",
    "ts": "text/x-typescript",
    "tsx": "text/x-tsx",
    "v": "text/x-verilog",
    "vb": "text/x-vb",
    "vhdl": "text/x-vhdl",
    "vue": "text/x-vue",
    "zig": "text/x-zig",
    "zsh": "text/x-shellscript",
}
"""Extension to media type of the programming languages."""

_TEXT = {
    **SOURCE_CODE,
    **dict.fromkeys(
        ("md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdx", "qmd", "rmd"), MARKDOWN
    ),
    **dict.fromkeys(("txt", "text", "log", "me", "asc"), PLAIN),
    **dict.fromkeys(("srt", "vtt", "ics", "vcf", "diff", "patch", "bib", "po", "nfo"), PLAIN),
    **dict.fromkeys(("textile", "wiki", "mediawiki", "rdoc", "pod", "env"), PLAIN),
    **dict.fromkeys(("htm", "html", "xht", "xhtml", "shtml"), HTML),
    **dict.fromkeys(("rst", "rest"), "text/x-rst"),
    **dict.fromkeys(("adoc", "asciidoc"), "text/asciidoc"),
    **dict.fromkeys(
        ("json", "jsonc", "json5", "jsonld", "geojson", "topojson"), "application/json"
    ),
    **dict.fromkeys(("har", "webmanifest", "avsc"), "application/json"),
    **dict.fromkeys(("jsonl", "ndjson", "ldjson"), "application/x-ndjson"),
    **dict.fromkeys(("yaml", "yml"), "application/yaml"),
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "ipynb": "application/x-ipynb+json",
    "toml": "application/toml",
    **dict.fromkeys(("xml", "xsd", "xsl", "xslt", "wsdl", "plist", "rss"), "application/xml"),
    **dict.fromkeys(("atom", "kml", "gpx", "xlf", "xliff", "resx"), "application/xml"),
    "ini": PLAIN,
    "cfg": PLAIN,
    "conf": PLAIN,
    "properties": PLAIN,
    "org": "text/org",
    **dict.fromkeys(("tex", "latex"), "text/x-tex"),
    **dict.fromkeys(("typ", "typst"), "text/x-typst"),
    **dict.fromkeys(("dj", "djot"), "text/x-djot"),
    **dict.fromkeys(("dbk", "docbook"), "application/docbook+xml"),
    "fodt": ODT,
    "fodp": ODP,
    "fb2": "application/x-fictionbook+xml",
    "opml": "text/x-opml",
    **dict.fromkeys(("eml", "mht", "mhtml"), "message/rfc822"),
    "rtf": RTF,
}
_BINARY = {
    "pdf": PDF,
    "docx": DOCX,
    "docm": DOCX,
    "dotx": DOCX,
    "pptx": PPTX,
    "pptm": PPTX,
    "ppsx": PPTX,
    "xlsx": XLSX,
    "xlsm": XLSX,
    "xlsb": XLSB,
    "xls": XLS,
    "doc": DOC,
    "ppt": PPT,
    "odt": ODT,
    "ods": ODS,
    "odp": ODP,
    "epub": EPUB,
    "msg": MSG,
    "zip": ZIP,
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "gif": "image/gif",
}
_SIGNATURES = (
    (b"%PDF-", PDF),
    (b"{\\rtf", RTF),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_SIGNED = tuple(signature for signature, _ in _SIGNATURES)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = tuple(
    (f"{stream}\0".encode("utf-16-le"), kind)
    for stream, kind in (
        ("__properties_version1.0", MSG),
        ("WordDocument", DOC),
        ("PowerPoint Document", PPT),
        ("Workbook", XLS),
        ("Book", XLS),
    )
)
_WORD, _LONG = struct.Struct("<H"), struct.Struct("<I")
_LAST_SECTOR = 0xFFFFFFFA
_MOST_DIRECTORY_SECTORS = 1_000
_ZIP_PARTS = (
    ("word/", DOCX),
    ("ppt/", PPTX),
    ("xl/workbook.bin", XLSB),
    ("xl/", XLSX),
    ("META-INF/container.xml", EPUB),
)
_TELLING_NAMES = tuple(
    Sign(name.encode()) for name in ("mimetype", "[Content_Types].xml", *dict(_ZIP_PARTS))
)
_CONTENT_TYPES = (
    (b"wordprocessingml", DOCX),
    (b"ms-word", DOCX),
    (b"presentationml", PPTX),
    (b"ms-powerpoint", PPTX),
    (b"sheet.binary", XLSB),
    (b"spreadsheetml", XLSX),
    (b"ms-excel", XLSX),
)
_MIMETYPE_ENTRIES = {kind.encode(): kind for kind in (ODT, ODS, ODP, EPUB)} | {
    f"{kind}-template".encode(): kind for kind in (ODT, ODS, ODP)
}
_HTML_START = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*"
    rb"<(?:!doctype\s+html|(?:html|head|body|title|meta|h1|div|p|table|article|main)[\s>/])",
    re.IGNORECASE | re.DOTALL,
)
_HTML_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_MAIL_START = re.compile(
    rb"(?:From [^\n]*\r?\n)?(?:[\w-]+:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*)*?"
    rb"(?:Message-ID|MIME-Version|Received|Return-Path):",
    re.IGNORECASE,
)
_HEAD = 4096


def media_type_of(name: str, data: bytes) -> str:
    """The media type of a file called `name` (a name, path or URL) with the bytes `data`.

    Binary kinds are told by their signature, whatever the name says; text kinds by the extension,
    in any case; text without an extension is plain text, unless it starts as HTML or a mail.
    Raises `UnsupportedMediaType` for what is none of these: an unknown extension, unknown binary
    content, or binary content under a text extension.
    """
    extension = _extension(name)
    by_content = _binary_kind(data)
    if by_content is not None:
        return by_content
    if extension in _BINARY:
        return _BINARY[extension]  # empty or damaged: its parser says what is wrong
    if data and is_binary(data):
        raise UnsupportedMediaType(
            f"unsupported type: binary content of unknown kind{_of(name)}: convert "
            "it to PDF, HTML or text, or plug in a parser"
        )
    if extension in _TEXT:
        return _text_kind(extension, data)
    by_start = _text_start(data)
    if by_start is not None:
        return by_start
    if extension is None:
        return PLAIN
    raise UnsupportedMediaType(
        f"unsupported type '.{extension}'{_of(name)}: rename the file or give its media type"
    )


def _extension(name: str) -> str | None:
    """In lower case without the dot; None for `README`, `.env` and `notes 2.1 final`."""
    path = unquote(re.split(r"[?#]", name)[0] if "://" in name else name)
    last = path.rpartition("/")[2]
    if last in ("", "."):
        last = PurePosixPath(path).name
    _, dot, extension = last.rpartition(".")
    if not dot or not last.strip(".").count(".") or " " in extension or extension.isdigit():
        return None
    return extension.lower() or None


def _of(name: str) -> str:
    return f" in {PurePosixPath(name).name!r}"


def _text_kind(extension: str, data: bytes) -> str:
    kind = _TEXT[extension]
    wrong_name = kind in (PLAIN, "application/xml") and _HTML_PAGE.match(_head(data))
    return HTML if wrong_name else kind


def _text_start(data: bytes) -> str | None:
    head = _head(data)
    if _HTML_START.match(head):
        return HTML
    return "message/rfc822" if _MAIL_START.match(head) else None


def _head(data: bytes) -> bytes:
    """The first characters as ASCII, from UTF-8 or UTF-16."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[2:].replace(b"\x00", b"")
    return head


def _binary_kind(data: bytes) -> str | None:
    if data.startswith(_SIGNED):
        return next(kind for signature, kind in _SIGNATURES if data.startswith(signature))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith(b"BM") and len(data) > 26 and data[6:10] == b"\x00" * 4:
        return "image/bmp"
    if data.startswith(_OLE):
        return _ole_kind(data)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(data)
    if b"%PDF-" in data[:1024] and is_binary(data):
        return PDF  # some writers put a mail or printer header before it
    return None


def _ole_kind(data: bytes) -> str | None:
    """By the stream names in the directory, which are UTF-16; None if none is known."""
    places = (_ole_directory(data), data)  # the second for one whose sectors are damaged
    return next((kind for at in places for stream, kind in _OLE_STREAMS if stream in at), None)


def _ole_directory(data: bytes) -> bytes:
    """The sectors of the directory, as far as they can be followed ([MS-CFB] 2.2 to 2.4)."""
    parts: list[bytes] = []
    try:
        (shift,) = _WORD.unpack_from(data, 30)
        (at,) = _LONG.unpack_from(data, 48)
        size = 1 << shift
        while at < _LAST_SECTOR and len(parts) < _MOST_DIRECTORY_SECTORS:
            parts.append(data[(at + 1) * size : (at + 2) * size])
            # Where the sectors are listed that say which follows which: 109 in the header.
            (listed,) = _LONG.unpack_from(data[:512], 76 + 4 * (at * 4 // size))
            (at,) = _LONG.unpack_from(data, (listed + 1) * size + at * 4 % size)
    except (struct.error, OverflowError, MemoryError):
        pass
    return b"".join(parts)


def _zip_kind(data: bytes) -> str | None:
    """By the `mimetype` entry (OpenDocument, EPUB), then by content types and part names.

    Reads at most 64 KiB of each entry, so that a bomb does no harm. None if it is too damaged to
    read: the extension decides then, and the parser reports the damage.
    """
    name, content = _first_entry(data)
    if name == b"mimetype" and (kind := _MIMETYPE_ENTRIES.get(content.strip())) is not None:
        return kind
    if name == b"[Content_Types].xml" and (kind := _kind_by_types(content)) is not None:
        return kind
    directory = _directory(data).replace(b"\\", b"/")
    if directory and not any(name.is_in(directory) for name in _TELLING_NAMES):
        return ZIP
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            declared = _start_of(archive, names, "mimetype").strip()
            types = _start_of(archive, names, "[Content_Types].xml")
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, ValueError, EOFError):
        return None
    if declared in _MIMETYPE_ENTRIES:
        return _MIMETYPE_ENTRIES[declared]
    if (kind := _kind_by_types(types)) is not None:
        return kind
    starts = "\0".join(["", *names]).replace("\\", "/")
    return next((kind for part, kind in _ZIP_PARTS if f"\0{part}" in starts), ZIP)


def _kind_by_types(types: bytes) -> str | None:
    main = re.findall(rb'ContentType="([^"]*\.main\+xml|[^"]*sheet\.binary[^"]*main)"', types)
    for marker, kind in _CONTENT_TYPES:
        if any(marker in content_type for content_type in main):
            return kind
    return None


def _first_entry(data: bytes) -> tuple[bytes, bytes]:
    """Name and start of the entry at the beginning of a whole zip file, without its directory:
    most programs put the one first that tells the kind. Empty if it takes more to read it."""
    header = _LOCAL_HEADER.unpack_from(data) if len(data) > _LOCAL_HEADER.size else (1,) * 5
    flags, method, size, name_size, extra_size = header
    if flags & _FLAGS_THAT_MATTER or data[-22:-18] != b"PK\x05\x06":
        return b"", b""
    behind = _LOCAL_HEADER.size + name_size
    start = behind + extra_size
    name, content = data[_LOCAL_HEADER.size : behind], data[start : start + min(size, _MOST)]
    if method == zipfile.ZIP_DEFLATED:
        try:
            content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, _MOST)
        except zlib.error:
            return b"", b""
    return (name, content) if method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else (b"", b"")


def _directory(data: bytes) -> bytes:
    """Of a whole zip file, as it is written; empty if it takes more to find it."""
    if len(data) < _END.size or not data.startswith(b"PK\x05\x06", len(data) - _END.size):
        return b""
    entries, size = _END.unpack_from(data, len(data) - _END.size)
    start = len(data) - _END.size - size
    directory = data[max(start, 0) : len(data) - _END.size]
    return directory if directory.count(b"PK\x01\x02") == entries else b""


_END = struct.Struct("<10xHI6x")
"""Of the directory: how many entries and bytes it has."""
_LOCAL_HEADER = struct.Struct("<6xHH8xI4xHH")
"""Of an entry: flags, method, compressed size, length of its name and of further fields."""
_FLAGS_THAT_MATTER = 0b1001
"""Encrypted; sizes are written behind the content only."""
_MOST = 65536


def _start_of(archive: zipfile.ZipFile, names: list[str], entry: str) -> bytes:
    if entry not in names:
        return b""
    with archive.open(entry) as stream:
        return stream.read(_MOST)
