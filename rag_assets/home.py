"""Where does Dagster keep its history? A folder of the project, so that nothing is lost."""

import os
from collections.abc import MutableMapping
from importlib.resources import files
from pathlib import Path

__all__ = ["prepare_home"]

_FOLDER = ".dagster"
_MAX_RUNS = "max_concurrent_runs: 2"


def prepare_home(environ: MutableMapping[str, str]) -> Path:
    """The folder named by DAGSTER_HOME, or `.dagster` in the current one, ready to use.

    Sets DAGSTER_HOME, and writes a `dagster.yaml` if there is none: no telemetry, no welcome
    dialog, as many runs at once as there are cores, one per corpus.
    """
    home = Path(environ.get("DAGSTER_HOME") or _FOLDER).absolute()
    home.mkdir(parents=True, exist_ok=True)
    settings = home / "dagster.yaml"
    if not settings.exists():
        text = files("rag_assets").joinpath("dagster.yaml").read_text(encoding="utf-8")
        cores = max(os.cpu_count() or 1, 1)
        settings.write_text(text.replace(_MAX_RUNS, f"max_concurrent_runs: {cores}"))
    environ["DAGSTER_HOME"] = str(home)
    return home
