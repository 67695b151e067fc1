"""What does a corpus want? Its optional `corpus.toml`, checked, with the defaults filled in.

acl_labels = ["staff"]              # who may see it; none (the default) means nobody
include = ["**"]                    # globs of the files to take, and
exclude = ["drafts/**"]             # of those to leave out all the same
shards = 1                          # files that the store spreads the corpus over

[[labels]]                          # for some files: these labels INSTEAD of the above;
path = "hr/**"                      # of several rules that match, the last one counts
acl_labels = ["hr", "board"]

[chunker]
name = "heading_aware"              # entry point of the group rag_chunker.chunkers
max_tokens = 512
overlap_tokens = 64
encoding = "cl100k_base"
embedding_tokens = 640              # of embedding_text at most; without it max_tokens + 128

[ocr]
engine = "rapidocr"
languages = ["en", "de"]
images_in_text_pages = false        # also read pictures on pages that have text
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import entry_points
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from rag_assets.glob import glob_mistake, matches
from rag_assets.settings_errors import explain
from rag_core.errors import ConfigError

__all__ = [
    "CHUNKERS_GROUP",
    "CONFIG_NAME",
    "OCR_ENGINES_GROUP",
    "ChunkerConfig",
    "CorpusConfig",
    "Defaults",
    "LabelRule",
    "OcrConfig",
    "parse_corpus_config",
]

CONFIG_NAME = "corpus.toml"
CHUNKERS_GROUP = "rag_chunker.chunkers"
OCR_ENGINES_GROUP = "rag_chunker.ocr_engines"
_SHIPPED_ENCODINGS = ("cl100k_base", "o200k_base")


def _label(text: str) -> str:
    if text != text.strip() or not text.isprintable() or not text:
        raise ValueError(f"{text!r} is no label: write visible text without spaces around it")
    return text


def _glob(pattern: str) -> str:
    if mistake := glob_mistake(pattern):
        raise ValueError(mistake)
    return pattern


def _language(code: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{2,3}([_-][A-Za-z0-9]+)*", code):
        raise ValueError(f"{code!r} is no language code: write one such as 'en', 'deu', 'chi_sim'")
    return code


def _one_of(value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is not known; allowed: {', '.join(sorted({*known}))}")
    return value


def _chunker(name: str) -> str:
    return _one_of(name, ["heading_aware", *entry_points(group=CHUNKERS_GROUP).names])


def _engine(name: str) -> str:
    return _one_of(name, ["rapidocr", "tesseract", *entry_points(group=OCR_ENGINES_GROUP).names])


def _encoding(name: str) -> str:
    if name in _SHIPPED_ENCODINGS:
        return name
    import tiktoken

    return _one_of(name, [*_SHIPPED_ENCODINGS, *tiktoken.list_encoding_names()])


def _sorted_distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(labels)))


Labels = Annotated[
    tuple[Annotated[StrictStr, AfterValidator(_label)], ...], AfterValidator(_sorted_distinct)
]
Glob = Annotated[StrictStr, AfterValidator(_glob)]
Globs = tuple[Glob, ...]
MaxTokens = Annotated[StrictInt, Field(ge=1)]
OverlapTokens = Annotated[StrictInt, Field(ge=0)]
_CONTEXT_TOKENS = 128
"""Room for title and headings unless told: enough for all but the longest, and with 384 tokens of
content within the 512 that many embedders take."""
Encoding = Annotated[StrictStr, AfterValidator(_encoding)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class _Budget(_Section):
    max_tokens: MaxTokens = 512
    overlap_tokens: OverlapTokens = 64
    encoding: Encoding = "cl100k_base"
    """Name of a tiktoken encoding."""
    embedding_tokens: MaxTokens | None = None
    """What an embedder takes, and `embedding_text` never exceeds: title and headings are shortened
    to it, see `rag_chunker.context`. None: `max_tokens` and 128 for them."""

    @property
    def embedding_budget(self) -> int:
        """`embedding_tokens`, or what stands for it."""
        return self.embedding_tokens or self.max_tokens + _CONTEXT_TOKENS

    @model_validator(mode="after")
    def _content_fits_the_embedder(self) -> Self:
        if self.embedding_budget < self.max_tokens:
            raise ValueError(
                f"embedding_tokens = {self.embedding_tokens} must be at least "
                f"max_tokens = {self.max_tokens}, since content is never cut: set both"
            )
        return self

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> Self:
        if self.overlap_tokens >= self.max_tokens:
            raise ValueError(
                f"overlap_tokens = {self.overlap_tokens} must be smaller than "
                f"max_tokens = {self.max_tokens}: set both"
            )
        return self


class Defaults(_Budget):
    """The budget of every corpus that does not set its own."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Defaults":
        """From RAG_MAX_TOKENS, RAG_OVERLAP_TOKENS, RAG_ENCODING and RAG_EMBEDDING_TOKENS, where set
        and not empty.

        Raises `ConfigError` that names the variable.
        """
        given: dict[str, object] = {}
        for key in cls.model_fields:
            text = environ.get(f"RAG_{key.upper()}", "").strip()
            if text:
                given[key] = int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            problems = explain(error, cls, name_of=lambda key: f"RAG_{key.upper()}")
            raise ConfigError(problems, document="environment") from error


