"""What a scenario may expect: one function a key of an `assert` step.

Each takes the driver, the world, the pair that the step is about, and the expected value.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from rag_assets.partition_key import encode
from rag_assets.store.layout import Warehouse
from rag_assets.store.locking import locked
from rag_chunker.pipeline import parse_document
from rag_core.errors import ConfigError
from rag_core.types import CorpusId, DocumentId, Source, TenantId
from tests.scenarios import stored

if TYPE_CHECKING:
    from tests.scenarios.driver import Driver, Pair

REFUSED = ConfigError
"""What a name that cannot be one raises."""


def docs(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    assert sorted(_by_document(driver, pair)) == sorted(expected)


def docs_include(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    assert [path for path in expected if path not in _by_document(driver, pair)] == []


def n_docs(driver: Driver, world: Any, pair: Pair, expected: int) -> None:
    assert len(_by_document(driver, pair)) == expected


def max_docs(driver: Driver, world: Any, pair: Pair, expected: int) -> None:
    assert len(_by_document(driver, pair)) <= expected


def chunks(driver: Driver, world: Any, pair: Pair, expected: dict[str, int]) -> None:
    found = _by_document(driver, pair)
    assert {path: len(found.get(path, ())) for path in expected} == expected


def rows(driver: Driver, world: Any, pair: Pair, expected: int) -> None:
    assert len(driver.rows(pair)) == expected


def partition_rows(driver: Driver, world: Any, pair: Pair, expected: dict[str, int]) -> None:
    found = {}
    for name in expected:
        tenant, _, corpus = name.rpartition("/")
        found[name] = len(driver.rows((tenant, corpus)))
    assert found == expected


def positions(driver: Driver, world: Any, pair: Pair, expected: dict[str, list[int]]) -> None:
    found = _by_document(driver, pair)
    assert {path: [row.position for row in found[path]] for path in expected} == expected


def headings(driver: Driver, world: Any, pair: Pair, expected: dict[str, int]) -> None:
    found = _by_document(driver, pair)
    counted = {path: sum(row.kind == "heading" for row in found.get(path, ())) for path in expected}
    assert counted == expected


def text_present(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    assert [text for text in _listed(expected) if _containing(driver, pair, text) == 0] == []


def text_absent(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    assert [text for text in _listed(expected) if _containing(driver, pair, text) > 0] == []


def count_text(driver: Driver, world: Any, pair: Pair, expected: dict[str, int]) -> None:
    assert {text: _containing(driver, pair, text) for text in expected} == expected


def count_prefix(driver: Driver, world: Any, pair: Pair, expected: dict[str, int]) -> None:
    texts = [row.text for row in driver.rows(pair)]
    assert {p: sum(text.startswith(p) for text in texts) for p in expected} == expected


def tenant_text(driver: Driver, world: Any, pair: Pair, expected: dict[str, list[str]]) -> None:
    """These texts stand under that tenant, and under no other."""
    everywhere = stored.rows(driver.warehouse)
    for tenant, texts in expected.items():
        for text in _listed(texts):
            assert {row.tenant for row in everywhere if text in row.text} == {tenant}


def distinct_ids(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    ids = [row.id for row in stored.rows(driver.warehouse)]
    assert (len(ids) == len(set(ids))) is expected


def same_ids(driver: Driver, world: Any, pair: Pair, expected: Any) -> None:
    names = expected.get("runs") if isinstance(expected, dict) else expected
    assert len({str(driver.runs[name].ids) for name in names}) == 1


def processed(driver: Driver, world: Any, pair: Pair, expected: dict[str, list[str]]) -> None:
    assert {name: sorted(driver.runs[name].processed) for name in expected} == {
        name: sorted(paths) for name, paths in expected.items()
    }


def skipped(driver: Driver, world: Any, pair: Pair, expected: dict[str, list[str]]) -> None:
    """Documents that a run left alone."""
    for name, paths in expected.items():
        ran = driver.runs[name]
        left_alone = ran.ids.keys() - set(ran.processed)
        assert [path for path in paths if path not in left_alone] == []


def unchanged_docs(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    before: dict[str, list[str]] = defaultdict(list)
    for row in driver.before[pair]:
        before[row.document].append(row.id)
    now = _by_document(driver, pair)
    assert [p for p in expected if before[p] != [row.id for row in now.get(p, ())]] == []
    assert [p for p in expected if not before[p]] == []


def status(driver: Driver, world: Any, pair: Pair, expected: dict[str, str]) -> None:
    found = {path: _status(driver, pair, path)[0] for path in expected}
    assert found == expected


def status_has_reason(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    assert [path for path in expected if not _status(driver, pair, path)[1]] == []


def acl(driver: Driver, world: Any, pair: Pair, expected: dict[str, list[str]]) -> None:
    """On every chunk of the document: headings, pieces, overlapping pieces."""
    found = _by_document(driver, pair)
    for path, labels in expected.items():
        assert {tuple(row.labels or ()) for row in found[path]} == {tuple(labels)}


def acl_all_chunks(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    for path, found in _by_document(driver, pair).items():
        configured = world.acl.get((*pair, path))
        if configured is not None:
            wanted = sorted(set(configured))
            assert [row for row in found if row.labels != wanted] == []


def acl_not_null(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    found = _by_document(driver, pair)
    assert [row for path in expected for row in found[path] if row.labels is None] == []


def hash_matches_text(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    """The file's bytes have the stored hash, and parsing them gives the stored text."""
    found = _by_document(driver, pair)
    for path, document in stored.documents(driver.warehouse, *pair).items():
        file = world.root(*pair) / path
        if document["status"] != "ok" or not file.is_file():
            continue
        data = file.read_bytes()
        assert document["hash"] == hashlib.sha256(data).hexdigest()
        source = Source(
            document_id=DocumentId(path),
            tenant_id=TenantId(pair[0]),
            corpus_id=CorpusId(pair[1]),
            uri=str(file),
        )
        text = parse_document(source, data).text
        assert [row.text for row in found[path] if row.text not in text] == []


