"""Text files of many ages and countries come out as they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_chunker.parsing.decoding import clean, decode, is_binary
from rag_core.errors import CorruptDocument

WRITTEN = [
    ("cp1252", "Café “Zur Brücke” – geöffnet ab 9 €\n\nÜbermorgen geschlossen.\n"),
    ("cp1252", "Café"),
    ("cp1252", "naïve résumé"),
    ("cp1252", "Smörgåsbord på torsdag"),
    ("shift_jis", "営業時間は毎日九時から十八時までです。お問い合わせは電話でお願いします。"),
    ("euc_jp", "営業時間は毎日九時から十八時までです。お問い合わせは電話でお願いします。"),
    ("gbk", "本店每天早上九点开门，晚上六点关门。请提前打电话预约。"),
    ("gb18030", "本店每天早上九点开门，晚上六点关门。"),
    ("big5", "本店每天早上九點開門，晚上六點關門。請提前打電話預約。"),
    ("euc_kr", "매일 아침 아홉 시에 문을 엽니다. 전화로 예약해 주세요."),
    ("koi8_r", "Магазин открыт каждый день с девяти часов утра."),
    ("koi8_r", "Привет мир"),
    ("cp1251", "Магазин открыт каждый день с девяти часов утра."),
    ("cp1250", "Příliš žluťoučký kůň"),
    ("cp1253", "Το κατάστημα είναι ανοιχτό κάθε μέρα."),
    ("cp1255", "החנות פתוחה כל יום משעה תשע בבוקר."),
    ("cp1256", "المتجر مفتوح كل يوم من الساعة التاسعة صباحا."),
    ("cp874", "ร้านเปิดทุกวันตั้งแต่เก้าโมงเช้า"),
    ("cp932", "第①回 ㈱髙島屋の営業時間は毎日九時からです。"),
    ("gb18030", "这是𠀀一个文件，编码为国标码。"),
    ("iso2022_jp", "営業時間は毎日九時から十八時までです。"),
    ("iso2022_kr", "매일 아침 아홉 시에 문을 엽니다."),
    ("utf-8", "日本語 🎉"),
    ("utf-8-sig", "with a mark"),
    ("utf-16", "with a mark ü"),
    ("utf-32", "with a mark ü"),
    ("utf-16-le", "Hello wörld, no mark\n"),
    ("utf-16-be", "Hello wörld, no mark\n"),
    ("utf-16-le", "Привет, мир. Как дела сегодня?\n"),
    ("utf-16-le", "本店每天早上九点开门，晚上六点关门。请提前打电话预约。"),
]


@pytest.mark.parametrize(("encoding", "text"), WRITTEN)
def test_text_is_read_in_the_encoding_it_was_written_in(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    ("declared", "data", "expected"),
    [
        ("latin-1", b"9 \x80 caf\xe9 \x81", "9 € café \x81"),
        ("iso-2022-jp", "日本語".encode("iso-2022-jp"), "日本語"),
        ("shift_jis", "日本語".encode("shift_jis"), "日本語"),
        ("no-such-charset", "größer".encode("cp1252"), "größer"),
        ("ascii", "größer".encode(), "größer"),
        ("base64", b"gr\xf6\xdfer", "größer"),
        ("shift_jis", "①㈱".encode("cp932"), "①㈱"),
        ("gb2312", "朱镕基".encode("gbk"), "朱镕基"),
        ("iso-8859-9", "“şiş” €".encode("cp1254"), "“şiş” €"),
        ("windows-874", "ไทย".encode("cp874"), "ไทย"),
        ("x-user-defined", "größer".encode("cp1252"), "größer"),
    ],
)
def test_a_declared_encoding_counts_where_it_fits(
    declared: str, data: bytes, expected: str
) -> None:
    assert decode(data, declared=declared)[0] == expected


def test_a_stray_byte_costs_no_other_letter() -> None:
    data = "Grüße aus Köln, schöne Füße überall".encode() + b" \x93x\x94 " + "ö".encode()[:1]
    assert decode(data)[0] == "Grüße aus Köln, schöne Füße überall “x” "


def test_characters_written_as_two_surrogates_are_whole() -> None:
    """As Java's and some databases' UTF-8 has them, with NULs as two bytes."""
    assert decode(b"a\xed\xa0\xbd\xed\xb8\x80\xc0\x80b\xed\xa0\x80") == ("a😀b", "utf-8")


@pytest.mark.parametrize(
    "text", ["8=FIX.4.2\x0135=A\x0149=SRV\x01\n" * 9, "<\x0304nick\x03> \x02hello\x02 all\n" * 9]
)
def test_text_may_use_control_characters_as_marks(text: str) -> None:
    assert not is_binary(text.encode())
    assert decode(text.encode()) == (text, "utf-8")


def test_a_torn_utf16_file_keeps_its_whole_characters() -> None:
    assert decode("abc".encode("utf-16")[:-1])[0] == "ab"


def test_line_ends_nul_marks_and_surrogates_are_cleaned() -> None:
    assert clean("a\r\nb\rc\n\0d\ufeff\ud800") == "a\nb\nc\nd"
    assert decode(b"one\0 two\r\n")[0] == "one two\n"


def test_binary_bytes_are_told_from_text() -> None:
    noise = bytes(range(256)) * 4
    assert is_binary(noise)
    assert not is_binary(b"")
    assert not is_binary("日本語\n".encode("utf-16"))
    assert not is_binary(b"\x1b[31mred\x1b[0m log line\n")
    with pytest.raises(CorruptDocument, match="no text"):
        decode(noise)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])))
def test_utf8_text_comes_back_unchanged(text: str) -> None:
    assert decode(text.encode())[0] == text.replace("\ufeff", "")


@given(st.binary(max_size=300))
def test_any_bytes_give_text_without_invented_signs_or_an_error(data: bytes) -> None:
    try:
        text, _ = decode(data)
    except CorruptDocument:
        return
    text.encode()
    assert "\0" not in text
    assert "\r" not in text
