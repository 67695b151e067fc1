"""Documents that chunkers get wrong elsewhere, with what is expected of them.

Each case names where its symptom was reported. `python -m tests.cases.runner` runs other folders.
"""

import copy
import json
from pathlib import Path

import pytest

from tests.cases.grading import KEYS, complaints
from tests.cases.runner import documents_in, run

HERE = Path(__file__).parent
CASES = {case["id"]: case for case in documents_in(HERE)}


def source_of(case):
    return (HERE / case["input_file"]).read_bytes()


@pytest.mark.parametrize("name", CASES)
def test_a_document_gives_what_its_case_expects(name):
    case = CASES[name]
    assert complaints(case, source_of(case), run(HERE, case)) == []


@pytest.mark.parametrize(
    "name", [name for name, c in CASES.items() if (c.get("config") or {}).get("also")]
)
def test_further_settings_give_chunks_within_them_or_the_expected_error(name):
    case = CASES[name]
    for settings, result in zip(case["config"]["also"], run(HERE, case)["also"], strict=True):
        further = {**case, "config": settings}
        assert complaints(further, source_of(case), result) == []


def test_every_check_is_known():
    assert [(c["id"], key) for c in CASES.values() for key in c["checks"] if key not in KEYS] == []


def test_all_cases_are_run():
    listed = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
    assert [case["id"] for case in listed] == list(CASES)


BITES = {
    "headings": "MD-01",
    "parents": "MD-05",
    "heading_parents": "HI-01",
    "order": "MD-03",
    "kinds": "MD-01",
    "contains": "TK-01",
    "together": "MD-01",
    "each_once": "TK-11",
    "coverage": "TK-03",
    "concat_nows": "TK-05",
    "no_split_inside": "SE-01",
    "concat_equals_source": "UN-01",
    "n_chunks": "MD-13",
    "heading_texts": "DX-13",
    "same_block": "XL-01",
    "block_regex": "XL-05",
    "kind_between": "CS-01",
    "contains_ws": "PDF-01",
}


@pytest.mark.parametrize("key", BITES)
def test_a_check_complains_when_everything_is_lost(key):
    case = copy.deepcopy(CASES[BITES[key]])
    case["checks"] = {key: case["checks"][key]}
    result = {**run(HERE, case), "chunks": []}
    if key in ("order", "kinds", "same_block", "block_regex", "kind_between"):
        result["blocks"] = []
    found = complaints(case, source_of(case), result)
    assert found != []
    assert [complaint for complaint in found if not complaint.startswith(key)] == []
