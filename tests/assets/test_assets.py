"""The assets, materialized for real: files in, rows out, checks in between.

What was there before comes from the same stages without Dagster.
"""

import textwrap
from pathlib import Path

import pytest

from rag_assets.store.catalog import open_warehouse
from tests.assets.conftest import Project

GUIDE = "# Guide\n\nIntro text.\n\n## Install\n\nRun the installer.\n"


def failed_checks(result) -> list[str]:
    return [e.check_name for e in result.get_asset_check_evaluations() if not e.passed]


def metadata_of(result, asset: str) -> dict:
    found = [
        event.materialization.metadata
        for event in result.get_asset_materialization_events()
        if event.asset_key.to_user_string() == asset
    ]
    return {name: value.value for name, value in found[0].items()}


def test_materializing_a_partition_publishes_its_chunks(project: Project) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    result = project.materialize("acme/docs")
    assert result.success
    assert failed_checks(result) == []
    assert project.query(
        "SELECT tenant_id, corpus_id, document_id, position, content, heading_path "
        "FROM chunks ORDER BY position"
    ) == [
        ("acme", "docs", "acme/docs/guide.md", 0, "Guide", []),
        ("acme", "docs", "acme/docs/guide.md", 1, "Intro text.", ["Guide"]),
        ("acme", "docs", "acme/docs/guide.md", 2, "Install", ["Guide"]),
        ("acme", "docs", "acme/docs/guide.md", 3, "Run the installer.", ["Guide", "Install"]),
    ]
    shown = metadata_of(result, "chunks")
    assert (shown["dagster/row_count"], shown["documents_added"], shown["chunks_inserted"]) == (
        4,
        1,
        4,
    )


def test_a_second_run_redoes_only_what_changed(project: Project) -> None:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/docs/other.md", "# Other\n\nStays.\n")
    project.run("acme/docs")
    project.write("acme/docs/guide.md", GUIDE.replace("Run the installer", "Click the installer"))
    result = project.materialize("acme/docs")
    parsed, chunked = metadata_of(result, "parsed_documents"), metadata_of(result, "chunks")
    assert (parsed["documents_changed"], parsed["documents_unchanged"]) == (1, 1)
    assert (chunked["chunks_inserted"], chunked["chunks_deleted"]) == (1, 1)
    assert chunked["chunks_unchanged"] == 5


def test_a_deleted_file_takes_its_chunks_with_it(project: Project) -> None:
    project.write("acme/docs/stays.md", "stays")
    gone = project.write("acme/docs/goes.md", "goes")
    project.run("acme/docs")
    gone.unlink()
    assert project.materialize("acme/docs").success
    assert project.query("SELECT DISTINCT document_id FROM chunks") == [("acme/docs/stays.md",)]
    assert project.query("SELECT document_id FROM documents") == [("acme/docs/stays.md",)]


def test_an_empty_corpus_is_no_error(project: Project) -> None:
    only = project.write("acme/docs/only.md", "only")
    project.run("acme/docs")
    only.unlink()
    assert project.materialize("acme/docs").success
    assert project.query("SELECT count(*) FROM chunks") == [(0,)]


def test_one_bad_document_stops_no_other(project: Project) -> None:
    project.write("acme/docs/good.md", "good")
    project.write("acme/docs/bad.pdf", b"%PDF-1.7\nnot really")
    project.write("acme/docs/what.xyz", b"\x00\x01\x02")
    result = project.materialize("acme/docs")
    assert result.success
    assert failed_checks(result) == ["every_document_parsed"]
    assert project.query("SELECT content FROM chunks") == [("good",)]
    assert project.query(
        "SELECT document_id, status, error_kind FROM failed_documents ORDER BY document_id"
    ) == [
        ("acme/docs/bad.pdf", "failed", "CorruptDocument"),
        ("acme/docs/what.xyz", "skipped", "UnsupportedMediaType"),
    ]


def test_a_document_that_breaks_keeps_its_last_good_chunks(project: Project) -> None:
    project.write("acme/docs/doc.html", "<h1>One</h1><p>first version")
    project.run("acme/docs")
    project.write("acme/docs/doc.html", b"%PDF-1.7\nnot really")
    assert project.materialize("acme/docs").success
    assert project.query("SELECT content, stale FROM chunk_context") == [("first version", True)]


def test_labels_follow_the_settings_of_the_corpus(project: Project) -> None:
    project.write(
        "acme/docs/corpus.toml",
        'acl_labels = ["staff"]\n[[labels]]\npath = "hr/**"\nacl_labels = ["hr", "board", "hr"]\n',
    )
    project.write("acme/docs/hr/pay.md", "# Pay\n\nsecret")
    project.write("acme/docs/open.md", "open")
    project.materialize("acme/docs")
    assert project.query("SELECT DISTINCT document_id, acl_labels FROM chunks ORDER BY 1") == [
        ("acme/docs/hr/pay.md", ["board", "hr"]),
        ("acme/docs/open.md", ["staff"]),
    ]
    assert project.query("SELECT content FROM visible_chunks(['staff'])") == [("open",)]


