"""Where does a sentence end?

Stands on sentencex (MIT; rules for some 300 languages, lossless, linear), whose cuts are mended
where a chunk would otherwise start with half a thought (`_goes_on`, `_BRACKETED`).
"""

import re
from collections.abc import Iterator

__all__ = ["sentence_spans", "split_sentences"]


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, in order, without white space at their edges."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Half-open offsets into `text` of the sentences of `text[start:end]`, in order.

    White space at a sentence's edges belongs to no span; everything else belongs to exactly one.
    """
    end = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    first = start
    for cut in (*_cuts(text, start, end), end):
        sentence = text[first:cut]
        begin = first + len(sentence) - len(sentence.lstrip())
        stripped = len(sentence.strip())
        if stripped:
            spans.append((begin, begin + stripped))
        first = cut
    return spans


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Offsets behind each sentence of `text[start:end]` but the last, ascending."""
    first = start
    for piece in _segment(text[start:end]):
        cut = first + len(piece)
        for bracketed in _BRACKETED.finditer(text, first, cut):
            yield bracketed.end()
        if cut < end and not _goes_on(text, first, cut):
            yield cut
        first = cut


def _segment(text: str) -> list[str]:
    """sentencex's cuts: the pieces joined are the text."""
    from sentencex import segment

    language = _language(text)
    try:
        pieces: list[str] = segment(language, text)
    except UnicodeEncodeError:
        pieces = segment(language, _LONE_SURROGATE.sub("\ufffd", text))
    return pieces


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_BRACKETED = re.compile(
    r"""[.!?…][)\]] (?= \s+ ["'“‘«(\[]? (?!\d|_)\w (?<![a-zà-öø-ÿ]) )  # (A sentence.) Another
      | [。！？｡][）】〕] (?= [^\W_] )                                 # （一句。）另一句
    """,
    re.VERBOSE,
)
"""Ends of sentences in brackets, which sentencex joins to the next one."""


def _goes_on(text: str, first: int, cut: int) -> bool:
    """True if sentencex cut `text[first:cut]` off, but the sentence goes on behind the cut."""
    last, following = text[cut - 1], text[cut]
    if not last.isspace():
        if last in _ASCII_ENDS:
            return not following.isspace()  # Node.js, v1.Final, ?query=A
        if last in _CJK_CLOSING_QUOTES:
            return following.isalpha()  # 「はい。」と言った
        if last == "．" and following.isdigit() and text[cut - 2 : cut - 1].isdigit():
            return True  # ３．１４
    tail = text[max(first, cut - 16) : cut].rstrip()
    if _DASHED.match(text, cut) or (_ORDINAL.search(tail) and _MONTH.match(text, cut)):
        return True
    return bool(_UNFINISHED.search(tail) or _ENUMERATOR.fullmatch(text[first:cut].strip()))


_ASCII_ENDS = frozenset(".!?\"')]")
_CJK_CLOSING_QUOTES = frozenset("」』”’")
_UNFINISHED = re.compile(
    r"(?<!\w)(?:vs|cf|viz|approx|ca|bzw|z\.\s?b|d\.\s?h|u\.\s?a|nr|mme|mlle|mm|p\.\s?ex|т\.\s?е|т\.\s?к)\.$",
    re.IGNORECASE,
)
"""Abbreviations that never end a sentence, and that sentencex ends one at before a capital."""
_DASHED = re.compile(r"[—–]\s+[a-zà-öø-ÿа-яё]")
"""«Стой!» — сказал он."""
_ORDINAL = re.compile(r"(?<!\w)\d{1,2}\.$")
_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
"""am 3. Mai"""
_ENUMERATOR = re.compile(r"[(\[（]?(?:\d{1,3}|[A-Za-z]|[ivxl]{1,5})[.)．）]{1,2}")
"""`1.`, `a)`, `iv.`, `１．`: the number of what follows."""


def _language(text: str) -> str:
    """A guess good enough to choose abbreviations by: script first, then small words."""
    sample = text[:300]
    if not sample.isascii():
        for language, letters in _SCRIPTS.items():
            if letters.search(sample):
                return language
    votes: dict[str, int] = {}
    for word in sample.lower().split():
        for language in _LANGUAGES_OF.get(word, ""):
            votes[language] = votes.get(language, 0) + 1
    best = max(votes, key=votes.__getitem__, default="en")
    return best if votes.get(best, 0) >= 2 else "en"


_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ru": re.compile("[\u0430-\u044f]"),
    "el": re.compile("[\u03b1-\u03c9]{2}"),
    "ar": re.compile("[\u0620-\u064a]"),
    "hi": re.compile("[\u0904-\u0939]"),
    "hy": re.compile("[\u0561-\u0587]"),
}
_SMALL_WORDS = {
    "en": "the and of to is was with for that this",
    "de": "der die das und ist nicht mit ein eine zu den auf",
    "fr": "le la les des et est une dans pour que qui du",
    "es": "el los las y es una por para que con del",
    "it": "il gli che di è una per con non della",
    "pt": "o os as e é uma por para que com não do da",
    "nl": "de het een en is van niet met voor dat",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _code, _words in _SMALL_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_code)
