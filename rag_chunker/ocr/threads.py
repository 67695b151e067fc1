"""How many threads may an engine use? As many as OMP_NUM_THREADS says, else one a processor."""

import os

__all__ = ["threads"]

_MOST = 8
"""More do not make one page faster."""


def threads() -> int:
    """At least 1. Read each time, since worker processes are given their own."""
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if given.isdecimal() and int(given) > 0:
        return int(given)
    ours = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(_MOST, ours or 1)
