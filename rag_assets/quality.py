"""Is a partition fit to be published? The invariants of its chunks, checked on the staging file.

One SQL file each in `invariants/`, which gives the rows that offend; two more need the documents'
text and a tokenizer, and read chunk by chunk. What this run did not touch was checked when it was
published: only the documents in `scope` are looked at, save where a question is about all of them
and cheap.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from rag_assets.partition_key import encode
from rag_assets.store import documents
from rag_assets.store.layout import StoreFile
from rag_assets.store.rows import incoming, line
from rag_assets.store.staging import Staging
from rag_chunker.tokens import TokenCounter
from rag_core.text import is_blank
from rag_core.types import ParsedDocument

if TYPE_CHECKING:
    import duckdb

__all__ = ["InvariantResult", "Offender", "check", "invariants"]

_SHOWN = 20  # offenders that a result lists
_QUOTED = 200  # characters of an offending chunk
_CHUNKS_AT_ONCE = 2_000  # whose text is in memory, unless one document has more
_KEYS = {"document_id": "VARCHAR", "key": "VARCHAR"}


Texts = Callable[[Sequence[str]], Iterable[ParsedDocument]]
Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Offender:
    """A row that breaks an invariant."""

    document_id: str
    position: int | None
    """The chunk's position; None if it is about the document."""
    chunk_id: str | None
    what: str
    content: str | None = None
    """How the chunk's content begins."""


@dataclass(frozen=True)
class InvariantResult:
    """How one invariant fared."""

    name: str
    description: str
    severity: Severity
    passed: bool
    checked: int
    """How many chunks were looked at."""
    offender_count: int
    offenders: tuple[Offender, ...]
    """The first 20."""


@dataclass(frozen=True)
class Invariant:
    """What must hold: its name, one sentence, and SQL for the rows that offend ('' if read)."""

    name: str
    description: str
    next_step: str
    """What is to be thought of it, and done, if it does not hold."""
    severity: Severity = "error"
    sql: str = ""


_BLAMED = (
    "the chunker of the corpus breaks its contract: name another one in corpus.toml, and tell its "
    "author."
)
_SLICES = Invariant(
    "slices",
    "Chunks are slices of their document's text: all of it, once, in order.",
    _BLAMED,
)
_TOKENS = Invariant("token_count", "A chunk's token_count is the count of its content.", _BLAMED)


@cache
def invariants() -> tuple[Invariant, ...]:
    """All invariants, by name."""
    folder = files("rag_assets").joinpath("invariants")
    found = [
        _parse(entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".sql")
    ]
    return tuple(sorted([*found, _SLICES, _TOKENS], key=lambda invariant: invariant.name))


