"""Random documents and chunker settings: all block types, many scripts, all kinds of space."""

from hypothesis import strategies as st

from rag_chunker import HeadingAwareChunker, TiktokenCounter
from rag_core.testing import WordCounter, make_document, make_table
from rag_core.types import Block, BlockType

TOUCHY = (
    *"""'’ʼ"/\\|-_.,;:!?()[]{}<>#*&%$@~^`+=°·¶§¹²½Ⅷ٣३๓""",
    *("'s", "'S", "'ll", "'LL", "'re", "'Ve", "'ſ", "ſ", "K", "İ", "ǅ", "ʰ", "ª", "ß"),
    *(" ", "  ", "\t", "\u00a0", "\u2028", "\u2029", "\u0085", "\u001c", "\u001f", "\x0b", "\x0c"),
    *("\n", "\r", "\r\n", "\n\n", "\n \n", "\n/", "/\n/", "\u3000", "\u200b", "\ufeff", "\u180e"),
    *("\u0301", "\u0301\u0327", "\u200d", "\ufe0f", "👩‍👩‍👧", "🇩🇪", "🇩", "👍🏽", "1️⃣", "😀"),
    *("漢", "漢字", "か", "カナ", "ー", "々", "〇", "。", "、", "「", "」", "！", "…", "—"),
    *("ไทย", "น้ำ", "हिन्दी", "한국", "ᄀ", "שלום", "مرحبا", "Ω", "ж", "Ж", "é", "É"),
    *("a", "b", "A", "B", "aB", "Ab", "AB", "I", "1", "12", "1234", "١", "0x", "the ", " of"),
    *("<|endoftext|>", "\x00", "\x07", "\x1b", "\u00ad", "\u202e", "Mr. ", "e.g. ", "1. "),
)
"""What tokenizers, segmenters and trimming treat in ways of their own."""

PASSAGE = (
    "The pump starts by itself. Wait until it hums! Is Mr. Smith there (he should be)? It's 3.5 "
    "kg, e.g. 12,000 units of part no. 7. Don't open v1.2.3-rc.1 at https://example.com/a_b?c=d& "
    "e=f now. Die Anlage läuft z. B. nachts. Größe: 5 µm… «C’est l’été», dit-il. ¿Qué tal? "
    "Наука и жизнь. "
    "手册的第一句话。第二句话！「はい。」と言った。カタカナ、ひらがな。 ภาษาไทยไม่มีช่องว่างระหว่างคำ "
    "हिन्दी वाक्य। 한국어 문장. שלום עולם. مرحبا بالعالم؟ 👩‍👩‍👧 said 👍🏽 🇩🇪! e\u0301te\u0301\n"
    "  indented\tand tabbed\r\nline two\u2028line three  double  spaced\u00a0joined\n\n\nafter. "
    "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0/+IGFuZCBsb25nZXIgdGhhbiBhIGJ1ZGdldCBvZiB0b2tlbnM=== "
)
words = st.sampled_from(
    ["pump", "a", "Größe", "漢字", "ひらがな", "it's", "x1", "жизнь", "1234567", "e\u0301"]
)
prose = st.builds(
    lambda start, length: (PASSAGE * 4)[start : start + length],
    st.integers(0, len(PASSAGE)),
    st.one_of(st.integers(1, 60), st.integers(1, 3 * len(PASSAGE))),
)
touchy = st.lists(st.sampled_from(TOUCHY), max_size=20).map("".join)
repeated = st.builds(
    lambda part, times: part * times,
    st.sampled_from(
        ["x", "ab1", "漢", "น้ำ", "👩‍👩‍👧", "e\u0301", "🇩🇪", "\u0301", "\ud800", "aGVs+/", " \n"]
    ),
    st.integers(1, 400),
)
texts = st.one_of(prose, prose, touchy, repeated, st.text(st.characters(), max_size=20))

_BODY = [kind for kind in BlockType if kind not in (BlockType.heading, BlockType.table_row)]
headings = st.builds(
    lambda text, level: [Block(type=BlockType.heading, text=text, level=level)],
    st.one_of(st.sampled_from(["Same", "Title", "標題"]), prose, touchy),
    st.integers(1, 6),
)
bodies = st.builds(
    lambda kind, parts: [Block(type=kind, text=part) for part in parts],
    st.sampled_from(_BODY),
    st.lists(texts, min_size=1, max_size=4),
)
cells = st.lists(st.one_of(words, prose, touchy), min_size=1, max_size=4)
tables = st.builds(
    lambda header, rows, number: make_table(header, *rows, number=number),
    cells,
    st.lists(cells, max_size=8),
    st.integers(0, 3),
)
blocks = st.lists(st.one_of(headings, bodies, bodies, tables), max_size=7).map(
    lambda groups: [block for group in groups for block in group]
)
documents = blocks.map(make_document)


class Odd:
    """Counts neither additively nor monotonically: text may get shorter by getting longer."""

    def count(self, text: str) -> int:
        return (len(text) + 2) // 3 + (len(text) % 5 == 0) - text.count("ab")

    def name(self) -> str:
        return "odd"


class Quarter:
    """The customary estimate."""

    def count(self, text: str) -> int:
        return -(-len(text) // 4)

    def name(self) -> str:
        return "len/4"


CL100K, O200K = TiktokenCounter("cl100k_base"), TiktokenCounter("o200k_base")
COUNTERS = [CL100K, O200K, WordCounter(), Odd(), Quarter()]

budgets = st.one_of(st.integers(4, 40), st.integers(4, 600))
chunkers = st.builds(
    lambda budget, share, counter: HeadingAwareChunker(budget, int(share * budget), counter),
    budgets,
    st.one_of(st.just(0.0), st.floats(0, 0.999)),
    st.sampled_from(COUNTERS),
)
