"""The settings that a scenario makes, as a user would: environment and `corpus.toml`."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag_assets.partition_key import decode

_ENVIRONMENT = {
    "max_tokens": "RAG_MAX_TOKENS",
    "overlap_tokens": "RAG_OVERLAP_TOKENS",
    "encoding": "RAG_ENCODING",
    "tokenizer": "RAG_ENCODING",
    "token_counter": "RAG_ENCODING",
}
_CHUNKER = {"tokenizer": "encoding", "token_counter": "encoding", "chunker": "name"}
Pair = tuple[str, str]


@dataclass
class Arguments:
    """What command line arguments come to."""

    environ: dict[str, str] = field(default_factory=dict)
    force: bool = False


def arguments(given: list[str]) -> Arguments:
    """`--force`, `--max-tokens N`, ... Raises `ValueError` for any other."""
    found = Arguments()
    words = iter(word for argument in given for word in argument.split("=", 1))
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        if name == "force":
            found.force = True
        elif word.startswith("--") and name in _ENVIRONMENT:
            found.environ[_ENVIRONMENT[name]] = next(words, "")
        else:
            raise ValueError(f"no such option: {word}")
    return found


@dataclass
class Settings:
    """What `corpus.toml` of each pair says, and of all pairs (None)."""

    _corpora: dict[Pair | None, dict[str, Any]] = field(default_factory=dict)

    def take(self, found: dict[str, Any], pair: Pair | None, environ: dict[str, str]) -> None:
        """Change settings: of one pair, or of all, where the environment can say it."""
        for name, value in found.items():
            if pair is None and name in _ENVIRONMENT:
                environ[_ENVIRONMENT[name]] = str(value)
            else:
                self._corpora.setdefault(pair, {})[name] = value

    def forget(self, tenant: str) -> None:
        """A tenant is gone."""
        for pair in [pair for pair in self._corpora if pair and pair[0] == tenant]:
            del self._corpora[pair]

    def write(self, places: dict[str, str], acl: dict[tuple[str, str, str], list[str]]) -> None:
        """Bring every corpus.toml up to date; where there is nothing to say there is none."""
        for key, place in places.items():
            pair = decode(key)
            text = self._text(pair, acl)
            file = Path(place) / "corpus.toml"
            if not text or not file.parent.is_dir():
                continue
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")

    def _text(self, pair: Pair, acl: dict[tuple[str, str, str], list[str]]) -> str:
        said = {**self._corpora.get(None, {}), **self._corpora.get(pair, {})}
        top = {name: said[name] for name in ("acl_labels", "include", "exclude") if name in said}
        chunker = {
            _CHUNKER.get(name, name): value
            for name, value in said.items()
            if name in {*_ENVIRONMENT, "chunker"}
        }
        lines = [f"{name} = {json.dumps(value)}" for name, value in top.items()]
        lines += ["[chunker]" for _ in chunker][:1]
        lines += [f"{name} = {json.dumps(value)}" for name, value in chunker.items()]
        for (*owner, path), labels in acl.items():
            if tuple(owner) == pair:
                glob = "".join(f"[{char}]" if char in "[*?" else char for char in path)
                lines += ["[[labels]]", f"path = {json.dumps(glob)}"]
                lines += [f"acl_labels = {json.dumps(labels)}"]
        return "".join(f"{line}\n" for line in lines)
