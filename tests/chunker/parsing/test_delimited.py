"""CSV and TSV: every value stays in its row and under its column."""

import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.delimited import DelimitedParser
from rag_chunker.parsing.delimited_lines import delimited_lines
from rag_chunker.parsing.tables import PARTED, cell_text
from rag_core.types import CorpusId, DocumentId, ParsedDocument, Source, TenantId


def parse(text: str | bytes, name: str = "list.csv") -> ParsedDocument:
    source = Source(
        document_id=DocumentId("d1"), tenant_id=TenantId("t1"), corpus_id=CorpusId("c1"), uri=name
    )
    return DelimitedParser().parse(source, text.encode() if isinstance(text, str) else text)


def texts(text: str | bytes, name: str = "list.csv") -> list[str]:
    return [block.text for block in parse(text, name).blocks]


def rows(text: str, delimiter: str = ",", piece_size: int = 1000) -> list[list[str]]:
    """Those that are not blank lines, each cell on one line."""
    found = delimited_lines(text, delimiter, piece_size=piece_size)
    lines = [line for lines in found for line in lines.split("\n")]
    return [[cell_text(cell) for cell in line.split(PARTED)] for line in lines if line.strip()]


def headers(text: str) -> set[object]:
    return {block.attributes.get("table_header") for block in parse(text).blocks}


@pytest.mark.parametrize(
    ("delimiter", "text"),
    [
        (",", "name,age\nAnn,30\nBo,41\n"),
        (";", "name;price\nbolt;1,50\nnut;2,75\n"),
        (";", "1,5;2,5\n3,5;4,5\n"),
        ("\t", "name\tnote\nAnn\tlikes a, b, c\n"),
        ("|", "name|note\nAnn|a, b\nBo|c; d\n"),
        (",", 'name,note\n"Ann","a;b;c"\n"Bo","d;e"\n'),
        (";", "Report for May, final\n\nname;age\nAnn;30\nBo;41\n"),
        (";", "May 4, 2023;25;1;Ray;paid;\nMay 5, 2023;16;2;Bo;open;\nMay 6, 2023;9;3;Ann;\n"),
        (",", "1,red;round;small\n2,red;flat;large;new\n"),
        (";", 'Surname;First Name;Year\n"\tDoe;Jane"\t;1971\n'),
    ],
)
def test_the_delimiter_is_found(delimiter: str, text: str) -> None:
    assert parse(text).document.metadata["delimiter"] == delimiter


def test_a_first_line_decides_the_delimiter_and_gives_no_block() -> None:
    assert texts("sep=;\na,b;c\n1,2;3\n") == ["a,b | c", "1,2 | 3"]


def test_tabs_win_in_a_file_named_after_them() -> None:
    assert texts("a, b\tc, d\n1, 2\t3, 4\n", "list.tsv") == ["a, b | c, d", "1, 2 | 3, 4"]


def test_one_column_with_commas_in_its_words_stays_one_column() -> None:
    assert texts("Saying\nHaste makes waste\nTime flies\nCome, see\n")[-1] == "Come, see"


def test_quoted_line_breaks_and_doubled_quotes_stay_in_their_row() -> None:
    text = 'id,comment\n1,"says ""hello""\nand leaves\n\nlate"\n2,plain\n'
    assert texts(text) == ["id | comment", '1 | says "hello" and leaves late', "2 | plain"]


def test_single_quotes_around_all_fields_are_quotes() -> None:
    text = "'id','it''s'\n'1','x, y'\n2,z's\n"
    assert texts(text) == ["id | it's", "1 | x, y", "2 | z's"]


def test_an_apostrophe_is_no_quote() -> None:
    assert texts("name,note\n'tis,a\nit's,'b\n") == ["name | note", "'tis | a", "it's | 'b"]


def test_remarks_above_the_header_do_not_hide_the_delimiter() -> None:
    text = "# made by x\n# on Monday\n# 3 rows\nid,name\n1,a\n"
    assert texts(text)[-2:] == ["id | name", "1 | a"]


