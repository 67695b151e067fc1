"""Hypothesis settings: the same examples on every machine, no deadline (machines are busy).

`pytest --hypothesis-profile=fuzz` looks further. Ctrl-C is heeded, as on a terminal: a build's
job in the background ignores it, and so would every process that a test starts.
"""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "fuzz", parent=settings.get_profile("ci"), derandomize=False, max_examples=2000
)
settings.load_profile("ci")

signal.signal(signal.SIGINT, signal.default_int_handler)


_FIRST = ("tests/e2e/", "tests/test_readme", "tests/assets/store/", "tests/assets/test_scenarios")
"""What mostly waits, so that others fill the time; then, behind some short files, the longest, so
that no worker is left alone with it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In which order several workers begin the files."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    ranks = (rank for rank, prefix in enumerate(_FIRST) if item.nodeid.startswith(prefix))
    return next(ranks, len(_FIRST))
