"""The log of changes: who follows it misses nothing, and it does not grow for ever."""

from pathlib import Path

import duckdb
import pytest

from rag_assets.store.reading import open_live
from rag_assets.workers import WorkerPool
from tests.assets.test_random_edits import replayed, there
from tests.scenarios import direct


def write(folder: Path, name: str, text: str) -> None:
    file = direct.sources(folder) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def grow_old(folder: Path, days: int) -> None:
    """As if everything logged so far had been logged `days` ago."""
    with duckdb.connect(str(direct.partition(folder).chunks.live)) as live:
        live.execute(f"UPDATE chunk_changes SET changed_at = changed_at - INTERVAL {days} DAY")


def log(folder: Path) -> list[tuple]:
    with open_live(direct.partition(folder).chunks) as live:
        return live.execute(
            "SELECT sequence, document_id, change, run_id FROM chunk_changes ORDER BY sequence"
        ).fetchall()


@pytest.fixture
def changed(tmp_path: Path, pool: WorkerPool) -> Path:
    """A corpus with a past: one document edited twice, one deleted, one that stays."""
    for name in ("edited.md", "deleted.md", "stays.md"):
        write(tmp_path, name, "# Title\n\nfirst words\n\n## Part\n\nmore\n")
    direct.run(tmp_path, pool, "r1")
    write(tmp_path, "edited.md", "# Title\n\nsecond words\n\n## Part\n\nmore\n")
    (direct.sources(tmp_path) / "deleted.md").unlink()
    direct.run(tmp_path, pool, "r2")
    write(tmp_path, "edited.md", "# Title\n\n## Part\n\nmore\n")
    direct.run(tmp_path, pool, "r3")
    return tmp_path


def test_old_changes_become_one_insert_per_chunk_that_was_there(
    changed: Path, pool: WorkerPool
) -> None:
    before = log(changed)
    grow_old(changed, 91)
    write(changed, "stays.md", "# Title\n\nother words\n\n## Part\n\nmore\n")
    direct.run(changed, pool, "r4")
    after = log(changed)
    old = [entry for entry in after if entry[3] != "r4"]
    assert {entry[2] for entry in old} == {"insert"}
    assert len(old) < len(before)
    assert {entry[0] for entry in old} <= {entry[0] for entry in before}
    assert [entry[2] for entry in after if entry[3] == "r4"] == ["delete", "insert"]
    assert replayed(changed) == there(changed)


def test_what_is_younger_stays_in_full(changed: Path, pool: WorkerPool) -> None:
    before = log(changed)
    grow_old(changed, 89)
    write(changed, "new.md", "new")
    direct.run(changed, pool, "r4")
    assert log(changed)[: len(before)] == before


def test_the_days_are_a_setting(changed: Path, pool: WorkerPool) -> None:
    grow_old(changed, 3)
    write(changed, "new.md", "new")
    direct.run(changed, pool, "r4", keep_changes_days=2)
    assert {entry[2] for entry in log(changed)} == {"insert"}
    assert replayed(changed) == there(changed)


def test_a_run_never_shortens_what_it_logged_itself(changed: Path, pool: WorkerPool) -> None:
    (direct.sources(changed) / "stays.md").unlink()
    direct.run(changed, pool, "r4", keep_changes_days=0)
    assert {entry[2] for entry in log(changed) if entry[3] == "r4"} == {"delete"}


def test_a_chunk_that_goes_after_compacting_is_still_logged_as_gone(
    changed: Path, pool: WorkerPool
) -> None:
    grow_old(changed, 91)
    write(changed, "new.md", "new")
    direct.run(changed, pool, "r4")
    (direct.sources(changed) / "stays.md").unlink()
    direct.run(changed, pool, "r5")
    grow_old(changed, 91)
    write(changed, "new.md", "newer")
    direct.run(changed, pool, "r6")
    assert replayed(changed) == there(changed)
    assert [entry for entry in log(changed) if "stays.md" in entry[1]] == []
