"""Documents are compared once for each version of the files: again as soon as anything differs."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import duckdb
import pytest

from rag_assets.stages import chunk, keys
from rag_assets.stages.report import ChunkReport
from rag_assets.store import ocr_pages
from rag_assets.store.locking import locked
from rag_assets.store.staging import staged
from rag_assets.workers import WorkerPool
from rag_core.errors import ChunkError
from tests.scenarios import direct, stored


def put(folder: Path, name: str, text: str) -> None:
    file = direct.sources(folder) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def corpus(tmp_path: Path, pool: WorkerPool) -> Path:
    put(tmp_path, "a.md", "# A\n\nwords\n")
    put(tmp_path, "b.md", "# B\n\nother words\n")
    direct.run(tmp_path, pool, "first")
    return tmp_path


def compared(folder: Path, pool: WorkerPool, **options: object) -> tuple[bool, ChunkReport]:
    """Whether a run looks at the documents' keys, and what it reports."""
    with mock.patch.object(chunk, "corpus_text", wraps=chunk.corpus_text) as opened:
        _, report = direct.run(folder, pool, "looked at", **options)  # type: ignore[arg-type]
    return opened.called, report


def everything(folder: Path) -> dict[str, list[tuple]]:
    return stored.everything(folder / "warehouse", direct.TENANT, direct.CORPUS)


