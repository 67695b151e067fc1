"""What a case expects, checked against its result: each key of `checks` is one question.

Texts are compared with runs of white space as one space, unless a key says otherwise.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import regex

from rag_chunker import TiktokenCounter, split_sentences
from rag_core.text import is_blank

__all__ = ["KEYS", "complaints"]

_count = TiktokenCounter("cl100k_base").count


class Outcome(NamedTuple):
    """A result, seen from the questions."""

    source: str
    result: dict[str, Any]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        return self.result["chunks"]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [chunk for chunk in self.chunks if chunk["kind"] == "body"]

    @property
    def headings(self) -> list[dict[str, Any]]:
        return [chunk for chunk in self.chunks if chunk["kind"] == "heading"]

    @property
    def text(self) -> str:
        return "\n".join(chunk["text"] for chunk in self.chunks)

    @property
    def block_text(self) -> str:
        return "\n".join(block["text"] for block in self.result["blocks"])

    def parent(self, chunk: dict[str, Any]) -> dict[str, Any] | None:
        return next((c for c in self.chunks if c["id"] == chunk["parent_id"]), None)


def complaints(case: dict[str, Any], source: bytes, result: dict[str, Any]) -> list[str]:
    """Everything in which `result` is not what `case` expects; empty if all is well."""
    checks = case["checks"]
    if result["error"] is not None:
        expected = (checks.get("error"), checks.get("or_error"))
        return [] if result["error"] in expected else [f"raised {result['reason']}"]
    if "error" in checks:
        return [f"did not raise {checks['error']}"]
    if result["status"] in checks.get("or_status", ()):
        return []
    if result["status"] == "failed" and "failed" not in _statuses(checks):
        return [f"failed: {result['reason']}"]
    outcome = Outcome("" if b"\0" in source else source.decode("utf-8", "replace"), result)
    budget = (case.get("config") or {}).get("max_tokens", 512)
    found = [*_always(outcome, budget)]
    for key, expected in checks.items():
        if key in _QUESTIONS:
            found += [f"{key}: {offender!r}" for offender in _QUESTIONS[key](outcome, expected)]
    return found


def _always(outcome: Outcome, budget: int) -> Iterator[str]:
    open_headings: list[dict[str, Any]] = []
    for position, chunk in enumerate(outcome.chunks):
        text, is_heading = chunk["text"], chunk["kind"] == "heading"
        while is_heading and open_headings and open_headings[-1]["level"] >= chunk["level"]:
            open_headings.pop()
        parent = open_headings[-1]["id"] if open_headings else None
        checks = {
            "position": chunk["position"] == position,
            "parent": chunk["parent_id"] == parent,
            "token count": chunk["token_count"] == _count(text),
            "budget": is_heading or _count(text) <= budget,
            "blank": not is_blank(text),
            "NUL or surrogate": not re.search("[\0\ud800-\udfff]", text),
            "U+FFFD": "\ufffd" not in text or "\ufffd" in outcome.source,
        }
        yield from (f"{name} of chunk {position}" for name, fine in checks.items() if not fine)
        if is_heading:
            open_headings.append(chunk)
    if len({chunk["id"] for chunk in outcome.chunks}) < len(outcome.chunks):
        yield "ids repeat"


def _statuses(checks: dict[str, Any]) -> list[str]:
    """Those that a case accepts by name."""
    return [checks.get("status", ""), *checks.get("status_in", ())]


Question = Callable[[Outcome, Any], list[Any]]
"""The offenders: what of the expected is not so."""


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _bare(text: str) -> str:
    return "".join(text.split())


def _holding(chunks: list[dict[str, Any]], *parts: str) -> list[dict[str, Any]]:
    return [c for c in chunks if all(_spaced(part) in _spaced(c["text"]) for part in parts)]


def _headings(outcome: Outcome, expected: list[list[Any]]) -> list[Any]:
    found = [[chunk["level"], _spaced(chunk["text"])] for chunk in outcome.headings]
    return [] if found == expected else [found]


def _parents(outcome: Outcome, expected: dict[str, str | None]) -> list[Any]:
    return _wrong_parents(outcome, outcome.bodies, expected)


def _heading_parents(outcome: Outcome, expected: dict[str, str | None]) -> list[Any]:
    exact = [c | {"text": _spaced(c["text"])} for c in outcome.headings]
    chosen = [c for c in exact if c["text"] in expected]
    return _wrong_parents(outcome, chosen, expected)


def _wrong_parents(
    outcome: Outcome, chunks: list[dict[str, Any]], expected: dict[str, str | None]
) -> list[Any]:
    wrong = []
    for part, title in expected.items():
        first = next(iter(_holding(chunks, part)), None)
        parent = outcome.parent(first) if first else None
        found = _spaced(parent["text"]) if parent else None
        if first is None or found != (title and _spaced(title)):
            wrong.append((part, "not found" if first is None else found))
    return wrong


def _parent_positions(outcome: Outcome, expected: dict[str, int]) -> list[Any]:
    found = {
        _spaced(chunk["text"]): parent["position"]
        for chunk in reversed(outcome.bodies)
        if (parent := outcome.parent(chunk))
    }
    return [part for part, position in expected.items() if found.get(part) != position]


def _order(outcome: Outcome, expected: list[str]) -> list[str]:
    text, at, wrong = _spaced(outcome.block_text), 0, []
    for part in map(_spaced, expected):
        found = text.find(part, at)
        if found < 0:
            wrong.append(part)
        at = max(at, found)
    return wrong


def _grapheme_safe(outcome: Outcome, _: bool) -> list[str]:
    """Chunks whose edges lie inside a grapheme cluster of the source (white space aside)."""
    edges, offset = {0}, 0
    for cluster in regex.findall(r"\X", outcome.source):
        offset += len(_bare(cluster))
        edges.add(offset)
    source, at, torn = _bare(outcome.source), 0, []
    for text in (_bare(chunk["text"]) for chunk in outcome.bodies):
        at = source.find(text, at)
        if at < 0 or at not in edges or at + len(text) not in edges:
            torn.append(text)
    return torn


def _coverage(outcome: Outcome, _: bool) -> list[str]:
    """The text of the blocks from where it is no longer covered; chunks may overlap."""
    blocks = outcome.result["blocks"]
    text = _bare("".join(block["text"] for block in blocks if block["kind"] != "heading"))
    reached = {0}
    for part in (_bare(chunk["text"]) for chunk in outcome.bodies):
        reached = {
            max(end, start + len(part))
            for end in reached
            for start in range(max(0, end - len(part)), end + 1)
            if text.startswith(part, start)
        }
        reached = set(sorted(reached)[-50:])
    return [] if len(text) in reached else [text[max(reached, default=0) :]]


def _overlap_range(outcome: Outcome, expected: list[int]) -> list[Any]:
    least, most = expected
    found = []
    for before, chunk in pairwise(outcome.bodies):
        if chunk["position"] != before["position"] + 1:
            continue
        first, second = before["text"].strip(), chunk["text"].strip()
        ends = (k for k in range(len(second), 0, -1) if first.endswith(second[:k]))
        found.append((chunk["position"], _count(second[: next(ends, 0)])))
    return [pair for pair in found if not least <= pair[1] <= most]


def _progress(outcome: Outcome, pattern: str) -> list[str]:
    seen: set[str] = set()
    stuck = []
    for chunk in outcome.bodies:
        new = set(re.findall(pattern, chunk["text"])) - seen
        if not new:
            stuck.append(chunk["text"])
        seen |= new
    return stuck


def _times(outcome: Outcome, part: str) -> int:
    """How often `part` occurs; one that ends in a space stands before a gap or the end."""
    ending = " " if part[-1:].isspace() else ""
    return (_spaced(outcome.text) + " ").count(_spaced(part) + ending)


def _in_word_bounds(outcome: Outcome, part: str) -> int:
    whole = re.compile(rf"(?<!\w){re.escape(_spaced(part))}(?!\w)")
    return sum(whole.search(_spaced(chunk["text"])) is not None for chunk in outcome.bodies)


def _blocks_of(outcome: Outcome, kind: str) -> int:
    return sum(block["kind"] == kind for block in outcome.result["blocks"])


def _is_in_a_block(outcome: Outcome, parts: list[str]) -> bool:
    texts = (_spaced(block["text"]) for block in outcome.result["blocks"])
    return any(all(_spaced(part) in text for part in parts) for text in texts)


def _under(outcome: Outcome, title: str) -> list[dict[str, Any]]:
    parents = ((chunk, outcome.parent(chunk)) for chunk in outcome.bodies)
    return [chunk for chunk, parent in parents if parent and _spaced(parent["text"]) == title]


_QUESTIONS: dict[str, Question] = {
    "headings": _headings,
    "parents": _parents,
    "heading_parents": _heading_parents,
    "parent_positions": _parent_positions,
    "order": _order,
    "grapheme_safe": _grapheme_safe,
    "coverage": _coverage,
    "overlap_range": _overlap_range,
    "progress": _progress,
    "heading_texts": lambda o, texts: [
        found for found in [[_spaced(c["text"]) for c in o.headings]] if found != texts
    ],
    "status_in": lambda o, known: [s for s in [o.result["status"]] if s not in known],
    "not_ok_empty": lambda o, _: [s for s in [o.result["status"]] if s == "ok" and not o.chunks],
    "ocr_contains": lambda o, parts: [
        p for p in parts if _spaced(p).lower() not in _spaced(o.text).lower()
    ],
    "status": lambda o, status: [s for s in [o.result["status"]] if s != status],
    "kinds": lambda o, kinds: [
        (kind, found) for kind, number in kinds.items() if (found := _blocks_of(o, kind)) != number
    ],
    "max_kind": lambda o, kinds: [
        (kind, found) for kind, most in kinds.items() if (found := _blocks_of(o, kind)) > most
    ],
    "kind_between": lambda o, kinds: [
        (kind, found)
        for kind, (least, most) in kinds.items()
        if not least <= (found := _blocks_of(o, kind)) <= most
    ],
    "same_block": lambda o, groups: [g for g in groups if not _is_in_a_block(o, g)],
    "block_regex": lambda o, patterns: [
        p for p in patterns if not any(re.search(p, _spaced(b["text"])) for b in o.result["blocks"])
    ],
    "n_chunks": lambda o, number: [n for n in [len(o.chunks)] if n != number],
    "min_chunks": lambda o, least: [n for n in [len(o.chunks)] if n < least],
    "max_chunks": lambda o, most: [n for n in [len(o.chunks)] if n > most],
    "max_seconds": lambda o, most: [s for s in [o.result["seconds"]] if s >= most],
    "contains": lambda o, parts: [p for p in parts if _spaced(p) not in _spaced(o.text)],
    "contains_ws": lambda o, parts: [p for p in parts if _spaced(p) not in _spaced(o.text)],
    "not_contains_ws": lambda o, parts: [p for p in parts if _spaced(p) in _spaced(o.text)],
    "not_contains": lambda o, parts: [p for p in parts if p in o.text],
    "regex": lambda o, patterns: [p for p in patterns if not re.search(p, o.text)],
    "not_regex": lambda o, patterns: [p for p in patterns if re.search(p, o.text)],
    "blocks_once": lambda o, parts: [
        p for p in parts if _spaced(o.block_text).count(_spaced(p)) != 1
    ],
    "at_most_once": lambda o, parts: [p for p in parts if _spaced(o.text).count(_spaced(p)) > 1],
    "each_once": lambda o, parts: [p for p in parts if _times(o, p) != 1],
    "count": lambda o, parts: [p for p, number in parts.items() if o.text.count(p) != number],
    "together": lambda o, groups: [g for g in groups if not _holding(o.chunks, *g)],
    "same_chunk": lambda o, groups: [g for g in groups if not _holding(o.chunks, *g)],
    "separate": lambda o, groups: [g for g in groups if _holding(o.chunks, *g)],
    "if_then": lambda o, rules: [
        chunk["text"]
        for part, needed in rules
        for chunk in o.bodies
        if part in chunk["text"] and not all(other in chunk["text"] for other in needed)
    ],
    "no_split_inside": lambda o, parts: [p for p in parts if not _holding(o.bodies, p)],
    "no_chunk_starts": lambda o, starts: [
        chunk["text"] for chunk in o.bodies if chunk["text"].startswith(tuple(starts))
    ],
    "sentences": lambda o, expected: [
        found for found in [split_sentences(o.source)] if found != expected
    ],
    "concat_equals_source": lambda o, _: [
        text for text in ["".join(c["text"] for c in o.bodies)] if text.strip() != o.source.strip()
    ],
    "concat_nows": lambda o, _: [
        text for text in ["".join(c["text"] for c in o.bodies)] if _bare(text) != _bare(o.source)
    ],
    "not_contained_in_previous": lambda o, _: [
        chunk["text"]
        for before, chunk in pairwise(o.bodies)
        if _spaced(chunk["text"]) in _spaced(before["text"])
    ],
    "max_occurrences": lambda o, parts: [
        p for p, most in parts.items() if _in_word_bounds(o, p) > most
    ],
    "section_excludes": lambda o, sections: [
        (title, part)
        for title, parts in sections.items()
        for part in parts
        for chunk in _under(o, title)
        if part in chunk["text"]
    ],
    "text_tokens": lambda o, texts: [t for t, tokens in texts.items() if _count(t) != tokens],
}

KEYS = frozenset({*_QUESTIONS, "error", "or_error", "or_status"})
"""All that `checks` may hold."""
