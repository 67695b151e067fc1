"""Pieces of lines as an engine sees them, in reading order and paragraphs."""

from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.ocr.doubt import NOISE, UNSURE, is_noise
from rag_chunker.ocr.reading import regions_of
from rag_chunker.ocr.seen import Seen, turned, turned_back

_HEIGHT, _PITCH, _CHAR = 40, 50, 20


def _piece(text: str, left: float, top: float, confidence: float = 0.99) -> Seen:
    right, bottom = left + _CHAR * len(text), top + _HEIGHT
    return Seen(text, confidence, ((left, top), (right, top), (right, bottom), (left, bottom)))


def _lines(*texts: str, left: float = 100, top: float = 100) -> list[Seen]:
    return [_piece(text, left, top + row * _PITCH) for row, text in enumerate(texts)]


def _texts(seen: list[Seen]) -> list[str]:
    return [region.text for region in regions_of(seen, seen, em=0.8)]


_FIRST = _lines(
    "The pump station stands at the lower end of the",
    "valley, where the river leaves the grey rocks. It",
    "was built long ago.",
)
_SECOND = _lines(
    "Before you open the housing, close the inlet and",
    "switch off the power.",
    top=350,
)


def test_lines_of_one_paragraph_become_one_region() -> None:
    assert _texts([*_FIRST, *_SECOND]) == [
        "The pump station stands at the lower end of the valley, where the river leaves the grey "
        "rocks. It was built long ago.",
        "Before you open the housing, close the inlet and switch off the power.",
    ]


def test_a_region_has_the_box_around_its_lines_and_their_mean_confidence() -> None:
    seen = [_piece("twelve chars", 100, 100, 0.9), _piece("four", 100, 150, 0.6)]
    [region] = regions_of(seen, seen, em=0.8)
    assert region.bbox == (100, 100, 340, 190)
    assert region.confidence == round((12 * 0.9 + 4 * 0.6) / 16, 4)


def test_columns_are_read_one_after_the_other() -> None:
    left = [f"left column row number {row}" for row in range(8)]
    right = [f"right column row number {row}" for row in range(8)]
    seen = [*_lines(*left), *_lines(*right, left=800)]
    seen.sort(key=lambda piece: piece.quad[0][1])
    text = " ".join(_texts(seen))
    assert text.split() == " ".join([*left, *right]).split()


def test_a_word_broken_at_a_lines_end_is_whole_again() -> None:
    seen = _lines("The inlet valve is closed before the main-", "tenance of the pump begins here.")
    assert _texts(seen) == [
        "The inlet valve is closed before the maintenance of the pump begins here."
    ]


def test_rows_with_wide_gaps_stay_apart_and_read_from_the_left() -> None:
    rows = [("Seal", "2", "14.50"), ("Shaft", "1", "80.00"), ("Bolt", "12", "3.20")]
    seen = [
        _piece(cell, left, 100 + row * _PITCH + wobble)
        for row, cells in enumerate(rows)
        for cell, left, wobble in zip(cells, (100, 500, 800), (4, 0, -3), strict=True)
    ]
    assert _texts(seen) == ["Seal 2 14.50", "Shaft 1 80.00", "Bolt 12 3.20"]


def test_a_skewed_page_reads_like_a_straight_one() -> None:
    straight = [*_FIRST, *_SECOND]
    for radians in (-0.08, -0.02, 0.02, 0.08):
        assert _texts(turned(straight, radians)) == _texts(straight)


def test_what_an_engine_doubts_is_kept_and_only_specks_are_dropped() -> None:
    seen = [
        _piece("sure", 100, 100),
        _piece("in doubt", 100, 400, 0.0),
        _piece("7", 100, 700, NOISE),
        _piece("I.", 700, 900, NOISE - 0.01),
    ]
    assert _texts(seen) == ["sure", "in doubt", "7"]


def test_a_line_that_is_hardly_legible_stays_marked_inside_a_paragraph() -> None:
    *above, below = _FIRST
    seen = [*above, below._replace(confidence=0.2)]
    regions = regions_of(seen, seen, em=0.8)
    assert [region.text for region in regions] == [*_texts(above), below.text]
    assert [region.confidence < UNSURE for region in regions] == [False, True]


