"""How fast is the chunker? CPU time against one tokenization of the same texts, and per MB.

    python -m tests.bench.chunking [FOLDER_WITH_JSONL_XZ]

A corpus is a file of JSON lines with `text` in Markdown, packed with xz. Both sides are measured
document by document, alternating, in the same process, so that a busy machine slows both; what is
printed is the ratio. Without a folder, the sample corpora of this repository stand in.
"""

import argparse
import json
import lzma
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import tiktoken

from rag_chunker import HeadingAwareChunker
from rag_chunker.parsing import parse
from rag_chunker.tokens import _encoding
from rag_core.testing import make_context, make_document, make_table
from rag_core.types import CorpusId, DocumentId, ParsedDocument, Source, TenantId

_SAMPLE = Path(__file__).parents[2] / "rag_assets" / "sample"
_CTX = make_context("staff")


def main() -> None:
    arguments = argparse.ArgumentParser(description="Measures the chunker.")
    arguments.add_argument("folder", nargs="?", type=Path)
    arguments.add_argument("--repeat", type=int, default=3)
    given = arguments.parse_args()
    chunker, encoding = HeadingAwareChunker(512, 64), _encoding("cl100k_base")
    print(f"{'corpus':<16}{'documents':>10}{'MB':>8}{'chunks':>8}{'floor s':>9}{'ratio':>7}")
    for name, documents in _corpora(given.folder):
        size = sum(len(parsed.text.encode(errors="replace")) for parsed in documents) / 1e6
        runs = [ratio(chunker, encoding, documents) for _ in range(given.repeat)]
        chunks, floor, _ = runs[0]
        middle = median(run[2] for run in runs)
        print(f"{name:<16}{len(documents):>10}{size:>8.2f}{chunks:>8}{floor:>9.2f}{middle:>7.2f}")
    print(f"\n{'hostile input':<34}{'MB':>6}{'s/MB':>8}{'s/MB, half':>12}{'peak MB':>9}")
    for name, make in HOSTILE.items():
        whole, half = make(1.0), make(0.5)
        size = len(whole.text.encode()) / 1e6
        per_mb, per_mb_of_half = (seconds_per_mb(chunker, parsed) for parsed in (whole, half))
        peak = peak_mb(chunker, whole)
        print(f"{name:<34}{size:>6.2f}{per_mb:>8.2f}{per_mb_of_half:>12.2f}{peak:>9.1f}")


def ratio(
    chunker: HeadingAwareChunker, encoding: tiktoken.Encoding, documents: list[ParsedDocument]
) -> tuple[int, float, float]:
    """Number of chunks, CPU seconds of one tokenization, and the chunker's as a multiple of it."""
    floor = ours = 0.0
    chunks = 0
    for parsed in documents:
        text = parsed.text
        started = time.process_time()
        encoding.encode_ordinary(text)
        between = time.process_time()
        chunks += len(chunker.chunk_now(_CTX, parsed))
        ours += time.process_time() - between
        floor += between - started
    return chunks, floor, ours / floor


def seconds_per_mb(chunker: HeadingAwareChunker, parsed: ParsedDocument) -> float:
    size = len(parsed.text.encode()) / 1e6
    started = time.process_time()
    chunker.chunk_now(_CTX, parsed)
    return (time.process_time() - started) / size


def peak_mb(chunker: HeadingAwareChunker, parsed: ParsedDocument) -> float:
    """Memory that Python allocates at most while chunking, the chunks themselves included."""
    tracemalloc.start()
    chunker.chunk_now(_CTX, parsed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def _corpora(folder: Path | None) -> Iterator[tuple[str, list[ParsedDocument]]]:
    if folder is None:
        texts = [path.read_text(encoding="utf-8") for path in sorted(_SAMPLE.rglob("*.md"))]
        yield "sample x 20", [_parsed(text) for text in texts] * 20
        return
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            yield (
                path.name.removesuffix(".jsonl.xz"),
                [_parsed(json.loads(line)["text"]) for line in lines],
            )


def _parsed(markdown: str) -> ParsedDocument:
    source = Source(
        document_id=DocumentId("document"),
        tenant_id=TenantId("acme"),
        corpus_id=CorpusId("bench"),
        uri="document.md",
    )
    return parse(source, markdown.encode(errors="replace"))


def _noise(alphabet: str, length: int) -> str:
    return "".join(random.Random(7).choices(alphabet, k=length))


_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_PROSE = "The pump starts by itself, as a rule. Wait until it hums; then open the valve! "
HOSTILE: dict[str, Callable[[float], ParsedDocument]] = {
    "one word of 1 MB": lambda k: make_document([_noise("abcdefghij", int(1e6 * k))]),
    "one letter, a million times": lambda k: make_document(["x" * int(1e6 * k)]),
    "one line of base64": lambda k: make_document([_noise(_BASE64, int(1e6 * k))]),
    "hex strings": lambda k: make_document(
        [" ".join("0x" + _noise("0123456789abcdef", 640) for _ in range(int(1500 * k)))]
    ),
    "Han without punctuation": lambda k: make_document(
        [_noise("仓库的温度必须每天记录两次并且由值班员签字", int(330_000 * k))]
    ),
    "100,000 headings": lambda k: make_document(
        [f"{'#' * (1 + n % 6)} Heading {n}" for n in range(int(1e5 * k))]
    ),
    "100,000 nested-heading paragraphs": lambda k: make_document(
        ["###### a" if n % 2 else "b" for n in range(int(1e5 * k))]
    ),
    "a table of 50,000 rows": lambda k: make_document(
        make_table(["Part", "Place"], *([f"part {n}", f"shelf {n}"] for n in range(int(5e4 * k))))
    ),
    "blank lines and spaces": lambda k: make_document(
        [("a" + " " * 3000 + "\n" * 50) * int(320 * k)]
    ),
    "one paragraph of 10 MB": lambda k: make_document([_PROSE * int(127_000 * k)]),
}
"""Documents by share of their full size: linear time means the same seconds per MB for half."""


if __name__ == "__main__":
    main()