def max_token_count(driver: Driver, world: Any, pair: Pair, expected: int) -> None:
    body = [row for row in driver.rows(pair) if row.kind == "body"]
    assert [row for row in body if row.tokens > expected] == []


def all_runs_ok(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    bad = {n: ran.outcome.messages for n, ran in driver.runs.items() if ran.outcome.exit != 0}
    assert (not bad) is expected, bad


def no_crash(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    assert {n: ran.outcome.crash for n, ran in driver.runs.items() if ran.outcome.crash} == {}


def no_lock_after(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    """Every lock is free, and nothing half-written lies about."""
    for partition in Warehouse(driver.warehouse).partitions():
        for file in partition.files:
            with locked(file.lock, run_id="expectation"):
                pass
        assert [p.name for p in partition.folder.iterdir() if p.suffix != ".duckdb"] == []


def atomic_docs(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    """Each document is wholly as before the last run, or wholly as after an undisturbed one."""
    new: dict[str, list[str]] = defaultdict(list)
    prefix = len(encode(*pair)) + 1
    for chunk_id, document_id, *_ in driver.fresh(world, pair)["chunks"]:
        new[document_id[prefix:]].append(chunk_id)
    old: dict[str, list[str]] = defaultdict(list)
    for row in driver.before[pair]:
        old[row.document].append(row.id)
    for path, found in _by_document(driver, pair).items():
        assert [row.id for row in found] in (old[path], new[path]), path
        assert [row.position for row in found] == list(range(len(found)))
    assert [path for path in old if old[path] and path not in _by_document(driver, pair)] == []


def rows_equal_fresh(driver: Driver, world: Any, pair: Pair, expected: bool) -> None:
    assert stored.everything(driver.warehouse, *pair) == driver.fresh(world, pair)


def asset_checks(driver: Driver, world: Any, pair: Pair, expected: dict[str, str]) -> None:
    for name, wanted in expected.items():
        ran = driver.runs[name]
        passed = all(ran.outcome.checks.values()) and ran.outcome.checks != {}
        assert ("passed" if passed else "failed") == wanted, ran.outcome.messages
        if not passed:
            assert encode(*ran.pair) in ran.outcome.messages


def run_requested(driver: Driver, world: Any, pair: Pair, expected: str | list[str]) -> None:
    assert [name for name in _listed(expected) if not driver.ticks[name].launched] == []


def no_run_requested(driver: Driver, world: Any, pair: Pair, expected: str | list[str]) -> None:
    assert [name for name in _listed(expected) if driver.ticks[name].requests] == []


def run_has_partition_key(driver: Driver, world: Any, pair: Pair, expected: Any) -> None:
    wanted = expected if isinstance(expected, dict) else dict.fromkeys(_listed(expected))
    for name, key in wanted.items():
        keys = {request.partition_key for request in driver.ticks[name].requests}
        assert keys
        assert None not in keys
        assert key is None or key in keys


def no_tick_error(driver: Driver, world: Any, pair: Pair, expected: Any) -> None:
    names = driver.ticks if expected is True else _listed(expected)
    assert {n: driver.ticks[n].error for n in names if driver.ticks[n].error} == {}


def partition_keys_absent(driver: Driver, world: Any, pair: Pair, expected: list[str]) -> None:
    """Keys, or names of tenants."""
    keys = driver.instance.get_dynamic_partitions("rag_corpora")
    tenants = [key.partition("/")[0] for key in keys]
    assert [name for name in _listed(expected) if name in {*keys, *tenants}] == []


def _by_document(driver: Driver, pair: Pair) -> dict[str, list[stored.Row]]:
    found: dict[str, list[stored.Row]] = {}
    for row in driver.rows(pair):
        found.setdefault(row.document, []).append(row)
    return found


def _containing(driver: Driver, pair: Pair, text: str) -> int:
    return sum(text in row.text for row in driver.rows(pair))


def _status(driver: Driver, pair: Pair, path: str) -> tuple[str | None, str | None]:
    known = stored.documents(driver.warehouse, *pair).get(path)
    if known is not None:
        return known["status"], known["error"]
    for ran in reversed(driver.runs.values()):
        with contextlib.suppress(KeyError):
            if ran.pair == pair:
                return "skipped", ran.outcome.skipped[path]
    return None, None


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
