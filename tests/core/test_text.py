"""When is a text blank?"""

import pytest

from rag_core.text import is_blank


@pytest.mark.parametrize(
    "text",
    ["", " \n\t\r", "\u00a0\u3000", "\u200b\u200d\u2060", "\ufeff", "\x00\x1b", "\u00ad", "\u202e"],
)
def test_white_space_control_and_format_characters_are_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "\u200b漢", "\u0301", "\ufffd", "\ue000", "\u2800"])
def test_anything_else_is_not(text):
    assert not is_blank(text)
