"""How to ask PDFium something for every word of a page? Its functions without the ceremony."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from rag_chunker.parsing.pdf.opening import Handle

__all__ = ["Calls", "address", "calls"]

Call = Callable[..., Any]

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int


class Calls(NamedTuple):
    """PDFium's functions by what they tell. Handles go in and come out as addresses.

    A call takes half the time that it takes with pypdfium2's typed pointers (0.5 us against 1.1
    us, Python 3.11), and a page of text needs some 2,000. The interpreter's lock is kept: none of
    them works for longer than letting go of it takes.
    """

    character_is_generated: Call
    character_box: Call
    character_matrix: Call
    character_object: Call
    object_font: Call
    object_font_size: Call
    object_fill: Call
    object_mode: Call
    object_content: Call
    object_kind: Call
    object_bounds: Call
    page_object: Call
    form_object: Call


@cache
def calls() -> Calls:
    """The functions, looked up once."""
    import pypdfium2.raw as pdfium

    return Calls(
        character_is_generated=_quick(pdfium.FPDFText_IsGenerated, _INT, _POINTER, _INT),
        character_box=_quick(pdfium.FPDFText_GetLooseCharBox, _INT, _POINTER, _INT, _POINTER),
        character_matrix=_quick(pdfium.FPDFText_GetMatrix, _INT, _POINTER, _INT, _POINTER),
        character_object=_quick(pdfium.FPDFText_GetTextObject, _POINTER, _POINTER, _INT),
        object_font=_quick(pdfium.FPDFTextObj_GetFont, _POINTER, _POINTER),
        object_font_size=_quick(pdfium.FPDFTextObj_GetFontSize, _INT, _POINTER, _POINTER),
        object_fill=_quick(pdfium.FPDFPageObj_GetFillColor, _INT, *[_POINTER] * 5),
        object_mode=_quick(pdfium.FPDFTextObj_GetTextRenderMode, _INT, _POINTER),
        object_content=_quick(pdfium.FPDFPageObj_GetMarkedContentID, _INT, _POINTER),
        object_kind=_quick(pdfium.FPDFPageObj_GetType, _INT, _POINTER),
        object_bounds=_quick(pdfium.FPDFPageObj_GetBounds, _INT, *[_POINTER] * 5),
        page_object=_quick(pdfium.FPDFPage_GetObject, _POINTER, _POINTER, _INT),
        form_object=_quick(pdfium.FPDFFormObj_GetObject, _POINTER, _POINTER, ctypes.c_ulong),
    )


def address(handle: Handle) -> int:
    """Where a handle or function of pypdfium2's points."""
    return ctypes.cast(handle, _POINTER).value or 0


def _quick(function: Any, result: Any, *arguments: Any) -> Call:
    return ctypes.PYFUNCTYPE(result, *arguments)(address(function))
