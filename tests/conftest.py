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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Among several workers, what mostly waits starts first: the others fill the time."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: not item.nodeid.startswith(("tests/e2e/", "tests/test_readme")))
