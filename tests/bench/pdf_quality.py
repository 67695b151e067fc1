"""How good are the blocks of PDFs, and how fast do they come? Against known right blocks.

`python -m tests.bench.pdf_quality [FOLDER] [-v]` reads `FOLDER/plain/NAME.PRODUCER.pdf` (and
`tagged/`), each against `FOLDER/truth/NAME.json`, a list of blocks with `type`, `level`, `text`
and, for table rows, `cells`. Without FOLDER it takes the small set beside the tests.

H      heading F1 by text: at least 88 % alike, numbers in front and white space aside
HL     the same with the right level, after the best constant shift for the document
rows   table-row F1: the cells in order, at least 85 % alike
list, para, code   F1 by text, at least 88 % alike
order  how much of the text comes in the right order (share of words in matching runs)
p/s    pages per CPU second
"""

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from importlib import import_module
from pathlib import Path

from rag_chunker.parsing.pdf import PdfParser
from rag_core.types import Block, CorpusId, DocumentId, Source, TenantId

SMALL_SET = Path(__file__).parents[1] / "data" / "pdf"
MEASURES = ("H", "HL", "rows", "list", "para", "code")

_NUMBER = re.compile(r"^(?:[\dIVX]+(?:\.\d+)*\.?\s+|[-•*o]\s+)")
_SPACE = re.compile(r"\s+")


@dataclass
class Tally:
    """Right ones, found ones and wanted ones."""

    right: int = 0
    found: int = 0
    wanted: int = 0

    def __iadd__(self, other: "Tally") -> "Tally":
        self.right += other.right
        self.found += other.found
        self.wanted += other.wanted
        return self

    @property
    def f1(self) -> float:
        total = self.found + self.wanted
        return 2 * self.right / total if total else 1.0


@dataclass
class Score:
    """The tallies of one file, or of all files of a producer."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {m: Tally() for m in MEASURES})
    pages: int = 0
    seconds: float = 0.0

    def add(self, other: "Score") -> None:
        for measure, tally in other.tallies.items():
            self.tallies[measure] += tally
        self.pages += other.pages
        self.seconds += other.seconds

    def f1(self, measure: str) -> float:
        return self.tallies[measure].f1

    @property
    def speed(self) -> float:
        return self.pages / self.seconds if self.seconds else 0.0


def plain(text: str) -> str:
    """What counts when texts are compared: no white space, numbers in front or case."""
    return _SPACE.sub("", _NUMBER.sub("", text.strip())).casefold()


def alike(one: str, other: str, least: float) -> bool:
    """Whether two texts are the same but for `1 - least` of their characters."""
    if one == other:
        return True
    if not one or not other or 2 * min(len(one), len(other)) / (len(one) + len(other)) < least:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= least and matcher.ratio() >= least


def pairs(found: Sequence[str], wanted: Sequence[str], least: float) -> list[tuple[int, int]]:
    """Which found text is which wanted one; exact ones first, then in order."""
    places: dict[str, list[int]] = {}
    for index, text in enumerate(wanted):
        places.setdefault(text, []).append(index)
    matched: list[tuple[int, int]] = []
    rest: list[int] = []
    for index, text in enumerate(found):
        if places.get(text):
            matched.append((index, places[text].pop(0)))
        else:
            rest.append(index)
    taken = {place for _, place in matched}
    free = [place for place in range(len(wanted)) if place not in taken]
    for index in rest:
        place = next((p for p in free if alike(found[index], wanted[p], least)), None)
        if place is not None:
            free.remove(place)
            matched.append((index, place))
    return sorted(matched)


def score(blocks: Sequence[Block], truth: Sequence[dict[str, object]]) -> Score:
    """The measures of one document."""
    result = Score()
    for measure, kind, least in (
        ("list", "list_item", 0.88),
        ("para", "paragraph", 0.88),
        ("code", "code", 0.88),
    ):
        found = [plain(block.text) for block in blocks if block.type.value == kind]
        wanted = [plain(str(right["text"])) for right in truth if right["type"] == kind]
        result.tallies[measure] = tally(found, wanted, least)
    found = [plain(row_text(block.text)) for block in blocks if block.type.value == "table_row"]
    wanted = [plain("|".join(right["cells"])) for right in truth if right["type"] == "table_row"]
    result.tallies["rows"] = tally(found, wanted, 0.85)
    _score_headings(result, blocks, truth)
    return result


def row_text(text: str) -> str:
    return "|".join(cell.strip() for cell in text.split(" | "))


def tally(found: Sequence[str], wanted: Sequence[str], least: float) -> Tally:
    found, wanted = [t for t in found if t], [t for t in wanted if t]
    return Tally(len(pairs(found, wanted, least)), len(found), len(wanted))


def _score_headings(
    result: Score, blocks: Sequence[Block], truth: Sequence[dict[str, object]]
) -> None:
    found = [block for block in blocks if block.type.value == "heading"]
    wanted = [right for right in truth if right["type"] == "heading"]
    matched = pairs(
        [plain(block.text) for block in found], [plain(str(r["text"])) for r in wanted], 0.88
    )
    result.tallies["H"] = Tally(len(matched), len(found), len(wanted))
    shifts = [int(str(wanted[j]["level"])) - (found[i].level or 0) for i, j in matched]
    best = max((shifts.count(shift) for shift in set(shifts)), default=0)
    result.tallies["HL"] = Tally(best, len(found), len(wanted))


def parse(path: Path) -> tuple[Sequence[Block], int, float]:
    """Blocks, pages and CPU seconds of one file."""
    data = path.read_bytes()
    source = Source(
        document_id=DocumentId(path.name),
        tenant_id=TenantId("bench"),
        corpus_id=CorpusId("bench"),
        uri=path.name,
    )
    start = time.process_time()
    parsed = PdfParser().parse(source, data)
    return parsed.blocks, len(parsed.pages), time.process_time() - start


def measure(folder: Path, truth: Path, *, verbose: bool = False) -> dict[str, Score]:
    """Scores by producer, and `total`."""
    scores: dict[str, Score] = {}
    for path in sorted(folder.glob("*.pdf")):
        name, producer = path.name.split(".")[:2]
        blocks, pages, seconds = parse(path)
        right = json.loads((truth / f"{name}.json").read_text("utf-8"))
        one = score(blocks, right)
        one.pages, one.seconds = pages, seconds
        if verbose:
            print(line(path.stem, one))
        for key in (producer, "total"):
            scores.setdefault(key, Score()).add(one)
    total = scores.pop("total", Score())
    return {**scores, "total": total}


def line(name: str, one: Score) -> str:
    cells = "  ".join(f"{one.f1(measure):5.3f}" for measure in MEASURES)
    return f"{name:26} {cells}  {one.speed:5.1f}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path, nargs="?", default=SMALL_SET)
    arguments.add_argument("-v", "--verbose", action="store_true", help="a line for each file")
    given = arguments.parse_args()
    import_module("pypdfium2.raw")  # loading the library is no part of a page's time
    for kind in ("plain", "tagged"):
        if not (given.folder / kind).is_dir():
            continue
        print(f"{kind:26} " + "  ".join(f"{measure:>5}" for measure in MEASURES) + "    p/s")
        scores = measure(given.folder / kind, given.folder / "truth", verbose=given.verbose)
        for name, one in scores.items():
            print(line(name, one))


if __name__ == "__main__":
    main()
