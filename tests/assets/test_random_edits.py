"""Whatever happens to a corpus, the store ends as if it had been built from what is there now.

RAG_RANDOM_ROUNDS sets how many rounds are played, RAG_RANDOM_SEED with which numbers.
"""

import io
import os
import random
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from rag_assets.store.reading import open_live
from rag_assets.workers import WorkerPool
from tests.scenarios import direct, stored

ROUNDS = int(os.environ.get("RAG_RANDOM_ROUNDS", "6"))
LONG = 100
"""Rounds of `make long`: some two hundred edits, renames, deletions and changed settings."""
SEED = int(os.environ.get("RAG_RANDOM_SEED", "5"))
WORDS = (
    *("budget", "chunk", "heading", "section", "overlap", "tenant", "corpus", "token"),
    *("résumé", "план", "数据"),
)
NAMES = (
    "a.md",
    "b.md",
    "sub/c.md",
    "sub/deep/d.txt",
    "e.html",
    "x!/y.md",
    "ф.md",
    "g.zip",
    "h.zip",
)
BAD = b"%PDF-1.7\nnot really"


class Editor:
    """Does at random what people do to files."""

    def __init__(self, root: Path, numbers: random.Random) -> None:
        self.root = root
        self.random = numbers

    def edit(self) -> str:
        """One change; what it was."""
        acts = (self.write, self.write, self.write, self.append, self.delete, self.rename,
                self.settings, self.labels, self.spoil, self.repack, self.swap)  # fmt: skip
        act = self.random.choice(acts)
        act()
        return act.__name__

    def write(self) -> None:
        name = self.random.choice(NAMES)
        self._put(name, self._zip() if name.endswith(".zip") else self._text().encode())

    def append(self) -> None:
        for file in self._some():
            if file.suffix in {".md", ".txt", ".html"}:
                file.write_bytes(file.read_bytes() + f"\n\n{self._text()}".encode())

    def delete(self) -> None:
        for file in self._some():
            file.unlink()

    def rename(self) -> None:
        for file in self._some():
            target = self.root / self.random.choice(NAMES)
            if target.suffix == file.suffix:
                target.parent.mkdir(parents=True, exist_ok=True)
                file.rename(target)

    def swap(self) -> None:
        """Two documents change places."""
        files = sorted(self.root.rglob("*.md"))
        if len(files) >= 2:
            one, two = self.random.sample(files, 2)
            first, second = one.read_bytes(), two.read_bytes()
            one.write_bytes(second)
            two.write_bytes(first)

    def spoil(self) -> None:
        for file in self._some():
            file.write_bytes(BAD)

    def repack(self) -> None:
        """One member of a container changes, comes or goes."""
        for file in self.root.rglob("*.zip"):
            file.write_bytes(self._zip())

    def settings(self) -> None:
        tokens = self.random.choice((16, 32, 64, 512))
        self._toml("chunker", f"[chunker]\nmax_tokens = {tokens}\noverlap_tokens = {tokens // 4}\n")

    def labels(self) -> None:
        label = self.random.choice(("staff", "hr", "board"))
        path = self.random.choice(("**", "sub/**", "a.md", "g.zip!/**"))
        self._toml("labels", f'[[labels]]\npath = "{path}"\nacl_labels = ["{label}"]\n')

    def _toml(self, part: str, new: str) -> None:
        file = self.root / "corpus.toml"
        old = file.read_text() if file.exists() else ""
        parts = {
            ("chunker" if text.startswith("[chunker") else "labels"): f"{text}\n"
            for text in map(str.strip, old.split("\n\n"))
            if text
        }
        parts[part] = f"{new.strip()}\n"
        file.write_text("\n".join(parts.values()))

    def _some(self) -> list[Path]:
        files = sorted(f for f in self.root.rglob("*") if f.is_file() and f.suffix != ".toml")
        return self.random.sample(files, min(len(files), self.random.choice((1, 1, 2))))

    def _text(self) -> str:
        parts = []
        for _ in range(self.random.randint(0, 6)):
            if self.random.random() < 0.3:
                parts.append(f"{'#' * self.random.randint(1, 4)} {self.random.choice(WORDS)}")
            words = self.random.choices(WORDS, k=self.random.randint(1, 60))
            parts.append(" ".join(words) + ".")
        return "\n\n".join(parts)

    def _zip(self) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name in self.random.sample(("m.md", "n.txt", "in/o.md", "p.pdf"), k=2):
                archive.writestr(name, BAD if name == "p.pdf" else self._text())
        return packed.getvalue()

    def _put(self, name: str, data: bytes) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def replayed(folder: Path) -> set[tuple[str, str]]:
    """What the log of changes gives, from nothing."""
    alive: set[tuple[str, str]] = set()
    with open_live(direct.partition(folder).chunks) as live:
        log = live.execute(
            "SELECT document_id, chunk_id, change FROM chunk_changes ORDER BY sequence"
        )
        for document_id, chunk_id, change in log.fetchall():
            entry = (document_id, chunk_id)
            assert (entry in alive) == (change != "insert"), entry
            (alive.discard if change == "delete" else alive.add)(entry)
    return alive


