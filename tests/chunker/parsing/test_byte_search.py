"""Signs are found where `bytes.find` finds them, across the windows they are looked for in."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_chunker.parsing import byte_search
from rag_chunker.parsing.archive import Part
from rag_chunker.parsing.byte_search import Sign


def starts_by_find(text: bytes, part: bytes) -> list[int]:
    starts: list[int] = []
    while (at := part.find(text, starts[-1] + 1 if starts else 0)) >= 0:
        starts.append(at)
    return starts


@given(
    st.lists(st.sampled_from([b"<draw:", b"<draw", b":", b"a", b"  ", b"\0\xff"])).map(b"".join),
    st.integers(1, 9),
    st.integers(0, 9),
    st.sampled_from([bytes, bytearray]),
)
@example(b"aaa<draw:a<draw:", 4, 0, bytes)  # across an edge, then behind one
def test_signs_are_found_where_find_finds_them(
    part: bytes, window: int, small: int, kind: type[Part]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(byte_search, "_WINDOW", window)
        patch.setattr(byte_search, "_SMALL", small)
        for text in (b"<draw:", b":", b"aab"):
            assert list(Sign(text).starts(kind(part))) == starts_by_find(text, part)
        for text in (b"<draw:", b":", b"aa", b"  "):
            assert Sign(text).is_in(kind(part)) == (text in part)
