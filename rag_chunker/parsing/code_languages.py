"""How does a definition look in each programming language, on the line where it begins?

The first pattern of a language is for definitions at the top of a file, the second for members of
a class. Their groups, joined, are the definition's name: `class Greeter`.
"""

import re
from typing import NamedTuple


class Language(NamedTuple):
    """What the outline needs to know about a language."""

    name: str
    """As in a Markdown code fence."""
    patterns: tuple[re.Pattern[str], ...] = ()
    leads: tuple[str, ...] = ("//", "/*", "*", "@", "#[", "[")
    """How a line begins that belongs to the definition below it."""
    block_comments: bool = True


_HASH = ("#", "@")
_IN = r"(?:\t|[ ]{2,8})"
_NO_CALL = (
    r"(?!(?:if|else|for|foreach|while|switch|catch|return|throw|new|using|lock|do|try|await|yield"
    r"|delete|typeof|case|when|super|this|assert|synchronized)\b)"
)
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|override|open"
    r"|virtual|async|readonly|default|native|synchronized|unsafe|extern|export|inline|suspend|data"
    r"|inner|operator|infix|lateinit|companion|implicit|lazy|case|fileprivate|mutating|convenience"
    r"|required|indirect|abstract|strictfp|transient|volatile|file|value|annotation|external)\s+)*"
)


def _language(
    name: str,
    *patterns: str,
    leads: tuple[str, ...] = Language._field_defaults["leads"],
    ignore_case: bool = False,
) -> Language:
    flags = re.IGNORECASE if ignore_case else 0
    compiled = tuple(re.compile(pattern, flags) for pattern in patterns)
    return Language(name, compiled, leads, block_comments="//" in leads)


_SCRIPT = (
    r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(class|function\*?|interface|enum|namespace|type)\s+([\w$]+)"
    r"|(?:export\s+)?(const|let|var)\s+([\w$]+)\s*(?::[^=]{1,80})?=\s*(?:async\s*)?"
    r"(?:function\b|\([^)]*\)\s*(?::[^=]{1,80})?=>|[\w$]+\s*=>)",
    rf"{_IN}{_NO_CALL}{_MODIFIERS}(?:(?:get|set)\s+)?([\w$#]+)\s*\([^;]*\{{\s*$",
)
_CURLY = (
    rf"[ ]{{0,4}}{_MODIFIERS}(class|interface|enum|record|struct|@interface|delegate)\s+(\w+)",
    rf"{_IN}{_NO_CALL}{_MODIFIERS}{_NO_CALL}(?:[\w<>\[\],.?]+\s+)?(\w+)\s*\([^;=]*(?:\{{|\)|,)?\s*$",
)
_C = (
    r"(?:typedef\s+)?(class|struct|enum|union|namespace)\s+(\w+)[^;()]*$"
    r"|(?!(?:if|else|for|while|switch|return|typedef|using|case|extern)\b)(?=[^(]*\()"
    r"(?:template\s*<[^>]*>\s*)?[A-Za-z_][\w*&:<>,~ \t]*?()([\w:~]+)\s*\([^;]*$"
)

