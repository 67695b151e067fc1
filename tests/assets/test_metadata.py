"""What the UI shows of a materialization: plots, a preview, changes, failures, figures, columns."""

import dagster as dg
import pytest

from rag_assets.columns import CHUNK_LINEAGE, DOCUMENT_LINEAGE, FILE_COLUMNS
from rag_assets.listing import MOST_ROWS, listing
from rag_assets.plots import LONGEST_SHOWN
from tests.assets.conftest import Project

GUIDE = "# Guide\n\nIntro text.\n\n## Install\n\nRun the installer.\n"


def shown(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, dg.MetadataValue]:
    [found] = [
        event.materialization.metadata
        for event in result.get_asset_materialization_events()
        if event.asset_key.to_user_string() == asset
    ]
    return dict(found)


def rows(value: dg.MetadataValue) -> list[tuple]:
    assert isinstance(value, dg.TableMetadataValue)
    return [tuple(record.data.values()) for record in value.records]


@pytest.fixture(scope="module")
def result(shared_project: Project) -> dg.ExecuteInProcessResult:
    return _first_run(shared_project)


def _first_run(project: Project) -> dg.ExecuteInProcessResult:
    project.write("acme/docs/guide.md", GUIDE)
    project.write("acme/docs/bad.pdf", b"%PDF-1.7\nnot really")
    return project.materialize("acme/docs")


def test_plots_and_previews_show_in_place(result: dg.ExecuteInProcessResult) -> None:
    plots = {
        "chunks": ["tokens_per_chunk", "chunks_per_heading_depth"],
        "parsed_documents": ["documents_by_type"],
    }
    for asset, names in plots.items():
        metadata = shown(result, asset)
        for name in names:
            markdown = metadata[name].value
            assert "data:image/png;base64," in markdown
            assert len(markdown) <= LONGEST_SHOWN
    assert rows(shown(result, "chunks")["preview"]) == [
        (1, "", "Guide", "guide.md"),
        (3, "Guide", "Intro text.", "guide.md"),
        (1, "Guide", "Install", "guide.md"),
        (4, "Guide > Install", "Run the installer.", "guide.md"),
    ]
    documents = rows(shown(result, "parsed_documents")["preview"])
    assert documents == [("bad.pdf", "failed", 0, ""), ("guide.md", "ok", 4, "Guide")]


def test_failures_are_listed_by_reason(result: dg.ExecuteInProcessResult) -> None:
    metadata = shown(result, "parsed_documents")
    assert rows(metadata["failures_by_reason"]) == [("CorruptDocument", 1, "acme/docs/bad.pdf")]
    [(kind, document, reason)] = rows(metadata["failed_documents"])
    assert (kind, document) == ("CorruptDocument", "acme/docs/bad.pdf")
    assert reason
    assert metadata["failed/CorruptDocument"].value == 1


def test_what_changed_is_one_sentence_and_a_table(project: Project) -> None:
    assert _first_run(project).success
    assert project.materialize("acme/docs").success
    metadata = shown(project.materialize("acme/docs"), "chunks")
    assert metadata["what_changed"].value == "documents: 1 unchanged; chunks: nothing changed"
    assert "changed_documents" not in metadata
    project.write("acme/docs/guide.md", GUIDE.replace("Intro text", "Other text"))
    project.write("acme/docs/more.md", "more")
    metadata = shown(project.materialize("acme/docs"), "chunks")
    assert metadata["what_changed"].value == (
        "documents: 1 added, 1 changed; chunks: 2 inserted, 1 deleted"
    )
    assert rows(metadata["changed_documents"]) == [("guide.md", 1, 0, 1), ("more.md", 1, 0, 0)]


def test_the_numbers_that_the_ui_draws_over_time_keep_their_names(
    result: dg.ExecuteInProcessResult,
) -> None:
    numbers = {
        name: value.value
        for name, value in shown(result, "chunks").items()
        if isinstance(value, dg.IntMetadataValue | dg.FloatMetadataValue)
    }
    assert numbers.pop("seconds") > 0
    assert numbers.pop("stored_bytes") > 0
    assert numbers == {
        "chunks": 4,
        "body_chunks": 2,
        "tokens": 9,
        "tokens_per_chunk_mean": 3.5,
        "tokens_per_chunk_p95": 4,
        "token_budget": 512,
        "chunks_inserted": 4,
        "chunks_updated": 0,
        "chunks_deleted": 0,
        "chunks_unchanged": 0,
        "documents_seen": 1,
        "documents_added": 1,
        "documents_changed": 0,
        "documents_removed": 0,
        "documents_unchanged": 0,
        "documents_failed": 0,
        "dagster/row_count": 4,
    }


def test_the_command_that_shows_a_document_names_one_of_the_partition(
    result: dg.ExecuteInProcessResult,
) -> None:
    command = shown(result, "chunks")["inspect_a_document"].value
    assert command == "ragctl inspect --document acme/docs/guide.md"


def test_an_empty_partition_shows_what_there_is(project: Project) -> None:
    only = project.write("acme/docs/only.md", "only")
    project.run("acme/docs")
    only.unlink()
    metadata = shown(project.materialize("acme/docs"), "chunks")
    assert metadata["tokens_per_chunk"].value.startswith("0 body chunks")
    assert rows(metadata["preview"]) == []


def test_column_lineage_names_columns_that_are_there(result: dg.ExecuteInProcessResult) -> None:
    columns = {"source_files": [column.name for column in FILE_COLUMNS.columns]}
    for asset in ("parsed_documents", "chunks"):
        metadata = shown(result, asset)
        schema = metadata["dagster/column_schema"].value
        columns[asset] = [column.name for column in schema.columns]
        assert [c.name for c in schema.columns if not c.type] == []
        assert metadata["dagster/column_lineage"].value.deps_by_column
    columns["ocr_pages"] = ["text"]
    for asset, lineage in (("parsed_documents", DOCUMENT_LINEAGE), ("chunks", CHUNK_LINEAGE)):
        assert set(lineage) - set(columns[asset]) == set()
        for made_from in " ".join(lineage.values()).split():
            source, _, column = made_from.partition(".")
            assert column in columns[source], made_from


def test_a_column_says_what_it_is_and_where_it_comes_from(
    result: dg.ExecuteInProcessResult,
) -> None:
    schema = shown(result, "chunks")["dagster/column_schema"].value
    told = {column.name: column.description or "" for column in schema.columns}
    assert told["position"] == "0-based within the document ← parsed_documents.blocks.index"


def test_a_long_listing_says_how_many_are_left_out() -> None:
    found = rows(listing(("n", "text"), [(n, "a\nb" * 500) for n in range(100)], more="look there"))
    assert len(found) == MOST_ROWS + 1
    assert len(found[0][1]) == 300
    assert "\n" not in found[0][1]
    assert found[-1] == ("… and 80 more: look there", "")


def test_a_short_listing_is_complete() -> None:
    assert rows(listing(("n",), [(1,), (None,)])) == [(1,), ("",)]
    assert rows(listing(("n",), [])) == []


@pytest.mark.parametrize("asset", ["parsed_documents", "chunks"])
def test_every_column_says_what_it_is(result: dg.ExecuteInProcessResult, asset: str) -> None:
    schema = shown(result, asset)["dagster/column_schema"].value
    unsaid = [c.name for c in schema.columns if (c.description or "←").startswith("←")]
    assert unsaid == []
