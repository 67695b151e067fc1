"""`ragctl ui`: the Dagster UI and daemon on this project."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click

from rag_core.errors import ConfigError


@click.command(
    short_help="Open the Dagster UI, with the sensor and the schedule running.",
    epilog="Example: ragctl ui --port 3001",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=3000, show_default=True, help="Port to listen on.")
def ui(host: str, port: int) -> None:
    """Run Dagster's webserver and daemon until Ctrl-C.

    What the sensor and the schedule did survives a restart: DAGSTER_HOME, by default `.dagster`
    in this folder, keeps it.
    """
    from rag_assets.home import prepare_home
    from rag_assets.store.locking import locked

    home = prepare_home(os.environ)
    # A second daemon on the same home would fight the first one, silently.
    with locked(home / "ui.lock", run_id=f"ragctl ui on port {port}", timeout=0):
        _refuse_taken_port(host, port)
        command = [sys.executable, "-m", "dagster", "dev", "--host", host, "--port", str(port)]
        command += ["-w", "workspace.yaml"] if Path("workspace.yaml").exists() else []
        command += [] if Path("workspace.yaml").exists() else ["-m", "rag_assets.definitions"]
        click.echo(f"Dagster UI: http://{host}:{port} (Ctrl-C stops it)", err=True)
        sys.exit(_until_stopped(command))


def _refuse_taken_port(host: str, port: int) -> None:
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {host}:{port} ({error.strerror}): stop what uses it, or choose "
                "another with --port"
            ) from error


def _until_stopped(command: list[str]) -> int:
    """SIGINT, and only that, stops all of `dagster dev`'s processes.

    Handlers come first: a signal that is handled here starts as its default in the child, while
    one that a script's `&` has set to be ignored would stay ignored there.
    """
    stopping: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: stopping.append(number))
    process = subprocess.Popen(command, start_new_session=True)  # noqa: S603 # our own words
    while True:
        if stopping:
            stopping.clear()
            process.send_signal(signal.SIGINT)
        try:
            return process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            continue
