"""Signs are found where `bytes.find` finds them, across the windows they are looked for in."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_chunker.parsing import byte_search
from rag_chunker.parsing.archive import Part
from rag_chunker.parsing.byte_search import Sign


def ends_by_find(text: bytes, part: bytes) -> list[int]:
    ends: list[int] = []
    while (at := part.find(text, ends[-1] if ends else 0)) >= 0:
        ends.append(at + len(text))
    return ends


@given(
    st.lists(st.sampled_from([b"<draw:", b"<draw", b":", b"a", b"\0\xff"])).map(b"".join),
    st.integers(1, 9),
    st.sampled_from([bytes, bytearray]),
)
@example(b"aaa<draw:a<draw:", 4, bytes)  # across an edge, then behind one
def test_signs_are_found_where_find_finds_them(part: bytes, window: int, kind: type[Part]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(byte_search, "_WINDOW", window)
        for text in (b"<draw:", b":", b"aab"):
            sign, ends = Sign(text), ends_by_find(text, part)
            assert list(sign.ends(kind(part))) == ends
            assert sign.is_in(kind(part)) == bool(ends)
