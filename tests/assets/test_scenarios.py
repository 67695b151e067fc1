"""What happens to a corpus over time, as files that anybody can read: `tests/scenarios/files`."""

import json
from pathlib import Path

import pytest

from rag_assets.partition_key import decode, encode
from rag_core.errors import ConfigError
from tests.scenarios import expectations
from tests.scenarios.driver import Driver
from tests.scenarios.interpreter import World, play
from tests.scenarios.running import CHUNK, PARSE

FILES = Path(__file__).parents[1] / "scenarios/files"
ALL = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES.glob("*.json")}
STORIES = sorted(name for name, found in ALL.items() if found["format"] == "rag-chunker-scenario/1")
NAMES = sorted(name for name, found in ALL.items() if found["format"] == "names/1")
KILLED = [name for name in STORIES if "kill_after_docs" in json.dumps(ALL[name])]


@pytest.mark.parametrize("name", STORIES)
def test_a_corpus_ends_as_its_scenario_says(name: str, tmp_path: Path) -> None:
    with Driver(kill_stage=CHUNK) as driver:
        play(FILES / f"{name}.json", driver, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", KILLED)
def test_it_does_not_matter_in_which_stage_a_run_is_killed(name: str, tmp_path: Path) -> None:
    with Driver(kill_stage=PARSE) as driver:
        play(FILES / f"{name}.json", driver, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_are_refused_or_come_back_exactly_and_stay_inside(
    name: str, tmp_path: Path
) -> None:
    pairs = [(found["tenant"], found["corpus"]) for found in ALL[name]["names"]]
    keys = {}
    world = World({}, tmp_path / "world", FILES.parent)
    with Driver() as driver:
        for number, pair in enumerate(pairs):
            try:
                keys[pair] = encode(*pair)
            except ConfigError:
                continue
            step = {"tenant": pair[0], "corpus": pair[1], "id": str(number)}
            world.do({**step, "op": "write", "path": "a.md", "text": f"only here {number}"})
            driver.run(world, {**step, "op": "run", "expect_exit": 0})
        for number, pair in enumerate(pairs):
            found = [row.text for row in driver.rows(pair)] if pair in keys else []
            assert found == ([f"only here {number}"] if pair in keys else [])
        beside = {path.name for path in driver.warehouse.parent.iterdir()}
        assert beside <= {"dagster", "warehouse"}
        assert {path.name for path in (tmp_path / "world").iterdir()} == {"src"}
    assert {decode(key) for key in keys.values()} == keys.keys()
    assert len(set(keys.values())) == len(keys)
    assert [key for key in keys.values() if key.count("/") != 1 or "," in key or "..." in key] == []


def test_every_expectation_of_the_scenarios_is_known() -> None:
    used = {
        key
        for name in STORIES
        for step in ALL[name]["steps"]
        if step["op"] == "assert"
        for key in step
    }
    assert [
        key for key in used - {"op", "tenant", "corpus"} if not hasattr(expectations, key)
    ] == []


def test_an_expectation_that_is_not_met_fails(tmp_path: Path) -> None:
    story = {
        "format": "rag-chunker-scenario/1",
        "steps": [
            {"op": "write", "path": "a.md", "text": "# A\n\nwords\n"},
            {"op": "run", "id": "r1"},
        ],
    }
    wrong = {
        "docs": ["b.md"], "n_docs": 2, "rows": 1, "chunks": {"a.md": 1}, "text_present": ["other"],
        "text_absent": ["words"], "count_text": {"words": 2}, "processed": {"r1": []},
        "status": {"a.md": "failed"}, "max_token_count": 0, "acl": {"a.md": ["x"]},
        "positions": {"a.md": [1]}, "headings": {"a.md": 2}, "asset_checks": {"r1": "failed"},
        "distinct_ids": False, "all_runs_ok": False, "partition_rows": {"t1/docs": 1},
        "tenant_text": {"t2": ["words"]},
    }  # fmt: skip
    world = World(story, tmp_path, FILES.parent)
    with Driver() as driver:
        world.do(story["steps"][0])
        driver.run(world, story["steps"][1])
        for name, value in wrong.items():
            with pytest.raises(AssertionError):
                driver.assert_(world, {"op": "assert", name: value})  # noqa: PT009 (a step)
