"""Markdown as a flat OpenDocument text, with styles that office programs know: for sample files."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

_NAMESPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "meta": "urn:oasis:names:tc:opendocument:xmlns:meta:1.0",
}
_SIZES = (20, 15, 12.5, 11, 10.5, 10.5)
_OPEN = {
    "paragraph": '<text:p text:style-name="{}">',
    "bullet_list": '<text:list text:style-name="Bullets">',
    "ordered_list": '<text:list text:style-name="Numbers">',
    "list_item": "<text:list-item>",
    "thead": "<table:table-header-rows>",
    "tr": "<table:table-row>",
}
_CLOSE = {
    "heading": "</text:h>",
    "paragraph": "</text:p>",
    "bullet_list": "</text:list>",
    "ordered_list": "</text:list>",
    "list_item": "</text:list-item>",
    "table": "</table:table>",
    "thead": "</table:table-header-rows>",
    "tr": "</table:table-row>",
    "th": "</text:p></table:table-cell>",
    "td": "</text:p></table:table-cell>",
}


def flat_odt(markdown: str, *, language: str = "en", columns: int = 1) -> str:
    """An `.fodt` of headings, paragraphs, lists, quotes and tables; A4. With more than one column
    everything below the title runs in columns."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    title = next(token.content for token in tokens if token.type == "inline")
    pieces = list(_pieces(tokens))
    if columns > 1:
        pieces.insert(3, '<text:section text:style-name="Columns" text:name="columns">')
        pieces.append("</text:section>")
    names = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in _NAMESPACES.items())
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {names} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.text">'
        f"<office:meta><dc:title>{escape(title)}</dc:title></office:meta>"
        f"<office:styles>{''.join(_styles(language))}</office:styles>"
        f"<office:automatic-styles>{_automatic(columns)}</office:automatic-styles>"
        '<office:master-styles><style:master-page style:name="Standard" '
        'style:page-layout-name="A4"/></office:master-styles>'
        f"<office:body><office:text>{''.join(pieces)}</office:text></office:body></office:document>"
    )


def _pieces(tokens: list[Token]) -> Iterator[str]:
    quotes = 0
    for index, token in enumerate(tokens):
        kind, _, end = token.type.rpartition("_")
        if kind == "blockquote":
            quotes += token.nesting
        elif token.type == "inline":
            yield _inline(token)
        elif token.type == "table_open":
            columns = _columns(tokens, index)
            yield (f'<table:table><table:table-column table:number-columns-repeated="{columns}"/>')
        elif end == "close":
            yield _CLOSE.get(kind, "")
        elif kind == "heading":
            level = int(token.tag[1])
            yield f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">'
        elif kind in ("th", "td"):
            style = "Table_20_Heading" if kind == "th" else "Table_20_Contents"
            yield (
                '<table:table-cell table:style-name="Cell" office:value-type="string">'
                f'<text:p text:style-name="{style}">'
            )
        else:
            yield _OPEN.get(kind, "").format("Quotations" if quotes else "Text_20_body")


def _columns(tokens: list[Token], table: int) -> int:
    end = next(n for n in range(table, len(tokens)) if tokens[n].type == "thead_close")
    return sum(token.type == "th_open" for token in tokens[table:end])


def _inline(token: Token) -> str:
    spans = {"em_open": "Emphasis", "strong_open": "Strong_20_Emphasis"}
    parts = []
    for child in token.children or []:
        if child.type in spans:
            parts.append(f'<text:span text:style-name="{spans[child.type]}">')
        elif child.type in ("em_close", "strong_close"):
            parts.append("</text:span>")
        else:
            parts.append(escape(child.content) or " ")
    return "".join(parts)


def _styles(language: str) -> Iterator[str]:
    country = {"en": "GB", "de": "DE"}[language]
    yield (
        '<style:default-style style:family="paragraph"><style:text-properties '
        f'fo:font-family="Liberation Sans" fo:font-size="10.5pt" fo:language="{language}" '
        f'fo:country="{country}" fo:hyphenate="false"/></style:default-style>'
    )
    yield _style("Text body", "", 'fo:margin-bottom="0.22cm" fo:line-height="120%"')
    yield _style("Quotations", 'fo:font-style="italic"', 'fo:margin-left="1cm"')
    yield _style("Table Contents", 'fo:font-size="9.5pt"')
    yield _style("Table Heading", 'fo:font-size="9.5pt" fo:font-weight="bold"')
    for level, size in enumerate(_SIZES, start=1):
        outline = f'style:default-outline-level="{level}"'
        text = f'fo:font-size="{size}pt" fo:font-weight="bold"'
        space = 'fo:margin-top="0.4cm" fo:margin-bottom="0.2cm" fo:keep-with-next="always"'
        yield _style(f"Heading {level}", text, space, outline)
    for name, text in (("Emphasis", "font-style"), ("Strong Emphasis", "font-weight")):
        value = "italic" if text == "font-style" else "bold"
        yield (
            f'<style:style style:name="{name.replace(" ", "_20_")}" style:family="text">'
            f'<style:text-properties fo:{text}="{value}"/></style:style>'
        )
    yield _list_style("Bullets", '<text:list-level-style-bullet text:bullet-char="•" ', "bullet")
    yield _list_style(
        "Numbers",
        '<text:list-level-style-number style:num-format="1" style:num-suffix="." ',
        "number",
    )


def _style(name: str, text: str, paragraph: str = "", more: str = "") -> str:
    return (
        f'<style:style style:name="{name.replace(" ", "_20_")}" style:display-name="{name}" '
        f'style:family="paragraph" {more}><style:paragraph-properties {paragraph}/>'
        f"<style:text-properties {text}/></style:style>"
    )


def _list_style(name: str, start: str, kind: str) -> str:
    levels = "".join(
        f'{start}text:level="{level}"><style:list-level-properties '
        'text:list-level-position-and-space-mode="label-alignment">'
        '<style:list-level-label-alignment text:label-followed-by="listtab" '
        f'fo:text-indent="-0.6cm" fo:margin-left="{0.6 * level}cm"/>'
        f"</style:list-level-properties></text:list-level-style-{kind}>"
        for level in (1, 2, 3)
    )
    return f'<text:list-style style:name="{name}">{levels}</text:list-style>'


def _automatic(columns: int) -> str:
    return (
        '<style:page-layout style:name="A4"><style:page-layout-properties fo:page-width="21cm" '
        'fo:page-height="29.7cm" fo:margin="2cm"/></style:page-layout>'
        '<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties '
        'fo:border="0.5pt solid #808080" fo:padding="0.08cm"/></style:style>'
        '<style:style style:name="Columns" style:family="section"><style:section-properties '
        f'text:dont-balance-text-columns="false"><style:columns fo:column-count="{columns}" '
        'fo:column-gap="0.8cm"/></style:section-properties></style:style>'
    )
