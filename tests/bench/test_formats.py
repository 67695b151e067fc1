"""The bench of the parsers measures every format that there is."""

from rag_chunker.parsing import media_type_of
from rag_chunker.parsing.registry import BUILT_IN
from tests.bench.bare_libraries import BARE
from tests.bench.format_inputs import INPUTS
from tests.bench.formats import line, measure

WITHOUT_LIBRARY = {"txt", "py"}


def test_every_format_but_plain_ones_is_compared_with_its_library() -> None:
    assert {name.rpartition(".")[2] for name in INPUTS} == BARE.keys() | WITHOUT_LIBRARY


def test_the_inputs_are_what_their_names_say_and_cover_all_parsers_of_text() -> None:
    kinds = {name: media_type_of(name, make()) for name, make in INPUTS.items()}
    parsers = {BUILT_IN[kind] for kind in kinds.values()}
    assert len(set(kinds.values())) == len(kinds)
    assert [one for one in {*BUILT_IN.values()} - parsers if "image" not in one] == []


def test_a_line_says_how_much_a_parser_adds() -> None:
    name = "mail.msg"
    measured = measure(name)
    assert measured.blocks == 6
    assert [multiple > 0 for multiple, _ in measured.multiples] == [True]
    assert "oxmsg" in line("msg", measured)


def test_a_pdf_is_compared_with_what_its_structure_is_told_by_too() -> None:
    measured = measure("pages.pdf")
    _, (_, told_apart) = measured.multiples
    assert line("pdf", measured).splitlines()[1].endswith(told_apart)