def test_many_remarks_do_not_hide_the_table_either() -> None:
    remarks = [f"# remark, number {number}" for number in range(12)]
    blocks = parse("\n".join([*remarks, "name;sum", "Ann;1", "Bo;2"])).blocks
    assert [block.text for block in blocks] == [*remarks, "name | sum", "Ann | 1", "Bo | 2"]
    assert [block.type.value for block in blocks] == ["paragraph"] * 12 + ["table_row"] * 3
    assert texts("#id,name\n#1,Ann\n#2,Bo\n")[1:] == ["#1 | Ann", "#2 | Bo"]


def test_quotes_may_be_escaped_by_a_backslash() -> None:
    text = 'id,size\n1,"5\\" pipe, steel"\n2,"says \\"hi\\""\n3,plain\n'
    assert texts(text) == ["id | size", '1 | 5" pipe, steel', '2 | says "hi"', "3 | plain"]


def test_numbers_that_are_kept_as_text_for_excel_are_that_text() -> None:
    text = 'id,code,note\n1,="007","=""008"""\n="2",,"a href=""x"""\n3,a="4",=5\n'
    assert texts(text) == [
        "id | code | note",
        "1 | 007 | 008",
        '2 |  | a href="x"',
        '3 | a="4" | =5',
    ]


def test_a_backslash_before_a_closing_quote_is_a_backslash() -> None:
    text = 'drive,path,size\n1,"C:\\temp\\",5\n2,"a ""b"" c\\",6\n'
    assert texts(text)[1:] == ["1 | C:\\temp\\ | 5", '2 | a "b" c\\ | 6']


def test_a_quote_behind_a_space_still_quotes() -> None:
    assert texts('a, b\n1, "x, y"\n') == ["a | b", "1 | x, y"]


def test_an_open_quote_swallows_nothing() -> None:
    text = 'id,size\n1,"5\n2,6\n3,7\n'
    assert texts(text) == ["id | size", '1 | "5', "2 | 6", "3 | 7"]


def test_blank_lines_and_ragged_rows_lose_nothing() -> None:
    assert texts("a,b\n\n1\n,,\n2,3,4\n") == ["a | b", "1", "2 | 3 | 4"]


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    assert texts('"street, no",floor\n"Elm, 9",3\n'.encode("utf-8-sig"))[0] == "street, no | floor"
    assert texts("a,b\n1,2\n".encode("utf-16"))[0] == "a | b"


def test_lines_end_as_they_like() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert texts(f"a,b{end}1,2{end}") == ["a | b", "1 | 2"]


def test_a_unicode_line_separator_is_no_row_end() -> None:
    assert texts("a,b\n1,x\u2028y\x0bz\n")[1] == "1 | x y z"


def test_the_header_is_known_in_each_row_only_if_there_is_one() -> None:
    assert headers("name,age\nAnn,30\n") == {"name | age"}
    assert headers("Ann,30\nBo,41\n") == {None}
    assert headers("country,2023,2024\nPeru,1,2\n") == {"country | 2023 | 2024"}
    assert headers("2020-01-01,5\n2020-01-02,6\n") == {None}


def test_a_header_with_an_empty_corner_is_no_title() -> None:
    found = parse(b",value\na,1\nb,2\n").blocks
    assert [block.text for block in found] == [" | value", "a | 1", "b | 2"]
    assert found[-1].attributes["table_header"] == " | value"


def test_a_header_behind_a_blank_line_begins_a_table() -> None:
    found = parse("Item,Qty,Price\nNut,4,1.5\n\nTowns\n\nTown,Size,Since\nRome,3,1990\n").blocks
    assert [(b.text, b.attributes.get("table_header")) for b in found] == [
        *(("Item | Qty | Price", "Item | Qty | Price"), ("Nut | 4 | 1.5", "Item | Qty | Price")),
        ("Towns", "Item | Qty | Price"),
        *(
            ("Town | Size | Since", "Town | Size | Since"),
            ("Rome | 3 | 1990", "Town | Size | Since"),
        ),
    ]
    assert [b.attributes["table"] for b in found] == [0, 0, 0, 1, 1]


