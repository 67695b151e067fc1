"""What a person sees in the Dagster UI, and does there."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from rag_assets.home import prepare_home
from rag_assets.sample_corpus import copy_sample
from rag_assets.store.catalog import open_warehouse
from tests.assets import careless
from tests.e2e.conftest import Ui, environment, keep, running_ui, wait_for

KEY = "acme/handbook"
SHOWN = "nordlicht/policies"
BROKEN = "acme/broken"
_PREPARE = f"""
import os
import dagster as dg
from rag_assets.definitions import build_defs, resources_from
from rag_assets.partitions import register_corpora
resources = resources_from(os.environ)
with dg.DagsterInstance.get() as instance:
    register_corpora(instance, resources["sources"].sources)
    defs = build_defs(resources)
    parse_only = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        partition_key="{KEY}", instance=instance,
        asset_selection=[dg.AssetKey("parsed_documents"), dg.AssetKey("ocr_pages")],
    )
    assert parse_only.success
    for key, good in (("{SHOWN}", True), ("{BROKEN}", False)):
        result = defs.resolve_job_def("ingest").execute_in_process(
            partition_key=key, instance=instance, raise_on_error=False
        )
        assert result.success is good, key
"""


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    """The UI on a project with a corpus that is up to date, save for a file that cannot be read;
    one that is parsed, but not chunked; and one whose chunker is careless."""
    folder = tmp_path_factory.mktemp("project")
    home = environment(folder, PYTHONPATH=_python_path(folder / "site"), RAG_WORKERS="1")
    prepare_home(home)
    sources = folder / "data/sources"
    copy_sample(sources)
    shutil.rmtree(sources / "acme/products")
    for scan in (
        "nordlicht/policies/aushang-leitwarte.tif",
        "nordlicht/policies/hausanschluss.pdf",
        "acme/handbook/safety/crane-3-notice.jpg",
    ):
        (sources / scan).unlink()  # reading them takes longer than all else
    (sources / SHOWN / "torn.pdf").write_bytes(b"%PDF-1.7\nnot really")
    careless.install(folder / "site")
    (sources / BROKEN).mkdir()
    shutil.copy(sources / KEY / "working-time.md", sources / BROKEN)
    settings = f'[chunker]\nname = "{careless.NAME}"\nmax_tokens = 32\noverlap_tokens = 4\n'
    (sources / BROKEN / "corpus.toml").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-c", _PREPARE], cwd=folder, env=home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    with running_ui(folder, RAG_AUTOMATION="off", PYTHONPATH=home["PYTHONPATH"]) as ui:
        yield ui


def _python_path(site: Path) -> str:
    """`site` in front of what is on the path already."""
    return os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))


def test_the_page_of_a_check_shows_the_rows_that_offend(ui: Ui, page: Page) -> None:
    page.set_viewport_size({"width": 1500, "height": 1900})
    page.goto(f"{ui.url}/assets/chunks?view=checks&checkDetail=budget")
    expect(page.get_by_text("the budget is 32").first).to_be_visible()
    for text in (
        "No body chunk has more tokens than its document's budget.",
        "If not:",
        "offending_rows",
        f"{BROKEN}/working-time.md",
        "The chunker of the corpus breaks its contract",
    ):
        expect(page.get_by_text(text).first).to_be_visible()
    keep(page, "check-of-a-broken-corpus")
    page.goto(f"{ui.url}/assets/chunks?view=partitions&partition={quote(BROKEN, safe='')}")
    expect(page.get_by_text("did not materialize this asset").first).to_be_visible()


def test_the_page_of_an_asset_shows_plots_and_a_preview(ui: Ui, page: Page) -> None:
    page.set_viewport_size({"width": 1500, "height": 1900})
    page.goto(f"{ui.url}/assets/chunks?view=partitions&partition={quote(SHOWN, safe='')}")
    expect(page.get_by_text("body chunks, ").first).to_be_visible()
    assert _pictures(page) == {"tokens_per_chunk": 384, "chunks_per_heading_depth": 384}
    preview = page.get_by_role("row").filter(has_text="heading_path").last
    expect(preview).to_be_visible()
    expect(page.get_by_text(f"ragctl inspect --document {SHOWN}/").first).to_be_visible()
    keep(page, "partition-of-chunks")

    page.goto(f"{ui.url}/assets/chunks?view=overview")
    expect(page.get_by_text("One tenant's corpus as chunks").first).to_be_visible()
    expect(page.get_by_text("← parsed_documents.blocks.index").first).to_be_visible()
    expect(page.locator("img[src^='data:image/png']").first).to_be_visible()


def test_the_page_of_the_documents_shows_what_failed_and_why(ui: Ui, page: Page) -> None:
    page.set_viewport_size({"width": 1500, "height": 1900})
    page.goto(f"{ui.url}/assets/parsed_documents?view=partitions&partition={quote(SHOWN, safe='')}")
    expect(page.get_by_text("1 failed (red)").first).to_be_visible()
    assert _pictures(page) == {"documents_by_type": 384}
    for text in ("failures_by_reason", "CorruptDocument", f"{SHOWN}/torn.pdf"):
        expect(page.get_by_text(text).first).to_be_visible()


def test_materialize_a_partition_from_the_ui(ui: Ui, page: Page) -> None:
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

    page.goto(f"{ui.url}/assets/chunks?view=partitions&partition={quote(KEY, safe='')}")
    expect(page.get_by_text("dagster/row_count").first).to_be_visible()
    expect(page.get_by_text(str(rows), exact=True).first).to_be_visible()

    page.goto(f"{ui.url}/assets/chunks?view=checks")
    expect(page.get_by_text("token_count").first).to_be_visible()
    # The chunks are there, and their figures, before the last check of the run has ended.
    wait_for(lambda: "IN_PROGRESS" not in _check_states(ui.url), seconds=60, what="the checks")
    assert _check_states(ui.url) == {"SUCCEEDED"}


def _pictures(page: Page) -> dict[str, int]:
    """Widths, once decoded, of the pictures beside each name in the table of metadata."""
    found = page.locator("tr:has(img[src^='data:image/png'])")
    return dict(
        found.evaluate_all(
            """rows => Promise.all(rows.map(async row => {
                const image = row.querySelector("img[src^='data:image/png']")
                await image.decode()
                return [row.querySelector("td").innerText.trim(), image.naturalWidth]
            }))"""
        )
    )


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
