"""Every check says what it means and what to do; a failed one shows the rows that offend."""

import dagster as dg
import pytest

from rag_assets.checks import chunk_check_specs, page_check_specs, parse_check_specs, published
from tests.assets import careless
from tests.assets.conftest import Project

SENTENCES = " ".join(f"Sentence number {n} tells something about pumps." for n in range(40))


def evaluations(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {one.check_name: one for one in result.get_asset_check_evaluations()}


def test_every_check_says_what_it_means_and_what_to_do() -> None:
    specs = [
        *chunk_check_specs(),
        *parse_check_specs(),
        *page_check_specs(),
        *published.check_specs,
    ]
    assert len(specs) > 15
    for spec in specs:
        meaning, _, next_step = (spec.description or "").partition("\n\n**If not:** ")
        assert meaning.endswith("."), spec.name
        assert next_step.endswith("."), spec.name


@pytest.fixture(scope="module")
def broken(
    shared_project: Project, tmp_path_factory: pytest.TempPathFactory
) -> dg.ExecuteInProcessResult:
    site = tmp_path_factory.mktemp("plug-ins") / "site"
    careless.install(site)
    shared_project.write(
        "acme/docs/corpus.toml",
        f'[chunker]\nname = "{careless.NAME}"\nmax_tokens = 16\noverlap_tokens = 2\n',
    )
    for number in range(9):
        shared_project.write(f"acme/docs/pumps-{number}.md", f"# Pumps\n\n{SENTENCES}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        return shared_project.materialize("acme/docs")


def test_a_careless_chunker_fails_its_checks_and_publishes_nothing(
    shared_project: Project, broken: dg.ExecuteInProcessResult
) -> None:
    assert not broken.success
    failed = {name for name, one in evaluations(broken).items() if not one.passed}
    assert failed == set(careless.BREAKS)
    assert not (shared_project.warehouse / "tenant_id=acme/corpus_id=docs/chunks.duckdb").exists()


def test_offending_rows_are_shown_with_their_text_and_how_many_more_there_are(
    shared_project: Project, broken: dg.ExecuteInProcessResult
) -> None:
    metadata = evaluations(broken)["budget"].metadata
    table = metadata["offending_rows"]
    assert isinstance(table, dg.TableMetadataValue)
    *rows, last = [record.data for record in table.records]
    assert {len(rows), metadata["offenders"].value > 20} == {20, True}
    assert last["document_id"] == f"… and {metadata['offenders'].value - 20} more"
    assert [row for row in rows if "the budget is 16" not in str(row["what"])] == []
    assert [row for row in rows if "Sentence number" not in str(row["content"])] == []
    assert str(metadata["what_to_do"].value).startswith("The chunker of the corpus")
    assert metadata["first_file"].value == str(shared_project.sources / "acme/docs/pumps-0.md")


def test_checks_that_pass_show_no_rows(project: Project) -> None:
    project.write("acme/docs/doc.md", "fine")
    found = evaluations(project.materialize("acme/docs"))
    assert [name for name, one in found.items() if not one.passed] == []
    assert [name for name, one in found.items() if "offending_rows" in one.metadata] == []


def test_documents_that_failed_are_shown_with_their_reasons(project: Project) -> None:
    project.write("acme/docs/torn.pdf", b"%PDF-1.7\nnot really")
    check = evaluations(project.materialize("acme/docs"))["every_document_parsed"]
    table = check.metadata["failed_documents"]
    assert isinstance(table, dg.TableMetadataValue)
    [row] = [record.data for record in table.records]
    assert (row["kind"], row["document_id"]) == ("CorruptDocument", "acme/docs/torn.pdf")
    assert row["reason"]