_ALL = {
    "text/x-python": _language(
        "python",
        r"(class|def|async\s+def)\s+(\w+)",
        r"(?:\t|[ ]{4})(def|async\s+def)\s+(\w+)",
        leads=_HASH,
    ),
    "text/javascript": _language("javascript", *_SCRIPT),
    "text/jsx": _language("jsx", *_SCRIPT),
    "text/x-typescript": _language("typescript", *_SCRIPT),
    "text/x-tsx": _language("tsx", *_SCRIPT),
    "text/x-vue": _language("vue", *_SCRIPT),
    "text/x-java": _language("java", *_CURLY),
    "text/x-groovy": _language("groovy", *_CURLY),
    "text/x-csharp": _language("csharp", *_CURLY),
    "text/x-dart": _language("dart", *_CURLY),
    "text/x-kotlin": _language(
        "kotlin",
        rf"{_MODIFIERS}(class|interface|object|fun|enum\s+class|typealias)\s+(?:<[^>]*>\s*)?([\w.]+)",
        rf"{_IN}{_MODIFIERS}(fun|class|object)\s+(?:<[^>]*>\s*)?([\w.]+)",
    ),
    "text/x-scala": _language(
        "scala",
        rf"{_MODIFIERS}(class|object|trait|def|enum|given)\s+(\w+)",
        rf"{_IN}{_MODIFIERS}(def)\s+(\w+)",
    ),
    "text/x-swift": _language(
        "swift",
        rf"{_MODIFIERS}(class|struct|enum|protocol|extension|actor|func)\s+([\w.]+)",
        rf"{_IN}{_MODIFIERS}(func)\s+(\w+)",
    ),
    "text/x-go": _language(
        "go", r"(func)\s+(?:\(\s*(?:\w+\s+)?\*?([\w\[\], ]+)\)\s*)?(\w+)|(type)\s+(\w+)"
    ),
    "text/x-rust": _language(
        "rust",
        r"(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+|extern\s+\"[^\"]*\"\s+)*"
        r"(fn|struct|enum|trait|mod|union|type|macro_rules!)\s+(\w+)"
        r"|(?:unsafe\s+)?(impl)\b(?:<[^>]*>)?\s*([^{]{1,100}?)\s*(?:\{|where|$)",
        rf"{_IN}(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(fn)\s+(\w+)",
    ),
    "text/x-c": _language("c", _C),
    "text/x-c++": _language("cpp", _C),
    "text/x-objective-c": _language(
        "objectivec",
        rf"(@interface|@implementation|@protocol)\s+(\w+)|[-+]()\s*\([^)]*\)\s*(\w+)|{_C}",
    ),
    "text/x-php": _language(
        "php",
        rf"{_MODIFIERS}(class|interface|trait|enum|function)\s+&?(\w+)",
        rf"{_IN}{_MODIFIERS}(function)\s+&?(\w+)",
    ),
    "text/x-ruby": _language(
        "ruby",
        r"(class|module|def)\s+([\w:.?!=]+)",
        r"[ ]{2,4}(def|class|module)\s+([\w:.?!=]+)",
        leads=_HASH,
    ),
    "text/x-shellscript": _language(
        "bash", r"(function)\s+([\w:.-]+)|([\w:.-]+)\s*\(\)\s*(?:\{|$)", leads=_HASH
    ),
    "text/x-powershell": _language(
        "powershell", r"(function|filter|class)\s+([\w:-]+)", leads=("#", "["), ignore_case=True
    ),
    "text/x-msdos-batch": _language("batch", r"(:\w+)\s*$", leads=("rem ", "::"), ignore_case=True),
    "text/x-sql": _language(
        "sql",
        r"(?:create|alter)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}?"
        r"(table|view|function|procedure|trigger|index|type|schema|sequence)\s+"
        r"(?:if\s+not\s+exists\s+)?([\w.\"`\[\]]+)",
        leads=("--",),
        ignore_case=True,
    ),
    "text/x-r": _language("r", r"([\w.]+)\s*(?:<-|=)\s*(function)\b", leads=("#",)),
    "text/x-julia": _language(
        "julia",
        r"(function|struct|mutable\s+struct|module|macro|abstract\s+type)\s+([\w.!]+)",
        leads=("#", "@", '"'),
    ),
    "text/x-lua": _language("lua", r"(?:local\s+)?(function)\s+([\w.:]+)", leads=("--",)),
    "text/x-perl": _language("perl", r"(sub|package)\s+([\w:]+)", leads=("#",)),
    "text/x-elixir": _language(
        "elixir",
        r"(defmodule|defprotocol|defimpl)\s+([\w.]+)",
        r"[ ]{2}(defp?|defmacro)\s+([\w?!]+)",
        leads=("#", "@"),
    ),
    "text/x-haskell": _language(
        "haskell",
        r"(class|instance|data|newtype|type)\s+([^=]{1,80}?)\s*(?:=|where|$)|(\w[\w']*)\s*::",
        leads=("--",),
    ),
    "text/x-fsharp": _language(
        "fsharp", r"(let|type|module)\s+(?:rec\s+|inline\s+|private\s+)*(\w+)"
    ),
    "text/x-clojure": _language("clojure", r"\((def[\w-]*)\s+(?:\^\S+\s+)*(\S+)", leads=(";",)),
    "text/x-protobuf": _language("protobuf", r"(message|service|enum)\s+(\w+)"),
    "text/x-terraform": _language(
        "terraform",
        r"(resource|data|module|variable|output|provider)\s+(\"[^\"]*\")(?:\s+(\"[^\"]*\"))?",
        leads=("#", "//"),
    ),
    "text/css": _language("css"),
    "text/x-scss": _language("scss", r"(@mixin|@function)\s+([\w-]+)"),
    "application/yaml": _language("yaml"),
    "application/toml": _language("toml"),
    "application/xml": _language("xml"),
}


def language_of(media_type: str) -> Language:
    """The language of a media type; one without definitions if it is not known."""
    return _ALL.get(media_type) or Language(media_type.rpartition("/")[2].removeprefix("x-"))
