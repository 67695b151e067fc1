"""What does a formula say that is embedded as an object of its own?"""

import posixpath

from rag_chunker.parsing.archive import Archive, xml_root

_MATH = "{http://www.w3.org/1998/Math/MathML}"


def formula(archive: Archive, address: str) -> str:
    """The formula at `./Object 1` as its author typed it, else its symbols in order; `""` for
    other objects (charts, sheets)."""
    name = posixpath.normpath(posixpath.join(address, "content.xml"))
    if name not in archive:
        return ""
    root = xml_root(archive.read(name))
    if root.tag != f"{_MATH}math":
        return ""
    annotation = next(root.iter(f"{_MATH}annotation"), None)
    if annotation is not None and (annotation.text or "").strip():
        return str(annotation.text).strip()
    return "".join("".join(root.itertext("{*}*")).split())
