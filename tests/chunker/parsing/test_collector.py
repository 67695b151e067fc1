"""The cycle collector pauses only where there are no cycles, and never stays off."""

import gc
import json
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from workbook_files import rows, xlsx

from rag_chunker.parsing import collector, parse
from rag_chunker.parsing.collector import paused_collector
from rag_core.errors import ParseError
from rag_core.types import CorpusId, DocumentId, Source, TenantId

MARKDOWN = """# Title

Text[^1] with *marks*, `code`, <b>tags</b> and a [link](http://example.org).

- one
  > two

| a | b |
|---|---|
| 1 | 2 |

<table><tr><td>cell</td></tr></table>

[^1]: Note.
"""
SAMPLE = Path(__file__).parents[3] / "rag_assets" / "sample" / "acme"
CELLS = [{"cell_type": "markdown", "source": MARKDOWN}, {"cell_type": "code", "source": "f()"}]
DOCUMENTS = {
    "a.csv": b'a,b\n1,"x\ny"\n',
    "a.json": b'{"a": [{"b": 1}, {"b": 2}], "c": {"d": ["e"]}}',
    "a.jsonl": b'{"a": 1}\n{"a": 2}\nbad\n',
    "a.md": MARKDOWN.encode(),
    "a.ipynb": json.dumps({"cells": CELLS}).encode(),
    "a.xlsx": xlsx(rows("Item | Qty", "Bolt | 4")),
    "a.html": (SAMPLE / "handbook/hr/parental-leave.html").read_bytes(),
    "a.docx": (SAMPLE / "handbook/mentoring-guide.docx").read_bytes(),
    "a.odt": (SAMPLE / "handbook/visitor-guide.odt").read_bytes(),
    "a.epub": (SAMPLE / "products/support/small-book-of-wells.epub").read_bytes(),
}


def source(name: str) -> Source:
    return Source(
        document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri=name
    )


@pytest.fixture
def collector_off() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.usefixtures("collector_off")
def test_no_parser_that_pauses_it_makes_cycles(name: str) -> None:
    parse(source(name), DOCUMENTS[name])  # the first one of its kind imports its library
    gc.collect()
    parse(source(name), DOCUMENTS[name])
    assert gc.collect() == 0


@pytest.mark.parametrize("name", [*DOCUMENTS, "broken.xlsx", "broken.ipynb"])
def test_it_is_on_again_behind_every_document(name: str) -> None:
    try:
        parse(source(name), DOCUMENTS.get(name, b"{}"))
    except ParseError:
        assert "broken" in name
    assert gc.isenabled()


@pytest.mark.usefixtures("collector_off")
def test_who_switched_it_off_keeps_it_off() -> None:
    with paused_collector():
        pass
    assert not gc.isenabled()


TABLE = b"a,b\n" + b"1,2\n" * 2_000


def test_the_rows_of_a_table_are_not_looked_at_when_it_is_read() -> None:
    parse(source("a.csv"), TABLE)
    looks = gc.get_stats()
    document = parse(source("a.csv"), TABLE)
    assert gc.get_count()[0] < gc.get_threshold()[0] < len(document.blocks)
    assert [each["collections"] for each in gc.get_stats()] == [
        each["collections"] for each in looks
    ]


class Knot:
    """An object in a cycle."""

    def __init__(self) -> None:
        self.itself = self


def test_cycles_of_others_that_went_past_are_collected_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As two million objects do, which take seconds to make.
    monkeypatch.setattr(collector, "_MOST_UNSEEN", 20_000)
    knot = weakref.ref(Knot())
    for _ in range(20):
        parse(source("a.csv"), TABLE)
    assert knot() is None


def test_what_somebody_froze_stays_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    # What it finds out about this process is forgotten when the test ends.
    monkeypatch.setattr(collector, "_passes", True)
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        parse(source("a.csv"), TABLE)
        assert gc.get_freeze_count() > 0.9 * frozen
    finally:
        gc.unfreeze()
