"""The real Dagster webserver and daemon on a project in a temporary folder, and a real browser."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_STARTUP = 180.0  # seconds: Dagster's own limit for a code server
ARTEFACTS = Path("test-artifacts")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(600))


class Ui:
    """A running `ragctl ui`."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    @property
    def sources(self) -> Path:
        return self.folder / "data/sources"

    @property
    def warehouse(self) -> Path:
        return self.folder / "data/warehouse"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """As a user has it who works in `folder`."""
    dropped = {"DAGSTER_HOME", "RAG_SOURCES", "RAG_WAREHOUSE"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "DAGSTER_HOME": str(folder / ".dagster"), **more}


@contextmanager
def running_ui(folder: Path, **more: str) -> Iterator[Ui]:
    """`ragctl ui` in `folder`, up and answering; stopped as Ctrl-C stops it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        ui = Ui(folder, probe.getsockname()[1])
    log = (folder / "ui.log").open("ab")
    process = subprocess.Popen(
        [ragctl(), "ui", "--port", str(ui.port)],
        cwd=folder,
        env=environment(folder, **more),
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        _wait_until_up(ui, process)
        yield ui
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        log.close()


def _wait_until_up(ui: Ui, process: subprocess.Popen[bytes]) -> None:
    def answers() -> bool:
        assert process.poll() is None, (ui.folder / "ui.log").read_text()
        try:
            with urllib.request.urlopen(f"{ui.url}/server_info", timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            return False

    wait_for(answers, seconds=_STARTUP, what="the webserver")


def wait_for(done: Callable[[], object], *, seconds: float, what: str) -> None:
    """Returns when `done()` is true; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(1.0)  # some of what is asked takes a tenth of a second of CPU time


def ragctl() -> str:
    """The command beside the Python that runs the tests."""
    return str(Path(sys.executable).with_name("ragctl"))


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:  # noqa: F821
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium (.ci/run does)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",  # root in containers
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: "Browser", request: pytest.FixtureRequest) -> Iterator["Page"]:  # noqa: F821
    """A page whose last state is kept as a picture in `test-artifacts/`. At the end, the browser
    must have had nothing to complain about."""
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1500, "height": 950})
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    yield page
    keep(page, request.node.name)
    page.close()
    assert complaints == []


def keep(page: "Page", name: str) -> None:  # noqa: F821
    """Keep what the page shows as a picture in `test-artifacts/`, for people to look at."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png")
