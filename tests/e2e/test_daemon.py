"""The real daemon follows the sources: edits, deletions, and a restart in between."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rag_assets.home import prepare_home
from rag_assets.store.catalog import open_warehouse
from rag_core.errors import StoreError
from tests.e2e.conftest import Ui, environment, keep, running_ui, wait_for

_TICKS = 240.0  # seconds: a few ticks of 30 s, and the runs that they request, on a busy machine


def contents(
    ui: Ui, sql: str = "SELECT content FROM chunks WHERE kind = 'body' ORDER BY 1"
) -> list:
    try:
        with open_warehouse(ui.warehouse) as warehouse:
            return [row[0] for row in warehouse.execute(sql).fetchall()]
    except StoreError:  # nothing was published yet
        return []


def wait_for_contents(ui: Ui, expected: list[str]) -> None:
    wait_for(lambda: contents(ui) == expected, seconds=_TICKS, what=f"the chunks {expected}")


@pytest.mark.timeout(600)  # it waits for ticks; two minutes on an idle machine
def test_the_daemon_follows_edits_deletions_and_new_corpora(tmp_path: Path, page: Page) -> None:
    prepare_home(environment(tmp_path))
    handbook = tmp_path / "data/sources/acme/handbook"
    manual = tmp_path / "data/sources/acme/manual"
    for folder, text in ((handbook, "handbook, first"), (manual, "manual")):
        folder.mkdir(parents=True)
        (folder / "doc.md").write_text(f"# Title\n\n{text}\n")

    with running_ui(tmp_path) as ui:
        wait_for_contents(ui, ["handbook, first", "manual"])
        (handbook / "doc.md").write_text("# Title\n\nhandbook, second\n")
        wait_for_contents(ui, ["handbook, second", "manual"])

    (handbook / "doc.md").write_text("# Title\n\nhandbook, third\n")
    shutil.rmtree(manual)
    with running_ui(tmp_path) as ui:
        wait_for_contents(ui, ["handbook, third"])
        runs = contents(ui, "SELECT corpus_id || ' ' || count(*) FROM runs GROUP BY corpus_id")
        assert runs == ["handbook 3"]  # one run for each change, none twice
        _automation_is_on_and_says_what_it_does(ui, page)


def _automation_is_on_and_says_what_it_does(ui: Ui, page: Page) -> None:
    for name, told in (
        ("recheck_everything", "Every night one run per corpus"),
        ("follow_sources", "Makes partitions of new corpus folders"),
    ):
        page.goto(f"{ui.url}/automation")
        expect(page.locator("input[type=checkbox]:checked")).to_have_count(2)
        page.get_by_text(name, exact=True).first.click()
        expect(page.get_by_text(told).first).to_be_visible()
        keep(page, name)
    page.goto("about:blank")  # before the server goes, which the page would complain about
