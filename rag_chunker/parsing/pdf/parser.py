"""PDF to blocks: trusted tags first, else the outline, else typography."""

import re

from pydantic import JsonValue

from rag_chunker.layout.grids import Table
from rag_chunker.layout.headings import body_of, kind_of, levels_of, heading_of, looks_like_heading
from rag_chunker.layout.hyphens import join_lines, vocabulary
from rag_chunker.layout.lines import Line
from rag_chunker.layout.lists import depths
from rag_chunker.layout.running import running_lines
from rag_chunker.layout.paragraphs import Paragraph, group_lines
from rag_chunker.parsing.pdf.fonts import Looks
from rag_chunker.parsing.pdf.characters import Spacing
from rag_chunker.parsing.pdf.opening import metadata, open_pdf
from rag_chunker.parsing.pdf.pages import read_page
from rag_chunker.parsing.tables import table_blocks
from rag_core.spi import Parser
from rag_core.types import Block, BlockType, Page, ParsedDocument, Source


class PdfParser(Parser):
    def version(self) -> str:
        return "1"

    def parse(self, source: Source, data: bytes) -> ParsedDocument:
        import pypdfium2.raw as pdfium

        with open_pdf(data) as document:
            meta = metadata(document)
            looks = Looks()
            spacing = Spacing()
            pages = [
                read_page(document, i, looks, spacing, 10**6)
                for i in range(pdfium.FPDF_GetPageCount(document))
            ]
        gone = running_lines([p.items for p in pages], [p.upright.height for p in pages])
        items = [item for page in pages for item in page.items if id(item) not in gone]
        lines = [item for item in items if isinstance(item, Line)]
        known = vocabulary(re.sub(r"\S+-$", "", line.text) for line in lines)
        found = group_lines(items)
        paragraphs = [x for x in found if isinstance(x, Paragraph)]
        body = body_of(paragraphs)
        texts = {id(p): text_of(p, known) for p in paragraphs}
        heads = [p for p in paragraphs if looks_like_heading(p, texts[id(p)], body)]
        hs = [heading_of(p, texts[id(p)]) for p in heads]
        levels = dict(zip(map(id, heads), levels_of(hs) if hs else [], strict=True))
        listed = [
            x if isinstance(x, Paragraph) and x.marker and id(x) not in levels else None
            for x in found
        ]
        blocks = []
        tables = 0
        for x, depth, li in zip(found, depths(listed), listed):
            if isinstance(x, Table):
                blocks += table_blocks(
                    x.rows,
                    table=tables,
                    attributes={"page": x.page, "bbox": [round(v, 1) for v in x.box]},
                )
                tables += 1
                continue
            attributes: dict[str, JsonValue] = {
                "page": x.page,
                "bbox": [round(v, 1) for v in x.box],
            }
            t = texts[id(x)]
            if id(x) in levels:
                blocks.append(
                    Block(
                        type=BlockType.heading, level=levels[id(x)], text=t, attributes=attributes
                    )
                )
            elif x.code:
                blocks.append(Block(type=BlockType.code, text=t, attributes=attributes))
            elif li:
                blocks.append(
                    Block(
                        type=BlockType.list_item,
                        text=t[x.marker.length :],
                        attributes={
                            **attributes,
                            "list_depth": depth,
                            "list_marker": x.marker.text,
                        },
                    )
                )
            else:
                blocks.append(Block(type=BlockType.paragraph, text=t, attributes=attributes))
        return ParsedDocument(
            document=source.document(data, mime_type="application/pdf", title=meta.get("Title")),
            blocks=tuple(blocks),
            pages=tuple(
                Page(
                    number=p.number,
                    width=p.shown.width,
                    height=p.shown.height,
                    needs_ocr=p.reason is not None,
                    reason=p.reason,
                )
                for p in pages
            ),
        )


def text_of(p, known):
    if p.code:
        return "\n".join(line.text for line in p.lines)
    return join_lines([(line.text, line.hyphen) for line in p.lines], known)
