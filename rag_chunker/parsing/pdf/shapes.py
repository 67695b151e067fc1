"""What is drawn on a page beside its text? Rules, bullets and the share that images cover."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag_chunker.layout.geometry import Box, Rule
from rag_chunker.parsing.pdf.calls import address, calls
from rag_chunker.parsing.pdf.frame import Frame
from rag_chunker.parsing.pdf.opening import Handle

MAX_OBJECTS = 200_000
"""Of one page, those inside forms included; the rest of a drawing is not looked at. A page of text
has at most an object for each of its characters, some 5,000."""
MAX_FORM_DEPTH = 8
MAX_RULES = 20_000
"""Of one page; a page with more is a drawing, not a table."""

_THIN = 2.5
"""Points: the thickest rule of a table."""
_THINNEST, _SHORT = 1.2, 12.0
"""Points: the thickest and the longest underscore that is drawn."""
_BULLET, _DISC = 9.0, 18.0
"""Points: the widest bullet, and the widest disc with a number in it."""
_EDGE = 1.0
"""Points from the edge of the page."""
_WHITE = 250
"""Of 255 in each colour: what cannot be told from paper."""
_RASTER = 32
"""Cells a side of the grid on which covered area is counted."""


@dataclass
class Shapes:
    """What one page shows beside text, in coordinates as seen."""

    across: list[Rule] = field(default_factory=list)
    """Horizontal rules."""
    down: list[Rule] = field(default_factory=list)
    """Vertical rules."""
    dashes: list[Rule] = field(default_factory=list)
    """Horizontal rules no longer than a letter is wide; the longest are in `across` too."""
    bullets: list[Box] = field(default_factory=list)
    """Small shapes about as wide as high, as browsers draw the bullets of lists."""
    discs: list[Box] = field(default_factory=list)
    """Larger ones with curved edges, in which the numbers of items stand."""
    paths: int = 0
    image_share: float = 0.0
    """Part of the page that images cover, 0..1."""


def read_shapes(page: Handle, frame: Frame) -> Shapes:
    """The shapes of a loaded page; at most `MAX_OBJECTS` of its objects are looked at."""
    import pypdfium2.raw as pdfium

    shapes = Shapes()
    cover = bytearray(_RASTER * _RASTER)
    bounds = tuple(ctypes.c_float() for _ in range(4))
    bounds_at = tuple(ctypes.byref(bound) for bound in bounds)
    bounds_of = calls().object_bounds
    for obj, kind, matrix in _objects(page):
        shapes.paths += kind == pdfium.FPDF_PAGEOBJ_PATH
        if not bounds_of(obj, *bounds_at):
            continue
        box = frame.box(*_moved(matrix, *(bound.value for bound in bounds)))
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            _add_path(shapes, obj, box, frame)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            _mark(cover, box, frame)
        elif _is_small(box, _BULLET):
            shapes.bullets.append(box)
        elif _is_small(box, _DISC):
            shapes.discs.append(box)
    shapes.image_share = sum(cover) / len(cover)
    return shapes


def image_boxes(page: Handle, frame: Frame) -> list[Box]:
    """Where the images of a loaded page are, those that form its background included."""
    import pypdfium2.raw as pdfium

    boxes = []
    bounds = tuple(ctypes.c_float() for _ in range(4))
    bounds_at = tuple(ctypes.byref(bound) for bound in bounds)
    bounds_of = calls().object_bounds
    for obj, kind, matrix in _objects(page):
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE and bounds_of(obj, *bounds_at):
            boxes.append(frame.box(*_moved(matrix, *(bound.value for bound in bounds))))
    return boxes


Matrix = tuple[float, float, float, float, float, float]


def _objects(page: Handle) -> Iterator[tuple[int, int, Matrix | None]]:
    """Addresses and kinds of paths, images and shadings with the matrix of the forms around them,
    depth first."""
    import pypdfium2.raw as pdfium

    ask, where = calls(), address(page)
    kind_of, object_of, inner_of = ask.object_kind, ask.page_object, ask.form_object
    text, form = pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_FORM
    seen = 0
    pending: list[tuple[int, int, Matrix]] = []
    for index in range(min(MAX_OBJECTS, pdfium.FPDFPage_CountObjects(page))):
        obj = object_of(where, index)
        seen += 1
        kind = kind_of(obj)
        if kind == text:
            continue
        if kind == form:
            pending.append((obj, 1, _matrix_of(obj, None)))
        else:
            yield obj, kind, None
    while pending and seen < MAX_OBJECTS:
        holder, depth, matrix = pending.pop()
        for index in range(max(0, pdfium.FPDFFormObj_CountObjects(_handle(holder)))):
            seen += 1
            if seen > MAX_OBJECTS:
                return
            obj = inner_of(holder, index)
            kind = kind_of(obj)
            if kind == form and depth < MAX_FORM_DEPTH:
                pending.append((obj, depth + 1, _matrix_of(obj, matrix)))
            elif kind not in (text, form):
                yield obj, kind, matrix


def _handle(obj: int) -> Handle:
    import pypdfium2.raw as pdfium

    return ctypes.cast(obj, pdfium.FPDF_PAGEOBJECT)


def _matrix_of(form: int, outer: Matrix | None) -> Matrix:
    import pypdfium2.raw as pdfium

    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(_handle(form), own)
    a, b, c, d, e, f = own.a, own.b, own.c, own.d, own.e, own.f
    if outer is None:
        return a, b, c, d, e, f
    oa, ob, oc, od, oe, of = outer
    return (
        a * oa + b * oc, a * ob + b * od, c * oa + d * oc, c * ob + d * od,
        e * oa + f * oc + oe, e * ob + f * od + of,
    )  # fmt: skip


def _moved(
    matrix: Matrix | None, left: float, bottom: float, right: float, top: float
) -> tuple[float, float, float, float]:
    if matrix is None:
        return left, bottom, right, top
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(xs), min(ys), max(xs), max(ys)


def _add_path(shapes: Shapes, obj: int, box: Box, frame: Frame) -> None:
    """A thin path is a rule, a larger rectangle its four edges, a small square a bullet."""
    width, height = box.width, box.height
    if len(shapes.across) + len(shapes.down) + len(shapes.dashes) >= MAX_RULES:
        return
    if height <= _THINNEST and 2 * height < width <= _SHORT:
        shapes.dashes.append(Rule(box.middle, box.left, box.right))
    if height <= _THIN and width > 4 * max(height, 1.0):
        shapes.across.append(Rule(box.middle, box.left, box.right))
    elif width <= _THIN and height > 4 * max(width, 1.0):
        shapes.down.append(Rule((box.left + box.right) / 2, box.top, box.bottom))
    elif _is_small(box, _BULLET):
        shapes.bullets.append(box)
    elif width > _BULLET and height > 6:
        if not _is_grid_or_frame(_handle(obj)):
            if _is_small(box, _DISC):
                shapes.discs.append(box)
        elif _shows(_handle(obj), at_edge=_is_at_edge(box, frame)):
            _add_edges(shapes, box)


def _is_small(box: Box, most: float) -> bool:
    """Whether it is about as wide as high, at most so many points."""
    width, height = box.width, box.height
    return 1.0 <= width <= most and 1.0 <= height <= most and 0.5 <= width / height <= 2


def _is_at_edge(box: Box, frame: Frame) -> bool:
    """Whether it goes up to the edge of the page, where paper is coloured and no cell is."""
    return (
        min(box.left, box.top) <= _EDGE
        or box.right >= frame.width - _EDGE
        or box.bottom >= frame.height - _EDGE
    )


def _is_grid_or_frame(obj: Handle) -> bool:
    """A path of straight segments only, with few of them: a cell's or table's frame."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPath_CountSegments(obj)
    if not 4 <= count <= 6:
        return False
    return all(
        pdfium.FPDFPathSegment_GetType(pdfium.FPDFPath_GetPathSegment(obj, index))
        != pdfium.FPDF_SEGMENT_BEZIERTO
        for index in range(count)
    )