def edit_in_place(file: Path, *statements: str) -> None:
    with duckdb.connect(str(file)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_what_was_compared_is_not_compared_again(corpus: Path, pool: WorkerPool) -> None:
    for _ in range(3):
        looked, report = compared(corpus, pool)
        assert not looked
        assert (report.seen, report.unchanged, report.kept, report.failed) == (2, 2, 4, 0)
        assert (report.added, report.changed, report.removed) == (0, 0, 0)


def test_a_comparison_that_finds_nothing_is_on_record_too(corpus: Path, pool: WorkerPool) -> None:
    direct.partition(corpus).runs.unlink()  # as if the run was killed before it was noted
    assert compared(corpus, pool)[0]
    assert not compared(corpus, pool)[0]


def test_force_redoes_everything_all_the_same(corpus: Path, pool: WorkerPool) -> None:
    assert compared(corpus, pool, force=True)[1].changed == 2


CHANGES: dict[str, Callable[[Path], None]] = {
    "new": lambda folder: put(folder, "c.md", "new"),
    "edited": lambda folder: put(folder, "a.md", "# A\n\nwords!\n"),
    "gone": lambda folder: (direct.sources(folder) / "a.md").unlink(),
    "unreadable": lambda folder: put(folder, "a.pdf", "%PDF-1.7\nnot really"),
    "budget": lambda folder: put(
        folder, "corpus.toml", "[chunker]\nmax_tokens = 16\noverlap_tokens = 4\n"
    ),
    "labels": lambda folder: put(folder, "corpus.toml", 'acl_labels = ["hr"]\n'),
    "rules": lambda folder: put(
        folder, "corpus.toml", '[[labels]]\npath = "a.md"\nacl_labels = ["hr"]\n'
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_at_once(corpus: Path, pool: WorkerPool, change: str) -> None:
    CHANGES[change](corpus)
    assert compared(corpus, pool)[0]
    direct.run(corpus, pool, "fresh", warehouse="fresh")
    assert everything(corpus) == stored.everything(corpus / "fresh", direct.TENANT, direct.CORPUS)
    assert not compared(corpus, pool)[0]


def test_settings_that_come_back_are_seen_though_the_files_are_those_of_before(
    corpus: Path, pool: WorkerPool
) -> None:
    before = everything(corpus)
    put(corpus, "corpus.toml", 'acl_labels = ["hr"]\n')
    direct.run(corpus, pool, "second")
    put(corpus, "corpus.toml", "")
    assert compared(corpus, pool)[0]
    assert everything(corpus) == before


def test_another_release_of_the_chunker_is_seen(corpus: Path, pool: WorkerPool) -> None:
    with mock.patch.object(keys, "CHUNK_STAGE", keys.CHUNK_STAGE + 1):
        assert compared(corpus, pool)[1].changed == 2
    with mock.patch.object(keys, "_release_of", return_value="plug-in 2.0"):
        assert compared(corpus, pool)[1].changed == 2
    with mock.patch.object(keys, "version", return_value="999"):
        assert compared(corpus, pool)[0]


def test_a_document_that_cannot_be_chunked_is_tried_again_each_time(
    corpus: Path, pool: WorkerPool
) -> None:
    put(corpus, "a.md", "# A\n\nbad words\n")
    with mock.patch.object(chunk, "chunk_now", side_effect=ChunkError("no")):
        assert compared(corpus, pool)[1].failed == 1
        assert compared(corpus, pool)[1].failed == 1
    looked, report = compared(corpus, pool)
    assert (looked, report.failed, report.changed) == (True, 0, 1)


def test_a_run_that_fails_between_publishing_and_its_record_is_looked_after(
    corpus: Path, pool: WorkerPool
) -> None:
    put(corpus, "a.md", "# A\n\nnew words\n")
    with (
        mock.patch.object(chunk, "note_chunking", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        direct.run(corpus, pool, "interrupted")
    looked, report = compared(corpus, pool)
    assert (looked, report.unchanged) == (True, 2)
    assert not compared(corpus, pool)[0]


@pytest.mark.parametrize("moment", ["rename:4", "renamed:2", "renamed:4", "sync:3", "committed:5"])
def test_what_a_killed_run_did_is_looked_at(corpus: Path, pool: WorkerPool, moment: str) -> None:
    put(corpus, "a.md", "# A\n\nnew words\n")
    words = ["-m", "tests.scenarios.direct", str(corpus), "killed", moment]
    done = subprocess.run([sys.executable, *words], cwd=Path(__file__).parents[2])
    assert done.returncode == -9
    assert compared(corpus, pool)[0]
    assert "new words" in [row.text for row in stored.rows(corpus / "warehouse")]
    assert not compared(corpus, pool)[0]


@pytest.mark.parametrize("name", ["documents", "chunks"])
def test_one_file_restored_from_a_backup_is_seen(corpus: Path, pool: WorkerPool, name: str) -> None:
    file = getattr(direct.partition(corpus), name).live
    shutil.copy2(file, corpus / "backup")
    put(corpus, "a.md", "# A\n\nnew words\n")
    direct.run(corpus, pool, "second")
    after = everything(corpus)
    shutil.copy2(corpus / "backup", file)  # in place, with the time of then
    assert compared(corpus, pool)[0]
    assert everything(corpus) == after
    assert not compared(corpus, pool)[0]


def test_a_whole_warehouse_restored_from_a_backup_is_compared_once(
    corpus: Path, pool: WorkerPool
) -> None:
    shutil.copytree(corpus / "warehouse", corpus / "backup")
    put(corpus, "a.md", "# A\n\nnew words\n")
    direct.run(corpus, pool, "second")
    after = everything(corpus)
    shutil.rmtree(corpus / "warehouse")
    shutil.copytree(corpus / "backup", corpus / "warehouse")
    direct.run(corpus, pool, "third")
    assert everything(corpus) == after
    assert not compared(corpus, pool)[0]


def test_rows_removed_by_hand_come_back(corpus: Path, pool: WorkerPool) -> None:
    before = everything(corpus)
    file = direct.partition(corpus).chunks.live
    edit_in_place(file, "DELETE FROM chunked_documents WHERE document_id LIKE '%a.md'")
    assert compared(corpus, pool)[1].added == 1
    assert everything(corpus) == before


def test_an_edit_by_hand_that_lies_beside_the_file_is_seen(corpus: Path, pool: WorkerPool) -> None:
    file = direct.partition(corpus).chunks.live
    file.with_name(f"{file.name}.wal").touch()
    assert compared(corpus, pool)[0]


def test_a_file_of_an_older_release_is_looked_at(corpus: Path, pool: WorkerPool) -> None:
    files = direct.partition(corpus)
    edit_in_place(files.chunks.live, "ALTER TABLE chunks DROP COLUMN context")
    assert compared(corpus, pool)[0]
    edit_in_place(files.chunks.live, "UPDATE store_meta SET generation = ''")
    for _ in range(2):  # a version without a name is never known
        assert compared(corpus, pool)[0]


def test_pages_read_anew_are_looked_at(corpus: Path, pool: WorkerPool) -> None:
    files = direct.partition(corpus)
    with staged(files.ocr_pages, ocr_pages.schema(), run_id="pages") as staging:
        staging.publish()
    assert compared(corpus, pool)[0]
    assert not compared(corpus, pool)[0]


def test_a_shorter_log_of_changes_is_another_version(corpus: Path, pool: WorkerPool) -> None:
    put(corpus, "a.md", "# A\n\nnew words\n")
    assert compared(corpus, pool, keep_changes_days=0)[0]
    before = everything(corpus)
    assert not compared(corpus, pool, keep_changes_days=0)[0]
    assert everything(corpus) == before


def test_a_run_that_waited_chunks_the_text_of_now(corpus: Path, pool: WorkerPool) -> None:
    files = direct.partition(corpus)
    put(corpus, "a.md", "# A\n\nold words\n")
    started = threading.Event()

    def waiting() -> None:
        started.set()

    with WorkerPool(1) as other:
        slow = threading.Thread(
            target=lambda: direct.run_all(corpus, other, "slow", wait=60, between=waiting)
        )
        with locked(files.chunks.lock, run_id="at work"):
            slow.start()
            assert started.wait(60)
            threading.Event().wait(0.5)  # time enough to open the text, and to wait for the lock
            put(corpus, "a.md", "# A\n\nnew words\n")
            with pytest.raises(Exception, match="at work"):
                direct.run(corpus, pool, "fast")
        slow.join(60)
    assert "new words" in [row.text for row in stored.rows(corpus / "warehouse")]
