"""What does a paragraph style mean, judged by its name in whatever language?"""

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Role(Enum):
    """What a paragraph is."""

    body = "body"
    heading = "heading"
    title = "title"
    code = "code"
    quote = "quote"
    caption = "caption"
    list_item = "list_item"
    contents = "contents"
    """Part of a table of contents or of figures."""


class Meaning(NamedTuple):
    """A role, with the level (1..9) of a heading or the depth (0..) of a list item."""

    role: Role
    level: int = 0


# Word's own names of "heading", with the ids that Word makes of them by dropping all letters
# outside ASCII ("Überschrift 1" has the style id "berschrift1").
_HEADING = (
    "heading|header|überschrift|berschrift|titre|título|ttulo|titulo|titolo|titel|titlu|kop|rubrik|"
    "overskrift|otsikko|nagłówek|nagwek|nadpis|naslov|címsor|cmsor|başlık|balk|заголовок|заглавие|"
    "επικεφαλίδα|标题|標題|見出し|제목|כותרת|عنوان|العنوان|หัวเรื่อง|đầu đề|tiêu đề|judul|tajuk|"
    "pealkiri|antraštė|virsraksts|título do capítulo|encapçalament|capçalera|izenburua|fyrirsögn"
)
_NUMBERED_HEADING = re.compile(rf"(?:{_HEADING})[ _]*([1-9])")
_MEANINGS: tuple[tuple[str, Meaning], ...] = (
    (
        r"(?:toc|contents) heading|(?:toc|table of figures|table of authorities|contents|"
        r"verzeichnis|tm|tdc|sommario|目次|目录|оглавление)[ _]*\d?|inhaltsverzeichnis.*",
        Meaning(Role.contents),
    ),
    (
        r"title|titel|titre|título|titulo|titolo|rubrik|tittel|otsikko|tytuł|název|názov|cím|"
        r"konu başlığı|название|заголовок|τίτλος|标题|標題|表題|제목|כותרת טקסט",
        Meaning(Role.title),
    ),
    (r"subtitle|untertitel|sous-titre|subtítulo|sottotitolo|author|date", Meaning(Role.body)),
    (
        r"(?:.* )?source code(?: .*)?|source ?code|html preformatted|htmlpreformatted|preformatted"
        r"(?: text)?|code(?:[ -]?(?:block|text|listing|example|sample))?|macro(?: text)?|verbatim|"
        r"html vorformatiert|préformaté html|html con formato previo|quelltext|программный код",
        Meaning(Role.code),
    ),
    (
        r"(?:intense |block )?(?:quote|quotation|quotations)|block ?text|intensequote|"
        r"(?:intensives )?zitat|citation(?: intense)?|cita(?: destacada)?|citazione(?: intensa)?|"
        r"цитата|引用|引用文|인용",
        Meaning(Role.quote),
    ),
    (
        r"(?:(?:image|table|figure) ?)?caption|beschriftung|"
        r"légende|leyenda|epígrafe|didascalia|bijschrift|название объекта|题注|図表番号|캡션",
        Meaning(Role.caption),
    ),
)
_NAMED = tuple((re.compile(pattern), meaning) for pattern, meaning in _MEANINGS)
_LIST = re.compile(r"list[ _]*(?:bullet|number)[ _]*([2-9])?")


@lru_cache(maxsize=4096)
def meaning_of(name: str) -> Meaning | None:
    """What the style name says, or None if it says nothing.

    A name with a variant behind a comma ("heading 1,H1") is judged by what stands before it.
    """
    folded = " ".join(name.partition(",")[0].casefold().split())
    if heading := _NUMBERED_HEADING.fullmatch(folded):
        return Meaning(Role.heading, int(heading[1]))
    if listed := _LIST.fullmatch(folded):
        return Meaning(Role.list_item, int(listed[1] or 1) - 1)
    return next((meaning for pattern, meaning in _NAMED if pattern.fullmatch(folded)), None)
