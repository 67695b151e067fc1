"""Which parser reads this media type? Built-in ones by table, others by entry point.

A distribution adds parsers under the entry point group `rag_chunker.parsers`: the entry's name is
the media type, its value a class that implements `rag_core.spi.Parser`. It takes precedence over
a built-in parser of the same media type.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec

from rag_chunker.parsing.media_type import SOURCE_CODE
from rag_core.errors import UnsupportedMediaType
from rag_core.spi import Parser

ENTRY_POINT_GROUP = "rag_chunker.parsers"

BUILT_IN: dict[str, str] = {
    "text/plain": "rag_chunker.parsing.plain_text:PlainTextParser",
    "text/markdown": "rag_chunker.parsing.markdown:MarkdownParser",
    "text/html": "rag_chunker.parsing.html:HtmlParser",
    "application/pdf": "rag_chunker.parsing.pdf:PdfParser",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": (
        "rag_chunker.parsing.sheets:SheetsParser"
    ),
    "application/vnd.ms-excel": "rag_chunker.parsing.sheets:SheetsParser",
    "application/vnd.ms-excel.sheet.binary.macroEnabled.12": (
        "rag_chunker.parsing.sheets:SheetsParser"
    ),
    "application/vnd.oasis.opendocument.spreadsheet": "rag_chunker.parsing.sheets:SheetsParser",
    "text/csv": "rag_chunker.parsing.delimited:DelimitedParser",
    "text/tab-separated-values": "rag_chunker.parsing.delimited:DelimitedParser",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": (
        "rag_chunker.parsing.docx:DocxParser"
    ),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template": (
        "rag_chunker.parsing.docx:DocxParser"
    ),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": (
        "rag_chunker.parsing.pptx:PptxParser"
    ),
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow": (
        "rag_chunker.parsing.pptx:PptxParser"
    ),
    "application/vnd.openxmlformats-officedocument.presentationml.template": (
        "rag_chunker.parsing.pptx:PptxParser"
    ),
    "application/vnd.ms-powerpoint.presentation.macroEnabled.12": (
        "rag_chunker.parsing.pptx:PptxParser"
    ),
    "application/vnd.ms-word.document.macroEnabled.12": "rag_chunker.parsing.docx:DocxParser",
    "application/epub+zip": "rag_chunker.parsing.epub:EpubParser",
    "application/vnd.oasis.opendocument.text": "rag_chunker.parsing.odt:OdtParser",
    "application/vnd.oasis.opendocument.text-template": "rag_chunker.parsing.odt:OdtParser",
    "application/vnd.oasis.opendocument.presentation": "rag_chunker.parsing.odt:OdpParser",
    "message/rfc822": "rag_chunker.parsing.mail:MailParser",
    "application/rtf": "rag_chunker.parsing.rtf:RtfParser",
    "application/vnd.ms-outlook": "rag_chunker.parsing.outlook:OutlookParser",
    "application/zip": "rag_chunker.parsing.containers:ZipParser",
    "application/x-ipynb+json": "rag_chunker.parsing.notebook:NotebookParser",
    "application/json": "rag_chunker.parsing.json_text:JsonParser",
    "application/x-ndjson": "rag_chunker.parsing.json_text:JsonLinesParser",
    "text/x-rst": "rag_chunker.parsing.rst:RstParser",
    **dict.fromkeys(
        ["image/png", "image/jpeg", "image/tiff", "image/webp", "image/bmp", "image/gif"],
        "rag_chunker.parsing.image:ImageParser",
    ),
    **dict.fromkeys(
        # readable as they are; with the extra `tail` they are in TAIL, too
        ["text/asciidoc", "text/org", "text/x-tex", "text/x-typst", "text/x-djot"],
        "rag_chunker.parsing.plain_text:PlainTextParser",
    ),
    **dict.fromkeys(
        [*SOURCE_CODE.values(), "application/yaml", "application/toml", "application/xml"],
        "rag_chunker.parsing.source_code:SourceCodeParser",
    ),
}
"""Media type to `module:class`; imported when first asked for."""
_TAIL = "rag_chunker.parsing.tail:TailParser"
TAIL = dict.fromkeys(
    (
        *("text/asciidoc", "text/org", "text/x-tex", "text/x-typst", "text/x-djot"),
        *("application/x-fictionbook+xml", "application/docbook+xml", "text/x-opml"),
        *("application/msword", "application/vnd.ms-powerpoint"),
    ),
    _TAIL,
)
"""Read by the extra `tail` where it is installed."""


@cache
def parser_for(media_type: str) -> Parser:
    """The parser of a media type. Raises `UnsupportedMediaType` that lists the known ones."""
    plugins = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
    if media_type in plugins:
        parser: Parser = plugins[media_type].load()()
        return parser
    place = TAIL.get(media_type) if find_spec("xberg") else None
    place = place or BUILT_IN.get(media_type)
    if place is not None:
        module, name = place.split(":")
        built_in: Parser = getattr(import_module(module), name)()
        return built_in
    if media_type in TAIL:
        raise UnsupportedMediaType(
            f"{media_type!r} needs an extra: pip install 'rag-chunker[tail]' (160 MB)"
        )
    known = ", ".join(sorted({*BUILT_IN, *plugins}))
    raise UnsupportedMediaType(f"no parser for {media_type!r}; known: {known}")
