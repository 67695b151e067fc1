"""Which columns has an asset, and which columns of other assets is each made from?

Names, types and descriptions are those of the SQL that makes the tables.
"""

import re
from collections.abc import Mapping

import dagster as dg

from rag_assets.store.schema import tables

__all__ = ["CHUNK_LINEAGE", "DOCUMENT_LINEAGE", "FILE_COLUMNS", "column_lineage", "column_schema"]

Lineage = Mapping[str, str]
"""Column to the columns it is made from: `asset.column`, separated by spaces."""

FILE_COLUMNS = dg.TableSchema(
    [
        dg.TableColumn("path", "path", "where the file lies: TENANT/CORPUS/..."),
        dg.TableColumn("content", "bytes", "what is in it"),
    ]
)
"""Of `source_files`, which are no table: what the documents are made from."""

_FILE = "source_files.content"
DOCUMENT_LINEAGE: Lineage = {
    "document_id": "source_files.path",
    "source_uri": "source_files.path",
    "mime_type": f"source_files.path {_FILE}",
    **dict.fromkeys(
        ["title", "content_hash", "metadata", "status", "error_kind", "error", "size_bytes"], _FILE
    ),
    "blocks.document_id": "source_files.path",
    **dict.fromkeys(
        [f"blocks.{name}" for name in ("index", "type", "level", "text", "attributes")], _FILE
    ),
    "blocks.start_offset": _FILE,
    "blocks.end_offset": _FILE,
}

_DOCUMENT, _BLOCK = "parsed_documents.document_id", "parsed_documents.blocks"
_TEXT, _HEADING = f"{_BLOCK}.text", f"{_BLOCK}.type {_BLOCK}.level"
_WORDS = f"{_TEXT} ocr_pages.text"
CHUNK_LINEAGE: Lineage = {
    "id": f"{_DOCUMENT} {_WORDS}",
    "document_id": _DOCUMENT,
    "position": f"{_BLOCK}.index",
    "parent_id": _HEADING,
    "content": _WORDS,
    "token_count": _WORDS,
    "acl_labels": "source_files.path",
    "metadata": _HEADING,
    "start_offset": f"{_BLOCK}.start_offset",
    "end_offset": f"{_BLOCK}.end_offset",
    "overlap": _WORDS,
    "heading_path": f"{_TEXT} {_HEADING}",
    "kind": f"{_BLOCK}.type",
    "level": f"{_BLOCK}.level",
    "context": f"parsed_documents.title {_TEXT} {_HEADING}",
}


def column_schema(schema: str, lineage: Lineage, table: str, *more: str) -> dg.TableSchema:
    """The columns of `table` as `schema` makes it, with its comments, and what each is made from;
    those of the tables `more` follow, as `table.column`.

    The lineage is told in words too, since Dagster's open-source UI (1.13) draws none of columns.
    """
    found = []
    for name in (table, *more):
        comments = _comments(schema, name)
        for column, kind in tables(schema)[name].items():
            shown = column if name == table else f"{name}.{column}"
            made_from = lineage.get(shown, "").replace(" ", ", ")
            told = [comments.get(column, ""), made_from and f"\N{LEFTWARDS ARROW} {made_from}"]
            description = " ".join(filter(None, told)) or None
            found.append(dg.TableColumn(shown, kind, description=description))
    return dg.TableSchema(found)


def column_lineage(lineage: Lineage) -> dg.TableColumnLineage:
    """As Dagster wants it."""
    return dg.TableColumnLineage(
        {
            column: [_dependency(one) for one in made_from.split()]
            for column, made_from in lineage.items()
        }
    )


def _dependency(name: str) -> dg.TableColumnDep:
    asset, _, column = name.partition(".")
    return dg.TableColumnDep(asset_key=dg.AssetKey(asset), column_name=column)


def _comments(schema: str, table: str) -> dict[str, str]:
    """What stands behind `--` in the line of each column."""
    body = re.search(rf"CREATE TABLE (?:IF NOT EXISTS )?{table} \((.*?)^\)", schema, re.M | re.S)
    lines = re.findall(r"^ +(\w+) [^\n-]*-- *([^\n]+)", body[1] if body else "", re.M)
    return dict(lines)
