"""How do a partition's documents and chunks spread? Counted by the database, few rows come back."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_assets.plots import histogram, stacked_bars

if TYPE_CHECKING:
    import duckdb

__all__ = ["TokenFigures", "chunks_by_depth", "documents_by_type", "token_figures"]

_BREAK = "  \n"
"""A new line in Markdown. Narrow windows cut long lines off."""
_BARS = 16
"""Between 0 and the budget; one more stands for all that is over it."""
_STATUS_COLOURS = {
    "ok": "blue",
    "failed": "red",
    "no_text": "grey",
    "empty": "grey",
    "skipped": "grey",
}
_KIND_COLOURS = {"body": "blue", "heading": "grey"}


@dataclass(frozen=True)
class TokenFigures:
    """Tokens of a partition's body chunks; headings are chunks of their own, and not counted."""

    chunks: int
    tokens: int
    mean: float
    p95: int
    """95 of 100 chunks have at most so many."""
    budget: int
    """The largest that any document was chunked with; without one, the longest chunk."""
    counts: tuple[int, ...]
    """Chunks by sixteenths of the budget, and at the end those that are over it."""

    def plot(self) -> str:
        """The histogram, with the budget drawn in, as Markdown."""
        caption = (
            f"{self.chunks:,} body chunks, {self.mean:,.1f} tokens on average{_BREAK}"
            f"95% have at most {self.p95:,}, the budget is {self.budget:,}"
        )
        return histogram(self.counts, _BARS, "budget", self.budget / _BARS, "tokens", caption)


def token_figures(live: "duckdb.DuckDBPyConnection") -> TokenFigures:
    """Of the chunks file that is open as `live`."""
    chunks, tokens, mean, p95, longest = _rows(
        live,
        "SELECT count(*), coalesce(sum(token_count), 0)::BIGINT, coalesce(avg(token_count), 0), "
        "coalesce(quantile_disc(token_count, 0.95), 0), coalesce(max(token_count), 1) "
        "FROM chunks WHERE kind = 'body'",
    )[0]
    budget = _rows(live, "SELECT max(max_tokens) FROM chunked_documents")[0][0] or longest
    found = dict(
        _rows(
            live,
            "SELECT least(greatest((token_count * $bars - 1) // $budget, 0), $bars) AS bar, "
            "count(*) FROM chunks WHERE kind = 'body' GROUP BY bar",
            {"bars": _BARS, "budget": budget},
        )
    )
    counts = tuple(found.get(bar, 0) for bar in range(_BARS + 1))
    return TokenFigures(chunks, tokens, mean, p95, budget, counts)


def chunks_by_depth(live: "duckdb.DuckDBPyConnection") -> str:
    """A plot, as Markdown, of the chunks file `live`: how many headings stand above a chunk."""
    found: dict[str, dict[str, int]] = {}
    for depth, kind, count in _rows(
        live,
        "SELECT len(heading_path) AS depth, kind, count(*) FROM chunks "
        "GROUP BY ALL ORDER BY depth, kind",
    ):
        found.setdefault(str(depth), {})[kind] = count
    caption = f"chunks by number of headings above{_BREAK}body blue, headings themselves grey"
    return stacked_bars(found, _KIND_COLOURS, caption if found else "no chunks")


def documents_by_type(live: "duckdb.DuckDBPyConnection") -> str:
    """A plot, as Markdown, of the documents file `live`: kinds of files, and how they fared.

    A file's kind is its name's ending, which also those have that could not be read.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    statuses: Counter[str] = Counter()
    for kind, status, count in _rows(
        live,
        r"""
        SELECT coalesce(
            nullif(lower(regexp_extract(document_id, '\.([A-Za-z0-9]{1,8})$', 1)), ''),
            regexp_extract(mime_type, '[a-z0-9]+$'),
            '?'
        ) AS kind, status, count(*) FROM documents GROUP BY ALL ORDER BY kind
        """,
    ):
        found[kind][status] += count
        statuses[status] += count
    most_first = dict(sorted(found.items(), key=lambda row: -row[1].total()))
    told = [
        f"{count:,} {status.replace('_', ' ')} ({_STATUS_COLOURS.get(status, 'grey')})"
        for status, count in sorted(statuses.items())
    ]
    caption = f"documents by kind{_BREAK}{', '.join(told)}" if told else "no documents"
    return stacked_bars(most_first, _STATUS_COLOURS, caption)


def _rows(live: "duckdb.DuckDBPyConnection", sql: str, parameters: object = None) -> list[tuple]:  # type: ignore[type-arg]
    return live.execute(sql, parameters).fetchall()
