"""How does a docutils tree become blocks? A walk without recursion."""

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import JsonValue

from rag_chunker.parsing.nesting import Nesting
from rag_chunker.parsing.rst_salvage import directive, role_text, title_text
from rag_chunker.parsing.rst_tables import has_header, table_cells
from rag_chunker.parsing.tables import table_blocks
from rag_core.text import is_blank
from rag_core.types import Block, BlockType

MOST_REREADINGS = 20
"""A directive that is not known is read again by its content, at most so many levels deep."""

_ERROR = 3
_ADMONITIONS = frozenset(
    {
        "attention",
        "caution",
        "danger",
        "error",
        "hint",
        "important",
        "note",
        "tip",
        "warning",
    }
)
_SILENT = frozenset(
    {
        "comment",
        "substitution_definition",
        "target",
        "pending",
        "decoration",
        "meta",
        "raw",
        "colspec",
        "label",
        "title",
        "doctest_block",
        "literal_block",
        "math_block",
        "image",
    }
)

_INLINE = frozenset(
    {
        "abbreviation",
        "acronym",
        "citation_reference",
        "emphasis",
        "footnote_reference",
        "generated",
        "inline",
        "literal",
        "math",
        "problematic",
        "reference",
        "strong",
        "subscript",
        "substitution_reference",
        "superscript",
        "target",
        "title_reference",
    }
)


class RstBlocks:
    """Writes the blocks of one document."""

    def __init__(self, fragment: Callable[[str], Any]) -> None:
        """`fragment` gives the docutils document of the content of a directive."""
        self._fragment = fragment
        self._blocks: list[Block] = []
        self._nesting = Nesting()
        self._sections = 0
        self._tables = 0
        self._rereadings = 0
        self._lead = ""
        self._pending: list[Any] = []
        self.metadata: dict[str, JsonValue] = {}
        """From the field list at the top, keys in lower case."""

    def blocks(self, tree: Any) -> list[Block]:
        """All blocks of a docutils document, in order.

        Raises `RecursionError` for what nests too deep for docutils.
        """
        self._pending = [tree]
        while self._pending:
            item = self._pending.pop()
            if callable(item):
                item()
            else:
                self._visit(item)
        return [block for block in self._blocks if not is_blank(block.text)]

    def _visit(self, node: Any) -> None:
        kind = node.tagname
        enter = _ENTER.get(kind)
        if enter:
            enter(self, node)
        elif kind in _ADMONITIONS:
            self._lead = f"{kind.capitalize()}: "
            self._descend(node, self._drop_lead)
        elif kind not in _SILENT:
            if any(child.tagname == "#text" for child in node.children):
                self._prose(_words(node))
            else:
                self._descend(node)

    def _descend(self, node: Any, leave: Callable[[], None] | None = None) -> None:
        if leave:
            self._pending.append(leave)
        self._pending += reversed(node.children)

    def _add(self, kind: BlockType, text: str, **attributes: JsonValue) -> None:
        self._blocks.append(Block(type=kind, text=text, attributes=attributes))

    def _prose(self, text: str) -> None:
        if not is_blank(text):
            self._blocks.append(self._nesting.prose(self._lead + text))
            self._lead = ""

    def _drop_lead(self) -> None:
        self._lead = ""

    def _section(self, node: Any) -> None:
        self._sections += 1
        self._descend(node, self._leave_section)

    def _leave_section(self) -> None:
        self._sections -= 1

    def _title(self, node: Any) -> None:
        text = _words(node)
        if node.parent.tagname == "section" and self._nesting.is_top:
            self._heading(text, self._sections)
        else:
            self._prose(text)

    def _heading(self, text: str, level: int) -> None:
        if not is_blank(text):
            level = min(max(level, 1), 6)
            self._blocks.append(Block(type=BlockType.heading, level=level, text=text))

    def _paragraph(self, node: Any) -> None:
        self._prose(_words(node))

    def _list(self, node: Any) -> None:
        self._nesting.open_list()
        self._descend(node, self._nesting.close_list)

    def _item(self, node: Any) -> None:
        self._nesting.open_item(_marker(node))
        self._descend(node, self._nesting.close)

    def _term(self, node: Any) -> None:
        self._nesting.open_item()
        self._prose(_words(node))
        self._nesting.close()

    def _quote(self, node: Any) -> None:
        self._nesting.open_quote()
        self._descend(node, self._nesting.close)

    def _caption(self, node: Any) -> None:
        self._add(BlockType.caption, _words(node))

    def _image(self, node: Any) -> None:
        self._add(BlockType.caption, " ".join(node.get("alt", "").split()))

    def _code(self, node: Any) -> None:
        classes = [name for name in node.get("classes", ()) if name != "code"]
        language = "python" if node.tagname == "doctest_block" else next(iter(classes), None)
        attributes: dict[str, JsonValue] = {"language": language} if language else {}
        self._add(BlockType.code, node.astext(), **attributes)

    def _formula(self, node: Any) -> None:
        self._add(BlockType.code, node.astext(), language="latex")

    def _lines(self, node: Any) -> None:
        self._prose("\n".join(_words(line) for line in node.findall() if line.tagname == "line"))

    def _field(self, node: Any) -> None:
        name, body = node.children
        self._lead = f"{_words(name)}: "
        if is_blank(body.astext()):
            self._prose(_words(name))
        self._descend(body, self._drop_lead)

    def _docinfo(self, node: Any) -> None:
        for child in node.children:
            fields = child.children if child.tagname == "field" else ()
            name, value = (
                map(_words, fields) if len(fields) == 2 else (child.tagname, _words(child))
            )
            if value:
                self.metadata[name.lower()] = value

    def _option(self, node: Any) -> None:
        self._lead = f"{' '.join(_words(child) for child in node.children[:1])}: "
        self._descend(node.children[-1], self._drop_lead)

    def _note(self, node: Any) -> None:
        labels = [_words(child) for child in node.children if child.tagname == "label"]
        self._lead = "".join(f"[{label}] " for label in labels)
        self._descend(node, self._drop_lead)

    def _topic(self, node: Any) -> None:
        if "contents" not in node.get("classes", ()):
            self._descend(node)

    def _table(self, node: Any) -> None:
        for child in node.children:
            if child.tagname == "title":
                self._add(BlockType.caption, _words(child))
        rows = table_cells(node, _words)
        written = list(table_blocks(rows, table=self._tables, has_header=has_header(node)))
        self._tables += bool(written)
        self._blocks += written

    def _message(self, node: Any) -> None:
        """docutils puts the source of what it refused into its message."""
        raws = [child.astext() for child in node.children if child.tagname == "literal_block"]
        for raw in raws if node.get("level", 0) >= _ERROR else ():
            self._salvage(raw)

    def _salvage(self, raw: str) -> None:
        found = directive(raw)
        if found is None:
            title = title_text(raw)
            if title:
                self._heading(title, self._sections + 1)
            else:
                self._add(BlockType.other, raw)
        elif found.is_code:
            attributes: dict[str, JsonValue] = (
                {"language": found.language} if found.language else {}
            )
            self._add(BlockType.caption, role_text(found.argument))
            self._add(BlockType.code, found.content, **attributes)
        else:
            self._prose(role_text(found.argument))
            self._read_again(found.content)

    def _read_again(self, text: str) -> None:
        if self._rereadings >= MOST_REREADINGS:
            self._add(BlockType.other, text)
        elif not is_blank(text):
            self._rereadings += 1
            self._descend(self._fragment(text), self._leave_rereading)

    def _leave_rereading(self) -> None:
        self._rereadings -= 1


