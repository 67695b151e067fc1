"""The tree of errors."""

import pickle

import pytest

from rag_core import errors
from rag_core.errors import ChunkError, CorruptDocument, ParseError, RagError

ALL = [getattr(errors, name) for name in errors.__all__]


def test_all_names_every_error_of_the_module():
    defined = {n for n, v in vars(errors).items() if isinstance(v, type) and not n.startswith("_")}
    assert defined == set(errors.__all__)


@pytest.mark.parametrize("kind", ALL)
def test_every_error_is_a_rag_error(kind):
    assert issubclass(kind, RagError)


def test_kinds_of_parse_errors_are_parse_errors():
    assert issubclass(CorruptDocument, ParseError)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("document", [None, "acme/handbook/a.md"])
def test_an_error_survives_pickling(kind, document):
    again = pickle.loads(pickle.dumps(kind("broken; mend it", document=document)))
    assert (type(again), again.message, again.document) == (kind, "broken; mend it", document)


def test_its_text_names_the_document():
    assert str(ChunkError("no room", document="a.md")) == "a.md: no room"
    assert str(ChunkError("no room")) == "no room"