def there(folder: Path) -> set[tuple[str, str]]:
    with open_live(direct.partition(folder).chunks) as live:
        return set(live.execute("SELECT document_id, id FROM chunks").fetchall())


def comparable(folder: Path, warehouse: str) -> dict[str, list[tuple]]:
    """Everything, but for documents whose newest version fails, and what lies inside them: of
    these the store keeps the last good version, which a fresh store cannot know."""
    with open_live(direct.partition(folder).documents) as live:
        stale = live.execute("SELECT document_id FROM documents WHERE stale").fetchall()
    kept = {document_id for (document_id,) in stale}
    found = stored.everything(folder / warehouse, direct.TENANT, direct.CORPUS)
    return {
        table: [row for row in rows if kept.isdisjoint(it for cell in row for it in ids(cell))]
        for table, rows in found.items()
    }


def ids(cell: object) -> list[str]:
    """Of the document that a cell names, and of its container, if it has one."""
    is_id = isinstance(cell, str) and cell.startswith(f"{direct.TENANT}/{direct.CORPUS}/")
    return [str(cell), str(cell).split("!/")[0]] if is_id else []


def differences(found: dict[str, list[tuple]], expected: dict[str, list[tuple]]) -> list[str]:
    return [
        f"{table} {sign} {row}"
        for table in expected
        for sign, here, there in (
            ("has", found[table], expected[table]),
            ("lacks", expected[table], found[table]),
        )
        for row in here
        if row not in there
    ]


def run_and_kill(folder: Path, run_id: str, numbers: random.Random) -> None:
    moment = f"{numbers.choice(direct.MOMENTS)}:{numbers.randint(1, 4)}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.scenarios.direct", str(folder), run_id, moment],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.timeout(120 + 10 * max(ROUNDS, LONG))
def test_the_store_always_equals_that_of_a_fresh_run(
    rounds: int, tmp_path: Path, pool: WorkerPool
) -> None:
    numbers = random.Random(SEED)
    root = direct.sources(tmp_path)
    root.mkdir(parents=True)
    editor = Editor(root, numbers)
    story: list[str] = []
    for number in range(rounds):
        story.append("+".join(editor.edit() for _ in range(numbers.randint(0, 4))) or "nothing")
        if number % 8 == 5:
            run_and_kill(tmp_path, f"killed {number}", numbers)
        parsed, chunked = direct.run(tmp_path, pool, f"run {number}")
        if number % 3 and number != rounds - 1:
            continue
        direct.run(tmp_path, pool, "fresh", warehouse=f"fresh {number}")
        found, expected = comparable(tmp_path, "warehouse"), comparable(tmp_path, f"fresh {number}")
        assert differences(found, expected) == [], story
        assert replayed(tmp_path) == there(tmp_path), story
        live = [file.live.stat() for file in direct.partition(tmp_path).files if file.live.exists()]
        parsed, chunked = direct.run(tmp_path, pool, f"again {number}")
        assert (parsed.added, parsed.changed, parsed.removed) == (0, 0, 0), story
        assert (chunked.added, chunked.changed, chunked.removed) == (0, 0, 0), story
        again = [
            file.live.stat() for file in direct.partition(tmp_path).files if file.live.exists()
        ]
        assert again == live or [s.st_ino for s in again] == [s.st_ino for s in live], story
