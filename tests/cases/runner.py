"""Runs every document of a folder of cases through parser and chunker, and writes what came out.

    python -m tests.cases.runner CASES_DIR RESULTS.json [--area AREA]

`CASES_DIR/cases.json` is a list of cases with `id`, `area`, `input_file` and, where it matters,
`config` (`max_tokens`, `overlap_tokens`, and `also`: further settings to run). The results are one
object, by case id:

    {"blocks": [{"kind", "level", "text"}],
     "chunks": [{"id", "kind", "level", "text", "parent_id", "position", "token_count"}],
     "status": "ok" | "empty" | "no_text" | "ocr_unavailable" | "skipped" | "failed",
     "error": null | "ValueError", "reason": null | "...", "seconds": 0.1, "also": [...]}

`error` names what was raised by settings or by the chunker; a document that cannot be read is no
error but has a status and a reason. Pages that need OCR are read by the first engine installed.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag_chunker import HeadingAwareChunker
from rag_chunker.ocr.registry import default_engine, how_to_get_ocr
from rag_chunker.pipeline import parse_document, read_pages
from rag_core.errors import ParseError, RagError, UnsupportedMediaType
from rag_core.testing import make_context
from rag_core.types import Block, Chunk, CorpusId, DocumentId, ParsedDocument, Source, TenantId

Case = dict[str, Any]
Result = dict[str, Any]

_DEFAULTS = {"max_tokens": 512, "overlap_tokens": 64}
_NOT_ABOUT_ONE_DOCUMENT = frozenset({"incremental", "dagster", "storage", "cli"})


def main() -> None:
    arguments = argparse.ArgumentParser(description="Runs cases and writes their results.")
    arguments.add_argument("cases", type=Path, help="folder with cases.json")
    arguments.add_argument("results", type=Path)
    arguments.add_argument("--area")
    given = arguments.parse_args()
    results = {
        case["id"]: run(given.cases, case)
        for case in documents_in(given.cases)
        if given.area in (None, case["area"])
    }
    given.results.write_text(json.dumps(results, ensure_ascii=True, indent=1))
    print(f"{len(results)} cases run, results in {given.results}")


def documents_in(folder: Path) -> Iterator[Case]:
    """The cases of `folder/cases.json` whose input is one document."""
    for case in json.loads((folder / "cases.json").read_text(encoding="utf-8")):
        path = folder / case["input_file"]
        is_scenario = path.suffix == ".json" and b'"rag-chunker-' in path.read_bytes()[:2000]
        if path.is_file() and case["area"] not in _NOT_ABOUT_ONE_DOCUMENT and not is_scenario:
            yield case


def run(folder: Path, case: Case) -> Result:
    """The result under the case's own settings, with those of the further settings in `also`."""
    settings = dict(case.get("config") or {})
    also = settings.pop("also", [])
    path = folder / case["input_file"]
    result = _run_once(path, settings)
    if also:
        result["also"] = [_run_once(path, further) for further in also]
    return result


def _run_once(path: Path, settings: dict[str, int]) -> Result:
    result: Result = {"blocks": [], "chunks": [], "status": "ok", "error": None, "reason": None}
    started = time.perf_counter()
    try:
        chunker = HeadingAwareChunker(**{**_DEFAULTS, **settings})
        parsed = _read(path)
        result["blocks"] = [_block(block) for block in parsed.blocks]
        ctx = make_context("staff", tenant="cases")
        result["chunks"] = [_chunk(chunk) for chunk in chunker.chunk_now(ctx, parsed)]
        result |= _status(parsed, result["chunks"])
    except ParseError as error:
        skipped = isinstance(error, UnsupportedMediaType)
        result |= {"status": "skipped" if skipped else "failed", "reason": str(error)}
    except (RagError, ValueError) as error:
        result |= {"status": "failed", "error": type(error).__name__, "reason": str(error)}
    result["seconds"] = time.perf_counter() - started
    return result


def _read(path: Path) -> ParsedDocument:
    data = path.read_bytes()
    parsed = parse_document(_source(path), data)
    if not any(page.needs_ocr for page in parsed.pages):
        return parsed
    engine = default_engine()
    return parsed if engine is None else read_pages(parsed, data, engine)


def _status(parsed: ParsedDocument, chunks: list[Result]) -> Result:
    if chunks:
        return {"status": "ok"}
    if not any(page.needs_ocr for page in parsed.pages):
        return {"status": "no_text" if parsed.document.metadata.get("ocr_pages") else "empty"}
    failed = parsed.document.metadata.get("ocr_failed")
    if failed:
        return {"status": "failed", "reason": str(failed)}
    return {"status": "ocr_unavailable", "reason": how_to_get_ocr()}


def _source(path: Path) -> Source:
    return Source(
        document_id=DocumentId(path.name),
        tenant_id=TenantId("cases"),
        corpus_id=CorpusId("files"),
        uri=path.name,
    )


def _block(block: Block) -> dict[str, object]:
    return {"kind": block.type.value, "level": block.level, "text": block.text}


def _chunk(chunk: Chunk) -> dict[str, object]:
    return {
        "id": chunk.id,
        "kind": chunk.metadata["kind"],
        "level": chunk.metadata.get("level"),
        "text": chunk.content,
        "parent_id": chunk.parent_id,
        "position": chunk.position,
        "token_count": chunk.token_count,
    }


if __name__ == "__main__":
    main()
