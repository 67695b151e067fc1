"""The inventory of sources: what is a document, what is refused, and what must not be missed."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import fsspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.corpus_config import Defaults
from rag_assets.sources import CorpusFolder, Inventory, Skipped, SourceFile, Sources
from rag_core.errors import ConfigError, DocumentTooLarge, ParseError, StoreError


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def corpus(root: Path, tenant: str = "t1", name: str = "docs") -> CorpusFolder:
    root.mkdir(parents=True, exist_ok=True)
    return CorpusFolder(tenant_id=tenant, corpus_id=name, root=str(root))


def documents(folder: CorpusFolder) -> list[str]:
    return [file.path for file in folder.files() if isinstance(file, SourceFile)]


def skipped(folder: CorpusFolder) -> dict[str, str]:
    return {file.path: file.reason for file in folder.files() if isinstance(file, Skipped)}


def one(folder: CorpusFolder) -> SourceFile:
    (file,) = folder.files()
    assert isinstance(file, SourceFile)
    return file


def pairs(inventory: Inventory) -> list[tuple[str, str]]:
    return [(folder.tenant_id, folder.corpus_id) for folder in inventory.corpora]


@pytest.fixture
def powerless() -> Iterator[Path]:
    """A folder owned by a user whom permissions stop; the superuser reads everything."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        for parent, names, _ in os.walk(folder):
            for name in names:
                os.chmod(os.path.join(parent, name), 0o700)
        shutil.rmtree(folder)


def test_files_two_levels_down_are_documents_with_readable_ids(tmp_path: Path) -> None:
    write(tmp_path / "acme/handbook/travel/trains.md")
    (folder,) = Sources(tmp_path).corpora().corpora
    file = one(folder)
    assert file.document_id == "acme/handbook/travel/trains.md"
    assert (file.tenant_id, file.corpus_id, file.path) == ("acme", "handbook", "travel/trains.md")
    assert file.uri == str(tmp_path / "acme/handbook/travel/trains.md")
    assert file.size == 4
    assert folder.read(file) == b"text"
    assert file.source().document_id == file.document_id


def test_documents_come_sorted_by_path(tmp_path: Path) -> None:
    for name in ["b.md", "a/z.md", "a.md", "a-b/x.md", "a/b/c.md", "a0", "ä.md", "B.md"]:
        write(tmp_path / name)
    found = documents(corpus(tmp_path))
    assert found == sorted(found)
    assert len(found) == 8


names = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.lists(names.map(lambda n: f"x{n[:8]}x"), min_size=1, max_size=3).map(tuple)))
def test_every_path_is_found_once_in_order_and_read(paths: set[tuple[str, ...]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        written: set[str] = set()
        for parts in sorted(paths):  # a file never stands where a folder has to be
            if not any("/".join(parts[:i]) in written for i in range(1, len(parts))):
                write(Path(place, *parts), "text")
                written.add("/".join(parts))
        folder = corpus(Path(place))
        files = [file for file in folder.files() if isinstance(file, SourceFile)]
        assert [file.path for file in files] == sorted(written)
        assert [f.path for f in files if len(folder.read(f)) != f.size] == []


def test_odd_names_are_ordinary_documents(tmp_path: Path) -> None:
    odd = sorted(
        ["it's.md", '"q".md', "a#b.md", "100%.md", "%2F.md", "a\nb.md", "🦊.md", "a?b*.md"]
    )
    for name in odd:
        write(tmp_path / name, name)
    folder = corpus(tmp_path)
    assert documents(folder) == odd
    assert [f.path for f in folder.files() if folder.read(f) != f.path.encode()] == []


def test_names_that_differ_in_normalisation_are_two_documents(tmp_path: Path) -> None:
    for form in ("NFC", "NFD"):
        write(tmp_path / normalize(form, "caf\u00e9.md"), form)
    folder = corpus(tmp_path)
    found = documents(folder)
    if len(list(tmp_path.iterdir())) == 2:  # some file systems keep one name only
        assert len({file.document_id for file in folder.files()}) == 2
        assert sorted(folder.read(file) for file in folder.files()) == [b"NFC", b"NFD"]
    assert len(found) == len(list(tmp_path.iterdir()))


def test_documents_of_different_corpora_never_share_an_id(tmp_path: Path) -> None:
    write(tmp_path / "one/b/c.md")
    write(tmp_path / "two/c.md")
    ids = {
        one(corpus(tmp_path / "one", "a", "x")).document_id,
        one(corpus(tmp_path / "two", "a", "x/b")).document_id,
        one(corpus(tmp_path / "two", "a/x", "b")).document_id,
    }
    assert len(ids) == 3


def test_leftovers_and_hidden_files_are_no_documents(tmp_path: Path) -> None:
    for name in [
        ".DS_Store", "Thumbs.db", "desktop.ini", "~$plan.docx", "a.md~", "b.tmp", "c.TMP", "#d#",
        ".git/config", "__MACOSX/a.md", "corpus.toml", "movie.part", "._a.md",
    ]:  # fmt: skip
        write(tmp_path / name)
    write(tmp_path / "sub/corpus.toml")
    write(tmp_path / "tmp/real.md")
    assert documents(corpus(tmp_path)) == ["sub/corpus.toml", "tmp/real.md"]
    assert skipped(corpus(tmp_path)) == {}


def test_what_the_configuration_leaves_out_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "corpus.toml", 'exclude = ["drafts/**"]')
    write(tmp_path / "drafts/a.md")
    write(tmp_path / "b.md")
    folder = corpus(tmp_path)
    found = list(folder.files(folder.config()))
    assert [(f.path, type(f)) for f in found] == [("b.md", SourceFile), ("drafts/a.md", Skipped)]


def test_links_out_of_the_corpus_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "outside/secret.md")
    write(tmp_path / "src/t1/docs-evil/secret.md")
    write(tmp_path / "src/t2/docs/secret.md")
    root = tmp_path / "src/t1/docs"
    write(root / "ok.md")
    (root / "absolute.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "relative.md").symlink_to("../../../outside/secret.md")
    (root / "prefix.md").symlink_to("../docs-evil/secret.md")
    (root / "tenant").symlink_to(tmp_path / "src/t2/docs")
    (root / "hop.md").symlink_to("absolute.md")
    (root / "passwords").symlink_to("/etc/passwd")
    folder = corpus(root)
    assert documents(folder) == ["ok.md"]
    found = skipped(folder)
    assert [path for path, reason in found.items() if "outside root" not in reason] == []
    assert len(found) == 6


def test_links_inside_the_corpus_give_each_document_once_and_end(tmp_path: Path) -> None:
    write(tmp_path / "v2/guide.md")
    (tmp_path / "guide.md").symlink_to("v2/guide.md")
    (tmp_path / "current").symlink_to("v2")
    (tmp_path / "v2/up").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "broken.md").symlink_to("nowhere.md")
    folder = corpus(tmp_path)
    assert documents(folder) == ["guide.md", "v2/guide.md"]
    found = skipped(folder)
    assert found["self"] == "link loop"
    assert found["broken.md"] == "broken link"
    assert [path for path in ("current", "v2/up") if "link to a folder" not in found[path]] == []


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "disk/acme/docs/a.md")
    (tmp_path / "sources").symlink_to("disk")
    (folder,) = Sources(tmp_path / "sources").corpora().corpora
    assert folder.read(one(folder)) == b"text"


def test_a_file_that_became_a_link_out_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "secret.md", "secret")
    folder = corpus(tmp_path / "docs")
    target = write(tmp_path / "docs/a.md")
    file = one(folder)
    target.unlink()
    target.symlink_to("../secret.md")
    with pytest.raises(ParseError, match=r"t1/docs/a\.md.*outside root"):
        folder.read(file)


def test_a_folder_that_became_a_link_out_is_not_read_from(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/a.md", "secret")
    target = write(tmp_path / "docs/sub/a.md")
    folder = corpus(tmp_path / "docs")
    file = one(folder)
    shutil.rmtree(target.parent)
    target.parent.symlink_to("../elsewhere")
    with pytest.raises(ParseError, match=r"t1/docs/sub/a\.md.*outside root"):
        folder.read(file)


def test_a_folder_that_was_replaced_is_read_as_it_is_now(tmp_path: Path) -> None:
    target = write(tmp_path / "docs/sub/a.md")
    folder = corpus(tmp_path / "docs")
    file = one(folder)
    assert folder.read(file) == b"text"
    shutil.rmtree(target.parent)
    write(target, "new")
    assert folder.read(file) == b"new"


@pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")
def test_reading_leaves_no_descriptor_open(tmp_path: Path) -> None:
    for name in ("a/x.md", "b/y.md", "c/z.md"):
        write(tmp_path / name)
    before = len(os.listdir("/proc/self/fd"))
    folder = corpus(tmp_path)
    for file in folder.files():
        assert isinstance(file, SourceFile)
        folder.read(file)
    del folder
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.timeout(20)
@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes with names")
def test_pipes_sockets_and_devices_are_skipped_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "ok.md")
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)  # a socket's path is limited to about 100 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.md")
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    (tmp_path / "alias.md").symlink_to("pipe.md")
    folder = corpus(tmp_path)
    assert documents(folder) == ["ok.md"]
    found = skipped(folder)
    assert "pipe" in found["pipe.md"]
    assert "pipe" in found["alias.md"]
    assert "socket" in found["socket.md"]
    assert "outside root" in found["zero.md"]


