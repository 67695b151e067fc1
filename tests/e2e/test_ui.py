"""A person materializes a partition in the Dagster UI."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rag_assets.sample_corpus import copy_sample
from rag_assets.store.catalog import open_warehouse
from tests.e2e.conftest import environment, running_ui, wait_for

KEY = "acme/handbook"
_PARSE_ONLY = """
import os
import dagster as dg
from rag_assets.definitions import build_defs, resources_from
from rag_assets.partitions import register_corpora
resources = resources_from(os.environ)
with dg.DagsterInstance.get() as instance:
    register_corpora(instance, resources["sources"].sources)
    job = build_defs(resources).resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        partition_key="acme/handbook", instance=instance,
        asset_selection=[dg.AssetKey("parsed_documents")],
    )
    assert result.success
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The sample corpus, its documents parsed but not chunked."""
    from rag_assets.home import prepare_home

    copy_sample(tmp_path / "data/sources")
    home = environment(tmp_path)
    prepare_home(home)
    subprocess.run(
        [sys.executable, "-c", _PARSE_ONLY], cwd=tmp_path, env=home, check=True, capture_output=True
    )
    return tmp_path


def test_materialize_a_partition_from_the_ui(project: Path, page: Page) -> None:
    with running_ui(project, RAG_AUTOMATION="off") as ui:
        page.goto(f"{ui.url}/asset-groups")
        for group in ("ingest", "chunks"):
            expect(page.get_by_text(group, exact=True).last).to_be_visible()

        page.goto(f"{ui.url}/assets/chunks?view=partitions")
        page.get_by_role("button", name=re.compile("Materialize")).first.click()
        dialog = page.get_by_role("dialog")
        _choose_only(page, KEY)
        dialog.get_by_role("button", name=re.compile("Launch")).click()

        with _another_process_holds(ui.warehouse):
            wait_for(lambda: _rows(ui.warehouse), seconds=240, what="the chunks of the run")
            rows = _rows(ui.warehouse)

        page.goto(f"{ui.url}/assets/chunks?view=partitions&partition=acme%2Fhandbook")
        expect(page.get_by_text("dagster/row_count").first).to_be_visible()
        expect(page.get_by_text(str(rows), exact=True).first).to_be_visible()

        page.goto(f"{ui.url}/assets/chunks?view=checks")
        expect(page.get_by_text("token_count").first).to_be_visible()
        assert _check_states(ui.url) == {"SUCCEEDED"}


@contextmanager
def _another_process_holds(warehouse: Path) -> Iterator[None]:
    """As a notebook does that somebody left open."""
    code = (
        "import sys, pathlib; from rag_assets.store.catalog import open_warehouse\n"
        "with open_warehouse(pathlib.Path(sys.argv[1])) as warehouse:\n"
        "    warehouse.execute('SELECT * FROM documents').fetchone()\n"
        "    print('open', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(warehouse)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        yield
        assert holder.poll() is None
        holder.communicate()


def _rows(warehouse: Path) -> int:
    with open_warehouse(warehouse) as connection:
        found = connection.execute("SELECT count(*) FROM chunks WHERE tenant_id = 'acme'")
        return int(found.fetchall()[0][0])


def _choose_only(page: Page, key: str) -> None:
    page.get_by_role("dialog").get_by_text("Select a partition").click()
    page.get_by_placeholder("Filter partitions").fill(key)
    page.get_by_text(key, exact=True).locator("visible=true").last.click()
    page.keyboard.press("Escape")


def _check_states(url: str) -> set[str]:
    """What the UI's own API says of each check of `chunks` in the partition."""
    import json
    import urllib.request

    question = """
    query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
      assetChecksOrError { ... on AssetChecks { checks { name
        executionForLatestMaterialization { status evaluation { success } } } } } } } }
    """
    body = {"query": question, "variables": {"key": {"path": ["chunks"]}}}
    request = urllib.request.Request(
        f"{url}/graphql", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        node = json.load(answer)["data"]["assetNodeOrError"]
    checks = node["assetChecksOrError"]["checks"]
    assert len(checks) > 10
    return {check["executionForLatestMaterialization"]["status"] for check in checks}