def test_rows_behind_blank_lines_go_on_with_their_table() -> None:
    for text in ("a,b\n\nx,y\n\nz,w\n", "a,b\n\nx,1\n\ny,z\n\nw,2\n", "a,b\nx,1\n\ny,2\nz,3\n"):
        assert {b.attributes["table"] for b in parse(text).blocks} == {0}


def test_a_title_line_is_a_paragraph_above_the_table() -> None:
    blocks = parse("Stock in May\n\nitem,qty\nbolt,4\n").blocks
    assert [(b.type.value, b.text) for b in blocks] == [
        ("paragraph", "Stock in May"),
        ("table_row", "item | qty"),
        ("table_row", "bolt | 4"),
    ]


def test_every_value_of_a_wide_table_carries_its_column() -> None:
    names = ",".join(f"metric_{n:02}" for n in range(60))
    values = ",".join(f"{100 + n}.{n:02}" for n in range(60))
    (row,) = parse(f"{names}\n{values}\n").blocks
    assert [n for n in range(60) if f"metric_{n:02}: {100 + n}.{n:02}" not in row.text] == []


def test_a_field_may_be_longer_than_the_library_allows() -> None:
    assert len(texts(f"a,b\n1,{'x' * 300_000}\n")[1]) > 300_000


def test_an_empty_file_gives_nothing() -> None:
    assert texts("") == texts("\n\n") == texts(",,\n") == []


field = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)


@given(st.lists(st.lists(field, min_size=2, max_size=4), max_size=6), st.integers(1, 40))
def test_what_a_writer_wrote_is_read_back(table: list[list[str]], piece_size: int) -> None:
    target = StringIO()
    csv.writer(target, lineterminator="\n").writerows(table)
    kept = [[cell_text(value) for value in row] for row in table]
    assert rows(target.getvalue(), piece_size=piece_size) == kept


@given(st.text(alphabet='a,"\n ', max_size=40), st.integers(1, 40))
def test_it_does_not_matter_how_much_is_read_in_one_go(text: str, piece_size: int) -> None:
    assert rows(text, piece_size=piece_size) == rows(text, piece_size=1000)


@given(st.text(alphabet="a;'\n ", max_size=40))
def test_a_text_without_quotes_is_read_as_the_library_reads_it(text: str) -> None:
    library = csv.reader(StringIO(text, newline="\n"), delimiter=";", skipinitialspace=True)
    assert rows(text, delimiter=";") == [
        [cell_text(cell) for cell in row] for row in library if len(row) > 1 or "".join(row)
    ]


_PARTS = st.lists(
    st.sampled_from(['"', '""', '","', '"\n"', "a", " ", ",", "\n", "\1"]), max_size=30
)


@given(_PARTS.map("".join), st.integers(1, 40))
def test_quotes_that_all_close_are_read_as_the_library_reads_them(
    text: str, piece_size: int
) -> None:
    library = csv.reader(StringIO(text, newline="\n"), strict=True, skipinitialspace=True)
    try:
        expected = [[cell_text(cell) for cell in row] for row in library]
    except csv.Error:  # of a quote that is not closed, or closed within a field
        return
    kept = [row for row in expected if len(row) > 1 or any(row)]
    assert [row for row in rows(text, piece_size=piece_size) if any(row) or len(row) > 1] == kept


@pytest.mark.timeout(60)
def test_quotes_that_open_ever_anew_take_linear_time() -> None:
    text = 'a,"b\nc",d\n' * 20_000 + 'a,"b\n' + "c,d\n" * 20_000
    assert len(rows(text)) == 40_001


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", ['a,"b"\n', '"a","b\nc"\n', '"a"" ""b",c\n', 'a"b,"c"\n'])
def test_a_quote_at_the_start_that_never_closes_takes_linear_time(line: str) -> None:
    assert len(rows('x,"y\n' + line * 200_000)) > 199_000


@given(st.text(alphabet='a",; \n', max_size=60))
def test_no_letter_is_lost_whatever_the_quotes(text: str) -> None:
    assert "".join(texts(text)).count("a") == text.count("a")
