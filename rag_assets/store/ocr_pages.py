"""What did OCR engines read? The tables of ocr_pages.duckdb."""

from functools import cache
from importlib.resources import files

__all__ = ["schema"]


@cache
def schema() -> str:
    """SQL that makes the tables of ocr_pages.duckdb, or brings older ones up to date."""
    return files("rag_assets.store").joinpath("sql/ocr_pages.sql").read_text(encoding="utf-8")
