"""Sentences: nothing lost, nothing doubled, and cut where a reader would cut."""

import pytest
from hypothesis import given
from odd_documents import texts

from rag_chunker import split_sentences
from rag_chunker.sentence import sentence_spans


@given(texts)
def test_all_but_white_space_belongs_to_exactly_one_sentence(text):
    spans = sentence_spans(text)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    assert [
        g for a, b in zip(edges[::2], edges[1::2], strict=True) if (g := text[a:b].strip())
    ] == []
    pieces = [text[a:b] for a, b in spans]
    assert [piece for piece in pieces if not piece or piece != piece.strip()] == []
    assert split_sentences(text) == pieces


@given(texts, texts)
def test_offsets_count_from_the_start_of_the_text(before, text):
    whole = before + text
    moved = [(a + len(before), b + len(before)) for a, b in sentence_spans(text)]
    assert sentence_spans(whole, len(before), len(whole)) == moved


SPLIT = {
    "plain": "One ends here. | Another begins! | A third?",
    "titles": "Dr. Smith met Mrs. Jones vs. the board. | They agreed.",
    "decimals and versions": "It weighs 3.5 kg in v1.2.3 of the list. | Node.js runs it.",
    "abbreviations": "Use e.g. a pump, i.e. this one, etc. and go on. | Then stop.",
    "brackets": "(It was late.) | He left.",
    "enumerators": "1. Open the valve. | 2. Wait.",
    "initials": "J. R. Tolkien wrote it. | We read it.",
    "ellipsis": "He waited... and left. | Then came back.",
    "url": "See https://example.com/a.b?q=A. | Then go.",
    "german": "Die Anlage läuft z. B. nachts. | Das ist laut.",
    "french": "Mme. Dupont est là. | Elle attend.",
    "russian": "Это первое. | Это второе.",
    "chinese": "这是第一句。|这是第二句！|第三句？",
    "japanese quotes": "「はい。」と彼は言った。|「いいえ。」と彼女は言った。",
    "japanese numbers": "１．値は３．１４です。|２．次に進む。",
    "chinese brackets": "（一句。）|另一句。",
    "russian dashes": "«Стой!» — сказал он. | Потом ушёл.",
    "german dates": "Er kam am 3. Mai um 5 Uhr. | Dann ging er.",
    "hindi": "यह पहला है। | यह दूसरा है।",
}


@pytest.mark.parametrize("case", SPLIT)
def test_sentences_end_where_a_reader_ends_them(case):
    expected = [part.strip() for part in SPLIT[case].split("|")]
    text = SPLIT[case].replace(" | ", " ").replace("|", "")
    assert split_sentences(text) == expected


def test_white_space_alone_holds_no_sentence():
    assert split_sentences("") == split_sentences(" \n\t\u3000") == []


def test_a_lone_surrogate_stays_in_its_sentence():
    assert split_sentences("One \ud800. Two.") == ["One \ud800.", "Two."]