def check(
    staging: Staging,
    corpus: StoreFile,
    counter: TokenCounter,
    *,
    texts: Texts | None = None,
    current_keys: Iterable[tuple[str, str]] = (),
    everything: bool = False,
    recount: int = 5_000,
) -> list[InvariantResult]:
    """Check the staged chunks; one result per invariant, in the order of `invariants()`.

    `corpus` is the partition's documents file. `texts` gives the documents that were chunked (in
    any order), where they differ from what that file holds: with OCR's words stitched in.
    `current_keys` are (document_id, key) as chunking would use now. Looks at the documents that
    this run touched, or at `everything`. Tokens are recounted for all chunks looked at if they are
    at most `recount`, else for about so many, chosen by a hash of their ids.
    """
    connection = staging.connection
    lines = (line(_KEYS, pair) for pair in current_keys)
    with (
        _attached(connection, corpus),
        incoming(connection, "current_keys", _KEYS, lines, staging.file.rows),
    ):
        key = encode(corpus.tenant_id, corpus.corpus_id)
        connection.execute("SET VARIABLE partition_key = ?", [key])
        checked = _choose(connection, None if everything else staging.run_id)
        results = {
            invariant.name: _by_sql(connection, invariant, checked)
            for invariant in invariants()
            if invariant.sql
        }
        reading = _Reading(counter, step=-(-checked // recount) if recount else 0)
        with connection.cursor() as reader:
            reader.execute("USE corpus")
            read = texts or (lambda ids: documents.read(reader, ids))
            for batch in _batches(connection):
                reading.look_at(_chunks(connection, batch), read(batch))
        results[_SLICES.name] = reading.slices.result(_SLICES)
        results[_TOKENS.name] = reading.tokens.result(_TOKENS)
    return [_quoting(connection, results[invariant.name]) for invariant in invariants()]


def _parse(name: str, text: str) -> Invariant:
    header = [row[3:] for row in text.splitlines() if row.startswith("-- ")]
    severity: Severity = "warning" if "severity: warning" in header else "error"
    told = " ".join(row for row in header if not row.startswith("severity: "))
    sentence, _, next_step = told.partition(" If not: ")
    return Invariant(name, sentence, next_step, severity, text)


class _attached:  # noqa: N801 # reads as a phrase after `with`
    """The documents file under the name `corpus`, for the time of the block."""

    def __init__(self, connection: "duckdb.DuckDBPyConnection", corpus: StoreFile) -> None:
        self._connection, self._path = connection, str(corpus.live)

    def __enter__(self) -> None:
        quoted = self._path.replace("'", "''")  # no parameters in ATTACH (DuckDB 1.5.5)
        self._connection.execute(f"ATTACH '{quoted}' AS corpus (READ_ONLY)")

    def __exit__(self, *exception: object) -> None:
        self._connection.execute("DROP VIEW IF EXISTS checked")
        self._connection.execute("DROP TABLE IF EXISTS scope")
        self._connection.execute("DETACH corpus")


def _choose(connection: "duckdb.DuckDBPyConnection", run_id: str | None) -> int:
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE scope AS "
        "SELECT document_id FROM chunked_documents WHERE $run IS NULL OR run_id = $run UNION "
        "SELECT document_id FROM chunk_changes WHERE $run IS NULL OR run_id = $run UNION "
        "SELECT document_id FROM chunks WHERE $run IS NULL",
        {"run": run_id},
    )
    connection.execute(
        "CREATE OR REPLACE TEMP VIEW checked AS SELECT * FROM chunks "
        "WHERE document_id IN (SELECT document_id FROM scope)"
    )
    return _int(connection.execute("SELECT count(*) FROM checked"))


def _by_sql(
    connection: "duckdb.DuckDBPyConnection", invariant: Invariant, checked: int
) -> InvariantResult:
    rows = connection.execute(
        "SELECT document_id, position, chunk_id, what, count(*) OVER () "
        f"FROM (\n{invariant.sql}\n) ORDER BY document_id, position LIMIT {_SHOWN}"
    ).fetchall()
    count = rows[0][-1] if rows else 0
    offenders = tuple(Offender(*row[:-1]) for row in rows)
    return InvariantResult(
        name=invariant.name,
        description=invariant.description,
        severity=invariant.severity,
        passed=count == 0,
        checked=checked,
        offender_count=count,
        offenders=offenders,
    )


def _quoting(connection: "duckdb.DuckDBPyConnection", result: InvariantResult) -> InvariantResult:
    """The same, with the beginnings of the offending chunks."""
    if result.passed:
        return result
    places = [(one.document_id, one.position) for one in result.offenders]
    found = {
        (document_id, position): content
        for document_id, position, content in connection.execute(
            "SELECT document_id, position, left(content, ?) FROM chunks "
            "WHERE list_contains(?::VARCHAR[], document_id) "
            "AND list_contains(?::INTEGER[], position)",
            [_QUOTED, [place[0] for place in places], [place[1] for place in places]],
        ).fetchall()
    }
    quoted = tuple(
        replace(one, content=found.get(place))
        for one, place in zip(result.offenders, places, strict=True)
    )
    return replace(result, offenders=quoted)


def _batches(connection: "duckdb.DuckDBPyConnection") -> Iterator[list[str]]:
    """Documents in scope whose chunks are those of the present text, a few thousand chunks each."""
    rows = connection.execute(
        "SELECT document_id, n_chunks FROM chunked_documents SEMI JOIN scope USING (document_id) "
        "WHERE status <> 'failed' ORDER BY rowid"
    ).fetchall()
    batch: list[str] = []
    size = 0
    for document_id, n_chunks in rows:
        if batch and size + n_chunks > _CHUNKS_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(document_id)
        size += n_chunks
    if batch:
        yield batch


def _chunks(
    connection: "duckdb.DuckDBPyConnection", batch: list[str]
) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {document_id: [] for document_id in batch}
    rows = connection.execute(
        "SELECT document_id, position, id, content, start_offset, end_offset, overlap, "
        "token_count, tokenizer FROM chunks JOIN (SELECT document_id, any_value(tokenizer) "
        "AS tokenizer FROM chunked_documents GROUP BY document_id) USING (document_id) "
        "WHERE document_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY document_id, position",
        [batch],
    ).fetchall()
    for document_id, *row in rows:
        found[document_id].append(tuple(row))
    return found


@dataclass
class _Tally:
    checked: int = 0
    count: int = 0
    offenders: list[Offender] = field(default_factory=list)

    def add(self, offender: Offender) -> None:
        self.count += 1
        if len(self.offenders) < _SHOWN:
            self.offenders.append(offender)

    def result(self, invariant: Invariant) -> InvariantResult:
        return InvariantResult(
            name=invariant.name,
            description=invariant.description,
            severity=invariant.severity,
            passed=self.count == 0,
            checked=self.checked,
            offender_count=self.count,
            offenders=tuple(self.offenders),
        )


@dataclass
class _Reading:
    """What can only be seen by reading the text: one document at a time, each character once."""

    counter: TokenCounter
    step: int
    """Every how-manyth chunk to recount; 0 for none."""
    slices: _Tally = field(default_factory=_Tally)
    tokens: _Tally = field(default_factory=_Tally)

    def look_at(
        self, chunks: dict[str, list[tuple[Any, ...]]], parsed: Iterable[ParsedDocument]
    ) -> None:
        for document_id, rows in chunks.items():
            self._recount(document_id, rows)
        unread = dict(chunks)
        for document in parsed:
            rows = unread.pop(document.document.id, [])
            self._compare(document.document.id, rows, document.text)
        for document_id in unread:
            self.slices.add(Offender(document_id, None, None, "has no text to compare with"))

    def _recount(self, document_id: str, rows: list[tuple[Any, ...]]) -> None:
        for position, chunk_id, content, *_, token_count, tokenizer in rows:
            chosen = self.step and zlib.crc32(chunk_id.encode()) % self.step == 0
            if chosen and content is not None and tokenizer == self.counter.name():
                self.tokens.checked += 1
                found = self.counter.count(content)
                if found != token_count:
                    what = f"token_count is {token_count}, its content has {found}"
                    self.tokens.add(Offender(document_id, position, chunk_id, what))

    def _compare(self, document_id: str, rows: list[tuple[Any, ...]], text: str) -> None:
        seen = 0
        for position, chunk_id, content, start, end, overlap, *_ in rows:
            self.slices.checked += 1
            what = ""
            if content is not None and content[overlap:] != text[start:end]:
                what = f"is not the text's characters {start} to {end}"
            elif start < seen:
                what = f"repeats the text's characters from {start} to {min(seen, end)}"
            elif not is_blank(text[seen:start]):
                what = f"leaves out the text's characters {seen} to {start} before it"
            if what:
                self.slices.add(Offender(document_id, position, chunk_id, what))
            seen = max(seen, end)
        if not is_blank(text[seen:]):
            what = f"its chunks leave out the text from character {seen} on"
            self.slices.add(Offender(document_id, None, None, what))


def _int(result: "duckdb.DuckDBPyConnection") -> int:
    row = result.fetchone()
    return int(row[0]) if row else 0
