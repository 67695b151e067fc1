"""Hypothesis settings: the same examples on every machine, no deadline (machines are busy).

`pytest --hypothesis-profile=fuzz` looks further.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "fuzz", parent=settings.get_profile("ci"), derandomize=False, max_examples=2000
)
settings.load_profile("ci")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In parallel, what mostly waits for a daemon or a browser comes first, while others work."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: not item.path.match("tests/e2e/*"))