def test_a_line_with_a_wrong_letter_stays_in_its_paragraph() -> None:
    first, *others = _FIRST
    assert _texts([first._replace(confidence=0.65), *others]) == _texts(_FIRST)


def test_a_paragraph_in_doubt_stays_whole() -> None:
    doubtful = [piece._replace(confidence=0.4 + 0.1 * row) for row, piece in enumerate(_FIRST)]
    assert _texts(doubtful) == _texts(_FIRST)


def test_specks_that_are_no_text_do_not_turn_a_page_of_lines() -> None:
    specks = [_piece("A", 60 * place, 600, 0.35) for place in range(12)]
    tall = [speck._replace(quad=((0, 600), (9, 600), (9, 640), (0, 640))) for speck in specks]
    assert _texts([*_FIRST, *tall])[0] == _texts(_FIRST)[0]


def _sized(pieces: list[Seen], size: float | None) -> list[Seen]:
    return [piece._replace(size=size) for piece in pieces]


def test_a_region_has_the_size_of_its_letters() -> None:
    seen = [*_sized(_FIRST[:1], 20), *_sized(_FIRST[1:], 22), *_sized(_SECOND, None)]
    assert [region.line_height for region in regions_of(seen, seen, em=0.8)] == [22, None]


def test_a_title_close_above_its_text_stays_apart_by_its_larger_letters() -> None:
    title, *text = _lines("Pump station", *(piece.text for piece in _FIRST))
    seen = [*_sized([title], 30), *_sized(text, 20)]
    assert [region.text for region in regions_of(seen, seen, em=0.8)] == [
        "Pump station",
        *_texts(_FIRST),
    ]


def test_vertical_lines_are_read_from_the_right() -> None:
    def column(text: str, left: float) -> Seen:
        bottom = 100 + 40 * len(text)
        return Seen(text, 0.9, ((left, 100), (left + 40, 100), (left + 40, bottom), (left, bottom)))

    assert _texts([column("二列目の文", 100), column("一列目の文", 200)]) == [
        "一列目の文",
        "二列目の文",
    ]


def test_scripts_without_spaces_are_joined_without_them() -> None:
    seen = _lines("这是第一行文字内容而且很长很长", "这是第二行")
    assert "".join(_texts(seen)) == "这是第一行文字内容而且很长很长这是第二行"


def test_nothing_seen_gives_nothing() -> None:
    assert regions_of([], [], em=0.8) == ()
    assert _texts([_piece(" ", 1, 1)]) == []


_CORNERS = st.floats(0, 3000)
_ANYTHING = st.lists(
    st.builds(
        lambda text, left, top, width, height, confidence: Seen(
            text,
            confidence,
            (
                (left, top),
                (left + width, top),
                (left + width, top + height),
                (left, top + height),
            ),
        ),
        st.text(min_size=1, max_size=30),
        _CORNERS,
        _CORNERS,
        st.floats(1, 900),
        st.floats(1, 300),
        st.floats(0, 1),
    ),
    max_size=30,
)


@given(_ANYTHING)
def test_no_letter_that_was_kept_is_lost(seen: list[Seen]) -> None:
    kept = [piece for piece in seen if not is_noise(piece)]
    told = sorted("".join("".join(piece.text.split()) for piece in kept))
    ours = sorted("".join("".join(text.split()) for text in _texts(seen)))
    dropped = [char for char in told if told.count(char) > ours.count(char)]
    assert [char for char in dropped if char not in "-\u2010\u00ad"] == []


@given(_ANYTHING, st.sampled_from([0, 90, 180, 270]))
def test_turned_back_pieces_keep_their_size(seen: list[Seen], degrees: int) -> None:
    back = turned_back(seen, degrees, 4000, 4000)
    pairs = zip(seen, back, strict=True)
    assert [one for one, other in pairs if abs(one.width - other.width) > 1e-6] == []