@pytest.mark.timeout(20)
@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes with names")
def test_a_pipe_in_the_place_of_a_file_is_an_error_not_a_hang(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    target = write(tmp_path / "a.md")
    file = one(folder)
    target.unlink()
    os.mkfifo(target)
    with pytest.raises(ParseError, match="pipe"):
        folder.read(file)


def test_unreadable_files_and_folders_are_reported_not_fatal(powerless: Path) -> None:
    root = powerless / "docs"
    write(root / "closed/a.md")
    write(root / "open/b.md")
    write(root / "c.md").chmod(0)
    (root / "closed").chmod(0)
    folder = corpus(root)
    assert documents(folder) == ["c.md", "open/b.md"]
    (found,) = [file for file in folder.files() if isinstance(file, Skipped)]
    assert (found.path, found.unseen) == ("closed", True)
    assert "permission denied" in found.reason
    closed = next(file for file in folder.files() if file.path == "c.md")
    assert isinstance(closed, SourceFile)
    with pytest.raises(ParseError, match=r"t1/docs/c\.md: .*permission denied"):
        folder.read(closed)


def test_an_unreadable_tenant_may_still_exist(powerless: Path) -> None:
    write(powerless / "acme/docs/a.md")
    write(powerless / "zeta/docs/a.md")
    (powerless / "acme").chmod(0)
    inventory = Sources(powerless).corpora()
    assert pairs(inventory) == [("zeta", "docs")]
    assert inventory.may_exist("acme", "docs")
    assert not inventory.may_exist("gone", "docs")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_names_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "acme/docs/ok.md")
    for raw in (b"acme/docs/b\xff.md", b"acme/c\xff"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), raw))
    inventory = Sources(tmp_path).corpora()
    (folder,) = inventory.corpora
    assert documents(folder) == ["ok.md"]
    assert skipped(folder) == {"b\\xff.md": "its name is not UTF-8: rename it"}
    (found,) = inventory.skipped
    assert found.path == "acme/c\\xff"
    assert "UTF-8" in found.reason


