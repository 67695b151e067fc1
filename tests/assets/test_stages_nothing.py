"""Nothing new leaves the published files alone; something new redoes that and nothing else."""

import io
import math
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from rag_assets.stages import keys
from rag_assets.stages.report import ChunkReport, ParseReport
from rag_assets.store.catalog import open_warehouse
from rag_assets.store.staging import staged
from rag_assets.workers import WorkerPool
from rag_assets.workers.pool import Outcome
from rag_chunker import HeadingAwareChunker, TiktokenCounter
from rag_core.types import Block, BlockType, Chunk, ParsedDocument, RequestContext
from tests.scenarios import direct, stored

BAD = b"%PDF-1.7\nnot really"


def put(folder: Path, name: str, data: str | bytes) -> Path:
    file = direct.sources(folder) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return file


def packed(**members: str | bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return data.getvalue()


def versions(folder: Path) -> list[int]:
    files = direct.partition(folder)
    return [file.live.stat().st_ino for file in (files.documents, files.chunks)]


def done(reports: tuple[ParseReport, ChunkReport]) -> list[int]:
    return [number for r in reports for number in (r.added, r.changed, r.removed)]


@pytest.fixture
def corpus(tmp_path: Path, pool: WorkerPool) -> Path:
    put(tmp_path, "a.md", "# A\n\nwords\n")
    put(tmp_path, "bad.pdf", BAD)
    put(tmp_path, "what.xyz", b"\0\1\2")
    put(tmp_path, "packed.zip", packed(m_md="inside", n_txt="inside too", bad_pdf=BAD))
    direct.run(tmp_path, pool, "first")
    return tmp_path


def test_nothing_new_publishes_nothing_and_copies_nothing(corpus: Path, pool: WorkerPool) -> None:
    before = versions(corpus)
    with mock.patch("rag_assets.store.staging.shutil.copyfile", side_effect=AssertionError):
        parsed, chunked = direct.run(corpus, pool, "second")
    assert done((parsed, chunked)) == [0] * 6
    assert parsed.unchanged + parsed.failed == parsed.seen == 7
    assert chunked.kept == 4
    assert versions(corpus) == before


def test_a_failure_is_tried_again_each_time_and_written_once(
    corpus: Path, pool: WorkerPool
) -> None:
    before = versions(corpus)
    parsed, _ = direct.run(corpus, pool, "second")
    assert parsed.failures_by_kind == {"CorruptDocument": 2, "UnsupportedMediaType": 1}
    assert versions(corpus) == before
    put(corpus, "what.xyz", "a text after all, of a kind that is known by its words")
    (direct.sources(corpus) / "what.xyz").rename(direct.sources(corpus) / "what.txt")
    parsed, _ = direct.run(corpus, pool, "third")
    assert (parsed.added, parsed.removed) == (1, 1)


def test_another_reason_to_fail_is_recorded(corpus: Path, pool: WorkerPool) -> None:
    def recorded() -> str | None:
        found = stored.documents(corpus / "warehouse", direct.TENANT, direct.CORPUS)
        return found["bad.pdf"]["error"]

    before = recorded()
    put(corpus, "bad.pdf", b"")
    direct.run(corpus, pool, "second")
    assert recorded() != before


class Torn:
    """A pool whose parser gives text that is no Unicode."""

    def run(self, function: Any, items: Iterable[Any]) -> Iterator[Outcome]:
        for key, (source, data) in items:
            document = source.document(data, mime_type="text/plain")
            block = Block(type=BlockType.paragraph, text="torn \ud800")
            yield Outcome(key, ParsedDocument(document=document, blocks=(block,)), 0.0)


def test_what_cannot_be_stored_is_written_once(corpus: Path) -> None:
    put(corpus, "a.md", "other words")
    put(corpus, "new.md", "new")
    parsed, _ = direct.run(corpus, Torn(), "second")
    assert parsed.failures_by_kind == {"StoreError": 4, "UnsupportedMediaType": 1}
    before = versions(corpus)
    again, _ = direct.run(corpus, Torn(), "third")
    assert again.failures == parsed.failures
    assert versions(corpus) == before


class TornChunker:
    """Gives metadata that is no JSON."""

    def __init__(self, **_: object) -> None:
        pass

    async def chunk(self, ctx: RequestContext, parsed: ParsedDocument) -> list[Chunk]:
        made = await HeadingAwareChunker(token_counter=TiktokenCounter()).chunk(ctx, parsed)
        torn = {"kind": "body", "score": math.nan}
        return [chunk.model_copy(update={"metadata": torn}) for chunk in made]


def test_chunks_that_cannot_be_stored_are_tried_again_and_written_once(
    corpus: Path, pool: WorkerPool
) -> None:
    put(corpus, "a.md", "# A\n\nother words\n")
    with mock.patch("rag_assets.stages.chunk.HeadingAwareChunker", TornChunker):
        _, chunked = direct.run(corpus, pool, "second")
        assert chunked.failures_by_kind == {"StoreError": 1}
        before = versions(corpus)
        _, chunked = direct.run(corpus, pool, "third")
    assert chunked.failures_by_kind == {"StoreError": 1}
    assert versions(corpus) == before
    _, chunked = direct.run(corpus, pool, "fourth")
    assert (chunked.failed, chunked.changed) == (0, 1)


def test_what_lies_in_a_container_that_cannot_be_opened_any_more_is_stale(
    corpus: Path, pool: WorkerPool
) -> None:
    def stale() -> list[str]:
        with open_warehouse(corpus / "warehouse") as warehouse:
            found = warehouse.execute(
                "SELECT document_id FROM chunked_documents WHERE stale ORDER BY 1"
            ).fetchall()
        return [document_id.removeprefix("acme/docs/") for (document_id,) in found]

    whole = (direct.sources(corpus) / "packed.zip").read_bytes()
    put(corpus, "packed.zip", whole[:-40])
    parsed, _ = direct.run(corpus, pool, "second")
    assert parsed.failed == 6  # the zip, three inside it, bad.pdf, what.xyz
    assert parsed.removed == 0
    # A zip has no text of its own, but is a document all the same.
    assert stale() == ["packed.zip", "packed.zip!/m.md", "packed.zip!/n.txt"]
    before = versions(corpus)
    direct.run(corpus, pool, "third")
    assert versions(corpus) == before
    put(corpus, "packed.zip", whole)
    parsed, _ = direct.run(corpus, pool, "fourth")
    assert parsed.failed == 3
    assert stale() == []


def test_force_redoes_everything(corpus: Path, pool: WorkerPool) -> None:
    parsed, chunked = direct.run(corpus, pool, "second", force=True)
    assert (parsed.changed, parsed.unchanged) == (4, 0)
    assert (chunked.changed, chunked.inserted, chunked.deleted) == (4, 0, 0)


def test_another_release_of_a_parser_redoes_its_documents_also_inside_containers(
    corpus: Path, pool: WorkerPool
) -> None:
    class Newer:
        def __init__(self, media_type: str) -> None:
            self._version = keys_parser_for(media_type).version()
            self._is_text = media_type.startswith("text/")

        def version(self) -> str:
            return self._version + (" newer" if self._is_text else "")

    keys_parser_for, keys_parser_version = keys.parser_for, keys.parser_version

    def newer(source: object, data: bytes) -> str:
        found = keys_parser_version(source, data)
        return found + (" newer" if found.startswith("text/") else "")

    with (
        mock.patch.object(keys, "parser_version", newer),
        mock.patch.object(keys, "parser_for", Newer),
    ):
        parsed, _ = direct.run(corpus, pool, "second")
        assert (parsed.changed, parsed.unchanged) == (3, 1)  # a.md, m.md, n.txt; the zip itself
        parsed, _ = direct.run(corpus, pool, "third")
        assert parsed.changed == 0


def test_what_a_killed_run_left_is_published_though_nothing_else_is_new(
    corpus: Path, pool: WorkerPool
) -> None:
    before = versions(corpus)
    with staged(direct.partition(corpus).chunks, "", run_id="killed") as staging:
        _ = staging.connection
    direct.run(corpus, pool, "second")
    assert versions(corpus)[0] == before[0]
    assert versions(corpus)[1] != before[1]


def test_a_member_that_leaves_its_container_goes(corpus: Path, pool: WorkerPool) -> None:
    put(corpus, "packed.zip", packed(m_md="inside", o_md="new"))
    parsed, _ = direct.run(corpus, pool, "second")
    assert (parsed.added, parsed.changed, parsed.removed) == (1, 1, 2)
    texts = [row.text for row in stored.rows(corpus / "warehouse")]
    assert sorted(texts) == ["A", "inside", "new", "words"]


def test_a_folder_that_cannot_be_looked_at_keeps_all_that_came_from_there(
    corpus: Path, pool: WorkerPool
) -> None:
    put(corpus, "sub/x.md", "kept")
    put(corpus, "sub/y.zip", packed(m_md="kept, too"))
    direct.run(corpus, pool, "second")
    before = stored.everything(corpus / "warehouse", direct.TENANT, direct.CORPUS)
    real = os.scandir

    def refusing(path: object) -> object:
        if str(path).rstrip("/").endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    with mock.patch("os.scandir", refusing):
        parsed, _ = direct.run(corpus, pool, "third")
    assert parsed.removed == 0
    assert stored.everything(corpus / "warehouse", direct.TENANT, direct.CORPUS) == before
