"""A page that can hardly be read, through the real engine and all assets: kept, marked, told of."""

import pytest
from click.testing import CliRunner

from rag_chunker.cli import cli
from rag_chunker.ocr.registry import engine_named
from tests.assets.conftest import Project
from tests.bench.page_images import ENGLISH, PageSpec, draw, to_bytes

NAME = "acme/scans/faded.png"


@pytest.fixture
def project(project: Project) -> Project:
    health = engine_named("rapidocr").health()
    if not health.ok:
        pytest.skip(health.detail)
    faded = PageSpec(
        "faded", ENGLISH[:1], dpi=100, paper=(5.0, 1.6), margin=0.25, contrast=0.5, noise=60
    )
    clean = PageSpec("clean", ENGLISH[3:4], dpi=150, paper=(5.0, 1.6), margin=0.25)
    project.write(NAME, to_bytes(draw(faded)))
    project.write("acme/scans/clean.png", to_bytes(draw(clean)))
    project.write("acme/scans/corpus.toml", '[ocr]\nengine = "rapidocr"\n')
    return project


def test_a_doubtful_page_is_chunked_marked_and_warned_of(project: Project) -> None:
    result = project.materialize("acme/scans")
    assert result.success

    assert project.query("SELECT document_id, status FROM ocr_pages WHERE low_confidence") == [
        (NAME, "ok")
    ]
    marked = project.query("SELECT text, confidence FROM ocr_regions WHERE low_confidence")
    assert marked
    assert [confidence for _, confidence in marked if not 0 < confidence < 0.8] == []
    ((chunked,),) = project.query(
        "SELECT string_agg(content, '\n' ORDER BY position) FROM chunks WHERE document_id = ?", NAME
    )
    assert [text for text, _ in marked if text not in chunked] == []

    [warning] = [e for e in result.get_asset_check_evaluations() if not e.passed]
    assert (warning.check_name, warning.severity.value) == ("pages_read_well", "WARN")
    assert NAME in (warning.description or "")

    shown = CliRunner().invoke(
        cli,
        ["status"],
        env={"RAG_WAREHOUSE": str(project.warehouse), "RAG_SOURCES": str(project.sources)},
    )
    assert "acme/scans: pages read by OCR: 2 (1 with doubt), failed 0" in shown.output