def _shows(obj: Handle, *, at_edge: bool) -> bool:
    """Whether one sees the edges of a rectangle: it has an outline or another colour than paper,
    which may be coloured up to the edge of the page."""
    import pypdfium2.raw as pdfium

    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(obj, fill, stroke) or stroke.value:
        return True
    if at_edge:
        return False
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium.FPDFPageObj_GetFillColor(obj, red, green, blue, alpha):
        return True
    return alpha.value > 0 and min(red.value, green.value, blue.value) < _WHITE


def _add_edges(shapes: Shapes, box: Box) -> None:
    shapes.across += [Rule(box.top, box.left, box.right), Rule(box.bottom, box.left, box.right)]
    shapes.down += [Rule(box.left, box.top, box.bottom), Rule(box.right, box.top, box.bottom)]


def _mark(cover: bytearray, box: Box, frame: Frame) -> None:
    if frame.width <= 0 or frame.height <= 0:
        return
    columns = _cells(box.left, box.right, frame.width)
    for row in _cells(box.top, box.bottom, frame.height):
        for column in columns:
            cover[row * _RASTER + column] = 1


def _cells(start: float, end: float, length: float) -> range:
    first = max(0, min(_RASTER, int(start / length * _RASTER + 0.5)))
    last = max(0, min(_RASTER, int(end / length * _RASTER + 0.5)))
    return range(first, last)
