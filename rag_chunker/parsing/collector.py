"""How are a million blocks made without the cycle collector looking at all of them ever again?"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MOST_UNSEEN = 2_000_000
"""Objects that go past the collector before it looks at everything. That takes some tenth of a
second in a large process, and making as many takes ten times as long."""
_unseen = 0
_passes = True


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pauses Python's cycle collector, for code that makes many objects and no cycles of them.

    The collector counts new objects, not garbage: it starts some sixty times while a table of
    20,000 rows is made, and would go through all of it when the pause is over, which is a seventh
    of the time that CSV takes. So what was made goes where old objects are, to be looked at with
    all others, and at the latest after some million. The cycles of other threads wait meanwhile.
    Of several threads in here, the one that came first ends the pause for all.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _let_past()
            gc.enable()


def _let_past() -> None:
    """Makes new objects old ones without looking at them, if they are many."""
    global _unseen, _passes
    new = gc.get_count()[0]
    if not _passes or new < gc.get_threshold()[0]:
        return
    if gc.get_freeze_count():  # somebody's own, which would thaw. Counting them takes a while
        _passes = False
        return
    gc.freeze()
    gc.unfreeze()
    _unseen += new
    if _unseen > _MOST_UNSEEN:
        gc.collect()
        _unseen = 0