def _words(node: Any) -> str:
    """The text in a node, soft line breaks as spaces, references by what they show."""
    parts: list[str] = []
    before = None
    for leaf in node.findall():
        if leaf.tagname not in ("#text", "image"):
            continue
        block = _block_around(leaf)
        refused = block.parent is not None and block.parent.tagname == "system_message"
        shown = _kept(block) if refused else _shown(leaf)
        parts.append(shown if block is before else f" {shown}")
        before = block
    return " ".join("".join(parts).split())


def _block_around(leaf: Any) -> Any:
    """The paragraph, title, ... that a piece of text stands in."""
    block = leaf.parent
    while block.tagname in _INLINE and block.parent is not None:
        block = block.parent
    return block


def _shown(leaf: Any) -> str:
    if leaf.tagname == "image":
        return f" {leaf.get('alt', '')} "
    text = str(leaf.astext())
    return role_text(text) if leaf.parent.tagname == "problematic" else text


def _kept(block: Any) -> str:
    """What is read of a part of a message: the words of what docutils refused, no complaint."""
    if block.tagname != "literal_block" or block.parent.get("level", 0) < _ERROR:
        return ""
    raw = str(block.astext())
    found = directive(raw)
    return raw if found is None else role_text(f"{found.argument} {found.content}")


def _marker(item: Any) -> str | None:
    container = item.parent
    if container.tagname == "bullet_list":
        return str(container.get("bullet", "-"))
    if container.tagname != "enumerated_list":
        return None
    number = int(container.get("start", 1)) + container.index(item)
    kind = container.get("enumtype", "arabic")
    return f"{container.get('prefix', '')}{_counted(number, kind)}{container.get('suffix', '.')}"


def _counted(number: int, kind: str) -> str:
    if kind.endswith("alpha") and number <= 26:
        letter = chr(ord("a") + number - 1)
        return letter.upper() if kind == "upperalpha" else letter
    if kind.endswith("roman"):
        roman = _roman(number)
        return roman.upper() if kind == "upperroman" else roman
    return str(number)


def _roman(number: int) -> str:
    steps: Iterable[tuple[int, str]] = zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
    text = ""
    for value, letters in steps:
        count, number = divmod(number, value)
        text += letters * count
    return text


_ENTER: dict[str, Callable[[RstBlocks, Any], None]] = {
    "section": RstBlocks._section,
    "title": RstBlocks._title,
    "subtitle": RstBlocks._paragraph,
    "rubric": RstBlocks._paragraph,
    "paragraph": RstBlocks._paragraph,
    "attribution": RstBlocks._paragraph,
    "bullet_list": RstBlocks._list,
    "enumerated_list": RstBlocks._list,
    "definition_list": RstBlocks._list,
    "list_item": RstBlocks._item,
    "term": RstBlocks._term,
    "definition": RstBlocks._item,
    "block_quote": RstBlocks._quote,
    "caption": RstBlocks._caption,
    "image": RstBlocks._image,
    "literal_block": RstBlocks._code,
    "doctest_block": RstBlocks._code,
    "math_block": RstBlocks._formula,
    "line_block": RstBlocks._lines,
    "field": RstBlocks._field,
    "docinfo": RstBlocks._docinfo,
    "option_list_item": RstBlocks._option,
    "footnote": RstBlocks._note,
    "citation": RstBlocks._note,
    "topic": RstBlocks._topic,
    "table": RstBlocks._table,
    "system_message": RstBlocks._message,
}
