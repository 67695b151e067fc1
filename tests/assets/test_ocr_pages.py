"""Pages are read once, a bad one costs itself only, and what was read becomes chunks."""

import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from rag_assets.stages.report import ChunkReport, OcrReport, ParseReport
from rag_assets.store.catalog import open_warehouse
from rag_assets.workers import WorkerPool
from tests.assets import colour_engine
from tests.assets.colour_engine import pdf, png, text_of
from tests.assets.conftest import Project
from tests.scenarios import direct

SETTINGS = f'acl_labels = ["staff"]\n[ocr]\nengine = "{colour_engine.NAME}"\n'
PROJECT = Path(__file__).parents[2]


class Corpus:
    """A corpus whose pages the colour engine reads."""

    def __init__(self, folder: Path, parsers: WorkerPool, readers: "Readers") -> None:
        self.folder = folder
        self.parsers = parsers
        self.readers = readers
        self.log = Path(os.environ[colour_engine.LOG])
        self.log.unlink(missing_ok=True)
        self.runs = 0
        self.write("corpus.toml", SETTINGS)

    def write(self, name: str, data: str | bytes) -> Path:
        file = direct.sources(self.folder) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file

    def run(
        self, *, seconds: float = 60.0, **options: Any
    ) -> tuple[ParseReport, OcrReport, ChunkReport]:
        self.runs += 1
        run_id, readers = f"run {self.runs}", self.readers.pool(seconds)
        return direct.run_all(self.folder, self.parsers, run_id, readers=readers, **options)

    def query(self, sql: str) -> list[tuple]:
        with open_warehouse(self.folder / "warehouse") as connection:
            return connection.execute(sql).fetchall()

    def pages(self, columns: str = "status") -> dict[str, Any]:
        """What the store has of each page, by name and number."""
        rows = self.query(f"SELECT document_id, page, {columns} FROM ocr_pages")
        prefix = len(f"{direct.TENANT}/{direct.CORPUS}/")
        return {
            f"{document[prefix:]} {page}": rest[0] if len(rest) == 1 else tuple(rest)
            for document, page, *rest in rows
        }

    def texts(self) -> list[str]:
        return sorted(text for (text,) in self.query("SELECT content FROM chunks"))

    def reads(self) -> int:
        """How many pages the engine has been shown."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def version(self) -> int:
        return direct.partition(self.folder).ocr_pages.live.stat().st_ino


class Readers:
    """The pool that reads pages: the same for all tests that want the same of it."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._pool: WorkerPool | None = None
        self._made_for: object = None

    def pool(self, seconds: float) -> WorkerPool:
        """Workers take over the environment when they start: another one needs others."""
        wanted = seconds, {name: os.environ.get(name) for name in colour_engine.SETTINGS}
        if self._pool is None or self._made_for != wanted:
            self.close()
            self._pool = self._open.enter_context(WorkerPool(1, seconds=seconds))
            self._made_for = wanted
        return self._pool

    def close(self) -> None:
        self._open.close()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The folder in which it is installed."""
    folder = tmp_path_factory.mktemp("engine")
    site = colour_engine.installed(folder / "site")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setenv(colour_engine.LOG, str(folder / "log"))
        yield site


@pytest.fixture(scope="module")
def readers(engine: str) -> Iterator[Readers]:
    readers = Readers()
    yield readers
    readers.close()


@pytest.fixture
def corpus(tmp_path: Path, pool: WorkerPool, readers: Readers) -> Corpus:
    return Corpus(tmp_path, pool, readers)


def packed(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_scans_and_pictures_become_chunks_like_any_text(corpus: Corpus) -> None:
    corpus.write("photo.png", png(1))
    corpus.write("scan.pdf", pdf(2, 3))
    corpus.write("note.md", "# Note\n\nwords\n")
    corpus.run()
    assert corpus.texts() == sorted(["Note", "words", text_of(1), f"{text_of(2)}\n\n{text_of(3)}"])
    assert corpus.query("SELECT DISTINCT status FROM documents") == [("ok",)]
    assert corpus.query("SELECT DISTINCT acl_labels FROM chunks") == [(["staff"],)]


def test_a_page_is_read_once(corpus: Corpus) -> None:
    corpus.write("scan.pdf", pdf(*range(5)))
    corpus.run()
    before = corpus.version()
    _, read, chunked = corpus.run()
    assert (read.seen, read.unchanged, read.read) == (5, 5, 0)
    assert chunked.unchanged == 1
    assert corpus.reads() == 5
    assert corpus.version() == before


def test_a_corpus_without_such_pages_has_no_file_for_them(corpus: Corpus) -> None:
    corpus.write("note.md", "# Note\n")
    _, read, _ = corpus.run()
    assert read == OcrReport()
    files = direct.partition(corpus.folder)
    assert [path.name for path in files.folder.iterdir() if "ocr" in path.name] == []


def test_chunks_need_no_page_to_have_been_read(corpus: Corpus) -> None:
    corpus.write("note.md", "words")
    corpus.write("photo.png", png(1))
    corpus.run()
    direct.partition(corpus.folder).ocr_pages.live.unlink()
    corpus.write("other.md", "more")
    corpus.run()
    assert corpus.texts() == sorted(["words", "more", text_of(1)])


@pytest.mark.parametrize("change", ["version", "languages", "force"])
def test_another_release_of_the_engine_or_other_languages_read_again(
    corpus: Corpus, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.write("photo.png", png(1))
    corpus.write("note.md", "words")
    corpus.run()
    if change == "version":
        monkeypatch.setenv(colour_engine.VERSION, "2")
    elif change == "languages":
        corpus.write("corpus.toml", SETTINGS + 'languages = ["de"]\n')
    _, read, chunked = corpus.run(force=change == "force")
    assert (read.read, read.unchanged) == (1, 0)
    assert corpus.reads() == 2
    assert chunked.deleted == chunked.inserted == 0


def test_a_document_elsewhere_with_the_same_content_is_not_read_again(corpus: Corpus) -> None:
    file = corpus.write("a.png", png(1))
    corpus.write("b.png", png(1))
    _, read, _ = corpus.run()
    assert (read.read, read.reused) == (1, 1)
    file.rename(file.with_name("c.png"))
    _, read, _ = corpus.run()
    assert (read.read, read.reused, read.unchanged, read.removed) == (0, 1, 1, 1)
    assert corpus.reads() == 1
    assert corpus.pages("text") == {"b.png 1": text_of(1), "c.png 1": text_of(1)}


def test_an_edited_document_is_read_again_and_redoes_nothing_else(corpus: Corpus) -> None:
    corpus.write("a.png", png(1))
    corpus.write("b.png", png(2))
    corpus.write("note.md", "words")
    corpus.run()
    corpus.write("a.png", png(3))
    _, read, chunked = corpus.run()
    assert (read.read, read.unchanged) == (1, 1)
    assert (chunked.changed, chunked.unchanged) == (1, 2)
    assert corpus.texts() == sorted([text_of(2), text_of(3), "words"])


def test_a_document_that_is_gone_takes_its_pages_along(corpus: Corpus) -> None:
    file = corpus.write("a.pdf", pdf(1, 2))
    corpus.write("b.png", png(3))
    corpus.run()
    file.unlink()
    _, read, _ = corpus.run()
    assert read.removed == 2
    assert corpus.pages() == {"b.png 1": "ok"}
    assert corpus.texts() == [text_of(3)]


@pytest.mark.parametrize(
    ("trouble", "kind", "reason"),
    [
        ("raises", "OCRError", "the page is upside down: turn it"),
        ("crashes", "CorruptDocument", "SIGSEGV"),
        ("hangs", "ParseTimeout", "was stopped after 3 s"),
        ("lies", "StoreError", "must give Unicode text"),
    ],
)
def test_a_bad_page_costs_itself_only_and_is_tried_again(
    corpus: Corpus, trouble: str, kind: str, reason: str
) -> None:
    corpus.write("scan.pdf", pdf(1, trouble, 3))
    _, read, _ = corpus.run(seconds=3)
    assert [(f.page, f.kind) for f in read.failures] == [(2, kind)]
    assert corpus.pages() == {"scan.pdf 1": "ok", "scan.pdf 2": "failed", "scan.pdf 3": "ok"}
    assert reason in corpus.pages("error")["scan.pdf 2"]
    assert corpus.texts() == [f"{text_of(1)}\n\n{text_of(3)}"]
    assert corpus.query("SELECT stage, error FROM failed_documents")[0][0] == "ocr"
    before = corpus.version()
    _, read, _ = corpus.run(seconds=3)
    assert (read.unchanged, read.failed) == (2, 1)
    assert corpus.version() == before, "a failure that is on record needs no writing"


def test_a_page_that_is_mended_joins_the_others(corpus: Corpus) -> None:
    corpus.write("scan.pdf", pdf(1, "raises", 3))
    corpus.run()
    corpus.write("scan.pdf", pdf(1, 2, 3))
    corpus.run()
    assert corpus.texts() == ["\n\n".join(map(text_of, (1, 2, 3)))]
    assert corpus.query("SELECT * FROM failed_documents") == []


def test_doubtful_and_empty_pages_are_marked(corpus: Corpus) -> None:
    corpus.write("doubt.png", png("doubts"))
    corpus.write("blank.png", png("blank"))
    corpus.write("sure.png", png(1))
    _, read, _ = corpus.run()
    assert [(page, mean) for _, page, mean in read.low_confidence] == [(1, 0.55)]
    assert corpus.pages("status, low_confidence") == {
        "doubt.png 1": ("ok", True),
        "blank.png 1": ("empty", False),
        "sure.png 1": ("ok", False),
    }
    assert corpus.texts() == [text_of(1), "Ths is hrd to raed."], "what is in doubt is kept"
    assert corpus.query("SELECT text FROM ocr_regions WHERE low_confidence") == [
        ("Ths is hrd to raed.",)
    ]
    assert corpus.query("SELECT ocr_read, ocr_failed, ocr_low_confidence FROM corpus_summary") == [
        (3, 0, 1)
    ]
    assert corpus.query("SELECT status FROM documents ORDER BY document_id") == [
        ("empty",), ("ok",), ("ok",),
    ]  # fmt: skip


def test_pictures_inside_containers_are_read_where_they_lie(corpus: Corpus) -> None:
    inner = packed({"c.png": png(3), "d.txt": b"text"})
    corpus.write("deep.zip", packed({"sub/a.png": png(1), "inner.zip": inner}))
    corpus.write("odd!/b.png", png(2))
    _, read, _ = corpus.run()
    assert read.failures == []
    assert corpus.pages("text") == {
        "deep.zip!/sub/a.png 1": text_of(1),
        "deep.zip!/inner.zip!/c.png 1": text_of(3),
        "odd!/b.png 1": text_of(2),
    }
    assert corpus.run()[1].unchanged == 3


def test_a_file_that_changes_or_goes_meanwhile_is_read_by_the_next_run(corpus: Corpus) -> None:
    changed, gone = corpus.write("a.png", png(1)), corpus.write("b.png", png(2))

    def meanwhile() -> None:
        changed.write_bytes(png(3))
        gone.unlink()

    _, read, _ = corpus.run(between=meanwhile)
    assert [f.reason.partition(":")[0] for f in read.failures] == [
        "the file has changed since it was parsed",
        "the file is gone since it was parsed",
    ]
    assert corpus.reads() == 0
    _, read, _ = corpus.run()
    assert read.failures == []
    assert corpus.texts() == [text_of(3)]


def test_without_an_engine_pages_say_what_is_missing_and_keep_what_was_read(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.write("old.png", png(1))
    corpus.run()
    monkeypatch.setenv(colour_engine.BROKEN, "pip install colours")
    corpus.write("new.png", png(2))
    _, read, _ = corpus.run()
    assert [(f.document_id, f.reason) for f in read.failures] == [
        ("acme/docs/new.png", "pip install colours")
    ]
    assert corpus.texts() == [text_of(1)]
    monkeypatch.delenv(colour_engine.BROKEN)
    corpus.run()
    assert corpus.texts() == [text_of(1), text_of(2)]


def test_a_reading_that_fails_under_another_engine_keeps_the_last_good_one(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.write("photo.png", png(1))
    corpus.run()
    corpus.write("corpus.toml", SETTINGS.replace(colour_engine.NAME, "tesseract"))
    monkeypatch.setenv("TESSDATA_PREFIX", str(corpus.folder))
    _, read, _ = corpus.run()
    assert read.unchanged == 1
    monkeypatch.delenv("TESSDATA_PREFIX")
    corpus.write("corpus.toml", SETTINGS + 'languages = ["en"]\n')
    monkeypatch.setenv(colour_engine.SECONDS, "30")
    _, read, _ = corpus.run(seconds=2)
    assert read.failures_by_kind == {"ParseTimeout": 1}
    assert corpus.pages("status, stale, text") == {"photo.png 1": ("failed", True, text_of(1))}
    assert corpus.texts() == [text_of(1)]


def test_a_killed_run_goes_on_where_it_was(
    corpus: Corpus, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.write("scan.pdf", pdf(*range(100)))
    monkeypatch.setenv(colour_engine.SECONDS, "0.03")
    path = os.pathsep.join([engine, str(PROJECT)])
    killed = subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.direct", str(corpus.folder), "killed"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=PROJECT,
    )
    deadline = time.monotonic() + 60
    while corpus.reads() < 50 and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    before = corpus.reads()
    assert 50 <= before < 100
    _, read, _ = corpus.run()
    kept = read.unchanged
    assert kept >= before - 40, "what was read within the last second or two may be lost"
    assert corpus.reads() - before == read.read == 100 - kept
    assert set(corpus.pages().values()) == {"ok"}
    assert "\n\n".join(corpus.texts()).count("of the scan.") >= 100
    assert corpus.run()[1].unchanged == 100


def test_the_assets_warn_of_pages_that_fail_or_are_in_doubt(project: Project, engine: str) -> None:
    project.write("acme/docs/corpus.toml", SETTINGS)
    project.write("acme/docs/scan.pdf", pdf(1, "raises", "doubts"))
    project.write("acme/docs/note.md", "words")
    result = project.materialize("acme/docs")
    assert result.success
    failed = [e for e in result.get_asset_check_evaluations() if not e.passed]
    assert {e.check_name for e in failed} == {"every_page_read", "pages_read_well"}
    assert {e.severity for e in failed} == {dg.AssetCheckSeverity.WARN}
    assert [part for part in ("scan.pdf page 2", "upside down") if part not in str(failed)] == []
    assert "scan.pdf page 3: mean confidence 0.55" in str(failed)
    (shown,) = [
        event.materialization.metadata
        for event in result.get_asset_materialization_events()
        if event.asset_key.to_user_string() == "ocr_pages"
    ]
    figures = {name: shown[f"pages_{name}"].value for name in ("seen", "read", "failed")}
    assert figures == {"seen": 3, "read": 2, "failed": 1}
    assert shown["dagster/row_count"].value == 3
    assert project.query("SELECT ocr_read, ocr_failed, failed FROM corpus_summary") == [(2, 1, 0)]


def test_a_corpus_of_text_shows_an_empty_asset(project: Project) -> None:
    project.write("acme/docs/note.md", "words")
    result = project.materialize("acme/docs")
    assert result.success
    assert [e.check_name for e in result.get_asset_check_evaluations() if not e.passed] == []


def test_an_engine_that_is_not_installed_stops_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_chunker.ocr.rapidocr.find_spec", lambda _: None)
    monkeypatch.setattr("rag_chunker.ocr.tesseract.find_spec", lambda _: None)
    project.write("acme/docs/photo.png", png(1))
    project.write("acme/docs/note.md", "words")
    result = project.materialize("acme/docs")
    assert result.success
    assert project.query("SELECT content FROM chunks") == [("words",)]
    (warning,) = [e for e in result.get_asset_check_evaluations() if not e.passed]
    assert "pip install 'rag-chunker[ocr]'" in str(warning.metadata)
