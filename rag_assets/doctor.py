"""Is everything there that is needed? What is installed, what is missing, and how to get it."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal, NamedTuple

from rag_core.errors import RagError

__all__ = ["Finding", "examine"]

_SHIPPED = ("cl100k_base", "o200k_base")
_EXTRAS = {"assets": "the warehouse and Dagster", "ocr": "scans and pictures"}
_LOW_ON_SPACE = 1_000_000_000


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    state: Literal["ok", "optional", "broken"]
    """`optional` if it is missing and only some things need it; `broken` if something fails."""
    detail: str
    """Versions and places; what to do about what is missing."""


def examine(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Looks at one thing after the other; reads, but neither writes nor fetches anything."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", "ok", f"{python}, {sys.executable}")
    yield Finding("rag-chunker", "ok", version("rag-chunker"))
    for extra, purpose in _EXTRAS.items():
        yield _extra(extra, purpose)
    yield from map(_vocabulary, _SHIPPED)
    yield from _engines()
    if _installed("dagster") and _installed("duckdb"):
        yield from _lockstep()
        yield _settings(environ)
        yield from _sources(environ)
        yield from _warehouse(environ)


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _extra(extra: str, purpose: str) -> Finding:
    marker = f'extra == "{extra}"'
    wanted = [
        _name(line) for line in requires("rag-chunker") or [] if marker in line.replace("'", '"')
    ]
    found = {name: _installed(name) for name in wanted}
    lacking = [name for name, release in found.items() if release is None]
    if lacking:
        return Finding(
            f"extra {extra}",
            "optional",
            f"for {purpose}: {', '.join(lacking)} missing; pip install 'rag-chunker[{extra}]'",
        )
    return Finding(f"extra {extra}", "ok", ", ".join(f"{n} {r}" for n, r in found.items()))


def _name(requirement: str) -> str:
    for index, char in enumerate(requirement):
        if not (char.isalnum() or char in "-_."):
            return requirement[:index]
    return requirement


def _lockstep() -> Iterator[Finding]:
    ours, web = _installed("dagster"), _installed("dagster-webserver")
    if web is not None and web != ours:
        yield Finding(
            "Dagster",
            "broken",
            f"dagster {ours} and dagster-webserver {web} must be of one release: "
            "pip install --force-reinstall 'rag-chunker[assets]'",
        )


def _vocabulary(encoding: str) -> Finding:
    from rag_chunker import TiktokenCounter

    try:
        TiktokenCounter(encoding).count("a")
    except (RagError, OSError) as error:
        return Finding(f"vocabulary {encoding}", "broken", str(error))
    return Finding(f"vocabulary {encoding}", "ok", "ships with the package; its checksum is right")


def _engines() -> Iterator[Finding]:
    from rag_chunker.ocr.registry import BUILT_IN, engine_named

    for name in BUILT_IN:
        health = engine_named(name).health()
        yield Finding(f"OCR {name}", "ok" if health.ok else "optional", health.detail)
    if _installed("tesserocr"):
        yield _languages()


def _languages() -> Finding:
    from rag_chunker.ocr.tesseract import tessdata_folder

    folder = tessdata_folder(("eng",))
    there = sorted(path.stem for path in folder.glob("*.traineddata") if path.stem != "osd")
    more = (
        "for French: apt-get install tesseract-ocr-fra, or put fra.traineddata into a folder "
        "named by TESSDATA_PREFIX; others alike"
    )
    return Finding("OCR languages", "ok" if there else "optional", f"{', '.join(there)}; {more}")


def _settings(environ: Mapping[str, str]) -> Finding:
    from rag_assets.definitions import resources_from

    try:
        resources_from(environ)
    except RagError as error:
        return Finding("settings", "broken", str(error))
    own = sorted(name for name in environ if name.startswith("RAG_"))
    return Finding("settings", "ok", ", ".join(own) or "all defaults")


def _sources(environ: Mapping[str, str]) -> Iterator[Finding]:
    from rag_assets.corpus_config import Defaults
    from rag_assets.sources import Sources

    root = environ.get("RAG_SOURCES") or "data/sources"
    try:
        inventory = Sources(root).corpora()
    except RagError as error:
        hint = "`ragctl demo` makes it with a sample, or set RAG_SOURCES"
        yield Finding("sources", "optional", f"{error}; {hint}")
        return
    yield Finding("sources", "ok", f"{root}: {_count(len(inventory.corpora), 'corpus', 'corpora')}")
    for refused in inventory.skipped:
        yield Finding("sources", "broken", f"{refused.path} is not taken: {refused.reason}")
    for folder in inventory.corpora:
        try:
            folder.config(Defaults.from_environment(environ))
        except RagError as error:
            yield Finding("sources", "broken", str(error))


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _warehouse(environ: Mapping[str, str]) -> Iterator[Finding]:
    from rag_assets import open_warehouse

    root = Path(environ.get("RAG_WAREHOUSE") or "data/warehouse")
    yield _writable("warehouse", root)
    yield _writable("Dagster's home", Path(environ.get("DAGSTER_HOME") or ".dagster"))
    if not (root / "rag.duckdb").exists():
        yield Finding("warehouse", "optional", f"{root}: nothing yet; `ragctl demo` fills it")
        return
    try:
        with open_warehouse(root) as warehouse:
            row = warehouse.execute(
                "SELECT count(*), sum(documents), sum(chunks) FROM corpus_summary"
            ).fetchone() or (0, 0, 0)
    except Exception as error:  # DuckDB's, of whichever file is damaged
        from rag_assets.store.trouble import explained

        yield Finding("warehouse", "broken", explained(error))
        return
    corpora, documents, chunks = (value or 0 for value in row)
    held = f"{_count(corpora, 'corpus', 'corpora')}, {documents:,} documents, {chunks:,} chunks"
    yield Finding("warehouse", "ok", held)


def _writable(what: str, folder: Path) -> Finding:
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not os.access(there, os.W_OK | os.X_OK):
        return Finding(what, "broken", f"{folder} cannot be written: change who owns {there}")
    free = shutil.disk_usage(there).free
    if free < _LOW_ON_SPACE:
        return Finding(what, "broken", f"{folder}: only {free / 1e6:,.0f} MB free; make room")
    return Finding(what, "ok", f"{folder} is writable, {free / 1e9:,.0f} GB free")
