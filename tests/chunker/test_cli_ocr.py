"""`ragctl ocr`, and images under `ragctl chunk`: what they print, and how they end."""

import json
from importlib.metadata import EntryPoint
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from rag_chunker.cli import cli
from rag_chunker.ocr import registry
from rag_core.testing import ScriptedOCREngine
from rag_core.types import OCRRegion


def _png(color: str) -> bytes:
    packed = BytesIO()
    Image.new("RGB", (40, 20), color).save(packed, "PNG")
    return packed.getvalue()


_SCAN, _BLANK, _STRANGE = _png("red"), _png("white"), _png("blue")


def scripted(languages: tuple[str, ...]) -> ScriptedOCREngine:
    """An engine that knows two of the pictures."""
    doubtful = OCRRegion(text="Tota1 42", confidence=0.61, bbox=(1, 2, 30, 12))
    return ScriptedOCREngine({_SCAN: ["Invoice 4471", doubtful], _BLANK: []})


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted engine, as a distribution would add it, and no other."""
    entry = EntryPoint("scripted", f"{__name__}:scripted", registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    monkeypatch.setattr(registry, "BUILT_IN", {})


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    for name, data in {"scan": _SCAN, "blank": _BLANK, "strange": _STRANGE}.items():
        (tmp_path / f"{name}.png").write_bytes(data)
    return tmp_path


def _run(*args: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, args)])


def test_ocr_shows_regions_and_marks_the_doubtful(scans: Path) -> None:
    result = _run("ocr", scans / "scan.png", "--ocr", "scripted")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "page 1: 2 regions, confidence 0.78 (scripted)",
        "   0.90  Invoice 4471",
        " ? 0.61  Tota1 42",
    ]


def test_ocr_gives_regions_as_json_lines(scans: Path) -> None:
    result = _run("ocr", scans / "scan.png", "--ocr", "scripted", "--json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {**line, "line_height": None}
        for line in (
            {"text": "Invoice 4471", "confidence": 0.9, "bbox": None, "page": 1},
            {"text": "Tota1 42", "confidence": 0.61, "bbox": [1, 2, 30, 12], "page": 1},
        )
    ]


def test_ocr_of_a_blank_picture_finds_no_text_and_no_fault(scans: Path) -> None:
    result = _run("ocr", scans / "blank.png", "--ocr", "scripted")
    assert (result.exit_code, result.stdout) == (0, "page 1: no text (scripted)\n")


def test_ocr_fails_if_no_page_could_be_read(scans: Path) -> None:
    result = _run("ocr", scans / "strange.png", "--ocr", "scripted")
    assert result.exit_code == 1
    assert "page 1 cannot be read: no script for this picture" in result.stderr


def test_ocr_without_an_engine_says_how_to_get_one(scans: Path) -> None:
    result = _run("ocr", scans / "scan.png")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'rag-chunker[ocr]'" in result.stderr


def test_ocr_leaves_text_alone(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Note\n")
    result = _run("ocr", note, "--ocr", "scripted")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no page needs OCR" in result.stderr


def test_chunk_reads_a_scan(scans: Path) -> None:
    result = _run("chunk", scans / "scan.png", "--ocr", "scripted", "--json")
    [chunk] = map(json.loads, result.stdout.splitlines())
    assert chunk["content"] == "Invoice 4471\n\nTota1 42"
    assert chunk["parent_id"] is None
    assert "read with doubt" in result.stderr


def test_chunk_of_a_blank_picture_says_that_it_holds_no_text(scans: Path) -> None:
    result = _run("chunk", scans / "blank.png", "--ocr", "scripted", "--json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "holds no text" in result.stderr
    assert "needs OCR" not in result.stderr


def test_chunk_without_an_engine_says_what_is_missing_and_how_to_get_it(scans: Path) -> None:
    result = _run("chunk", scans / "scan.png", "--json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 of 1 page needs OCR (image 1)" in result.stderr
    assert "pip install 'rag-chunker[ocr]'" in result.stderr
    assert "pip install" not in _run("chunk", scans / "scan.png", "--ocr", "off").stderr


def test_chunk_names_the_pages_that_failed(scans: Path) -> None:
    result = _run("chunk", scans / "strange.png", "--ocr", "scripted")
    assert "page 1 could not be read: no script for this picture" in result.stderr


def test_an_unknown_engine_is_a_matter_of_usage(scans: Path) -> None:
    result = _run("chunk", scans / "scan.png", "--ocr", "eyes")
    assert result.exit_code == 2
    assert "no OCR engine 'eyes'; known: scripted" in result.stderr


def test_inspect_shows_the_text_of_a_scan(scans: Path) -> None:
    page = scans / "page.html"
    result = _run("inspect", scans / "scan.png", "--ocr", "scripted", "-o", page)
    assert result.exit_code == 0
    assert "Invoice 4471" in page.read_text("utf-8")
