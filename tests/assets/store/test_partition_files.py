"""Every name is a safe folder name, and comes back exactly."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.store.layout import Warehouse, folder_name
from rag_core.errors import StoreError

UNICODE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ODD = [".", "..", ".hidden", "a/b", "a\\b", "%41", "O'Brien; --", "NULL", "null", "a=b", "*", "a:b"]
ODD += ["é", "日本", "123", "2024-01-01", "a.", " "]
ODD += ["e\u0301", "\x00", "__HIVE_DEFAULT_PARTITION__"]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_come_back_from_the_file_system(tmp_path: Path, name: str) -> None:
    warehouse = Warehouse(tmp_path)
    partition = warehouse.partition(name, name)
    partition.folder.mkdir(parents=True)
    assert list(warehouse.partitions()) == [partition]
    assert partition.folder.parent.parent == tmp_path


@given(UNICODE, UNICODE)
@example("Acme", "acme")
@example("é", "e\u0301")
def test_two_names_never_share_a_folder_even_where_case_is_ignored(one: str, two: str) -> None:
    folders = {folder_name("tenant_id", name).casefold() for name in (one, two)}
    assert len(folders) == len({one, two})


@pytest.mark.parametrize("name", ["", "x" * 300, "\ud800"])
def test_a_name_that_cannot_be_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="tenant_id"):
        Warehouse(tmp_path).partition(name, "corpus")


def test_a_path_that_duckdb_cannot_open_is_refused() -> None:
    with pytest.raises(StoreError, match="choose another folder"):
        Warehouse(Path("/data/what?"))


def test_removing_a_partition_leaves_its_neighbour(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    gone, stays = warehouse.partition("a", "one"), warehouse.partition("a", "two")
    for partition in (gone, stays):
        partition.folder.mkdir(parents=True)
        partition.chunks.live.touch()
    assert warehouse.remove(gone, run_id="r") is True
    assert warehouse.remove(gone, run_id="r") is False
    assert list(warehouse.partitions()) == [stays]
    assert warehouse.remove(stays, run_id="r") is True
    assert [path.name for path in tmp_path.iterdir()] == [".locks"]
