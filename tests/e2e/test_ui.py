"""A person materializes a partition in the Dagster UI."""

import re
import subprocess
import sys
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
    subprocess.run([sys.executable, "-c", _PARSE_ONLY], cwd=tmp_path, env=home, check=True, capture_output=True)
    return tmp_path


def test_materialize_a_partition_from_the_ui(project: Path, page: Page) -> None:
    with running_ui(project, RAG_AUTOMATION="off") as ui:
        page.goto(f"{ui.url}/asset-groups")
        for asset in ("source_files", "parsed_documents", "chunks"):
            expect(page.get_by_text(asset, exact=True).first).to_be_visible()

        page.goto(f"{ui.url}/assets/chunks?view=partitions")
        page.get_by_role("button", name=re.compile("Materialize")).first.click()
        dialog = page.get_by_role("dialog")
        _choose_only(page, KEY)
        dialog.get_by_role("button", name=re.compile("Launch")).click()

        holder = open_warehouse(ui.warehouse)  # somebody keeps the warehouse open all the time
        with holder:
            count = "SELECT count(*) FROM chunks WHERE tenant_id = 'acme'"

            def published() -> int:
                return holder.execute(count).fetchall()[0][0]

            wait_for(published, seconds=240, what="the chunks of the run")
            rows = published()

        page.goto(f"{ui.url}/assets/chunks?view=partitions&partition=acme%2Fhandbook")
        expect(page.get_by_text("dagster/row_count").first).to_be_visible()
        expect(page.get_by_text(str(rows), exact=True).first).to_be_visible()

        page.goto(f"{ui.url}/assets/chunks?view=checks")
        expect(page.get_by_text("token_count").first).to_be_visible()
        assert _check_states(ui.url) == {"SUCCEEDED"}


def _choose_only(page: Page, key: str) -> None:
    box = page.get_by_role("dialog").locator("input").first
    box.fill(f'"{key}"')
    box.press("Tab")


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