def test_a_changed_budget_redoes_every_document_once(project: Project) -> None:
    project.write("acme/docs/doc.txt", "One sentence stands here. " * 60)
    project.run("acme/docs")
    project.write("acme/docs/corpus.toml", "[chunker]\nmax_tokens = 64\noverlap_tokens = 8\n")
    project.materialize("acme/docs")
    assert project.query("SELECT max(token_count) <= 64 FROM chunks") == [(True,)]
    again = metadata_of(project.materialize("acme/docs"), "chunks")
    assert (again["documents_changed"], again["documents_unchanged"]) == (0, 1)


def test_one_tenant_never_sees_another(project: Project) -> None:
    for tenant in ("acme", "x' OR '1'='1", "acme/eu".replace("/", "-")):
        project.write(f"{tenant}/docs/doc.md", f"secret of {tenant}")
    for key in ("acme/docs", "x%27%20OR%20%271%27%3D%271/docs", "acme-eu/docs"):
        assert project.materialize(key).success
    assert project.query("SELECT tenant_id, content FROM chunks ORDER BY 1") == [
        ("acme", "secret of acme"),
        ("acme-eu", "secret of acme-eu"),
        ("x' OR '1'='1", "secret of x' OR '1'='1"),
    ]


def test_publishing_disturbs_no_reader(project: Project) -> None:
    project.write("acme/docs/doc.md", "first")
    project.run("acme/docs")
    with open_warehouse(project.warehouse) as reader:
        cursor = reader.execute("SELECT content FROM chunks")
        project.write("acme/docs/doc.md", "second")
        assert project.materialize("acme/docs").success
        assert cursor.fetchall() == [("first",)]
        assert reader.execute("SELECT content FROM chunks").fetchall() == [("second",)]


@pytest.fixture
def lying_chunker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plug-in, installed as plug-ins are, whose token counts are wrong."""
    site = tmp_path / "site"
    info = site / "lying_chunker-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lying-chunker\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[rag_chunker.chunkers]\nlying = lying_chunker:LyingChunker\n"
    )
    (site / "lying_chunker.py").write_text(
        textwrap.dedent(
            """
            from rag_chunker import HeadingAwareChunker

            class LyingChunker(HeadingAwareChunker):
                async def chunk(self, ctx, parsed):
                    chunks = await super().chunk(ctx, parsed)
                    return [c.model_copy(update={"token_count": 1}) for c in chunks]
            """
        )
    )
    monkeypatch.syspath_prepend(str(site))
    return "lying"


def test_a_broken_invariant_publishes_nothing_and_names_the_chunk(
    project: Project, lying_chunker: str
) -> None:
    project.write("acme/docs/doc.md", "the version that is good")
    project.run("acme/docs")
    project.write("acme/docs/corpus.toml", f'[chunker]\nname = "{lying_chunker}"\n')
    project.write("acme/docs/doc.md", "another version that comes out wrong")
    result = project.materialize("acme/docs")
    assert not result.success
    assert failed_checks(result) == ["token_count"]
    failures = [e.message for e in result.all_events if e.is_step_failure]
    failed = result.failure_data_for_node("chunks")
    assert failures
    assert failed is not None
    assert failed.user_failure_data is not None
    assert "acme/docs/doc.md #0" in (failed.user_failure_data.description or "")
    assert project.query("SELECT content FROM chunks") == [("the version that is good",)]


def test_after_a_broken_run_the_next_one_mends_it(project: Project, lying_chunker: str) -> None:
    project.write("acme/docs/doc.md", "some text that is longer than a token")
    project.write("acme/docs/corpus.toml", f'[chunker]\nname = "{lying_chunker}"\n')
    assert not project.materialize("acme/docs").success
    (project.sources / "acme/docs/corpus.toml").unlink()
    assert project.materialize("acme/docs").success
    assert project.query("SELECT count(*) FROM chunks") == [(1,)]


def test_a_missing_corpus_folder_fails_and_deletes_nothing(project: Project) -> None:
    project.write("acme/docs/doc.md", "kept")
    project.materialize("acme/docs")
    project.sources.rename(project.sources.with_name("unmounted"))
    result = project.defs.resolve_job_def("ingest").execute_in_process(
        partition_key="acme/docs", instance=project.instance, raise_on_error=False
    )
    assert not result.success
    assert project.query("SELECT content FROM chunks") == [("kept",)]
