"""The real engines in the real stages: which one reads is the corpus' choice."""

from pathlib import Path

import pytest
from PIL import Image

from rag_assets.store.catalog import open_warehouse
from rag_assets.workers import WorkerPool
from rag_chunker.ocr.registry import engine_named
from tests.bench.page_images import PageSpec, draw, to_bytes
from tests.chunker.parsing.pdf_writer import Pdf
from tests.scenarios import direct


def small_page(*paragraphs: str, points: float = 14) -> Image.Image:
    spec = PageSpec("page", paragraphs, paper=(5.0, 1.6), margin=0.25, dpi=150, points=points)
    return draw(spec)


def report_with_a_diagram() -> bytes:
    """A page of text with a picture in it that has words of its own, and a scanned page behind."""
    pdf = Pdf()
    page = pdf.page()
    page.text(60, 100, "The station has two pumps, as the diagram shows.", 12)
    _place(pdf, small_page("Pump A feeds the upper basin", points=20), 60, 140)
    page.text(60, 420, "Each of them is checked once a month, in full.", 12)
    pdf.page(width=440, height=160)
    _place(pdf, small_page("Signed by the engineer on duty", points=20), 10, 10)
    return pdf.data()


def _place(pdf: Pdf, picture: Image.Image, x: float, y: float) -> None:
    page, grey = pdf.pages[-1], picture.convert("L")
    page.images.append((grey.width, grey.height, grey.tobytes()))
    width, height = 420.0, 420.0 * grey.height / grey.width
    name = f"X{len(page.images) - 1}"
    page.raw(f"q {width} 0 0 {height} {x} {page.height - y - height} cm /{name} Do Q".encode())


def read(folder: Path, files: dict[str, bytes], settings: str) -> dict[str, tuple[str, str]]:
    """Engine and text of each page: by name and number."""
    root = direct.sources(folder)
    root.mkdir(parents=True, exist_ok=True)
    (root / "corpus.toml").write_text(settings)
    for name, data in files.items():
        (root / name).write_bytes(data)
    with WorkerPool(1, seconds=200, memory_bytes=4 << 30) as pool:
        _, report, _ = direct.run_all(folder, pool, "run")
    assert report.failures == []
    with open_warehouse(folder / "warehouse") as warehouse:
        rows = warehouse.execute("SELECT document_id, page, engine, text FROM ocr_pages").fetchall()
    return {
        f"{name.rpartition('/')[2]} {page}": (engine, text) for name, page, engine, text in rows
    }


@pytest.fixture(params=["rapidocr", "tesseract"])
def engine(request: pytest.FixtureRequest) -> str:
    health = engine_named(request.param, ("eng", "deu")).health()
    if not health.ok:
        pytest.skip(health.detail)
    return str(request.param)


def test_each_engine_reads_scans_in_two_languages(tmp_path: Path, engine: str) -> None:
    files = {
        "invoice.png": to_bytes(small_page("Invoice number 4471")),
        "rechnung.jpg": to_bytes(small_page("Prüfung der Schlüssel am Dienstag"), "JPEG"),
    }
    settings = f'[ocr]\nengine = "{engine}"\nlanguages = ["en", "de"]\n'
    assert read(tmp_path, files, settings) == {
        "invoice.png 1": (engine, "Invoice number 4471"),
        "rechnung.jpg 1": (engine, "Prüfung der Schlüssel am Dienstag"),
    }


@pytest.mark.parametrize("images", [False, True])
def test_pictures_on_pages_with_text_are_read_when_the_corpus_asks_for_it(
    tmp_path: Path, images: bool
) -> None:
    if not engine_named("tesseract").health().ok:
        pytest.skip("Tesseract is not installed")
    settings = '[ocr]\nengine = "tesseract"\n' + "images_in_text_pages = true\n" * images
    pages = read(tmp_path, {"report.pdf": report_with_a_diagram()}, settings)
    assert pages["report.pdf 2"] == ("tesseract", "Signed by the engineer on duty")
    diagram = ("tesseract", "Pump A feeds the upper basin")
    assert pages.get("report.pdf 1") == (diagram if images else None)
    with open_warehouse(tmp_path / "warehouse") as warehouse:
        ((text,),) = warehouse.execute("SELECT string_agg(content, ' ') FROM chunks").fetchall()
    expected = [
        "as the diagram shows.",
        *[diagram[1]] * images,
        "checked once a month",
        "Signed by the engineer",
    ]
    places = [text.find(part) for part in expected]
    assert places == sorted(places)
    assert -1 not in places
    assert (diagram[1] in text) is images