class ChunkerConfig(_Budget):
    """Which chunker, and its budget."""

    name: Annotated[StrictStr, AfterValidator(_chunker)] = "heading_aware"
    """Entry point of the group `rag_chunker.chunkers`."""


class OcrConfig(_Section):
    """How page images become text."""

    engine: Annotated[StrictStr, AfterValidator(_engine)] | None = None
    """None: the pipeline's own choice."""
    languages: tuple[Annotated[StrictStr, AfterValidator(_language)], ...] = ()
    """Codes as the engine knows them, the most frequent first; none: the engine's default."""
    images_in_text_pages: StrictBool = False
    """Also read pictures on pages that have text of their own."""


class LabelRule(_Section):
    """Labels for some files, instead of those of the corpus."""

    path: Glob
    acl_labels: Labels


class CorpusConfig(_Section):
    """All settings of one corpus."""

    acl_labels: Labels = ()
    """Labels of its documents, sorted and distinct. None at all: nobody may see them."""
    labels: tuple[LabelRule, ...] = ()
    """A rule replaces `acl_labels` for the files it matches; the last match counts."""
    chunker: ChunkerConfig = ChunkerConfig()
    ocr: OcrConfig = OcrConfig()
    include: Globs = ("**",)
    exclude: Globs = ()
    """Wins over `include`."""
    shards: Annotated[StrictInt, Field(ge=1, le=1024)] = 1
    """Files that the store spreads this corpus over; more for very large corpora."""

    def labels_for(self, path: str) -> tuple[str, ...]:
        """Labels of the document at this path relative to the corpus, sorted and distinct."""
        for rule in reversed(self.labels):
            if matches(path, rule.path):
                return rule.acl_labels
        return self.acl_labels

    def accepts(self, path: str) -> bool:
        """Is the file at this relative path included, and not excluded?"""
        included = any(matches(path, pattern) for pattern in self.include)
        return included and not any(matches(path, pattern) for pattern in self.exclude)

    def settings_key(self) -> str:
        """A stable hash (hex) of what changes a parsed document's chunks: the chunker's settings.

        Labels are no part of it, since they differ from document to document.
        """
        return _stable_hash(self.chunker)

    def ocr_key(self) -> str:
        """A stable hash (hex) of what changes the text of page images."""
        return _stable_hash(self.ocr)


def parse_corpus_config(data: bytes, *, name: str, defaults: Defaults) -> CorpusConfig:
    """The configuration in the bytes of a `corpus.toml`; empty bytes give the defaults.

    `name` names the file in errors. Raises `ConfigError` that lists every mistake, with its key
    and what is allowed there, or the line of a TOML syntax error.
    """
    settings = _toml(data, name)
    chunker = settings.get("chunker", {})
    if isinstance(chunker, dict):
        settings["chunker"] = {**defaults.model_dump(), **chunker}
    try:
        return CorpusConfig.model_validate(settings)
    except ValidationError as error:
        raise ConfigError(explain(error, CorpusConfig), document=name) from error


def _toml(data: bytes, name: str) -> dict[str, object]:
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ConfigError("it is not UTF-8: save it as UTF-8", document=name) from error
    except RecursionError as error:
        raise ConfigError("it nests too deeply for a settings file", document=name) from error
    except ValueError as error:  # tomllib's own errors, and integers of thousands of digits
        raise ConfigError(f"it is not valid TOML: {error}", document=name) from error


def _stable_hash(section: _Section) -> str:
    return sha256(json.dumps(section.model_dump(), sort_keys=True).encode()).hexdigest()
