"""How well do the OCR engines read, in which order, and what does a page cost?

    python -m tests.bench.ocr [--engine NAME ...] [--only PART_OF_A_PAGE'S_NAME]

Pages are drawn from known text (see `page_images`). Each engine reads them in a process of its own,
with one thread, as the workers of a run do that share the cores (`OMP_NUM_THREADS` overrules).

CER    wrong characters: edits from the text read to the true one, as part of its length; reading
       columns across counts in full
WER-F1 F1 of the words as a bag, order aside
order  how much of the true text comes in one piece in the right order (difflib's ratio of words)
paras  paragraphs of the true text that come back as one region, whole
CPU s  of one page; the first, which loads the models, is not counted
peak   resident memory of the process at its highest, in MB
"""

import argparse
import os
import resource
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from difflib import SequenceMatcher
from multiprocessing import get_context
from statistics import mean
from typing import NamedTuple

from rag_chunker.ocr.registry import BUILT_IN, engine_named
from tests.bench.page_images import FRENCH, GERMAN, SPECS, PageSpec, draw, to_bytes

LANGUAGES = {GERMAN[0]: "deu", FRENCH[0]: "fra"}
"""Language of a page with that paragraph; an engine without data for it reads it in English."""


class Score(NamedTuple):
    """How one page was read."""

    page: str
    cer: float
    f1: float
    order: float
    paragraphs: float
    cpu: float


def main() -> None:
    arguments = argparse.ArgumentParser(description="Measures the OCR engines.")
    arguments.add_argument("--engine", action="append", choices=sorted(BUILT_IN))
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    specs = [spec for spec in SPECS if given.only in spec.name]
    for name in given.engine or BUILT_IN:
        health = engine_named(name).health()
        if not health.ok:
            print(f"{name}: {health.detail}\n")
            continue
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            alone.submit(measure, name, specs).result()


def measure(name: str, specs: Sequence[PageSpec]) -> list[Score]:
    """The score of each page, printed as it comes, and the memory that this process took."""
    print(f"{name:<26}{'CER %':>7}{'WER-F1':>8}{'order':>8}{'paras':>7}{'CPU s':>7}", flush=True)
    engine_named(name).read(to_bytes(draw(PageSpec("warm up", paragraphs=("Warm up.",)))))
    scores: list[Score] = []
    for spec in specs:
        scores.append(score(name, spec, to_bytes(draw(spec))))
        show(scores[-1])
    show(Score("mean", *map(mean, zip(*(one[1:] for one in scores), strict=True))))
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB\n", flush=True)
    return scores


def score(name: str, spec: PageSpec, image: bytes) -> Score:
    """How one page is read, by the engine set to its language if it can be."""
    language = next((code for text, code in LANGUAGES.items() if text in spec.paragraphs), "eng")
    engine = engine_named(name, (language,))
    if not engine.health().ok:
        engine = engine_named(name)
    start = time.process_time()
    regions = engine.read(image).regions
    cpu = time.process_time() - start
    found = " ".join(" ".join(region.text.split()) for region in regions)
    true = " ".join(spec.paragraphs)
    texts = {" ".join(region.text.split()) for region in regions}
    whole = sum(any(alike(text, paragraph) for text in texts) for paragraph in spec.paragraphs)
    return Score(
        spec.name,
        edits(found, true) / len(true),
        word_f1(found, true),
        SequenceMatcher(None, found.split(), true.split(), autojunk=False).ratio(),
        whole / len(spec.paragraphs),
        cpu,
    )


def show(one: Score) -> None:
    print(
        f"{one.page:<26}{100 * one.cer:>7.2f}{one.f1:>8.3f}{one.order:>8.3f}"
        f"{one.paragraphs:>7.2f}{one.cpu:>7.2f}",
        flush=True,
    )


def word_f1(found: str, true: str) -> float:
    """F1 of the two bags of words."""
    ours, theirs = Counter(found.split()), Counter(true.split())
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def alike(text: str, paragraph: str) -> bool:
    """Whether a region is this paragraph, but for a few letters."""
    return abs(len(text) - len(paragraph)) <= 5 and edits(text, paragraph) <= 0.05 * len(paragraph)


def edits(found: str, true: str) -> int:
    """The least number of insertions, deletions and replacements (Levenshtein 1966, computed in
    bit vectors after Myers 1999, so that whole pages take milliseconds)."""
    if not true:
        return len(found)
    masks: dict[str, int] = {}
    for place, char in enumerate(true):
        masks[char] = masks.get(char, 0) | 1 << place
    everything, last = (1 << len(true)) - 1, 1 << (len(true) - 1)
    plus, minus, distance = everything, 0, len(true)
    for char in found:
        match = masks.get(char, 0) | minus
        zero = (((match & plus) + plus) ^ plus) | match
        up, down = minus | ~(zero | plus), plus & zero
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1) | 1, down << 1
        plus = (down | ~(zero | up)) & everything
        minus = up & zero & everything
    return distance


if __name__ == "__main__":
    main()