def test_a_file_gone_between_listing_and_reading_is_that_documents_error(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    target = write(tmp_path / "a.md")
    file = one(folder)
    target.unlink()
    with pytest.raises(ParseError, match=r"t1/docs/a\.md: the file is gone"):
        folder.read(file)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    with open(tmp_path / "huge.pdf", "wb") as file:
        file.truncate(10**12)  # holes take no space
    tracemalloc.start()
    with pytest.raises(DocumentTooLarge, match=r"huge\.pdf: 1,000,000\.0 MB, the limit is 200"):
        folder.read(one(folder))
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    write(tmp_path / "huge.pdf", "x" * 11)
    with pytest.raises(DocumentTooLarge):
        folder.read(one(folder), max_bytes=10)
    assert len(folder.read(one(folder), max_bytes=11)) == 11


def test_a_missing_root_or_corpus_raises_so_that_nobody_deletes(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nothing was changed.*RAG_SOURCES"):
        Sources(tmp_path / "nowhere").corpora()
    with pytest.raises(StoreError):
        Sources(write(tmp_path / "file")).corpora()
    folder = CorpusFolder(tenant_id="t1", corpus_id="docs", root=str(tmp_path / "nowhere"))
    with pytest.raises(StoreError):
        list(folder.files())
    with pytest.raises(StoreError):
        folder.fingerprint()


def test_an_empty_corpus_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "acme/empty").mkdir(parents=True)
    (folder,) = Sources(tmp_path).corpora().corpora
    assert list(folder.files()) == []
    assert Sources(tmp_path).folder("acme", "empty") == folder


def test_names_that_differ_only_in_case_are_refused_and_nothing_else(tmp_path: Path) -> None:
    for path in ["acme/docs", "ACME/docs", "zeta/Docs", "zeta/docs", "zeta/other"]:
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
    if len(list(tmp_path.iterdir())) < 3:
        pytest.skip("this file system does not tell case apart")
    inventory = Sources(tmp_path).corpora()
    assert pairs(inventory) == [("zeta", "other")]
    reasons = {found.path: found.reason for found in inventory.skipped}
    assert sorted(reasons) == ["ACME", "acme", "zeta/Docs", "zeta/docs"]
    assert [path for path, reason in reasons.items() if "only in case" not in reason] == []
    assert inventory.may_exist("acme", "docs")
    with pytest.raises(ConfigError, match="only in case"):
        Sources(tmp_path).folder("acme", "docs")


def test_unusable_names_links_and_stray_files_are_refused_with_a_reason(tmp_path: Path) -> None:
    write(tmp_path / "acme/docs/a.md")
    write(tmp_path / "README.md")
    write(tmp_path / "acme/notes.md")
    (tmp_path / "acme/ta\tb").mkdir()
    (tmp_path / ("x" * 250)).mkdir()
    (tmp_path / "alias").symlink_to("acme")
    (tmp_path / "acme/system").symlink_to("/etc")
    (tmp_path / ".git").mkdir()
    inventory = Sources(tmp_path).corpora()
    assert pairs(inventory) == [("acme", "docs")]
    reasons = {found.path: found.reason for found in inventory.skipped}
    assert "move it to TENANT/CORPUS/" in reasons.pop("README.md")
    assert "move it to acme/CORPUS/" in reasons.pop("acme/notes.md")
    assert "control character" in reasons.pop("acme/ta\tb")
    assert "240 are allowed" in reasons.pop("x" * 250)
    assert "link to a folder" in reasons.pop("alias")
    assert "outside root" in reasons.pop("acme/system")
    assert reasons == {}


def test_a_corpus_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such corpus folder"):
        Sources(tmp_path).folder("acme", "docs")


def test_the_fingerprint_changes_with_every_change_and_else_not(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    seen = [folder.fingerprint()]

    def changed() -> bool:
        seen.append(folder.fingerprint())
        return seen[-1] not in seen[:-1] and folder.fingerprint() == seen[-1]

    file = write(tmp_path / "a.md", "price 100")
    assert changed()
    stamp = file.stat().st_mtime_ns
    write(file, "price 999")
    os.utime(file, ns=(stamp, stamp))
    assert changed(), "same size and modification time"
    file.rename(tmp_path / "b.md")
    assert changed()
    settings_file = write(tmp_path / "corpus.toml", "shards = 1")
    assert changed()
    write(settings_file, "shards = 2")
    assert changed()
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    assert changed()


def test_the_configuration_of_a_corpus_is_read_or_the_error_names_it(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    assert folder.config(Defaults(max_tokens=100)).chunker.max_tokens == 100
    target = write(tmp_path / "corpus.toml", "bad")
    with pytest.raises(ConfigError, match=r"corpus\.toml: it is not valid TOML"):
        folder.config()
    target.unlink()
    target.symlink_to("nowhere")
    with pytest.raises(ConfigError, match=r"corpus\.toml: cannot read it: broken link"):
        folder.config()


def test_a_folder_thousands_of_levels_deep_is_walked_or_reported(tmp_path: Path) -> None:
    write(tmp_path / "z.md")
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2_500):
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    folder = corpus(tmp_path)
    found = list(folder.files())
    assert documents(folder) == ["z.md"]
    assert [f.reason for f in found if isinstance(f, Skipped)] == [
        "unreadable folder: file name too long"
    ]
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # Python 3.11's own recurses


def test_listing_streams() -> None:
    with tempfile.TemporaryDirectory() as place:
        for number in range(20):
            os.mkdir(f"{place}/{number:02}")
            for name in range(200):
                write(Path(f"{place}/{number:02}/{name}.md"))
        tracemalloc.start()
        total = sum(1 for _ in corpus(Path(place)).files())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert total == 4_000
    assert peak < 400_000  # one folder of 200 names, not 4,000


def test_any_fsspec_url_is_a_root() -> None:
    store = fsspec.filesystem("memory")
    store.pipe("/sources-test/acme/docs/sub/b#1%.md", b"beta")
    store.pipe("/sources-test/acme/docs/a.md", b"alpha")
    store.pipe("/sources-test/acme/docs/corpus.toml", b'acl_labels = ["x"]')
    store.pipe("/sources-test/stray.md", b"")
    inventory = Sources("memory://sources-test").corpora()
    (folder,) = inventory.corpora
    assert [found.path for found in inventory.skipped] == ["stray.md"]
    assert documents(folder) == ["a.md", "sub/b#1%.md"]
    files = [file for file in folder.files() if isinstance(file, SourceFile)]
    assert [folder.read(file) for file in files] == [b"alpha", b"beta"]
    assert files[0].uri == "memory://sources-test/acme/docs/a.md"
    assert folder.config().acl_labels == ("x",)
    before = folder.fingerprint()
    assert folder.fingerprint() == before
    store.pipe("/sources-test/acme/docs/a.md", b"ALPHA")
    assert folder.fingerprint() != before
    with pytest.raises(DocumentTooLarge):
        folder.read(files[0], max_bytes=3)
    store.rm("/sources-test/acme/docs/a.md")
    with pytest.raises(ParseError, match="gone"):
        folder.read(files[0])
    with pytest.raises(StoreError, match="nothing was changed"):
        Sources("memory://sources-nowhere").corpora()
    with pytest.raises(StoreError, match="cannot open the sources"):
        Sources("nosuchprotocol://x").corpora()
